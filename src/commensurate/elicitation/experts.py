"""Simulated experts: dissimilarities σ that obey M1 and M2 and are known, so that estimates can be judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.elicitation.questions import Between
from commensurate.geometry.metrics import FloatArray


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
