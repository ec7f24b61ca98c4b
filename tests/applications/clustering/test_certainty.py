"""Bounds to few medoids are those that the model gives pair by pair."""

import numpy as np
import pytest

from commensurate.applications.clustering.certainty import bounds_to_few
from commensurate.applications.intervals import ModelIntervals
from worlds.audit_worlds import Recorder, World, unfitted


@pytest.mark.parametrize("many_first", [True, False])
@pytest.mark.parametrize("options", [{}, {"answer_error": 0.07}, {"ask": "on_demand"}])
@pytest.mark.parametrize("name", ["naive", "cluster"])
def test_they_are_the_bounds_of_the_model(name, options, many_first):
    for seed in range(3):
        world = World.draw(seed)
        oracle = Recorder(world.sigma, options.get("answer_error", 0.0), seed)
        est = unfitted(name, seed, **options).fit(world.people(40, seed), oracle)
        people = world.people(70, seed + 1)
        left, right = (people["a"], people["b"][:4]) if many_first else (people["a"][:4], people["b"])
        if "ask" in options:
            est.predict_matrix(left[:9], right[:9], ("a", "b"))
        every = np.repeat(left, len(right), axis=0), np.tile(right, (len(left), 1))
        table = est.tables_["a", "b"]
        assert table.complete == ("ask" not in options)
        est._oracle = None  # nobody is asked from now on
        expected = est.predict_interval(*every, ("a", "b"))
        found = bounds_to_few(ModelIntervals(est, "certified", 0.95), ("a", "b"), left, right)
        for ours, theirs in zip(found, expected):
            np.testing.assert_allclose(ours.ravel(), theirs, atol=1e-12)


def test_where_nobody_was_asked_nothing_is_known():
    world = World.draw(0)
    est = unfitted("naive", ask="on_demand").fit(world.people(20, 0), world.sigma)
    people = world.people(10, 1)
    lower, upper = bounds_to_few(ModelIntervals(est, "certified", 0.95), ("a", "b"), people["a"], people["b"][:2])
    assert not lower.any()
    assert np.isinf(upper).all()
