"""Intervals for an answer of another expert, of the same kind as those who answered.

Models that did not learn from an expert judge that expert's held-out answers: whoever was learnt from is predicted too
well. Experts are left out in turn, some at a time. What follows without assuming how experts differ, and from how many
experts on, is in ``guarantees/new_expert.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from commensurate.arrays import Bounds, FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.guarantees.new_expert import experts_needed, hierarchical_quantile
from commensurate.learning.few_answers.answer_log import AnswerLog
from commensurate.learning.few_answers.intervals.calibration import warn_infinite
from commensurate.learning.regression.learners import LEAST_ANSWERS
from commensurate.learning.regression.regression import Regression

FOLDS = 5
# below, nobody can tell what differs from expert to expert
FEWEST = 2
# pairs × scores held at once
_BLOCK = 2**20

Learn = Callable[[AnswerLog], Regression]


@dataclass(frozen=True, slots=True, eq=False)
class JudgedExperts:
    """Held-out answers, each with its expert, and how far they are from what was learnt from other experts.

    Attributes
    ----------
    models
        One for each fold of experts, learnt from the training answers of all others.
    fold_of
        Of each held-out answer, the model that did not learn from its expert.
    expert_of
        Who gave each held-out answer.
    errors
        Answer − estimate, in units of the estimate's uncertainty.
    """

    models: tuple[Regression, ...]
    fold_of: IntArray
    expert_of: IntArray
    errors: FloatArray

    @classmethod
    def learn(
        cls, training: AnswerLog, held_out: AnswerLog, learn: Learn, rng: np.random.Generator
    ) -> JudgedExperts | None:
        """Leave out experts in turn; None where answers do not say whose they are, or nothing is left to learn from."""
        answered = held_out.answered()
        first_by = held_out.first_experts
        whose = [name for number in answered.numbers.tolist() if (name := first_by[number]) is not None]
        experts = list(dict.fromkeys(whose))
        if len(whose) < len(first_by) or any(one.expert is None for one in training) or len(experts) < FEWEST:
            return None
        fold_of_expert = dict(zip(rng.permutation(np.array(experts)).tolist(), np.arange(len(experts)) % FOLDS))
        models = []
        for fold in range(min(FOLDS, len(experts))):
            kept = training.without({name for name, own in fold_of_expert.items() if own == fold})
            if kept.n_answered < LEAST_ANSWERS:
                return None
            models.append(learn(kept))
        fold_of = np.array([fold_of_expert[name] for name in whose], dtype=np.int64)
        expert_of = np.array([experts.index(name) for name in whose], dtype=np.int64)
        pairs, errors = held_out.pairs, np.empty(len(whose))
        for fold, model in enumerate(models):
            rows = np.flatnonzero(fold_of == fold)
            of_pairs = answered.numbers[rows]
            found = model.estimate_with_uncertainty(pairs.left.points[of_pairs], pairs.right.points[of_pairs])
            errors[rows] = (answered.firsts.lower[rows] - found[0]) / found[1]
        return cls(tuple(models), fold_of, expert_of, errors)

    @property
    def n_experts(self) -> int:
        """How many experts gave held-out answers."""
        return len(np.unique(self.expert_of))

    def interval(self, left: FloatArray, right: FloatArray, level: float) -> Bounds:
        """Return bounds of an answer by a new expert; nothing is assumed about how experts differ."""
        n = len(left)
        lower, upper = np.empty(n), np.empty(n)
        step = max(1, _BLOCK // len(self.errors))
        for start in range(0, n, step):
            part = slice(start, start + step)
            found = [model.estimate_with_uncertainty(left[part], right[part]) for model in self.models]
            estimates, uncertainties = (np.array(each)[self.fold_of].T for each in zip(*found))
            reach = uncertainties * np.abs(self.errors)
            lower[part] = -hierarchical_quantile(reach - estimates, self.expert_of, level)
            upper[part] = hierarchical_quantile(estimates + reach, self.expert_of, level)
        # no dissimilarity is negative
        return np.maximum(lower, 0.0), np.maximum(upper, 0.0)

    def by_random_effects(self, left: FloatArray, right: FloatArray, level: float) -> Bounds:
        """Return the same if experts' shifts, and errors beside them, are normal and of one size each."""
        k = self.n_experts
        counts = np.bincount(self.expert_of).astype(np.float64)
        means = np.bincount(self.expert_of, weights=self.errors) / counts
        squares = float(((self.errors - means[self.expert_of]) ** 2).sum())
        n = float(counts.sum())
        beside = squares / (n - k) if n > k else 0.0
        # as if each expert had given as many answers as one does on average
        typical = (n - float((counts**2).sum()) / n) / (k - 1.0)
        centre = float(means.mean())
        among = float(counts @ (means - float(counts @ means) / n) ** 2) / (k - 1.0)
        shifts = max(0.0, (among - beside) / typical)
        spread = np.sqrt(shifts * (1.0 + 1.0 / k) + beside * (1.0 + float((1.0 / counts).mean()) / k))
        reach = float(t.ppf(0.5 + level / 2.0, k - 1)) * float(spread)
        found = [model.estimate_with_uncertainty(left, right) for model in self.models]
        estimates, uncertainties = (np.array(each).mean(axis=0) for each in zip(*found))
        ends = estimates + uncertainties * (centre - reach), estimates + uncertainties * (centre + reach)
        return np.maximum(ends[0], 0.0), np.maximum(ends[1], 0.0)


def new_expert_bounds(
    judged: JudgedExperts | None,
    between: Between,
    left: FloatArray,
    right: FloatArray,
    level: float,
    *,
    by_model: bool,
) -> Bounds:
    """Return intervals for an answer of a new expert; infinite, with a warning, if too few experts gave answers.

    ``by_model`` assumes random effects of experts.
    """
    known, needed = 0 if judged is None else judged.n_experts, FEWEST if by_model else experts_needed(level)
    if judged is None or known < needed:
        there_are = f"fewer than {FEWEST}" if judged is None else f"{known}"
        other = "" if by_model else ", or use interval='random effects', which assumes that experts' shifts are normal"
        warn_infinite(
            f"an interval for an answer of a new expert at level {level:g} needs held-out answers of at least {needed} "
            f"experts, each given with the expert's name, but between {between[0]!r} and {between[1]!r} there are {there_are}",
            f"let more experts answer{other}",
            frames=2,
        )
        return np.zeros(len(left)), np.full(len(left), np.inf)
    return judged.by_random_effects(left, right, level) if by_model else judged.interval(left, right, level)
