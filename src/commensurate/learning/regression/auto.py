"""Learning a function of pairs from answers: candidates with and without a mean function, stacked.

Each mean function is fitted fold by fold. What it leaves over out of fold is what its Gaussian process learns, and
leaving one out of that process in closed form gives honest predictions, by which candidates are weighed. With few
answers the kernel is fitted again without those it predicts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from commensurate.arrays import FloatArray
from commensurate.errors import InvalidInput
from commensurate.learning.regression.gaussian_process import Kernel, KernelTask, Posterior, fit_kernel, refit_kernel
from commensurate.learning.regression.means.families import mean_catalogue
from commensurate.learning.regression.means.forms import MeanForm
from commensurate.learning.regression.pair_features import Coordinates, PairFeatures
from commensurate.learning.regression.regression import NO_FORM, AnsweredPairs, MergedPairs
from commensurate.learning.regression.stacked import (
    FOLDS,
    Candidate,
    CrossFittedMean,
    CrossFitting,
    Path,
    StackedRegression,
    folds_of,
    stacking_weights,
    standardisation,
)
from commensurate.progress import progress

MOST_ANSWERS = 5_000
# with fewer different pairs nothing is left of a fold
LEAST_FOR_MEANS = 20
# up to so many answers, leaving one out without fitting the kernel again flatters
MOST_REFITTED_ANSWERS = 200
# a mean whose error out of fold is so many times that of the process alone is not worth a process of its own
WORST_RATIO = 2.0
# and of the others so many, the best on the first fold, get one
MOST_MEANS = 3


def learn_process(
    pairs: AnsweredPairs, rng: np.random.Generator, *, previous: StackedRegression | None = None
) -> StackedRegression:
    """Return a Gaussian process on the features of pairs, with no mean function."""
    return _learn(pairs, rng, previous, means=False, minkowski=False)


def learn_auto(
    pairs: AnsweredPairs, rng: np.random.Generator, *, previous: StackedRegression | None = None, minkowski: bool = True
) -> StackedRegression:
    """Return the best mix of a Gaussian process alone and one on top of every mean function that fits the groups.

    ``minkowski=False`` leaves out the mean function that contains the paper's σ.
    """
    return _learn(pairs, rng, previous, means=True, minkowski=minkowski)


def learn_each_alone(pairs: AnsweredPairs, rng: np.random.Generator) -> dict[str, StackedRegression]:
    """Return every candidate on its own, by the name of its mean function: what the mix has to measure up to.

    Given the same answers and a generator in the same state, each is the one that `learn_auto` weighs.
    """
    merged = MergedPairs.of(pairs)
    with threadpool_limits(1):
        features = PairFeatures.learn(merged.pairs, rng)
        coordinates = Coordinates.learn(features, merged.pairs)
        task = _Task(merged.pairs, features, coordinates, rng)
        plain = task.without_mean(None)
        candidates = {NO_FORM: plain, **{name: task.with_mean(form, plain) for name, form in task.catalogue.items()}}
    return {
        name: StackedRegression(merged, features, coordinates, (candidate,), np.ones(1))
        for name, candidate in candidates.items()
    }


def _learn(
    pairs: AnsweredPairs, rng: np.random.Generator, previous: StackedRegression | None, *, means: bool, minkowski: bool
) -> StackedRegression:
    merged = MergedPairs.of(pairs)
    if len(merged.pairs) > MOST_ANSWERS:
        raise InvalidInput(
            f"a Gaussian process learns from at most {MOST_ANSWERS:,} answers, got {len(merged.pairs):,}; use ClusterSimilarity, "
            "or pass a scikit-learn regressor as the learner"
        )
    with threadpool_limits(1):
        features = PairFeatures.learn(merged.pairs, rng)
        coordinates = Coordinates.learn(features, merged.pairs)
        task = _Task(merged.pairs, features, coordinates, rng)
        plain = task.without_mean(previous)
        if not means or len(merged.pairs) < LEAST_FOR_MEANS or np.ptp(merged.pairs.answers) == 0.0:
            return StackedRegression(merged, features, coordinates, (plain,), np.ones(1))
        by_plain = task.honest(plain)
        with_means = task.with_means(plain, by_plain, minkowski)
        candidates = [plain, *with_means]
        predictions = np.array([by_plain, *(task.honest(candidate) for candidate in with_means)])
        weights = stacking_weights(predictions, merged.pairs.answers, merged.pairs.repeats)
    kept = np.flatnonzero(weights)
    return StackedRegression(merged, features, coordinates, tuple(candidates[k] for k in kept), weights[kept])


class _Task:
    """The answers, described once for all candidates."""

    def __init__(
        self, pairs: AnsweredPairs, features: PairFeatures, coordinates: Coordinates, rng: np.random.Generator
    ) -> None:
        self.pairs, self.rng = pairs, rng
        self.describe = features
        self.features = features(pairs.left, pairs.right)
        self.sides = coordinates(pairs.left, pairs.right)
        self.catalogue = mean_catalogue(coordinates)
        # what is found for one form must not depend on which others are tried
        self.rng_of = dict(zip(self.catalogue, rng.spawn(len(self.catalogue))))
        self.slope = coordinates.unit
        self.folds = folds_of(len(pairs), rng)
        self.fitting = CrossFitting(self.sides, pairs.answers, pairs.repeats, self.folds, self.slope)

    def without_mean(self, previous: StackedRegression | None) -> Candidate:
        return self._candidate(None, self.pairs.answers, self._start(previous), self.rng)

    def _start(self, previous: StackedRegression | None) -> Kernel | None:
        """Return the kernel of the process alone, if it was kept and sees as many features."""
        alone = [one.process.kernel for one in (previous.candidates if previous else ()) if one.mean is None]
        if not alone or len(alone[0].scales) != self.features.shape[1]:
            return None
        # landmarks were drawn anew: what was learnt about one of them is of use for all of its side at most
        return replace(alone[0], scales=self.describe.without_places(alone[0].scales))

    def with_mean(self, form: MeanForm, plain: Candidate) -> Candidate:
        path, _ = self.fitting.begin(form, self.rng_of[form.name])
        return self._completed(form, path, plain)

    def with_means(self, plain: Candidate, by_plain: FloatArray, minkowski: bool) -> list[Candidate]:
        to_beat = float(np.abs(by_plain - self.pairs.answers).mean())
        forms = [form for name, form in self.catalogue.items() if minkowski or name != "minkowski"]
        found = []
        with progress("learning", total=len(forms) + MOST_MEANS * (FOLDS - 1)) as advance:
            begun = []
            for form in forms:
                path, error = self.fitting.begin(form, self.rng_of[form.name])
                begun.append((error, form, path))
                advance(1)
            for error, form, path in sorted(begun, key=lambda one: one[0])[:MOST_MEANS]:
                if error <= WORST_RATIO * to_beat:
                    found.append(self._completed(form, path, plain))
                advance(FOLDS - 1)
        return found

    def _completed(self, form: MeanForm, path: Path, plain: Candidate) -> Candidate:
        mean, out_of_fold = self.fitting.complete(form, path)
        return self._candidate(mean, self.pairs.answers - out_of_fold, plain.process.kernel, self.rng_of[form.name])

    def _candidate(
        self, mean: CrossFittedMean | None, left_over: FloatArray, start: Kernel | None, rng: np.random.Generator
    ) -> Candidate:
        task = self._kernel_task(left_over)
        kernel = fit_kernel(task, rng) if start is None else refit_kernel(start, task, rng)
        return Candidate.condition(mean, left_over, kernel, self.features, self.pairs.repeats)

    def _kernel_task(self, left_over: FloatArray) -> KernelTask:
        centre, scale = standardisation(left_over)
        repeat_squares = np.zeros(len(left_over)) if self.pairs.repeat_squares is None else self.pairs.repeat_squares
        return KernelTask(self.features, (left_over - centre) / scale, self.pairs.repeats, repeat_squares / scale**2)

    def honest(self, candidate: Candidate) -> FloatArray:
        """Return what each answer would be predicted as by one who had not seen it,
        but for its part in the mean's search.
        """
        n = len(self.pairs)
        process = candidate.process
        if n > MOST_REFITTED_ANSWERS:
            predicted, _ = process.leave_one_out()
        else:
            # so few answers shape the kernel itself: it must not have seen what it is judged by
            predicted = np.empty(n)
            task = self._kernel_task(candidate.left_over)
            for fold in range(FOLDS):
                kept, left_out = self.folds != fold, self.folds == fold
                seen = task.take(kept)
                kernel = fit_kernel(seen, np.random.default_rng(0))
                posterior = Posterior.condition(kernel, seen.features, seen.targets, seen.repeats)
                predicted[left_out], _ = posterior.estimate_with_uncertainty(self.features[left_out])
        return self.pairs.answers - candidate.left_over + candidate.centre + candidate.scale * predicted
