"""The families of mean functions, with everything in them learnt, and which of them are tried for two groups.

- Known matches, for any two groups: the least over k of cₖ + s·‖x − pₖ‖ + t·‖y − qₖ‖.
- An embedding, for any two groups: the distance ‖φ(x) − ψ(y)‖₂ between images under two maps.
- Minkowski, for groups that share columns: ‖α∘x − β∘y + θ‖ₚ, p learnt too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.geometry.metrics import CoordinateMetric
from commensurate.groups.elements import Space
from commensurate.learning.regression.means.forms import MeanForm, Pullback, Stage
from commensurate.learning.regression.means.side_maps import SideMap, SideMapKind, largest_of, soft_maximum
from commensurate.learning.regression.pair_features import Coordinates, shared_columns

# s and t are kept between the exponentials of minus this and of this
LARGEST_LOG = 20.0


@dataclass(frozen=True, slots=True)
class PrototypeMean:
    """Parameters: pₖ, qₖ, cₖ for all k, then log s and log t.

    The minimum is hard: what is learnt has its kinks where σ has them.
    """

    n_left: int
    n_right: int
    n_prototypes: int = 10
    starts: int = 12
    name: str = "prototypes"

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.n_prototypes * (self.n_left + self.n_right + 1) + 2

    @property
    def penalty(self) -> FloatArray:
        """Only on where prototypes are, and little: they may be far away."""
        places = self.n_prototypes * (self.n_left + self.n_right)
        return np.where(np.arange(self.size) < places, 0.01, 0.0)

    def stages(self, spread: float) -> tuple[Stage, ...]:
        """Return the legs of a search: which prototype is the nearest is rounded off beside how targets vary."""
        legs = (1e-4, 0.6, 100), (1e-4, 0.3, 60), (1e-4, 0.1, 100), (1e-5, 0.03, 150), (1e-6, 0.0, 200)
        return tuple(Stage(decay * spread**2, softness * spread, steps) for decay, softness, steps in legs)

    def start(self, rng: np.random.Generator, slope: float) -> FloatArray:
        """Draw prototypes around the elements, among them or far away, with costs that give answers of size 1."""
        k, reach = self.n_prototypes, math.exp(rng.uniform(-0.3, 2.0))
        p, q = reach * rng.normal(size=(k, self.n_left)), reach * rng.normal(size=(k, self.n_right))
        # coordinates have a variance of 1 on average
        far = np.sqrt((p * p).sum(axis=1) + self.n_left) + np.sqrt((q * q).sum(axis=1) + self.n_right)
        costs = 1.0 - slope * far
        return np.concatenate([p.ravel(), q.ravel(), costs, [math.log(slope)] * 2])

    def evaluate(
        self, parameters: FloatArray, left: FloatArray, right: FloatArray, softness: float = 0.0
    ) -> tuple[FloatArray, Pullback]:
        """Return the cost of the cheapest match of each pair, and the pullback."""
        k, split = self.n_prototypes, self.n_prototypes * self.n_left
        p = parameters[:split].reshape(k, self.n_left)
        q = parameters[split : split + k * self.n_right].reshape(k, self.n_right)
        costs = parameters[-2 - k : -2]
        s, t = np.exp(np.clip(parameters[-2:], -LARGEST_LOG, LARGEST_LOG))
        to_left, to_right = _distances(left, p), _distances(right, q)
        matches = costs + s * to_left + t * to_right
        opposite, shares = soft_maximum(-matches, softness)

        def pullback(slopes: FloatArray) -> FloatArray:
            chosen = slopes[:, None] * shares
            by_p = _pull(chosen * (s / np.maximum(to_left, 1e-12)), left, p)
            by_q = _pull(chosen * (t / np.maximum(to_right, 1e-12)), right, q)
            by_scales = np.array([s * float(np.vdot(chosen, to_left)), t * float(np.vdot(chosen, to_right))])
            by_scales[np.abs(parameters[-2:]) > LARGEST_LOG] = 0.0
            return np.concatenate([by_p, by_q, chosen.sum(axis=0), by_scales])

        return -opposite, pullback

    def values(self, parameters: FloatArray, left: FloatArray, right: FloatArray, softness: float) -> FloatArray:
        """Return the costs of the cheapest matches alone."""
        n_rows, k, split = len(parameters), self.n_prototypes, self.n_prototypes * self.n_left
        p = parameters[:, :split].reshape(n_rows * k, self.n_left)
        q = parameters[:, split : split + k * self.n_right].reshape(n_rows * k, self.n_right)
        s, t = np.exp(np.clip(parameters[:, -2:], -LARGEST_LOG, LARGEST_LOG)).T[:, :, None, None]
        to_left, to_right = (_distances(*side).reshape(n_rows, k, -1) for side in ((p, left), (q, right)))
        return -largest_of(-(parameters[:, -2 - k : -2, None] + s * to_left + t * to_right), softness)


def _distances(points: FloatArray, places: FloatArray) -> FloatArray:
    squared = (points * points).sum(axis=1)[:, None] - 2.0 * points @ places.T + (places * places).sum(axis=1)
    distances: FloatArray = np.sqrt(np.maximum(squared, 0.0))
    return distances


def _pull(slopes: FloatArray, points: FloatArray, places: FloatArray) -> FloatArray:
    """Return Σᵢ slopes[i, k]·(places[k] − points[i]) for all k, flat."""
    pulled: FloatArray = slopes.sum(axis=0)[:, None] * places - slopes.T @ points
    return pulled.ravel()


STAGES = (
    Stage(1e-3, 0.3, 40),
    Stage(1e-3, 0.1, 60),
    Stage(1e-4, 0.03, 150),
    Stage(1e-5, 0.01, 150),
    Stage(1e-6, 0.0, 200),
)


@dataclass(frozen=True, slots=True)
class EmbeddingMean:
    """Parameters: those of φ, then those of ψ."""

    of_left: SideMap
    of_right: SideMap
    name: str
    starts: int

    @classmethod
    def between(
        cls, n_left: int, n_right: int, *, kind: SideMapKind, rank: int, units: int = 0, starts: int = 16
    ) -> EmbeddingMean:
        """Return the form with maps of one kind on both sides."""
        maps = SideMap(kind, n_left, rank, units), SideMap(kind, n_right, rank, units)
        return cls(*maps, f"{kind} embedding of rank {rank}", starts)

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.of_left.size + self.of_right.size

    @property
    def penalty(self) -> FloatArray:
        """All alike."""
        return np.ones(self.size)

    def stages(self, spread: float) -> tuple[Stage, ...]:
        """Return the legs of a search."""
        return STAGES

    def start(self, rng: np.random.Generator, slope: float) -> FloatArray:
        """Draw both maps."""
        return np.concatenate([self.of_left.start(rng), self.of_right.start(rng)])

    def evaluate(
        self, parameters: FloatArray, left: FloatArray, right: FloatArray, softness: float = 0.0
    ) -> tuple[FloatArray, Pullback]:
        """Return the distance between the images, and the pullback."""
        split = self.of_left.size
        image, left_pullback = self.of_left.apply(parameters[:split], left, softness)
        other, right_pullback = self.of_right.apply(parameters[split:], right, softness)
        gaps = image - other
        values = np.sqrt(np.einsum("ij,ij->i", gaps, gaps) + softness**2)

        def pullback(slopes: FloatArray) -> FloatArray:
            by_gaps = gaps * (slopes / np.maximum(values, 1e-300))[:, None]
            return np.concatenate([left_pullback(by_gaps), -right_pullback(by_gaps)])

        return values, pullback

    def values(self, parameters: FloatArray, left: FloatArray, right: FloatArray, softness: float) -> FloatArray:
        """Return the distances between the images alone."""
        split = self.of_left.size
        gaps = self.of_left.images(parameters[:, :split], left, softness)
        gaps -= self.of_right.images(parameters[:, split:], right, softness)
        values: FloatArray = np.sqrt((gaps * gaps).sum(axis=1) + softness**2)
        return values


# beyond this the norm is the largest gap for every practical purpose
LARGEST_P = 64.0


@dataclass(frozen=True, slots=True, eq=False)
class MinkowskiMean:
    """Parameters: α, β, θ for every shared column, and log(p − 1)."""

    on_left: NDArray[np.int64]
    on_right: NDArray[np.int64]
    name: str = "minkowski"
    starts: int = 8

    @property
    def size(self) -> int:
        """Number of parameters."""
        return 3 * len(self.on_left) + 1

    @property
    def penalty(self) -> FloatArray:
        """All alike."""
        return np.ones(self.size)

    def stages(self, spread: float) -> tuple[Stage, ...]:
        """Return the legs of a search; there are no kinks to round off."""
        return Stage(1e-3, 0.0, 40), Stage(1e-4, 0.0, 60), Stage(1e-5, 0.0, 150), Stage(1e-7, 0.0, 300)

    def start(self, rng: np.random.Generator, slope: float) -> FloatArray:
        """Draw α = β near 1/2 and p near 2 to 4."""
        n = len(self.on_left)
        weights = rng.uniform(0.3, 0.7, n)
        return np.concatenate([weights, weights, 0.01 * rng.normal(size=n), [rng.uniform(0.0, 1.5)]])

    def evaluate(
        self, parameters: FloatArray, left: FloatArray, right: FloatArray, softness: float = 0.0
    ) -> tuple[FloatArray, Pullback]:
        """Return the norm of the weighted gaps, and the pullback."""
        n = len(self.on_left)
        alpha, beta, theta = parameters[: 3 * n].reshape(3, n)
        x, y = left[:, self.on_left], right[:, self.on_right]
        gaps = alpha * x - beta * y + theta
        free = float(np.exp(min(parameters[-1], 10.0)))
        p = min(1.0 + free, LARGEST_P)
        sizes = np.abs(gaps)
        largest = np.maximum(sizes.max(axis=1), 1e-300)
        ratios = sizes / largest[:, None]
        powers = ratios**p
        # at least 1, unless all gaps are 0
        sums = np.maximum(powers.sum(axis=1), 1e-300)
        values = largest * sums ** (1.0 / p)

        def pullback(slopes: FloatArray) -> FloatArray:
            by_gaps = np.sign(gaps) * ratios ** (p - 1.0) * (slopes * sums ** (1.0 / p - 1.0))[:, None]
            logs = np.log(np.maximum(ratios, 1e-300))
            by_p = values * ((powers * logs).sum(axis=1) / (p * sums) - np.log(sums) / p**2)
            by_free = float(slopes @ by_p) * free if 1.0 + free < LARGEST_P else 0.0
            return np.concatenate(
                [(by_gaps * x).sum(axis=0), -(by_gaps * y).sum(axis=0), by_gaps.sum(axis=0), [by_free]]
            )

        return values, pullback

    def values(self, parameters: FloatArray, left: FloatArray, right: FloatArray, softness: float) -> FloatArray:
        """Return the norms of the weighted gaps alone."""
        alpha, beta, theta = parameters[:, :-1].reshape(len(parameters), 3, -1, 1).swapaxes(0, 1)
        sizes = np.abs(alpha * left[:, self.on_left].T - beta * right[:, self.on_right].T + theta)
        p = np.minimum(1.0 + np.exp(np.minimum(parameters[:, -1:], 10.0)), LARGEST_P)
        largest = np.maximum(sizes.max(axis=1), 1e-300)
        sums = np.maximum(((sizes / largest[:, None]) ** p[:, :, None]).sum(axis=1), 1e-300)
        values: FloatArray = largest * sums ** (1.0 / p)
        return values


def mean_catalogue(coordinates: Coordinates) -> Mapping[str, MeanForm]:
    """Return every form that fits the two groups, by name."""
    widths = coordinates.widths
    on_left, on_right = shared_columns(coordinates.features.spaces)
    forms: list[MeanForm] = [
        EmbeddingMean.between(*widths, kind="linear", rank=1),
        EmbeddingMean.between(*widths, kind="linear", rank=2),
        EmbeddingMean.between(*widths, kind="linear", rank=4),
        EmbeddingMean.between(*widths, kind="largest", rank=1, units=4),
        EmbeddingMean.between(*widths, kind="folded", rank=3, units=6),
        PrototypeMean(*widths),
    ]
    if len(on_left) and all(_keeps_columns(space) for space in coordinates.features.spaces):
        forms.append(MinkowskiMean(on_left, on_right))
    return {form.name: form for form in forms}


def _keeps_columns(space: Space) -> bool:
    """Tell whether the coordinates of a group's metric are its columns, each on its own."""
    return isinstance(space.metric, CoordinateMetric) and space.metric.rotation is None and not space.metric.angular
