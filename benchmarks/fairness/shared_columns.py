"""Two school systems that record the same three things, which do not mean the same:
what an audit without experts makes of it.

Beside school, city applicants work little and rural ones much. The committee sees that their grades and tests were
earned beside a job, and adds for it. The score adds nothing: equal columns get equal scores, whichever the group. So by
the Euclidean distance on these columns it is fair by construction, and by what the committee sees it is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.fairness.checked_verdicts import check_verdicts, truly_violated
from commensurate import BudgetedSimilarity, Group, groups_from_tables
from commensurate.applications import compare_without_experts
from commensurate.applications.fairness.audit import audit_fairness
from commensurate.arrays import FloatArray, IntArray
from commensurate.asking.simulated.own_columns import MahalanobisExpert
from commensurate.experiments.admissions import CITY, RURAL

LIPSCHITZ = 1.0
BUDGET = 400
SEED = 0

# rows: what was achieved, and the circumstances;
# columns: grade, test, job hours. Spectral norms below 1, so that M1 and M2 hold.
_CITY_VIEW = np.array([[0.75, 0.55, 0.0], [0.0, 0.0, 0.2]])
_RURAL_VIEW = np.array([[0.75, 0.55, 0.25], [0.0, 0.0, 0.2]])
COMMITTEE = MahalanobisExpert(_CITY_VIEW, _RURAL_VIEW, np.zeros(2), first=CITY)


@dataclass(frozen=True, slots=True, eq=False)
class SharedColumns:
    """Applicants to learn from, and the points of others to audit."""

    groups: list[Group]
    people: Mapping[str, FloatArray]

    @classmethod
    def prepare(cls, n_rows: int = 600, n_people: int = 300, seed: int = 7) -> SharedColumns:
        """Draw applicants; of either group, ``n_people`` are audited."""
        rng = np.random.default_rng(seed)
        drawn = {CITY: _city(n_rows + n_people, rng), RURAL: _rural(n_rows + n_people, rng)}
        groups = groups_from_tables({name: table[:n_rows] for name, table in drawn.items()})
        people = {group.name: group.encoding.encode(drawn[group.name][n_rows:]) for group in groups if group.encoding}
        return cls(groups, people)

    def scores(self) -> dict[str, FloatArray]:
        """Return the score that is blind to the group:
        grades and tests, weighed as the committee does for city applicants.
        """
        return {name: points @ _CITY_VIEW[0] for name, points in self.people.items()}

    def truth(self, city: IntArray, rural: IntArray) -> FloatArray:
        """Return the true dissimilarity of the applicants in these rows."""
        return COMMITTEE(self.people[CITY][city], self.people[RURAL][rural], (CITY, RURAL))


def without_experts_figures(world: SharedColumns, learner: str = "gp") -> list[dict[str, object]]:
    """Return the verdicts of an audit with few answers, and of both ways to do without, beside the truth."""
    model = BudgetedSimilarity(budget=BUDGET, learner=learner, answer_error=0.0, random_state=SEED).fit(
        world.groups, oracle=COMMITTEE
    )
    audit = audit_fairness(
        model, world.people, scores=world.scores(), lipschitz=LIPSCHITZ, pairs="all", interval="calibrated"
    )
    compared = compare_without_experts(audit, random_state=SEED)
    truly = truly_violated(compared.verdicts, world.truth, LIPSCHITZ)
    ours = check_verdicts(audit, world.truth).figures()
    rows: list[dict[str, object]] = [{"by": "experts", "answers": model.n_questions_, **ours}]
    for change in compared.changed.to_dict("records"):
        violated = (compared.verdicts[change["baseline"]] == "violated").to_numpy()
        rows.append(
            {
                "by": change["baseline"],
                "answers": 0,
                "pairs": len(violated),
                "violated": int(violated.sum()),
                "satisfied": int((~violated).sum()),
                "undecided": 0,
                "wrong": int((violated != truly).sum()),
                "truly_violated": int(truly.sum()),
                "decided_by_experts": int(change["decided"]),
                "opposite": int(change["changed"]),
            }
        )
    return rows


def _city(n: int, rng: np.random.Generator) -> pd.DataFrame:
    return _applicants(0.62, 0.62, rng.gamma(1.2, 0.12, n), rng)


def _rural(n: int, rng: np.random.Generator) -> pd.DataFrame:
    return _applicants(0.52, 0.50, rng.gamma(4.0, 0.12, n), rng)


def _applicants(grade: float, test: float, job: FloatArray, rng: np.random.Generator) -> pd.DataFrame:
    """Draw applicants with such grades and tests on average;
    both follow talent. All columns are shares of a full mark.
    """
    talent = rng.normal(size=len(job))
    return pd.DataFrame(
        {
            "grade": np.clip(grade + 0.12 * talent + 0.06 * rng.normal(size=len(job)), 0.0, 1.0),
            "test": np.clip(test + 0.13 * talent + 0.05 * rng.normal(size=len(job)), 0.0, 1.0),
            "job_hours": np.clip(job, 0.0, 1.0),
        }
    )
