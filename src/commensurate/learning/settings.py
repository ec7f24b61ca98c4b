"""The parameters in force when samples were drawn; what is said about a fitted estimator rests on them."""

from __future__ import annotations

from dataclasses import dataclass

from commensurate.learning.sample import Sampling


@dataclass(frozen=True, slots=True)
class Settings:
    """What determines samples and questions, besides the seed. ``dilation`` is None for NAIVE."""

    epsilon: float
    delta: float
    dilation: float | None
    samples: Sampling
    symmetric: bool

    def __str__(self) -> str:
        algorithm = "NAIVE" if self.dilation is None else f"CLUSTER with dilation={self.dilation:g}"
        return (
            f"{algorithm}, epsilon={self.epsilon:g}, delta={self.delta:g}, samples={self.samples!r}, "
            f"symmetric={self.symmetric}"
        )
