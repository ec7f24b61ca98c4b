"""A mean for any two groups: the distance ‖φ(x) − ψ(y)‖₂ between images under two maps that are learnt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.learning.regression.means.forms import Pullback, Stage
from commensurate.learning.regression.means.side_maps import SideMap, SideMapKind

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
