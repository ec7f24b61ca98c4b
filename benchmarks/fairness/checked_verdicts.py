"""An audit's verdicts across two groups beside the truth, which a simulated expert knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.applications.fairness.audit import FairnessAudit
from commensurate.arrays import FloatArray, IntArray

# the true dissimilarity of people of the first group, by row number, and of the second one
Truth = Callable[[IntArray, IntArray], FloatArray]
# a gap that is all that is allowed is no violation, however it was rounded
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class CheckedVerdicts:
    """Counts of the pairs compared across two groups; ``wrong`` are those decided against the truth.

    ``share_lower`` and ``share_upper`` are the audit's limits for the share of violations. ``people_wronged`` counts by
    group whom the audit calls treated worse than may be.
    """

    pairs: int
    violated: int
    satisfied: int
    undecided: int
    wrong: int
    truly_violated: int
    share_lower: float
    share_upper: float
    people_wronged: dict[str, int]

    def figures(self) -> dict[str, object]:
        """Return the counts by name, for a file of results."""
        return asdict(self)


def check_verdicts(audit: FairnessAudit, truth: Truth) -> CheckedVerdicts:
    """Count the verdicts on an audit's pairs across its two groups, and those that the truth contradicts."""
    (share,) = audit.shares[audit.shares["left_group"] != audit.shares["right_group"]].to_dict("records")
    across = audit.verdicts[audit.verdicts["left_group"] != audit.verdicts["right_group"]]
    truly = truly_violated(across, truth, audit.lipschitz)
    verdict = across["verdict"].to_numpy()
    wrong = ((verdict == "violated") & ~truly) | ((verdict == "satisfied") & truly)
    return CheckedVerdicts(
        pairs=len(across),
        violated=int(share["violated"]),
        satisfied=int(share["satisfied"]),
        undecided=int(share["undecided"]),
        wrong=int(wrong.sum()),
        truly_violated=int(truly.sum()),
        share_lower=float(share["share_lower"]),
        share_upper=float(share["share_upper"]),
        people_wronged={str(row["group"]): int(row["violated"]) for row in audit.people.to_dict("records")},
    )


def truly_violated(across: pd.DataFrame, truth: Truth, lipschitz: float) -> NDArray[np.bool_]:
    """Tell for pairs across two groups, with their row numbers and gaps, which of them break the condition."""
    allowed = lipschitz * truth(across["left"].to_numpy(np.int64), across["right"].to_numpy(np.int64))
    broken: NDArray[np.bool_] = across["gap"].to_numpy() > allowed + ROUNDING
    return broken
