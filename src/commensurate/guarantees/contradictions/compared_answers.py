"""Answers that are compared with each other: the elements that each is about, and how far these are apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from commensurate.arrays import FloatArray
from commensurate.errors import InvalidMetric, InvalidParameter, InvalidPoints
from commensurate.geometry.metrics import Metric, MetricFunction, as_metric, as_points
from commensurate.progress import progress

MetricLike = str | Metric | MetricFunction

# distances held at once: few enough to stay in the processor's cache
_BLOCK_DISTANCES = 2**18


@dataclass(frozen=True, slots=True, eq=False)
class ComparedAnswers:
    """The two elements of each answer, the metric of each side, and how to call the answers."""

    points: tuple[FloatArray, FloatArray]
    metrics: tuple[Metric, Metric]
    labels: Sequence[str] | None

    @classmethod
    def of(
        cls,
        left: ArrayLike,
        right: ArrayLike,
        n_answers: int,
        metric: MetricLike | tuple[MetricLike, MetricLike],
        labels: Sequence[str] | None,
        what: str = "answer",
    ) -> ComparedAnswers:
        """Check what is given for so many answers, or whatever it is, and put it together."""
        points = as_points(left, "left"), as_points(right, "right")
        if not len(points[0]) == len(points[1]) == n_answers:
            raise InvalidPoints(
                f"left and right must have one row per {what}, got {len(points[0])} and {len(points[1])} rows"
                f"{f' for {n_answers} answers' if what == 'answer' else ''}"
            )
        if labels is not None and len(labels) != n_answers:
            raise InvalidParameter(f"labels must name every {what}, got {len(labels)} for {n_answers} {what}s")
        both = metric if isinstance(metric, tuple) else (metric, metric)
        if len(both) != 2:
            raise InvalidMetric(f"metric must be one metric or one for each side, got {len(both)}")
        return cls(points, (as_metric(both[0], points[0]), as_metric(both[1], points[1])), labels)

    def __len__(self) -> int:
        return len(self.points[0])

    def checked_pairs(self, left: ArrayLike, right: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return points of further pairs, as wide as those that are compared; raise if they are not."""
        pairs = as_points(left, "left"), as_points(right, "right")
        for name, given, known in zip(("left", "right"), pairs, self.points):
            if given.shape[1] != known.shape[1]:
                raise InvalidPoints(
                    f"{name} must have {known.shape[1]} columns like the pairs that were named, got {given.shape[1]}; pass the "
                    "same columns in the same order"
                )
        if len(pairs[0]) != len(pairs[1]):
            raise InvalidPoints(
                f"left and right must have one row per pair, got {len(pairs[0])} and {len(pairs[1])} rows"
            )
        return pairs

    def label(self, number: int) -> str:
        """Return how an answer is called."""
        return f"answer {number}" if self.labels is None else self.labels[number]

    def distance_blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """Yield D of runs of answers to themselves and all later ones, with the runs' first numbers.

        A bounded number of distances is held at a time; every unordered pair of answers is in one block.
        """
        step = max(1, _BLOCK_DISTANCES // max(len(self), 1))
        with progress("comparing answers", total=len(self)) as advance:
            for start in range(0, len(self), step):
                left, right = (
                    metric.pairwise(side[start : start + step], side[start:])
                    for metric, side in zip(self.metrics, self.points)
                )
                yield start, left + right
                advance(min(step, len(self) - start))
