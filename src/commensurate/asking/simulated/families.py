"""Families of simulated experts by name, and one oracle for any number of groups:
an expert of its own for every pair.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between
from commensurate.asking.simulated.own_columns import EmbeddingExpert, MahalanobisExpert, MeritExpert, PrototypeExpert
from commensurate.asking.simulated.shared_columns import ChebyshevExpert, PaperExpert
from commensurate.errors import InvalidParameter, UnknownGroup

Expert = Callable[[NDArray[Any], NDArray[Any], Between], FloatArray]

_SHARED: Mapping[str, Callable[[int, str, np.random.Generator], Expert]] = {
    "paper": PaperExpert.draw,
    "chebyshev": lambda n_columns, first, rng: ChebyshevExpert.draw(n_columns, rng),
}
_FREE: Mapping[str, Callable[[int, int, str, np.random.Generator], Expert]] = {
    "embedding": EmbeddingExpert.draw,
    "mahalanobis": MahalanobisExpert.draw,
    "prototypes": PrototypeExpert.draw,
    "merit": MeritExpert.draw,
}
FAMILIES: tuple[str, ...] = (*_SHARED, *_FREE)


def needs_shared_columns(family: str) -> bool:
    """Tell whether the experts of a family compare the same columns of both groups.

    >>> needs_shared_columns("paper"), needs_shared_columns("merit")
    (True, False)
    """
    if family not in FAMILIES:
        raise InvalidParameter(f"family must be one of {', '.join(FAMILIES)}, got {family!r}")
    return family in _SHARED


def draw_expert(family: str, n_first: int, n_second: int, first: str, rng: np.random.Generator) -> Expert:
    """Draw an expert of a family for two groups with so many columns; ``first`` names the first group.

    >>> expert = draw_expert("mahalanobis", 2, 5, first="a", rng=np.random.default_rng(0))
    >>> expert(np.zeros((3, 2)), np.zeros((3, 5)), ("a", "b")).shape
    (3,)
    """
    if not needs_shared_columns(family):
        return _FREE[family](n_first, n_second, first, rng)
    if n_first != n_second:
        raise InvalidParameter(
            f"experts of the family {family!r} compare the same columns of both groups, got {n_first} and {n_second} "
            f"columns; choose one of {', '.join(_FREE)}"
        )
    return _SHARED[family](n_first, first, rng)


@dataclass(frozen=True, slots=True, eq=False)
class ExpertByPair:
    """An oracle that passes each question on to the expert for its two groups, whichever is named first.

    Examples
    --------
    >>> oracle = ExpertByPair.draw("merit", {"a": 2, "b": 1, "c": 3}, np.random.default_rng(0))
    >>> x, y = np.zeros((1, 2)), np.ones((1, 3))
    >>> bool(oracle(x, y, ("a", "c")) == oracle(y, x, ("c", "a")))
    True
    """

    experts: Mapping[frozenset[str], Expert]

    @classmethod
    def draw(cls, family: str, n_columns: Mapping[str, int], rng: np.random.Generator) -> ExpertByPair:
        """Draw an independent expert for every pair of groups; ``n_columns`` gives each group's number of columns."""
        return cls(
            {
                frozenset((one, other)): draw_expert(family, n_columns[one], n_columns[other], one, rng)
                for one, other in combinations(n_columns, 2)
            }
        )

    def __call__(self, left: NDArray[Any], right: NDArray[Any], between: Between) -> FloatArray:
        """Answer for the pairs of rows."""
        expert = self.experts.get(frozenset(between))
        if expert is None:
            known = sorted({name for pair in self.experts for name in pair})
            raise UnknownGroup(f"between must name two different groups of {known}, got {between!r}")
        return expert(left, right, between)
