"""One draw of the paper's experiment: α, β, θ and the samples are drawn once, then all five algorithms are tested."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from commensurate.arrays import FloatArray, IntArray, PointPairs
from commensurate.errors import InvalidInput
from commensurate.experiments.paper.baselines import baseline, epochs, estimate, train
from commensurate.experiments.paper.published import AS_IN_THE_PAPER, BASELINES, DELTA, PROXY_ALGORITHMS, UNSEEN_ROWS
from commensurate.experiments.paper.world import PaperWorld, estimator, paper_world
from commensurate.experiments.seeds import generator
from commensurate.guarantees.theorem import QuestionCounts

# the three ways of counting questions
COUNTS = ("ordered_with_repeats", "unordered_with_repeats", "distinct")
# where the bars of Figures 2 to 4 stand; 6 and 14 are what the theorem allows NAIVE, and CLUSTER at dilation 2
RELATIVE_THRESHOLDS = (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 7.5, 10.0, 15.0, 20.0)
ABSOLUTE_THRESHOLDS = (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 10.0, 14.0)


def run_draw(
    name: str, data_home: str | None, seed: int, draw: int, baseline_points: int, test_pairs: int
) -> dict[str, object]:
    """Return the errors of the five algorithms on one draw, and the questions of NAIVE and CLUSTER, as plain values."""

    def rng(purpose: str) -> np.random.Generator:
        return generator(seed, name, "draw", draw, purpose)

    world = paper_world(name, data_home)
    expert = world.expert(rng("σ"))
    learner_seed = int(rng("learners").integers(2**31))
    learnt = {
        algorithm: estimator(algorithm, world.epsilon, DELTA, learner_seed).fit(world.points, expert)
        for algorithm in PROXY_ALGORITHMS
    }
    sampled = {group: sample.drawn for group, sample in learnt["NAIVE"].samples_.items()}
    # baselines are given pairs of sampled rows, so that an unseen element is new to all five
    training = world.pairs(baseline_points, rng("training"), sampled)
    answers = expert(*training, world.groups)
    trained = {algorithm: train(baseline(algorithm, learner_seed), *training, answers) for algorithm in BASELINES}
    errors = {}
    for test, pairs in draw_tests(world, sampled, test_pairs, rng("tests")).items():
        estimates = {algorithm: learnt[algorithm].predict(*pairs) for algorithm in PROXY_ALGORITHMS}
        estimates |= {algorithm: estimate(trained[algorithm], *pairs) for algorithm in BASELINES}
        truth = expert(*pairs, world.groups)
        errors[test] = {
            algorithm: error_figures(values, truth, world.epsilon) for algorithm, values in estimates.items()
        }
    return {
        "errors": errors,
        "questions": {algorithm: count_figures(learnt[algorithm].question_counts_) for algorithm in PROXY_ALGORITHMS},
        "epochs": epochs(trained["MLP"]),
    }


def draw_tests(
    world: PaperWorld, sampled: Mapping[str, IntArray], n: int, rng: np.random.Generator
) -> dict[str, PointPairs]:
    """Draw test pairs in both ways: from the whole table as the paper does,
    and from elements that were never sampled.
    """
    return {AS_IN_THE_PAPER: world.pairs(n, rng), UNSEEN_ROWS: world.pairs(n, rng, world.unseen_rows(sampled))}


def error_figures(estimates: FloatArray, truth: FloatArray, epsilon: float) -> dict[str, object]:
    """Return one row of Tables 1 to 3, the share of exact estimates, and the shares behind Figures 2 to 4."""
    absolute = np.abs(estimates - truth)
    if not (truth > 0.0).all():
        raise InvalidInput("the relative error is measured where σ > 0, but σ is 0 for some test pairs")
    relative = 100.0 * absolute / truth
    in_epsilon = absolute / epsilon
    return {
        "relative_mean": float(relative.mean()),
        "relative_sd": float(relative.std()),
        "absolute_mean": float(in_epsilon.mean()),
        "absolute_sd": float(in_epsilon.std()),
        "exact": float(np.mean(absolute == 0.0)),
        "relative_cdf": [float(np.mean(relative <= t)) for t in RELATIVE_THRESHOLDS],
        "absolute_cdf": [float(np.mean(in_epsilon <= t)) for t in ABSOLUTE_THRESHOLDS],
    }


def count_figures(counts: QuestionCounts) -> dict[str, int]:
    """Return the questions that asking everything would take, counted in every way."""
    return {count: getattr(counts, count) for count in COUNTS}
