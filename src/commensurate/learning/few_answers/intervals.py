"""The intervals of few answers: calibrated by answers that were held out, by CV+, or certified.

Calibrated: the errors of held-out answers measure how far off estimates of new pairs may be. Split conformal
prediction: the scores are errors in units of each estimate's own uncertainty, so that widths adapt. What is promised,
and for whom, is in ``guarantees/conformal.py``.

CV+ (Barber, Candès, Ramdas and Tibshirani 2021) holds no answer out and guarantees less: a model that did not see its
fold judges every training answer. At level 1 − α the interval covers at least 1 − 2α − √(2/n) of random pairs, where
split conformal covers 1 − α; in practice it is close to 1 − α too.

Certified intervals are what the answers, each about a single pair, imply by M1 and M2.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray, IntArray
from commensurate.asking.question_blocks import MatchedPairs
from commensurate.asking.questions import Between
from commensurate.errors import InconsistentAnswers, InvalidInput, TooFewAnswers
from commensurate.geometry.pair_envelope import MatchedEnvelope
from commensurate.guarantees.conformal import confident_rank, conformal_quantile, conformal_rank, scores_needed
from commensurate.guarantees.consistency import AnswerCheck, check_answers
from commensurate.learning.few_answers.row_draws import rows_needed
from commensurate.learning.regression.learners import LEAST_ANSWERS
from commensurate.learning.regression.regression import AnsweredPairs, Regression
from commensurate.wording import rounded_up


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """The held-out answers of one pair of groups, with what was estimated for them from the other answers.

    ``uncertainties`` are positive, one for each estimate.
    """

    answers: FloatArray
    estimates: FloatArray
    uncertainties: FloatArray

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def errors(self) -> FloatArray:
        """|estimate − answer| of each held-out answer."""
        return np.abs(self.estimates - self.answers)

    @property
    def scores(self) -> FloatArray:
        """The errors in units of each estimate's uncertainty."""
        return self.errors / self.uncertainties

    def factor(self, confidence_level: float, calibration_confidence: float | None, between: Between) -> float:
        """Return how many uncertainties an interval reaches to either side;
        infinite, with a warning, if too few answers.

        With ``calibration_confidence``, the interval covers so large a share of pairs with that confidence in *this*
        calibration; without, on average over calibrations.
        """
        if calibration_confidence is None:
            rank, sure = conformal_rank(len(self), confidence_level), ""
        else:
            rank = confident_rank(len(self), confidence_level, calibration_confidence)
            sure = f", with confidence {calibration_confidence:g} in this calibration,"
        if rank is None:
            needed = scores_needed(confidence_level, calibration_confidence)
            warn_infinite(
                f"a calibrated interval at level {confidence_level:g}{sure} needs at least {needed} held-out answers, but "
                f"between {between[0]!r} and {between[1]!r} there are {len(self)}",
                "ask more questions or hold out a larger share of answers; with claim='new elements' and in a group of fewer "
                f"than {rows_needed(needed)} rows, of which only a part is set aside for held-out questions, use more rows or "
                "a lower confidence level",
                frames=3,
            )
        return conformal_quantile(self.scores, rank)

    def p_values(self, estimates: FloatArray, uncertainties: FloatArray, at_least: FloatArray) -> FloatArray:
        """Return conformal p-values of the hypotheses that each pair is at least so dissimilar.

        How often a held-out answer exceeded its estimate, in units of its uncertainty, by as much as the bound does or
        more. For a random pair it happens with probability t at most that the hypothesis is true and the p-value at
        most t.
        """
        scores = np.sort((self.answers - self.estimates) / self.uncertainties)
        reached = len(scores) - np.searchsorted(scores, (at_least - estimates) / uncertainties, side="left")
        return np.asarray((1.0 + reached) / (len(scores) + 1.0), dtype=np.float64)


def warn_infinite(why: str, remedy: str, *, frames: int) -> None:
    """Warn that an interval is infinite, where somebody asked for it: so many frames up from the caller."""
    warnings.warn(f"{why}: the interval is infinite; {remedy}", TooFewAnswers, stacklevel=frames + 2)


FOLDS = 5
# one is left out, from the others something is learnt
FEWEST_ANSWERS = LEAST_ANSWERS + 1
# entries of pairs × answers held at once
_BLOCK = 2**20


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidated:
    """Models that each left out a fold, and each answer's score by the model that did not see it."""

    models: tuple[Regression, ...]
    fold_of: NDArray[np.int64]
    scores: FloatArray

    @classmethod
    def learn(
        cls,
        pairs: AnsweredPairs,
        firsts: FloatArray,
        learn: Callable[[AnsweredPairs], Regression],
        rng: np.random.Generator,
    ) -> CrossValidated:
        """Learn one model for each fold left out;
        each is judged by the ``firsts``, single answers, not means of several.
        """
        if len(pairs) < FEWEST_ANSWERS:
            raise InvalidInput(
                f"interval='cv+' needs at least {FEWEST_ANSWERS} answers to learn from, because some are left out in turn, got "
                f"{len(pairs)}; ask more questions"
            )
        n_folds = min(FOLDS, len(pairs))
        fold_of = rng.permutation(np.arange(len(pairs)) % n_folds)
        scores = np.empty(len(pairs))
        models = []
        for fold in range(n_folds):
            left_out = np.flatnonzero(fold_of == fold)
            model = learn(pairs.take(np.flatnonzero(fold_of != fold)))
            estimates, uncertainties = model.estimate_with_uncertainty(pairs.left[left_out], pairs.right[left_out])
            scores[left_out] = np.abs(estimates - firsts[left_out]) / uncertainties
            models.append(model)
        return cls(tuple(models), fold_of, scores)

    def interval(self, left: FloatArray, right: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        """Return lower and upper bounds."""
        n = len(self.scores)
        rank = conformal_rank(n, level)
        lower, upper = np.zeros(len(left)), np.full(len(left), np.inf)
        step = max(1, _BLOCK // n)
        for start in range(0, len(left) if rank is not None else 0, step):
            assert rank is not None
            part = slice(start, start + step)
            found = [model.estimate_with_uncertainty(left[part], right[part]) for model in self.models]
            estimates, uncertainties = (np.array(each)[self.fold_of].T for each in zip(*found))
            reach = uncertainties * self.scores
            lower[part] = np.partition(estimates - reach, n - rank, axis=1)[:, n - rank]
            upper[part] = np.partition(estimates + reach, rank - 1, axis=1)[:, rank - 1]
        # no dissimilarity is negative
        return np.maximum(lower, 0.0), np.maximum(upper, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class CertifiedPairs:
    """Answers to some questions of a block, each off by ``answer_error`` at most; a question may have several."""

    pairs: MatchedPairs
    numbers: IntArray
    answers: FloatArray
    answer_error: float

    def check(self, worst: int = 10) -> AnswerCheck:
        """Compare every answer with every other."""
        left, right = self.pairs.left, self.pairs.right
        return check_answers(
            left.points[self.numbers],
            right.points[self.numbers],
            self.answers,
            metric=(left.space.metric, right.space.metric),
            answer_error=self.answer_error,
            worst=worst,
            labels=labels_of(self.pairs, self.numbers),
        )

    def checked(self) -> AnswerCheck:
        """Return what comparing every answer with every other found, or raise if they contradict each other."""
        found = self.check(worst=1)
        if not found.consistent:
            enough = rounded_up(found.smallest_answer_error, 6)
            raise InconsistentAnswers(
                f"the answers between {self.pairs.between[0]!r} and {self.pairs.between[1]!r} contradict M1 and M2: "
                f"{found.contradictions[0]}; if experts err at random, use answer_error='noise'; if no answer is off by "
                f"more than {enough}, use answer_error={enough}; if one answer is a mistake, correct it and fit again"
            )
        return found

    def envelope(self) -> MatchedEnvelope:
        """Return what the answers imply about every pair, or raise if they contradict each other."""
        found = self.checked()
        # what is left of an excess is rounding: no lower end may exceed an upper one by it
        slack = self.answer_error + found.tolerance / 2.0
        left, right = self.pairs.left, self.pairs.right
        return MatchedEnvelope(
            left.points[self.numbers],
            left.space.metric,
            right.points[self.numbers],
            right.space.metric,
            np.maximum(self.answers - slack, 0.0),
            self.answers + slack,
        )


def labels_of(pairs: MatchedPairs, numbers: IntArray) -> list[str]:
    """Return how to call the answers to these questions."""
    return [f"the answer about ({pairs.left.ids[k]!r}, {pairs.right.ids[k]!r})" for k in numbers]
