"""The function of pairs that is learnt: a weighted mix of candidates.

The weights are not negative, sum to 1, and give the least absolute error on answers left out.

A candidate is a mean function, fitted fold by fold, or none, and a Gaussian process on what it leaves over. So every
answer has a mean that was not fitted to it in the end. Not quite honest: searches start from where the first fold's
ended, and all answers decide how far they go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.optimize import nnls
from threadpoolctl import threadpool_limits

from commensurate.arrays import PAIRS_COMPUTED_AT_ONCE, FloatArray, PointPairs
from commensurate.learning.regression.gaussian_process import Kernel, Posterior
from commensurate.learning.regression.means.forms import MeanForm, MeanTask, Stage, descend, fit_form, refit_form
from commensurate.learning.regression.pair_features import Coordinates, PairFeatures
from commensurate.learning.regression.regression import NO_FORM, MergedPairs
from commensurate.learning.regression.relevance import relevance_of

Path = list[FloatArray]

FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class CrossFittedMean:
    """One form with the parameters of every fold; its value is their average.

    Attributes
    ----------
    unit
        What values are multiplied by: forms are fitted to answers of size 1.
    softness
        How far kinks are rounded off.
    parameters
        One row a fold.
    """

    form: MeanForm
    unit: float
    softness: float
    parameters: FloatArray

    def __call__(self, sides: PointPairs) -> FloatArray:
        """Return the mean for each pair."""
        values = [self.form.evaluate(row, *sides, self.softness)[0] for row in self.parameters]
        mean: FloatArray = self.unit * np.mean(values, axis=0)
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

    def complete(self, form: MeanForm, begun: Path) -> tuple[CrossFittedMean, FloatArray]:
        """Fit a form for the folds that are left; return it and its values out of fold.

        They start where the search for the first fold was after two stages: parameters are still held back there, so
        that little is remembered of single answers, but most folds end in the same valley. Of the stages of the search
        the one with the least error out of fold is taken.
        """
        tasks, stages = [self._task(fold) for fold in range(FOLDS)], form.stages(self.spread)
        paths = [begun, *(refit_form(form, task, stages, begun[0]) for task in tasks[1:])]
        errors = np.abs(self._out_of_fold(form, paths) - self.answers).mean(axis=1)
        best = int(errors.argmin())
        stage = stages[best + 1]
        ends = out_of_poor_valleys(form, tasks, stage, [path[best] for path in paths])
        values = np.zeros(len(self.answers))
        for fold, parameters in enumerate(ends):
            values[self.folds == fold] = self._values(form, parameters, fold, stage)
        return CrossFittedMean(form, self.unit, stage.softness, np.array(ends)), values

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
        kept = self.folds != fold
        x, y = (side[kept] for side in self.sides)
        return MeanTask(x, y, self.answers[kept] / self.unit, self.repeats[kept], self.slope / self.unit)


def out_of_poor_valleys(
    form: MeanForm, tasks: list[MeanTask], stage: Stage, ends: list[FloatArray]
) -> list[FloatArray]:
    """Return the ends of all folds' searches,
    where one whose valley is poorer than another's has searched on from there.

    It does so only if the other's parameters, which have not seen all of its answers, fit these better than its own.
    """
    found = []
    for task, own in zip(tasks, ends):
        losses = [task.loss(form, parameters, stage)[0] for parameters in ends]
        best = ends[int(np.argmin(losses))]
        found.append(own if best is own else descend(form, task, best, stage)[0])
    return found


def folds_of(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a fold for each answer, folds of equal size or nearly."""
    return rng.permutation(np.arange(n) % FOLDS)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Estimates are mean + centre + scale · process.

    Attributes
    ----------
    mean
        None where the process does it all.
    centre, scale
        Of what the mean leaves over.
    left_over
        Of each answer, by the mean of the folds without it.
    process
        Conditioned on what is left over, standardised.
    """

    mean: CrossFittedMean | None
    left_over: FloatArray
    centre: float
    scale: float
    process: Posterior

    @classmethod
    def condition(
        cls,
        mean: CrossFittedMean | None,
        left_over: FloatArray,
        kernel: Kernel,
        features: FloatArray,
        repeats: FloatArray,
    ) -> Candidate:
        """Condition a process on what a mean left over."""
        centre, scale = standardisation(left_over)
        process = Posterior.condition(kernel, features, (left_over - centre) / scale, repeats)
        return cls(mean, left_over, centre, scale, process)

    def estimate(self, sides: PointPairs, features: FloatArray) -> FloatArray:
        """Return estimates alone."""
        return self.base(sides) + self.scale * self.process.estimate(features)

    def estimate_with_uncertainty(self, sides: PointPairs, features: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return estimates and their standard deviations."""
        means, deviations = self.process.estimate_with_uncertainty(features)
        return self.base(sides) + self.scale * means, self.scale * deviations

    def base(self, sides: PointPairs) -> FloatArray:
        """Return what is left of the estimates where the process has nothing to say."""
        if self.mean is None:
            return np.full(len(sides[0]), self.centre)
        return self.mean(sides) + self.centre

    @property
    def noise(self) -> float:
        """Standard deviation of the error of a single answer."""
        return self.scale * float(np.sqrt(self.process.kernel.noise))


def standardisation(values: FloatArray) -> tuple[float, float]:
    """Return centre and scale; values that are all the same have a scale that is small beside them."""
    centre, spread = float(values.mean()), float(values.std())
    return centre, max(spread, 1e-6 * abs(centre)) or 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class StackedRegression:
    """A weighted mix of candidates; a `Regression`. With one candidate that has no mean it is a Gaussian process.

    Attributes
    ----------
    merged
        What was learnt from.
    weights
        One a candidate; positive, with sum 1.
    """

    merged: MergedPairs
    features: PairFeatures
    coordinates: Coordinates
    candidates: tuple[Candidate, ...]
    weights: FloatArray

    @property
    def n_answers(self) -> int:
        """How many answers it was learnt from, repeats included."""
        return int(self.merged.pairs.repeats.sum())

    @property
    def noise(self) -> float:
        """Estimated standard deviation of the error of a single answer."""
        return float(self.weights @ [candidate.noise for candidate in self.candidates])

    @property
    def forms(self) -> dict[str, float]:
        """Weight of every candidate, by the name of its mean."""
        return {_name(candidate): float(weight) for candidate, weight in zip(self.candidates, self.weights)}

    def estimate(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return an estimate for each pair of rows."""
        estimates = np.empty(len(left))
        with threadpool_limits(1):
            for start in range(0, len(left), PAIRS_COMPUTED_AT_ONCE):
                part = slice(start, start + PAIRS_COMPUTED_AT_ONCE)
                sides, features = self.coordinates(left[part], right[part]), self.features(left[part], right[part])
                values = np.array([candidate.estimate(sides, features) for candidate in self.candidates])
                estimates[part] = self.weights @ values
        return estimates

    def estimate_with_uncertainty(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return an estimate for each pair of rows, and how uncertain it is.

        The uncertainty is the standard deviation of a new answer:
        what the processes do not know, the noise, and how far the candidates disagree.
        """
        estimates, uncertainties = np.empty(len(left)), np.empty(len(left))
        # sums must not depend on the number of cores
        with threadpool_limits(1):
            for start in range(0, len(left), PAIRS_COMPUTED_AT_ONCE):
                part = slice(start, start + PAIRS_COMPUTED_AT_ONCE)
                estimates[part], uncertainties[part] = self._estimate_part(left[part], right[part])
        return estimates, uncertainties

    def _estimate_part(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        sides, features = self.coordinates(left, right), self.features(left, right)
        found = [candidate.estimate_with_uncertainty(sides, features) for candidate in self.candidates]
        values, deviations = np.array([each[0] for each in found]), np.array([each[1] for each in found])
        mix: FloatArray = self.weights @ values
        variance = self.weights @ (deviations**2 + (values - mix) ** 2) + self.noise**2
        return mix, np.maximum(np.sqrt(variance), np.finfo(np.float64).tiny)

    def contributions(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return by how much each learnt answer moves the estimate of one pair (one row a side)."""
        total = np.zeros(len(self.merged.pairs))
        with threadpool_limits(1):
            features = self.features(left, right)
            for weight, candidate in zip(self.weights, self.candidates):
                process = candidate.process
                pull, _ = lapack.dpotrs(process.factor, process.kernel.between(process.features, features), lower=1)
                total += weight * candidate.scale * pull[:, 0] * process.targets
        moves: FloatArray = total[self.merged.row_of] * self.merged.share
        return moves

    def relevance(self) -> Mapping[str, float]:
        """Return which columns matter, by name; shares that sum to 1."""
        return relevance_of(self.estimate, self.merged.pairs)


def _name(candidate: Candidate) -> str:
    return NO_FORM if candidate.mean is None else candidate.mean.form.name


# candidates below this weight are not worth their time at prediction
NEGLIGIBLE = 0.02
ROUNDS = 60
# errors below this share of the mean error count as this large: weights of rounds must stay finite
LEAST_ERROR_SHARE = 1e-3


def stacking_weights(predictions: FloatArray, answers: FloatArray, repeats: FloatArray) -> FloatArray:
    """Return one weight a row of ``predictions``, each of which was made without seeing the answer it predicts.

    The least Σᵢ repeatsᵢ·|Σₖ wₖ predictionsₖᵢ − answersᵢ|, by least squares that are weighted anew in every round.
    Negligible weights are set to 0.

    >>> answers = np.array([1.0, 2.0, 3.0])
    >>> stacking_weights(np.array([answers, answers + 1.0]), answers, np.ones(3))
    array([1., 0.])
    """
    # because weights sum to 1, the error of the mix is the mix of the errors
    errors = predictions - answers
    unit = float(np.abs(errors).mean()) or 1.0
    errors = errors / unit
    weights = np.full(len(errors), 1.0 / len(errors))
    for _ in range(ROUNDS):
        mixed = np.abs(weights @ errors)
        importance = np.sqrt(
            repeats / np.maximum(mixed, LEAST_ERROR_SHARE * max(float(mixed.mean()), LEAST_ERROR_SHARE))
        )
        weights = _least_squares(errors * importance)
    kept = np.where(weights >= NEGLIGIBLE, weights, 0.0)
    shares: FloatArray = kept / kept.sum()
    return shares


def _least_squares(errors: FloatArray) -> FloatArray:
    """Return the weights, not negative and with sum 1, that make the squared length of the mix of rows least."""
    # least squares with w ≥ 0 alone, against a target that asks for a sum: the minimum has the same direction
    gram = errors @ errors.T
    # equal rows share their weight
    gram += (1e-10 * float(np.trace(gram)) or 1.0) * np.eye(len(gram))
    root = np.linalg.cholesky(gram / np.trace(gram)).T
    found, _ = nnls(np.vstack([root, np.ones(len(gram))]), np.concatenate([np.zeros(len(gram)), [1.0]]))
    weights: FloatArray = found / found.sum()
    return weights
