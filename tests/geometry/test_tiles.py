import numpy as np
import pytest

from commensurate.geometry.metrics import FunctionMetric, metric_named
from commensurate.geometry.tiles import near_order

EUCLIDEAN = metric_named("euclidean", np.empty((0, 1)))


@pytest.mark.parametrize("n_points", [0, 1, 8, 9, 64, 65, 1000])
def test_every_point_comes_once(n_points):
    points = np.random.default_rng(0).random((n_points, 3))
    assert sorted(near_order(points, EUCLIDEAN)) == list(range(n_points))


@pytest.mark.parametrize("metric", [EUCLIDEAN, FunctionMetric(EUCLIDEAN.pairwise)])
def test_a_block_of_eight_is_much_tighter_than_the_whole(metric):
    points = np.random.default_rng(0).random((4096, 2))
    blocks = points[near_order(points, metric)].reshape(-1, 8, 2)
    assert np.ptp(blocks, axis=1).mean() < 0.1


def test_equal_points_are_no_trouble():
    assert sorted(near_order(np.zeros((100, 2)), EUCLIDEAN)) == list(range(100))
