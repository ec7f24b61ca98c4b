"""Learning a function of pairs from answers: several methods, each judged by answers it has not seen, and mixed.

A process on the two metrics, straight lines, and Gaussian processes on features fall back to the mean of the answers
where these show nothing. Forests and mean functions do not, so they are held back as far as answers left out say so.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from commensurate.arrays import FloatArray, IntArray
from commensurate.errors import InvalidInput
from commensurate.geometry.threads import each_in_threads
from commensurate.learning.regression.folds import Fold, element_folds, random_folds
from commensurate.learning.regression.gaussian_process import Kernel, fit_kernel, fit_kernel_quickly, refit_kernel
from commensurate.learning.regression.means.cross_fit import FOLDS, CrossFitting, Path, folds_of
from commensurate.learning.regression.means.families import mean_catalogue
from commensurate.learning.regression.means.forms import MeanForm
from commensurate.learning.regression.outliers import far_moved_nearer, is_worth_it, squares_beside
from commensurate.learning.regression.pair_features import PairFeatures
from commensurate.learning.regression.pair_view import PairDescription
from commensurate.learning.regression.parts.linear import LINEAR, Linear
from commensurate.learning.regression.parts.metric_process import METRICS, MetricProcess
from commensurate.learning.regression.parts.part import CONSTANT, Answered, Constant, Part
from commensurate.learning.regression.parts.process import TIED, Process, kernel_task
from commensurate.learning.regression.parts.trees import EXTRA_TREES, N_TREES, RANDOM_FOREST, Trees
from commensurate.learning.regression.ranges.ranged_pairs import RangedPairs
from commensurate.learning.regression.ranges.reading import all_as_numbers
from commensurate.learning.regression.regression import NO_FORM, AnsweredPairs, MergedPairs
from commensurate.learning.regression.stacked import CASES, StackedRegression
from commensurate.learning.regression.weights import Mix, learn_mix
from commensurate.progress import progress

MOST_ANSWERS = 5_000
# with fewer different pairs nothing is left of a fold: a process on the two metrics alone
LEAST_FOR_FOLDS = 10
LEAST_FOR_MEANS = 20
# a mean whose error out of fold is so many times that of the process alone, or that of the mean of the answers, is not
# worth a process of its own
WORST_RATIO = 2.0
# and of the others so many, the best on the first fold, get one
MOST_MEANS = 3
# far answers are moved so many times at most, each time by what was learnt from those moved before
MOVES = 3
# enough to judge a forest by
TREES_IN_A_FOLD = 60
# with fewer answers left out about new elements, their weights are those of known ones
LEAST_LEFT_OUT = 8

# methods that fall back to the mean of the answers where these show nothing
HAVE_DOUBTS = (METRICS, CONSTANT, LINEAR, NO_FORM, TIED)

Method = Callable[[Answered], Part]


def learn_process(
    pairs: AnsweredPairs, rng: np.random.Generator, *, previous: StackedRegression | None = None
) -> StackedRegression:
    """Return a Gaussian process on the features of pairs, with no mean function."""
    task = _Task.of(pairs, rng)
    with threadpool_limits(1):
        return task.alone(task.process(previous))


def learn_auto(
    pairs: AnsweredPairs, rng: np.random.Generator, *, previous: StackedRegression | None = None, minkowski: bool = True
) -> StackedRegression:
    """Return a mix of parts, weighed by how well each predicts answers left out.

    ``minkowski=False`` leaves out the mean function that contains the paper's σ.
    """
    task = _Task.of(pairs, rng)
    with threadpool_limits(1):
        if np.ptp(task.answered.answers) == 0.0:
            return task.alone(Constant.learn(task.answered))
        if len(task.answered) < LEAST_FOR_FOLDS:
            return task.alone(MetricProcess.learn(task.answered))
        with progress("learning", total=len(task.simple) + task.n_form_steps) as advance:
            task, judged = task.with_far_answers_nearer(advance)
            process = task.process(previous)
            judged = [replace(one, part=process) if one.name == NO_FORM else one for one in judged]
            most = min(WORST_RATIO * task.error(judged, NO_FORM), task.error(judged, CONSTANT))
            judged += task.judged_forms(process, most, minkowski, advance)
        return task.mixed(judged)


def learn_each_alone(pairs: AnsweredPairs | RangedPairs, rng: np.random.Generator) -> dict[str, StackedRegression]:
    """Return every part on its own, by its name: what the mix has to measure up to.

    Given the same answers and a generator in the same state, each is the one that `learn_auto` weighs, unless that
    searched for it again or took far answers for nearer.
    """
    task = _Task.of(all_as_numbers(pairs, rng), rng)
    with threadpool_limits(1):
        parts: dict[str, Part] = {name: method(task.answered) for name, method in task.simple.items()}
        process = parts[NO_FORM] = task.process(None)
        for name, form in task.catalogue.items():
            path, _ = task.fitting.begin(form, task.rng_of[name])
            parts[name] = task.judged_form(form, path, process).part
    return {name: task.alone(part) for name, part in parts.items()}


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """A part that was learnt from all answers, and what the same method predicted for answers that it had not seen.

    ``for_new`` are the predictions of all element folds, one after the other.
    """

    name: str
    part: Part
    left_out: FloatArray
    for_new: FloatArray


class _Task:
    """The answers, described once for all methods, and what is left out to judge these."""

    def __init__(self, merged: MergedPairs, describe: PairDescription, rng: np.random.Generator) -> None:
        pairs = merged.pairs
        self.merged, self.describe, self.rng = merged, describe, rng
        self.view = describe(pairs.left, pairs.right)
        # computed before threads ask for them: a user's metric may not bear two at once
        _ = self.view.features, self.view.sides, self.view.distances
        self.catalogue = mean_catalogue(describe.coordinates)
        # what is found for one form must not depend on which others are tried
        self.rng_of = dict(zip(self.catalogue, rng.spawn(len(self.catalogue))))
        numbers = folds_of(len(pairs), rng)
        self.folds, self.element_folds = random_folds(numbers), element_folds(describe, rng)
        self.fold_of = numbers
        self.seed = int(rng.integers(2**31))
        self._learn_from(pairs.answers)

    def _learn_from(self, answers: FloatArray) -> None:
        pairs = self.merged.pairs
        squares = squares_beside(pairs, answers)
        self.answered = Answered(self.view, np.arange(len(pairs)), answers, pairs.repeats, squares, pairs.noise)
        slope = self.describe.coordinates.unit
        self.fitting = CrossFitting(self.view.sides, answers, pairs.repeats, self.fold_of, slope)

    @classmethod
    def of(cls, pairs: AnsweredPairs, rng: np.random.Generator) -> _Task:
        """Describe answers; raise if there are too many."""
        merged = MergedPairs.of(pairs)
        if len(merged.pairs) > MOST_ANSWERS:
            raise InvalidInput(
                f"a Gaussian process learns from at most {MOST_ANSWERS:,} different pairs, got {len(merged.pairs):,}; use "
                "ClusterSimilarity, or pass a scikit-learn regressor as the learner"
            )
        with threadpool_limits(1):
            features = PairFeatures.learn(merged.pairs, rng)
            return cls(merged, PairDescription.learn(merged.pairs, features), rng)

    # --- methods ---

    @property
    def simple(self) -> dict[str, Method]:
        """The methods that are always tried."""
        return {
            METRICS: MetricProcess.learn,
            CONSTANT: Constant.learn,
            LINEAR: Linear.learn,
            EXTRA_TREES: lambda some: self._forest(EXTRA_TREES, some),
            RANDOM_FOREST: lambda some: self._forest(RANDOM_FOREST, some),
            NO_FORM: lambda some: _quick_process(some, tied=False),
            TIED: lambda some: self.tied_process() if len(some) == len(self.answered) else _quick_process(some, True),
        }

    def process(self, previous: StackedRegression | None) -> Process:
        """Learn a Gaussian process on features from all answers, on from what was learnt from fewer."""
        task, start = kernel_task(self.answered), self._start(previous)
        kernel = fit_kernel(task, self.rng) if start is None else refit_kernel(start, task, self.rng)
        return Process.condition(self.answered, kernel)

    def tied_process(self) -> Process:
        """Learn one whose length scales are held together."""
        kernel = fit_kernel(kernel_task(self.answered), np.random.default_rng(0), tied=True)
        return Process.condition(self.answered, kernel, tied=True)

    def _forest(self, name: str, some: Answered) -> Trees:
        return Trees.learn(name, some, self.seed, N_TREES if len(some) == len(self.answered) else TREES_IN_A_FOLD)

    def _start(self, previous: StackedRegression | None) -> Kernel | None:
        """Return the kernel of the process alone, if it was kept and sees as many features."""
        for part in previous.parts if previous else ():
            if isinstance(part, Process) and part.name == NO_FORM:
                kernel = part.process.kernel
                if len(kernel.scales) == self.answered.features.shape[1]:
                    # landmarks were drawn anew: what was learnt about one is of use for all of its side at most
                    return replace(kernel, scales=self.describe.features.without_places(kernel.scales))
        return None

    # --- judging ---

    def judged_simple(self, advance: Callable[[int], None]) -> list[_Judged]:
        """Judge all simple methods."""
        return [self.judged(name, method, advance) for name, method in self.simple.items()]

    def with_far_answers_nearer(self, advance: Callable[[int], None]) -> tuple[_Task, list[_Judged]]:
        """Return the task and its simple methods, judged; far answers are moved if that is worth it."""
        task, judged = self, self.judged_simple(advance)
        for _ in range(MOVES if self.may_move_answers else 0):
            before = np.array([one.left_out for one in judged])
            moved = far_moved_nearer(self.answered.answers, before)
            if moved is None:
                break
            other = copy(task)
            other._learn_from(moved)
            found = other.judged_simple(lambda _: None)
            if not is_worth_it(self.answered.answers, before, np.array([one.left_out for one in found])):
                break
            task, judged = other, found
        return task, judged

    @property
    def may_move_answers(self) -> bool:
        """Whether an answer may be a slip that nothing else has taken care of."""
        return not self.merged.pairs.bounded and self.merged.pairs.noise is None

    def judged(self, name: str, method: Method, advance: Callable[[int], None]) -> _Judged:
        """Learn by a method from all answers, and, fold by fold, from those that are kept."""

        def predicted(fold: Fold) -> FloatArray:
            return method(self.answered.take(fold.kept)).estimate(self.answered.view.take(fold.left_out))

        folds = [*self.folds, *self.element_folds]
        # scikit-learn sets the filters of warnings, which all threads share
        one_by_one = name in (EXTRA_TREES, RANDOM_FOREST)
        found = list(map(predicted, folds)) if one_by_one else each_in_threads(predicted, folds)
        left_out = np.empty(len(self.answered))
        for fold, values in zip(self.folds, found):
            left_out[fold.left_out] = values
        for_new = found[len(self.folds) :]
        # the plain process is learnt more thoroughly, and once
        part = Constant.learn(self.answered) if name == NO_FORM else method(self.answered)
        advance(1)
        return _Judged(name, part, left_out, np.concatenate([np.empty(0), *for_new]))

    def error(self, judged: list[_Judged], name: str) -> float:
        """Return the mean absolute error of a method on answers left out."""
        left_out = next(one.left_out for one in judged if one.name == name)
        return float(np.abs(left_out - self.answered.answers).mean())

    @property
    def n_form_steps(self) -> int:
        return len(self.catalogue) + MOST_MEANS * (FOLDS - 1)

    def judged_forms(
        self, plain: Process, most: float, minkowski: bool, advance: Callable[[int], None]
    ) -> list[_Judged]:
        """Learn a process on top of those mean functions that promise most on the first fold, if they err so little."""
        if len(self.answered) < LEAST_FOR_MEANS:
            return []
        begun = []
        for name, form in self.catalogue.items():
            if minkowski or name != "minkowski":
                path, error = self.fitting.begin(form, self.rng_of[name])
                if error > most:  # the search may have ended in a poor valley
                    again, other = self.fitting.begin(form, self.rng_of[name])
                    path, error = (again, other) if other < error else (path, error)
                begun.append((error, form, path))
            advance(1)
        found = []
        for error, form, path in sorted(begun, key=lambda one: one[0])[:MOST_MEANS]:
            if error <= most:
                found.append(self.judged_form(form, path, plain))
            advance(FOLDS - 1)
        return found

    def judged_form(self, form: MeanForm, path: Path, plain: Process) -> _Judged:
        """Learn a process on what a mean function leaves over, and judge both together."""
        rng, answered = self.rng_of[form.name], self.answered
        mean, values, stage = self.fitting.complete(form, path, rng)
        left_over = answered.answers - values
        kernel = refit_kernel(plain.process.kernel, kernel_task(answered, left_over), rng)
        part = Process.condition(answered, kernel, mean=mean, left_over=left_over)

        def of_rest(fold: Fold) -> FloatArray:
            some = answered.take(fold.kept)
            of_fold = fit_kernel_quickly(kernel_task(some, left_over[fold.kept]), np.random.default_rng(0))
            process = Process.condition(some, of_fold, left_over=left_over[fold.kept])
            return process.estimate(answered.view.take(fold.left_out))

        left_out = values.copy()
        for fold, estimates in zip(self.folds, each_in_threads(of_rest, self.folds)):
            left_out[fold.left_out] += estimates
        for_new = []
        for fold in self.element_folds:
            some, new = answered.take(fold.kept), answered.view.take(fold.left_out)
            of_kept = self.fitting.fit_on(form, fold.kept, stage, rng)
            rest = some.targets - of_kept(answered.view.take(fold.kept).sides)
            for_new.append(Process.condition(some, kernel, mean=of_kept, left_over=rest).estimate(new))
        return _Judged(form.name, part, left_out, np.concatenate([np.empty(0), *for_new]))

    # --- mixing ---

    def alone(self, part: Part) -> StackedRegression:
        """Return a mix of one part."""
        return StackedRegression(self.merged, self.describe, (part,), np.ones((CASES, 1)))

    def mixed(self, judged: list[_Judged]) -> StackedRegression:
        """Weigh parts for pairs of known elements, and for pairs with one and with two new ones."""
        names = [one.name for one in judged]
        no_doubts = np.array([name not in HAVE_DOUBTS for name in names])

        def mix(predictions: FloatArray, rows: IntArray, folds: IntArray) -> Mix:
            some = self.answered.answers[rows], self.answered.repeats[rows]
            return learn_mix(predictions, *some, folds, constant=names.index(CONSTANT), no_doubts=no_doubts)

        left_out, every = np.array([one.left_out for one in judged]), np.arange(len(self.answered))
        known = mix(left_out, every, self.fold_of)
        weights = np.tile(known.weights, (CASES, 1))
        if self.element_folds:
            rows = np.concatenate([fold.left_out for fold in self.element_folds])
            n_new = np.concatenate([fold.n_new for fold in self.element_folds])
            number = np.repeat(np.arange(len(self.element_folds)), [len(f.left_out) for f in self.element_folds])
            for_new = np.array([one.for_new for one in judged])
            for case in range(1, CASES):
                of_case = np.flatnonzero(n_new == case)
                if len(of_case) >= LEAST_LEFT_OUT:
                    weights[case] = mix(for_new[:, of_case], rows[of_case], number[of_case]).weights
        off = known.weights @ left_out - self.answered.answers
        error = float(np.sqrt(np.average(off**2, weights=self.answered.repeats)))
        kept = np.flatnonzero(weights.any(axis=0))
        parts = tuple(judged[k].part for k in kept)
        answers = self.answered.answers
        learnt = None if answers is self.merged.pairs.answers else answers
        return StackedRegression(self.merged, self.describe, parts, weights[:, kept], error, known.certainty, learnt)


def _quick_process(some: Answered, tied: bool) -> Process:
    kernel = fit_kernel_quickly(kernel_task(some), np.random.default_rng(0), tied=tied)
    return Process.condition(some, kernel, tied=tied)
