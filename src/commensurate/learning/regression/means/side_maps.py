"""Maps of one side's coordinates into a few numbers: linear, folded (|·| units), or the largest of linear forms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.learning.regression.means.forms import Pullback

SideMapKind = Literal["linear", "folded", "largest"]


@dataclass(frozen=True, slots=True)
class SideMap:
    """A map from ``n_columns`` coordinates to ``rank`` numbers.

    ``units`` is the number of hidden units of a folded map, and the number of forms that the largest is taken of.
    """

    kind: SideMapKind
    n_columns: int
    rank: int
    units: int = 0

    @property
    def size(self) -> int:
        """Number of parameters."""
        inner = self.n_columns + 1
        if self.kind == "linear":
            return self.rank * inner
        if self.kind == "folded":
            return self.units * inner + self.rank * (self.units + 1)
        return self.rank * self.units * inner

    def start(self, rng: np.random.Generator) -> FloatArray:
        """Draw parameters that give numbers of size 1 or so."""
        parameters = rng.normal(size=self.size) / math.sqrt(self.n_columns)
        if self.kind == "folded":
            outer = self.rank * (self.units + 1)
            parameters[-outer:] *= math.sqrt(self.n_columns / self.units)
        return parameters

    def apply(self, parameters: FloatArray, points: FloatArray, softness: float) -> tuple[FloatArray, Pullback]:
        """Return the image of each row, and the pullback."""
        if self.kind == "linear":
            return _linear(parameters, points, self.rank)
        if self.kind == "folded":
            return self._folded(parameters, points, softness)
        return self._largest(parameters, points, softness)

    def _folded(self, parameters: FloatArray, points: FloatArray, softness: float) -> tuple[FloatArray, Pullback]:
        split = self.units * (self.n_columns + 1)
        inner, inner_pullback = _linear(parameters[:split], points, self.units)
        folded = np.sqrt(inner * inner + softness**2)
        outer, outer_pullback = _linear(parameters[split:], folded, self.rank)
        weights = parameters[split:].reshape(self.rank, self.units + 1)[:, :-1]

        def pullback(slopes: FloatArray) -> FloatArray:
            return np.concatenate(
                [inner_pullback((slopes @ weights) * inner / np.maximum(folded, 1e-300)), outer_pullback(slopes)]
            )

        return outer, pullback

    def _largest(self, parameters: FloatArray, points: FloatArray, softness: float) -> tuple[FloatArray, Pullback]:
        forms, forms_pullback = _linear(parameters, points, self.rank * self.units)
        stacked = forms.reshape(len(points), self.rank, self.units)
        largest, shares = soft_maximum(stacked, softness)

        def pullback(slopes: FloatArray) -> FloatArray:
            return forms_pullback((slopes[:, :, None] * shares).reshape(forms.shape))

        return largest, pullback


def soft_maximum(values: FloatArray, softness: float) -> tuple[FloatArray, FloatArray]:
    """Return the maximum over the last axis, rounded off at its kinks, and its derivatives by the values.

    >>> soft_maximum(np.array([[1.0, 3.0]]), 0.0)
    (array([3.]), array([[0., 1.]]))
    """
    largest = values.max(axis=-1, keepdims=True)
    if softness == 0.0:
        shares = np.zeros_like(values)
        np.put_along_axis(shares, values.argmax(axis=-1)[..., None], 1.0, axis=-1)
        return largest[..., 0], shares
    shares = np.exp((values - largest) / softness)
    sums = shares.sum(axis=-1, keepdims=True)
    return (largest + softness * np.log(sums))[..., 0], shares / sums


def _linear(parameters: FloatArray, points: FloatArray, rank: int) -> tuple[FloatArray, Pullback]:
    """Return W x + b for each row; the last column of the parameters is b."""
    matrix = parameters.reshape(rank, points.shape[1] + 1)
    image: FloatArray = points @ matrix[:, :-1].T + matrix[:, -1]

    def pullback(slopes: FloatArray) -> FloatArray:
        return np.hstack([slopes.T @ points, slopes.sum(axis=0)[:, None]]).ravel()

    return image, pullback
