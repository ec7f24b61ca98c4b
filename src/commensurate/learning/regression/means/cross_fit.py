"""Mean functions, fitted fold by fold, so that every answer has a mean that has not seen it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray, IntArray, PointPairs
from commensurate.learning.regression.means.forms import MeanForm, MeanTask, Stage, descend, fit_form

Path = list[FloatArray]

FOLDS = 5
# a fold whose loss is so many times the least of all folds' has ended in a poor valley, unless it is below this share
# of the answers' variance
POOR_VALLEY, GOOD_ENOUGH = 3.0, 1e-4
FURTHER_SEARCHES = 2
# a fold that predicts what it left out this well, beside how answers vary, has found the form itself
FOUND = 0.1


def folds_of(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a fold for each answer, folds of equal size or nearly."""
    return rng.permutation(np.arange(n) % FOLDS)


@dataclass(frozen=True, slots=True, eq=False)
class CrossFittedMean:
    """One form with the parameters of every fold, or, where it is found, of all answers; its value is their average.

    Attributes
    ----------
    unit
        What values are multiplied by: forms are fitted to answers of size 1.
    softness
        How far kinks are rounded off.
    parameters
        One row a fold, or a single one.
    """

    form: MeanForm
    unit: float
    softness: float
    parameters: FloatArray

    def __call__(self, sides: PointPairs) -> FloatArray:
        """Return the mean for each pair."""
        mean: FloatArray = self.unit * self.form.values(self.parameters, *sides, self.softness).mean(axis=0)
        return mean


@dataclass(frozen=True, slots=True, eq=False)
class CrossFitting:
    """Answers that are dealt to folds, for fitting any form.

    Attributes
    ----------
    slope
        How much an answer may change with the coordinates at most, by M1 and M2.
    """

    sides: PointPairs
    answers: FloatArray
    repeats: FloatArray
    folds: NDArray[np.int64]
    slope: float

    @property
    def unit(self) -> float:
        """Size of the answers."""
        return float(np.sqrt(np.mean(self.answers**2))) or 1.0

    @property
    def spread(self) -> float:
        """Standard deviation of the answers beside their size."""
        return float(self.answers.std()) / self.unit

    def begin(self, form: MeanForm, rng: np.random.Generator) -> tuple[Path, float]:
        """Fit a form on all folds but the first; return it and its mean absolute error on the first."""
        path = fit_form(form, self._task(0), form.stages(self.spread), rng)
        values = self._out_of_fold(form, [path])
        left_out = self.folds == 0
        return path, float(np.abs(values[:, left_out] - self.answers[left_out]).mean(axis=1).min())

    def complete(
        self, form: MeanForm, begun: Path, rng: np.random.Generator
    ) -> tuple[CrossFittedMean, FloatArray, int]:
        """Fit a form for the folds that are left; return it, its values out of fold, and which stage they are from.

        Every fold is searched on its own: what has seen its answers must not show the way, unless it predicts the
        answers that it has not seen nearly without error. Of the stages of the search the one with the least error out
        of fold is taken. If the folds predict what they left out so well that the form must be the answers' own, it is
        fitted to all of them in the end.
        """
        stages = form.stages(self.spread)
        paths = [begun, *(fit_form(form, self._task(fold), stages, rng) for fold in range(1, FOLDS))]
        self._search_again(form, paths, rng)
        self._follow_the_best(form, paths)
        errors = np.abs(self._out_of_fold(form, paths) - self.answers).mean(axis=1)
        best = int(errors.argmin())
        ends = np.array([path[best] for path in paths])
        values = np.zeros(len(self.answers))
        for fold, parameters in enumerate(ends):
            values[self.folds == fold] = self._values(form, parameters, fold, stages[best + 1])
        if self._is_found(values):
            ends = self._fit_to_all(form, ends, stages[best + 1])[None]
        return CrossFittedMean(form, self.unit, stages[best + 1].softness, ends), values, best

    def _is_found(self, values: FloatArray) -> bool:
        """Tell whether answers are predicted so well out of fold that the form must be theirs."""
        return float(np.sqrt(np.mean((values - self.answers) ** 2))) <= FOUND * float(self.answers.std())

    def _fit_to_all(self, form: MeanForm, ends: FloatArray, stage: Stage) -> FloatArray:
        """Go on from every fold's end with all answers, and return the best: a form that is right loses no answer."""
        task = self._task_of(np.arange(len(self.answers)))
        tried = [descend(form, task, parameters, stage) for parameters in ends]
        return min(tried, key=lambda one: one[1])[0]

    def _search_again(self, form: MeanForm, paths: list[Path], rng: np.random.Generator) -> None:
        """Search from new starts for the folds that fit what they keep far worse than the best fold fits its own."""
        tasks, stages = [self._task(fold) for fold in range(FOLDS)], form.stages(self.spread)
        for _ in range(FURTHER_SEARCHES):
            losses = [task.loss(form, path[-1], stages[-1])[0] for task, path in zip(tasks, paths)]
            enough = max(POOR_VALLEY * min(losses), GOOD_ENOUGH * self.spread**2)
            for fold in np.flatnonzero(np.array(losses) > enough):
                path = fit_form(form, tasks[fold], stages, rng)
                if tasks[fold].loss(form, path[-1], stages[-1])[0] < losses[fold]:
                    paths[fold] = path

    def _follow_the_best(self, form: MeanForm, paths: list[Path]) -> None:
        """If a fold has found the form, let those that predict far worse what they left out go on from its end."""
        stages = form.stages(self.spread)[1:]
        errors = [self._error_of(form, path[-1], fold, stages[-1]) for fold, path in enumerate(paths)]
        best = int(np.argmin(errors))
        if errors[best] > FOUND * float(self.answers.std()):
            return
        for fold in np.flatnonzero(np.array(errors) > POOR_VALLEY * errors[best]):
            task = self._task(int(fold))
            paths[fold] = [descend(form, task, paths[best][-1], stage)[0] for stage in stages]

    def _error_of(self, form: MeanForm, parameters: FloatArray, fold: int, stage: Stage) -> float:
        """Return the root mean squared error on what a fold left out."""
        left_out = self.folds == fold
        return float(np.sqrt(np.mean((self._values(form, parameters, fold, stage) - self.answers[left_out]) ** 2)))

    def fit_on(self, form: MeanForm, rows: IntArray, stage: int, rng: np.random.Generator) -> CrossFittedMean:
        """Fit a form to some pairs alone, as far as the stage with this number."""
        stages = form.stages(self.spread)
        path = fit_form(form, self._task_of(rows), stages[: stage + 2], rng)
        return CrossFittedMean(form, self.unit, stages[stage + 1].softness, path[-1][None])

    def _out_of_fold(self, form: MeanForm, paths: list[Path]) -> FloatArray:
        """Return the values of every stage but the first, where there is a path for their fold."""
        stages = form.stages(self.spread)[1:]
        values = np.zeros((len(stages), len(self.answers)))
        for fold, path in enumerate(paths):
            for k, (stage, parameters) in enumerate(zip(stages, path)):
                values[k, self.folds == fold] = self._values(form, parameters, fold, stage)
        return values

    def _values(self, form: MeanForm, parameters: FloatArray, fold: int, stage: Stage) -> FloatArray:
        x, y = (side[self.folds == fold] for side in self.sides)
        return self.unit * form.evaluate(parameters, x, y, stage.softness)[0]

    def _task(self, fold: int) -> MeanTask:
        return self._task_of(np.flatnonzero(self.folds != fold))

    def _task_of(self, rows: IntArray) -> MeanTask:
        x, y = (side[rows] for side in self.sides)
        return MeanTask(x, y, self.answers[rows] / self.unit, self.repeats[rows], self.slope / self.unit)
