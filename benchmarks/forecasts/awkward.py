"""A draw of an awkward world: experts answer about every pair of the table's rows, and about new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.awkward_worlds.world import Population, World, rows
from benchmarks.forecasts.trial import SEED, TEST_PAIRS, Judged, Trial, estimator
from commensurate.arrays import FloatArray
from commensurate.asking.questions import Question
from commensurate.experiments.seeds import generator
from commensurate.learning.few_answers.estimator import BudgetedSimilarity


@dataclass(frozen=True, slots=True, eq=False)
class AnswerTable:
    """An expert whose answers were all drawn beforehand: the same, whoever asks for them and when."""

    answers: FloatArray

    def ask(self, questions: Sequence[Question]) -> FloatArray:
        """Answer by row numbers."""
        return np.array([self.answers[int(one.left_id), int(one.right_id)] for one in questions])


def awkward_trial(world: World, draw: int) -> Trial:
    """Draw the table, new rows, σ and every answer."""

    def rng(purpose: str) -> np.random.Generator:
        return generator(SEED, "forecast", world.name, draw, purpose)

    n_left, n_right = world.table_rows
    most = max(n_left, n_right)
    fresh = np.arange(most, most + TEST_PAIRS)
    population = world.population(rng("population"), most + TEST_PAIRS)
    truth, tested = _of_table(population, n_left, n_right), population.truth(fresh, fresh)
    # all at once, so that the same experts answer about the table and about what comes later
    everything = np.concatenate([truth.ravel(), tested])
    answers = np.maximum(world.answering(everything, rng("answers")), 0.0)
    table, new = answers[: truth.size].reshape(truth.shape), answers[truth.size :]
    oracle = AnswerTable(table)
    groups = world.groups(*(rows(side, np.arange(n)) for side, n in zip(population.seen, world.table_rows)))

    def learn(learner: str, known: BudgetedSimilarity | None, n: int) -> BudgetedSimilarity:
        if known is None:
            return estimator(learner, n, draw).fit(groups, oracle)
        known.extend(n - known.n_questions_)
        return known.resume()

    def judge(model: BudgetedSimilarity) -> Judged:
        left, right = (rows(side, fresh) for side in population.seen)
        estimates = model.predict(left, right)
        return Judged(float(np.abs(estimates - new).mean()), float(np.abs(estimates - tested).mean()))

    return Trial(groups, learn, judge)


def _of_table(population: Population, n_left: int, n_right: int) -> FloatArray:
    """Return σ of every pair of the table, a row at a time: tables may have hundreds of columns."""
    every = np.arange(n_right)
    return np.stack([population.truth(np.full(n_right, row), every) for row in range(n_left)])
