"""One step of the experiment: one world, one draw of it, one number of answers; plain values, fit for JSON.

Ours and what stands beside are steps of their own: when our estimator changes, only its own have to be computed again.
All see the same table and the same test pairs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.budget.catalogue import WorldSpec
from benchmarks.budget.measures import error_figures, interval_figures
from benchmarks.budget.ours import fitted, intervals, our_variants
from benchmarks.budget.proxies import ProxyFit, cluster_within, naive_with_everything, naive_within
from benchmarks.budget.recalibration import OVER_CALIBRATIONS, coverage_over_calibrations
from benchmarks.budget.regressions import random_answers, regression_names, train_regression
from benchmarks.budget.worlds import DrawnWorld, draw_world
from commensurate.experiments.seeds import generator

Purpose = Callable[[str], np.random.Generator]
NAIVE, CLUSTER, ALL_QUESTIONS = "NAIVE", "CLUSTER", "NAIVE, all questions"


def run_ours(
    spec: dict[str, Any], seed: int, draw: int, answers: int, test_pairs: int, data_home: str | None
) -> dict[str, object]:
    """Measure our variants; intervals are judged by what an expert would answer now, errors by σ."""
    world, rng = _begin(spec, seed, draw, answers, test_pairs, data_home)
    judge = world.oracle(rng("new answers"))
    new_answers = [judge(test.left, test.right, test.between) for test in world.tests]
    learner_seed = int(rng("ours").integers(2**31))
    methods: dict[str, object] = {}
    for variant in our_variants(WorldSpec(**spec)):
        start = time.process_time()
        model = fitted(variant, world, answers, world.oracle(rng("answers to ours")), learner_seed)
        seconds = time.process_time() - start
        estimates = [model.predict(test.left, test.right, test.between) for test in world.tests]
        figures = error_figures(world.tests, estimates, world.epsilon)
        figures |= interval_figures(new_answers, [intervals(model, test) for test in world.tests])
        figures[OVER_CALIBRATIONS] = coverage_over_calibrations(
            model, world, new_answers, rng(f"answers held out by {variant} instead")
        )
        methods[variant] = _method(figures, model.n_questions_, seconds)
    return {"methods": methods}


def run_beside(
    spec: dict[str, Any], seed: int, draw: int, answers: int, test_pairs: int, data_home: str | None
) -> dict[str, object]:
    """Measure the paper's algorithms and general regression on as many answers."""
    world, rng = _begin(spec, seed, draw, answers, test_pairs, data_home)
    methods: dict[str, object] = {}
    for name, fit in ((NAIVE, naive_within), (CLUSTER, cluster_within)):
        start = time.process_time()
        model = fit(world, answers, world.oracle(rng(f"answers to {name}")), rng(name))
        methods[name] = _proxy_method(model, world, model.n_questions_, time.process_time() - start)
    data = random_answers(world, answers, world.oracle(rng("answers")), rng("pairs"))
    learner_seed = int(rng("regressions").integers(2**31))
    for name in regression_names(world.shared):
        start = time.process_time()
        regression = train_regression(name, data, learner_seed)
        seconds = time.process_time() - start
        estimates = [regression.estimates(test) for test in world.tests]
        methods[name] = _method(error_figures(world.tests, estimates, world.epsilon), answers, seconds)
    return {"methods": methods}


def run_all_questions(
    spec: dict[str, Any], seed: int, draw: int, test_pairs: int, data_home: str | None
) -> dict[str, object]:
    """Measure NAIVE with every question about the rows of the table."""
    world = draw_world(WorldSpec(**spec), seed, draw, test_pairs, data_home)
    start = time.process_time()
    model = naive_with_everything(world)
    seconds = time.process_time() - start
    method = _proxy_method(model, world, model.question_counts_.distinct, seconds)
    sigma_sd = float(np.mean([test.truth.std() for test in world.tests]))
    return {"methods": {ALL_QUESTIONS: method}, "sigma_sd_in_epsilon": sigma_sd / world.epsilon}


def _begin(
    spec: dict[str, Any], seed: int, draw: int, answers: int, test_pairs: int, data_home: str | None
) -> tuple[DrawnWorld, Purpose]:
    def rng(purpose: str) -> np.random.Generator:
        return generator(seed, "budget", spec["name"], draw, answers, purpose)

    return draw_world(WorldSpec(**spec), seed, draw, test_pairs, data_home), rng


def _proxy_method(model: ProxyFit, world: DrawnWorld, questions: int, seconds: float) -> dict[str, object]:
    estimates = [model.predict(test.left, test.right, test.between) for test in world.tests]
    return _method(error_figures(world.tests, estimates, world.epsilon), questions, seconds)


def _method(figures: dict[str, float | None], questions: int, seconds: float) -> dict[str, object]:
    """Keep what is the same in every run apart from the processor's seconds, which are not."""
    return {"figures": {**figures, "questions": float(questions)}, "fit_seconds": seconds}
