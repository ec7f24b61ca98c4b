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

    def images(self, parameters: FloatArray, points: FloatArray, softness: float) -> FloatArray:
        """Return images alone, for several rows of parameters at once: rows × rank × points."""
        n_rows = len(parameters)
        if self.kind == "linear":
            return _images(parameters.reshape(n_rows, self.rank, -1), points)
        if self.kind == "folded":
            split = self.units * (self.n_columns + 1)
            inner = _images(parameters[:, :split].reshape(n_rows, self.units, -1), points)
            outer = parameters[:, split:].reshape(n_rows, self.rank, -1)
            image: FloatArray = outer[:, :, :-1] @ np.sqrt(inner * inner + softness**2) + outer[:, :, -1:]
            return image
        forms = _images(parameters.reshape(n_rows, self.rank * self.units, -1), points)
        return largest_of(forms.reshape(n_rows, self.rank, self.units, -1), softness)

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


def largest_of(values: FloatArray, softness: float) -> FloatArray:
    """Return what `soft_maximum` returns first, but over the last axis but one.

    >>> largest_of(np.array([[1.0], [3.0]]), 0.0)
    array([3.])
    """
    largest: FloatArray = values.max(axis=-2)
    if softness == 0.0:
        return largest
    shares = np.exp((values - largest[..., None, :]) / softness)
    rounded: FloatArray = largest + softness * np.log(shares.sum(axis=-2))
    return rounded


def _images(matrices: FloatArray, points: FloatArray) -> FloatArray:
    """Return W x + b for several W and each point; the last column of a matrix is b."""
    n_rows, rank, width = matrices.shape
    flat = matrices.reshape(n_rows * rank, width)
    image: FloatArray = flat[:, :-1] @ points.T + flat[:, -1:]
    return image.reshape(n_rows, rank, -1)


def _linear(parameters: FloatArray, points: FloatArray, rank: int) -> tuple[FloatArray, Pullback]:
    """Return W x + b for each row; the last column of the parameters is b."""
    matrix = parameters.reshape(rank, points.shape[1] + 1)
    image: FloatArray = points @ matrix[:, :-1].T + matrix[:, -1]

    def pullback(slopes: FloatArray) -> FloatArray:
        return np.hstack([slopes.T @ points, slopes.sum(axis=0)[:, None]]).ravel()

    return image, pullback
