"""A sample of points that go by, in bounded memory."""

import numpy as np

from commensurate.records.sampling.passing_points import PassingPoints


def sampled(points, at_once, most=5):
    passing = PassingPoints(most)
    for start in range(0, len(points), at_once):
        passing.add(points[start : start + at_once])
    return passing


def test_the_sample_does_not_depend_on_the_parts():
    points = np.arange(40.0)[:, None]
    assert len({tuple(sampled(points, n).points.ravel()) for n in (1, 7, 40)}) == 1
    assert sampled(points, 7).n_points == 40


def test_few_points_are_all_kept_in_their_order():
    assert sampled(np.arange(4.0)[:, None], 3).points.ravel().tolist() == [0.0, 1.0, 2.0, 3.0]


def test_every_point_is_as_likely_to_be_kept():
    counts = np.zeros(8)
    for seed in range(800):
        passing = PassingPoints(2, seed)
        passing.add(np.arange(3.0)[:, None])
        passing.add(np.arange(3.0, 8.0)[:, None])
        counts[passing.points.ravel().astype(int)] += 1
    assert abs(counts - 200).max() < 60
