"""The demo: the paper's two algorithms and few answers on the admissions world,
judged on applicants none of them has seen.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass

import numpy as np
import pandas as pd

from commensurate import BudgetedSimilarity, ClusterSimilarity, Group, NaiveSimilarity, groups_from_tables
from commensurate.arrays import FloatArray
from commensurate.experiments.admissions import CITY, ORDERS, RURAL, AdmissionsWorld, Committee
from commensurate.learning.similarity import Interval
from commensurate.progress import progress

NAIVE, CLUSTER, BUDGETED = "NAIVE", "CLUSTER", "BudgetedSimilarity"
EPSILON, DELTA, DILATION, BUDGET, SEED = 0.05, 0.05, 2.0, 200, 0
# what the curve of error against answers is measured at, beside BUDGET and DELTA
CURVE_BUDGETS = (25, 50, 100, 400)
CURVE_DELTAS = (0.5, 0.3, 0.2, 0.1)
CURVE_PROCESSES = 2
ROUNDING = 1e-12

Estimator = NaiveSimilarity | ClusterSimilarity | BudgetedSimilarity


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """One fitted estimator, judged on held-out pairs.

    ``interval`` says what the intervals are: certified or calibrated. ``error_bounds`` says by how much each estimate
    can be off at most, which is known without the truth; None where there is no such bound.
    """

    estimator: Estimator
    truth: FloatArray
    estimates: FloatArray
    interval: str
    lower: FloatArray
    upper: FloatArray
    error_bounds: FloatArray | None

    @property
    def errors(self) -> FloatArray:
        """Absolute errors."""
        return np.abs(self.estimates - self.truth)

    @property
    def share_held(self) -> float:
        """Share of intervals that hold the truth."""
        return float(np.mean((self.lower <= self.truth + ROUNDING) & (self.truth <= self.upper + ROUNDING)))

    @property
    def point(self) -> DemoPoint:
        """The point of the curve of error against answers that this is."""
        return DemoPoint(self.estimator.n_questions_, float(self.errors.mean()))

    def figures(self) -> dict[str, float]:
        """Return the figures that the demo's table shows."""
        return {
            "questions": self.estimator.n_questions_,
            "mean error": float(self.errors.mean()),
            "95 % of errors ≤": float(np.quantile(self.errors, 0.95, method="higher")),
            "largest error": float(self.errors.max()),
            "mean interval width": float((self.upper - self.lower).mean()),
            "intervals that hold": self.share_held,
        }


@dataclass(frozen=True, slots=True, order=True)
class DemoPoint:
    """The mean error on held-out pairs after so many questions."""

    questions: int
    mean_error: float


@dataclass(frozen=True, slots=True, eq=False)
class Demo:
    """The world and its groups; ``pairs`` are held out before anything is learnt."""

    world: AdmissionsWorld
    groups: list[Group]

    @classmethod
    def prepare(cls) -> Demo:
        """Draw the world."""
        world = AdmissionsWorld.draw()
        return cls(world, groups_from_tables(world.tables, orders=ORDERS))

    @property
    def pairs(self) -> Mapping[str, pd.DataFrame]:
        """The held-out applicants, paired by row."""
        return self.world.held_out

    def judge(self, estimator: Estimator) -> Judged:
        """Let the committee answer, then judge the estimator."""
        city, rural = self.pairs[CITY], self.pairs[RURAL]
        estimates = self._fit(estimator).predict(city, rural)
        # few answers certify little: what judges them are the answers held out, where there are any
        interval: Interval = "certified" if estimator.why_no_interval("calibrated") else "calibrated"
        lower, upper = estimator.bounds(interval, city, rural)
        return Judged(
            estimator,
            self.world.truth(city, rural),
            estimates,
            interval,
            lower,
            upper,
            _error_bounds(estimator, {CITY: city, RURAL: rural}),
        )

    def explain(self, few_answers: BudgetedSimilarity, row: int, nearest: int) -> str:
        """Tell how the estimate for one of the pairs came about."""
        city, rural = (self.pairs[name].iloc[[row]] for name in (CITY, RURAL))
        return str(few_answers.explain(city, rural, nearest=nearest))

    def curve_point(self, estimator: Estimator) -> DemoPoint:
        """Fit, and return the number of questions and the mean error."""
        city, rural = self.pairs[CITY], self.pairs[RURAL]
        errors = np.abs(self._fit(estimator).predict(city, rural) - self.world.truth(city, rural))
        return DemoPoint(estimator.n_questions_, float(errors.mean()))

    def _fit(self, estimator: Estimator) -> Estimator:
        return estimator.fit(self.groups, oracle=Committee(self.world))


@dataclass(frozen=True, slots=True, eq=False)
class DemoResults:
    """What the demo found: every estimator judged, and its curve of error against answers, fewest answers first."""

    judged: Mapping[str, Judged]
    curves: Mapping[str, Sequence[DemoPoint]]
    few_answers: BudgetedSimilarity


def demo_estimators() -> dict[str, Estimator]:
    """Return the estimators as the demo runs them."""
    return {NAIVE: _naive(DELTA), CLUSTER: _cluster(DELTA), BUDGETED: _budgeted(BUDGET)}


def _error_bounds(estimator: Estimator, elements: Mapping[str, pd.DataFrame]) -> FloatArray | None:
    """Bound the error of each estimate by the ways to the two proxies, where there are proxies."""
    answers = estimator.proxy_answers((CITY, RURAL))
    if answers is None:
        return None
    ways = []
    for side, (name, rows) in zip((answers.left, answers.right), elements.items()):
        points = estimator.spaces_[name].points_of(rows)
        ways.append(side.distances(points, side.proxies(points)))
    return ways[0] + ways[1]


def curve_estimators() -> dict[str, list[Estimator]]:
    """Return the estimators of the curves' other points."""
    return {
        NAIVE: [_naive(delta) for delta in CURVE_DELTAS],
        CLUSTER: [_cluster(delta) for delta in CURVE_DELTAS],
        BUDGETED: [_budgeted(budget) for budget in CURVE_BUDGETS],
    }


def run_demo(demo: Demo, announce: Callable[[str], None] = lambda step: None) -> DemoResults:
    """Judge every estimator, and measure the curves meanwhile; ``announce`` is told what comes next."""
    announce("Asking and learning; the first run also compiles kernels")
    # spawned, not forked: a fork after threads were used may hang
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(CURVE_PROCESSES, mp_context=spawned, initializer=_be_quiet) as pool:
        try:
            # the slowest first, so that no process waits for it at the end
            measuring = {
                name: [pool.submit(demo.curve_point, estimator) for estimator in reversed(estimators)]
                for name, estimators in reversed(curve_estimators().items())
            }
            few_answers = _budgeted(BUDGET)
            estimators = {**demo_estimators(), BUDGETED: few_answers}
            judged = {name: demo.judge(estimator) for name, estimator in estimators.items()}
            curves = _collected(judged, measuring)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return DemoResults(judged, curves, few_answers)


def _collected(
    judged: Mapping[str, Judged], measuring: Mapping[str, Sequence[Future[DemoPoint]]]
) -> dict[str, list[DemoPoint]]:
    every = [future for futures in measuring.values() for future in futures]
    with progress("learning from more and from fewer answers", total=len(every)) as advance:
        for _ in as_completed(every):
            advance(1)
    return {name: sorted([one.point, *(done.result() for done in measuring[name])]) for name, one in judged.items()}


def _be_quiet() -> None:
    """Let a process show no bars: they would overwrite those of the process that started it."""
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # for as long as the process lives


def _naive(delta: float) -> NaiveSimilarity:
    return NaiveSimilarity(epsilon=EPSILON, delta=delta, random_state=SEED)


def _cluster(delta: float) -> ClusterSimilarity:
    return ClusterSimilarity(epsilon=EPSILON, delta=delta, dilation=DILATION, random_state=SEED)


def _budgeted(budget: int) -> BudgetedSimilarity:
    return BudgetedSimilarity(budget=budget, answer_error=0.0, random_state=SEED)
