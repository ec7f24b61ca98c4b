"""How the error falls with the number of questions, on one draw of σ: one curve an algorithm.

NAIVE and CLUSTER get more questions through a smaller δ, baselines through more points. No baseline can be given the
10⁸ points of the paper here; the curves show what more points would change.
"""

from __future__ import annotations

import numpy as np

from commensurate import sample_size
from commensurate.experiments.paper.baselines import baseline, estimate, train
from commensurate.experiments.paper.draw import draw_tests, error_figures
from commensurate.experiments.paper.published import DELTA, PROXY_ALGORITHMS
from commensurate.experiments.paper.world import estimator, paper_world
from commensurate.experiments.seeds import generator

DELTAS = (0.5, 0.3, 0.1, 0.03, 0.01, 0.003, DELTA)
SIZES = (100, 316, 1_000, 3_162, 10_000, 31_623, 100_000, 316_228, 1_000_000)
# a random forest's time grows fastest with its points, XGBoost's slowest; each stops where it would take many minutes
LARGEST = {"MLP": 316_228, "RF": 31_623, "XGB": 1_000_000}


def curve_sizes(algorithm: str, most_points: int) -> tuple[float, ...]:
    """Return where a curve is measured: values of δ for NAIVE and CLUSTER, numbers of points for a baseline."""
    if algorithm in PROXY_ALGORITHMS:
        return DELTAS
    return tuple(size for size in SIZES if size <= min(most_points, LARGEST[algorithm]))


def run_curve(
    name: str, data_home: str | None, seed: int, algorithm: str, sizes: tuple[float, ...], test_pairs: int
) -> dict[str, object]:
    """Return the errors of one algorithm at each size;
    all algorithms of a data set see the same σ, rows and test pairs.
    """

    def rng(*purpose: object) -> np.random.Generator:
        return generator(seed, name, "curve", *purpose)

    world = paper_world(name, data_home)
    expert = world.expert(rng("σ"))
    learner_seed = int(rng("learners").integers(2**31))
    drawn = {
        group: rng("samples", group).integers(len(points), size=sample_size(DELTA))
        for group, points in world.points.items()
    }
    tests = draw_tests(world, drawn, test_pairs, rng("tests"))
    points = []
    for size in sizes:
        if algorithm in PROXY_ALGORITHMS:
            # fewer samples are the first of many, so that a test row is unseen at every size
            rows = {group: some[: sample_size(size)] for group, some in drawn.items()}
            fitted = estimator(algorithm, world.epsilon, size, learner_seed, samples="given")
            fitted.fit({group: world.points[group][some] for group, some in rows.items()}, expert)
            estimates = {test: fitted.predict(*pairs) for test, pairs in tests.items()}
            questions = fitted.question_counts_.distinct
        else:
            training = world.pairs(int(size), rng("training", size), drawn)
            model = train(baseline(algorithm, learner_seed), *training, expert(*training, world.groups))
            estimates = {test: estimate(model, *pairs) for test, pairs in tests.items()}
            questions = int(size)
        errors = {
            test: error_figures(values, expert(*tests[test], world.groups), world.epsilon)
            for test, values in estimates.items()
        }
        points.append({"questions": questions, "errors": errors})
    return {"algorithm": algorithm, "points": points}
