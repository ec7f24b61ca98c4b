"""The function of pairs that is learnt: a weighted mix of parts, other weights for pairs with new elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from commensurate.arrays import PAIRS_COMPUTED_AT_ONCE, PAIRS_FILLED_UP_TO, FloatArray, IntArray
from commensurate.geometry.metrics import FunctionMetric
from commensurate.geometry.threads import each_in_threads
from commensurate.learning.regression.pair_view import PairDescription, PairView
from commensurate.learning.regression.parts.metric_process import MetricProcess
from commensurate.learning.regression.parts.part import CONSTANT, Part
from commensurate.learning.regression.parts.process import Process
from commensurate.learning.regression.regression import MergedPairs
from commensurate.learning.regression.relevance import relevance_of

# a pair has none, one or two elements that no answer was about
CASES = 3
# answers show on what they depend where estimates beat their mean by so many standard errors: by chance, 1 in 20 do
SHOWN = 1.645
# without answers left out: where so much weight is on the constant, they do not show it
NOTHING_ELSE = 0.8
# with so much weight, Gaussian processes on the columns tell alone how noisy answers are
ENOUGH_TO_TELL = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class StackedRegression:
    """A weighted mix of parts; a `Regression`. With one part that is a process it is a Gaussian process.

    Attributes
    ----------
    merged
        What was learnt from.
    weights
        A row for pairs of known elements, one for pairs with one new element, and one for pairs of two; a column a
        part. Not negative; each row has the sum 1.
    left_out_error
        Root mean squared error of the mix on answers that its parts had not seen; NaN where none were left out.
    certainty
        By how many standard errors the mix predicted them better than their mean; NaN where none were left out.
    learnt_answers
        What was learnt from: the merged answers, of which those far from all others may be moved nearer; None where
        they are the merged answers.
    """

    merged: MergedPairs
    describe: PairDescription
    parts: tuple[Part, ...]
    weights: FloatArray
    left_out_error: float = float("nan")
    certainty: float = float("nan")
    learnt_answers: FloatArray | None = None

    @property
    def n_answers(self) -> int:
        """How many answers it was learnt from, repeats included."""
        return self.merged.pairs.n_answers

    @property
    def noise(self) -> float:
        """Estimated standard deviation of the error of a single answer."""
        if self.merged.pairs.noise is not None:
            return self.merged.pairs.noise
        noises, weights = np.array([part.noise for part in self.parts]), self.weights[0]
        tells = np.isfinite(noises) & (weights > 0.0)
        # a process on the columns takes less of the signal for noise than one on distances, or a constant
        best = tells & np.array([isinstance(part, Process) for part in self.parts])
        if weights[best].sum() >= ENOUGH_TO_TELL:
            tells = best
        if tells.any():
            return float(weights[tells] @ noises[tells] / weights[tells].sum())
        return self.left_out_error

    @property
    def forms(self) -> dict[str, float]:
        """Weight of every part, by its name, for pairs of known elements; what is not trusted goes to the constant."""
        found: dict[str, float] = {}
        for part, weight in zip(self.parts, self.weights[0]):
            trust = part.trust if isinstance(part, MetricProcess) else 1.0
            for name, share in ((part.name, trust * weight), (CONSTANT, (1.0 - trust) * weight)):
                if share > 0.0:
                    found[name] = found.get(name, 0.0) + float(share)
        return found

    @property
    def shows_nothing(self) -> bool:
        """Whether so many answers do not show on what they depend."""
        if np.isnan(self.certainty):
            return self.forms.get(CONSTANT, 0.0) >= NOTHING_ELSE
        return self.certainty < SHOWN

    @property
    def far_answers(self) -> IntArray:
        """Rows of the answers that count as nearer to what all others suggest."""
        if self.learnt_answers is None:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero((self.learnt_answers != self.merged.pairs.answers)[self.merged.row_of])

    @property
    def leading_process(self) -> Process | None:
        """The Gaussian process on features that has the most weight."""
        processes = [(weight, k) for k, weight in enumerate(self.weights[0]) if isinstance(self.parts[k], Process)]
        best = self.parts[max(processes)[1]] if processes else None
        return best if isinstance(best, Process) else None

    def estimate(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return an estimate for each pair of rows."""
        estimates = np.empty(len(left))

        def compute(rows: slice) -> None:
            view = self._view(left[rows], right[rows])
            mix = np.zeros(len(view))
            for part, weight in self._weighed_parts(view):
                mix += weight * part.estimate(view)
            estimates[rows] = mix[: len(left[rows])]

        self._chunk_by_chunk(compute, len(left))
        return estimates

    def estimate_with_uncertainty(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return an estimate for each pair of rows, and how uncertain it is.

        The uncertainty is the standard deviation of a new answer:
        what the parts do not know, the noise, and how far the parts disagree.
        """
        estimates, uncertainties = np.empty(len(left)), np.empty(len(left))
        noise = self.noise

        def compute(rows: slice) -> None:
            view = self._view(left[rows], right[rows])
            found = [(weight, *part.estimate_with_uncertainty(view)) for part, weight in self._weighed_parts(view)]
            mix, variance = np.zeros(len(view)), np.full(len(view), noise**2)
            for weight, values, _ in found:
                mix += weight * values
            for weight, values, deviations in found:
                variance += weight * (deviations**2 + (values - mix) ** 2)
            n = len(left[rows])
            estimates[rows], uncertainties[rows] = mix[:n], np.sqrt(variance[:n])

        self._chunk_by_chunk(compute, len(left))
        return estimates, np.maximum(uncertainties, np.finfo(np.float64).tiny)

    def _chunk_by_chunk(self, compute: Callable[[slice], None], n: int) -> None:
        """Compute some rows after the other, on all cores where metrics are our own: a user's may not bear it."""
        chunks = [slice(start, start + PAIRS_COMPUTED_AT_ONCE) for start in range(0, n, PAIRS_COMPUTED_AT_ONCE)]
        # sums must not depend on the number of cores: each chunk is computed by one
        with threadpool_limits(1):
            if any(isinstance(space.metric, FunctionMetric) for space in self.describe.features.spaces):
                for chunk in chunks:
                    compute(chunk)
            else:
                each_in_threads(compute, chunks)

    def _view(self, left: FloatArray, right: FloatArray) -> PairView:
        """Describe pairs, filled up with the last of them: sums of a pair are then rounded alike in any company."""
        missing = -len(left) % PAIRS_FILLED_UP_TO
        if not missing:
            return self.describe(left, right)
        filled = [np.concatenate([side, np.repeat(side[-1:], missing, axis=0)]) for side in (left, right)]
        return self.describe(filled[0], filled[1])

    def _weighed_parts(self, view: PairView) -> Iterator[tuple[Part, FloatArray]]:
        """Yield the parts that count for any of these pairs, and how much for each."""
        for part, weight in zip(self.parts, self._weights_of(view).T):
            if weight.any():
                yield part, weight

    def _weights_of(self, view: PairView) -> FloatArray:
        """Return one row of weights a pair."""
        if (self.weights == self.weights[0]).all():
            return np.broadcast_to(self.weights[0], (len(view), len(self.parts)))
        return self.weights[view.n_new]

    def contributions(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return by how much each learnt answer moves the estimate of one pair (one row a side)."""
        with threadpool_limits(1):
            view = self.describe(left, right)
            weights = self._weights_of(view)[0]
            total = sum(
                (weight * part.pulls(view) for weight, part in zip(weights, self.parts)),
                start=np.zeros(len(self.merged.pairs)),
            )
        moves: FloatArray = total[self.merged.row_of] * self.merged.share
        return moves

    def relevance(self) -> Mapping[str, float]:
        """Return which columns matter, by name; shares that sum to 1."""
        return relevance_of(self.estimate, self.merged.pairs)
