"""Simulated experts for groups whose columns have nothing in common: x − y need not exist.

Each maps either group on its own, by a map that is 1-Lipschitz for the Euclidean metric, and compares the images; so σ
is 1-Lipschitz in x and in y, which is M1 and M2.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between

# Sizes of what is drawn: large enough that no two draws look alike, small enough to be quick.
_IMAGE_COLUMNS = 3
_HIDDEN = 8
_PROTOTYPES = 6
_FORMS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """A small network: linear layers of spectral norm at most 1, with |·| between them."""

    weights: tuple[FloatArray, ...]
    offsets: tuple[FloatArray, ...]

    @classmethod
    def draw(cls, n_columns: int, rng: np.random.Generator) -> Embedding:
        """Draw two layers."""
        sizes = (n_columns, _HIDDEN, _IMAGE_COLUMNS)
        weights = tuple(_contraction(rows, columns, rng) for columns, rows in pairwise(sizes))
        return cls(weights, tuple(rng.normal(size=len(layer)) for layer in weights))

    def __call__(self, points: NDArray[Any]) -> FloatArray:
        """Return the images of the rows."""
        image = _linear(self.weights[0], points) + self.offsets[0]
        for weights, offsets in zip(self.weights[1:], self.offsets[1:]):
            # the absolute value folds space without shrinking it; tanh would make far away elements all alike
            image = _linear(weights, np.abs(image)) + offsets
        return image


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingExpert:
    """The distance between the images of x and y under two random networks, one a group.

    Examples
    --------
    >>> expert = EmbeddingExpert.draw(2, 3, first="a", rng=np.random.default_rng(0))
    >>> expert(np.zeros((4, 2)), np.ones((4, 3)), ("a", "b")).shape
    (4,)
    """

    of_first: Embedding
    of_second: Embedding
    first: str

    @classmethod
    def draw(cls, n_first: int, n_second: int, first: str, rng: np.random.Generator) -> EmbeddingExpert:
        """Draw the two networks for groups with so many columns."""
        return cls(Embedding.draw(n_first, rng), Embedding.draw(n_second, rng), first)

    def __call__(self, left: NDArray[Any], right: NDArray[Any], between: Between) -> FloatArray:
        """Answer for the pairs of rows, whichever side is named first."""
        x, y = (left, right) if between[0] == self.first else (right, left)
        return _lengths(self.of_first(x) - self.of_second(y))


@dataclass(frozen=True, slots=True, eq=False)
class MahalanobisExpert:
    """σ(x, y) = ‖A x − B y + c‖₂ where A and B have a spectral norm of at most 1.

    Examples
    --------
    >>> expert = MahalanobisExpert(np.array([[1.0, 0.0]]), np.array([[0.5]]), np.array([1.0]), first="a")
    >>> expert(np.array([[3.0, 7.0]]), np.array([[2.0]]), ("a", "b"))
    array([3.])
    """

    of_first: FloatArray
    of_second: FloatArray
    offset: FloatArray
    first: str

    @classmethod
    def draw(cls, n_first: int, n_second: int, first: str, rng: np.random.Generator) -> MahalanobisExpert:
        """Draw A, B and c from normal distributions; A and B are then scaled to norm 1."""
        return cls(
            _contraction(_IMAGE_COLUMNS, n_first, rng),
            _contraction(_IMAGE_COLUMNS, n_second, rng),
            rng.normal(size=_IMAGE_COLUMNS),
            first,
        )

    def __call__(self, left: NDArray[Any], right: NDArray[Any], between: Between) -> FloatArray:
        """Answer for the pairs of rows, whichever side is named first."""
        x, y = (left, right) if between[0] == self.first else (right, left)
        return _lengths(_linear(self.of_first, x) - _linear(self.of_second, y) + self.offset)


@dataclass(frozen=True, slots=True, eq=False)
class PrototypeExpert:
    """Known matches: σ(x, y) = min over k of cₖ + ‖x − pₖ‖ + ‖y − qₖ‖ for prototype pairs (pₖ, qₖ).

    Every term is 1-Lipschitz in x and in y, so their minimum is; it uses the full slope that M1 and M2 allow.

    Examples
    --------
    >>> expert = PrototypeExpert(np.array([[0.0], [9.0]]), np.array([[0.0], [5.0]]), np.array([1.0, 0.0]), first="a")
    >>> expert(np.array([[1.0], [8.0]]), np.array([[2.0], [5.0]]), ("a", "b"))
    array([4., 1.])
    """

    of_first: FloatArray
    of_second: FloatArray
    costs: FloatArray
    first: str

    @classmethod
    def draw(cls, n_first: int, n_second: int, first: str, rng: np.random.Generator) -> PrototypeExpert:
        """Draw standard normal prototypes and costs from U[0, 1]."""
        return cls(
            rng.normal(size=(_PROTOTYPES, n_first)),
            rng.normal(size=(_PROTOTYPES, n_second)),
            rng.random(_PROTOTYPES),
            first,
        )

    def __call__(self, left: NDArray[Any], right: NDArray[Any], between: Between) -> FloatArray:
        """Answer for the pairs of rows, whichever side is named first."""
        x, y = (left, right) if between[0] == self.first else (right, left)
        matches = [c + _lengths(x - p) + _lengths(y - q) for p, q, c in zip(self.of_first, self.of_second, self.costs)]
        nearest: FloatArray = np.min(matches, axis=0)
        return nearest


@dataclass(frozen=True, slots=True, eq=False)
class Merit:
    """The largest of some linear forms, none steeper than 1: what an element is best at."""

    slopes: FloatArray
    offsets: FloatArray

    @classmethod
    def draw(cls, n_columns: int, rng: np.random.Generator) -> Merit:
        """Draw forms of random direction, with slopes of 0.5 to 1."""
        slopes = rng.normal(size=(_FORMS, n_columns))
        steepness = rng.uniform(0.5, 1.0, size=_FORMS)
        return cls(slopes * (steepness / _lengths(slopes))[:, None], rng.normal(size=_FORMS))

    def __call__(self, points: NDArray[Any]) -> FloatArray:
        """Return the merit of each row."""
        merits: FloatArray = np.max(_linear(self.slopes, points) + self.offsets, axis=1)
        return merits


@dataclass(frozen=True, slots=True, eq=False)
class MeritExpert:
    """σ(x, y) = |merit(x) − merit(y)|, each group with a merit of its own.

    Examples
    --------
    >>> one, other = Merit(np.array([[1.0, 0.0]]), np.zeros(1)), Merit(np.array([[-0.5]]), np.zeros(1))
    >>> MeritExpert(one, other, first="a")(np.array([[3.0, 7.0]]), np.array([[2.0]]), ("a", "b"))
    array([4.])
    """

    of_first: Merit
    of_second: Merit
    first: str

    @classmethod
    def draw(cls, n_first: int, n_second: int, first: str, rng: np.random.Generator) -> MeritExpert:
        """Draw the two merits for groups with so many columns."""
        return cls(Merit.draw(n_first, rng), Merit.draw(n_second, rng), first)

    def __call__(self, left: NDArray[Any], right: NDArray[Any], between: Between) -> FloatArray:
        """Answer for the pairs of rows, whichever side is named first."""
        x, y = (left, right) if between[0] == self.first else (right, left)
        return np.abs(self.of_first(x) - self.of_second(y))


def _contraction(n_rows: int, n_columns: int, rng: np.random.Generator) -> FloatArray:
    """Draw a matrix of spectral norm 1."""
    matrix = rng.normal(size=(n_rows, n_columns))
    scaled: FloatArray = matrix / np.linalg.norm(matrix, 2)
    return scaled


def _linear(matrix: FloatArray, points: NDArray[Any]) -> FloatArray:
    # einsum, not BLAS: an answer must not depend on which other pairs are asked in the same batch
    image: FloatArray = np.einsum("ij,kj->ik", points, matrix)
    return image


def _lengths(rows: FloatArray) -> FloatArray:
    lengths: FloatArray = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return lengths
