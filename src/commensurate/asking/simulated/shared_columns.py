"""Simulated experts: dissimilarities σ that obey M1 and M2 and are known, so that estimates can be judged.

These compare the same columns of both groups; ``own_columns.py`` has experts for groups with columns of their own,
and ``families.py`` draws one for every pair of groups. All are for the Euclidean metric: there M1 and M2 say that σ
is 1-Lipschitz in x and in y.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between


@dataclass(frozen=True, slots=True, eq=False)
class PaperExpert:
    """Equation (1) of the paper: σ(x, y) = (Σ |αᵢ xᵢ − βᵢ yᵢ + θᵢ|³)^⅓, with α for the group named ``first``.

    It obeys M1 and M2 for the Euclidean metric when α and β lie in [0, 1], and is not a metric.

    Examples
    --------
    >>> expert = PaperExpert(np.array([1.0]), np.array([1.0]), np.array([2.0]), first="a")
    >>> expert(np.array([[1.0]]), np.array([[2.0]]), ("a", "b"))
    array([1.])
    """

    alpha: FloatArray
    beta: FloatArray
    theta: FloatArray
    first: str

    @classmethod
    def draw(cls, n_columns: int, first: str, rng: np.random.Generator) -> PaperExpert:
        """Draw α, β from U[0, 1] and θ from U[−0.01, 0.01], as in the paper's experiments."""
        return cls(rng.random(n_columns), rng.random(n_columns), rng.uniform(-0.01, 0.01, n_columns), first)

    def __call__(self, left: NDArray[Any], right: NDArray[Any], between: Between) -> FloatArray:
        """Answer for the pairs of rows, whichever side is named first."""
        x, y = (left, right) if between[0] == self.first else (right, left)
        gaps = np.abs(self.alpha * x - self.beta * y + self.theta)
        sums: FloatArray = np.einsum("ij,ij,ij->i", gaps, gaps, gaps)
        return np.cbrt(sums)


@dataclass(frozen=True, slots=True, eq=False)
class ChebyshevExpert:
    """The largest weighted gap in any of some shared columns: σ(x, y) = maxᵢ wᵢ |xᵢ − yᵢ|, with wᵢ in [0, 1].

    1-Lipschitz, because no column moves by more than the Euclidean distance. Columns of weight 0 are not looked at.

    Examples
    --------
    >>> expert = ChebyshevExpert(np.array([1.0, 0.5, 0.0]))
    >>> expert(np.array([[1.0, 3.0, 9.0]]), np.array([[2.0, 0.0, 0.0]]), ("a", "b"))
    array([1.5])
    """

    weights: FloatArray

    @classmethod
    def draw(cls, n_columns: int, rng: np.random.Generator) -> ChebyshevExpert:
        """Draw weights from U[0.5, 1] for half of the columns, rounded up; the others get 0."""
        weights = np.zeros(n_columns)
        looked_at = rng.permutation(n_columns)[: (n_columns + 1) // 2]
        weights[looked_at] = rng.uniform(0.5, 1.0, len(looked_at))
        return cls(weights)

    def __call__(self, left: NDArray[Any], right: NDArray[Any], between: Between) -> FloatArray:
        """Answer for the pairs of rows; it treats both groups alike, so the sides need no telling apart."""
        gaps: FloatArray = np.max(self.weights * np.abs(left - right), axis=1)
        return gaps
