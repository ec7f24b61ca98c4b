"""What was measured in several draws, alone or beside a figure of the paper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from commensurate.errors import InvalidInput
from commensurate.wording import in_a_row


@dataclass(frozen=True, slots=True)
class Spread:
    """One figure, measured in several draws.

    >>> print(Spread((1.2, 1.5, 1.9)).shown(decimals=2))
    1.50 (1.20 to 1.90)
    """

    draws: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median over the draws."""
        return float(median(self.draws))

    @property
    def lowest(self) -> float:
        """The smallest figure of any draw."""
        return min(self.draws)

    @property
    def highest(self) -> float:
        """The largest figure of any draw."""
        return max(self.draws)

    def shown(self, decimals: int) -> str:
        """Return the median, and the range in brackets."""
        return f"{self.median:.{decimals}f} ({self.lowest:.{decimals}f} to {self.highest:.{decimals}f})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The paper's figure (None where it prints none) and ours, one per draw of the experiment.

    >>> cell = Comparison(paper=1.558, draws=(1.2, 1.5, 1.9))
    >>> cell.median, cell.inside, cell.place
    (1.5, True, 'above 2 of 3 draws')
    """

    paper: float | None
    draws: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.draws:
            raise InvalidInput(
                "a comparison needs the figures of at least one draw, got none; leave the cell out instead"
            )
        given = self.draws if self.paper is None else (*self.draws, self.paper)
        if strange := [value for value in given if not math.isfinite(value)]:
            raise InvalidInput(
                f"the figures of a comparison must be finite, got {strange[0]}; leave the cell out instead"
            )

    @property
    def spread(self) -> Spread:
        """Our figures alone."""
        return Spread(self.draws)

    @property
    def median(self) -> float:
        """The median over the draws."""
        return self.spread.median

    @property
    def lowest(self) -> float:
        """The smallest figure of any draw."""
        return self.spread.lowest

    @property
    def highest(self) -> float:
        """The largest figure of any draw."""
        return self.spread.highest

    @property
    def inside(self) -> bool:
        """Whether the paper prints a figure and it lies within the range of the draws, ends included."""
        return self.paper is not None and self.lowest <= self.paper <= self.highest

    @property
    def place(self) -> str:
        """Where the paper's figure lies among the draws, in words."""
        if self.paper is None:
            return "no figure in the paper"
        everyone = "the only draw" if len(self.draws) == 1 else f"all {len(self.draws)} draws"
        if self.paper < self.lowest:
            return f"below {everyone}"
        if self.paper > self.highest:
            return f"above {everyone}"
        if self.lowest == self.highest:
            return f"equal to {everyone}"
        if self.paper == self.lowest:
            return f"equal to the lowest of {len(self.draws)} draws"
        return f"above {sum(draw < self.paper for draw in self.draws)} of {len(self.draws)} draws"


def summary_of(cells: tuple[Comparison, ...]) -> str:
    """Say in one sentence in how many cells the paper's figure lies within our range, and where else.

    >>> summary_of((Comparison(1.0, (0.5, 2.0)), Comparison(3.0, (0.5, 2.0))))
    "The paper's figure lies within our range in 1 of 2 cells and above it in 1."
    """
    with_paper = [cell for cell in cells if cell.paper is not None]
    if not with_paper:
        return "The paper gives no figure to compare with."
    inside = sum(cell.inside for cell in with_paper)
    below = sum(cell.paper is not None and cell.paper < cell.lowest for cell in with_paper)
    above = len(with_paper) - inside - below
    elsewhere = [f"{word} it in {n}" for word, n in (("below", below), ("above", above)) if n]
    parts = [f"within our range in {inside} of {len(with_paper)} cells", *elsewhere]
    return f"The paper's figure lies {in_a_row(parts)}."
