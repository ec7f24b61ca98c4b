"""Certified intervals from answers about single pairs are those of the plain definition."""

import numpy as np
import pytest

from commensurate.geometry import pair_envelope
from commensurate.geometry.metrics import metric_named
from commensurate.geometry.pair_envelope import MatchedEnvelope


@pytest.mark.parametrize("block", [1, 2**18])
@pytest.mark.parametrize("name", ["euclidean", "manhattan"])
def test_bounds_are_the_intersection_over_all_answers(name, block, monkeypatch):
    monkeypatch.setattr(pair_envelope, "_BLOCK_DISTANCES", block)
    rng = np.random.default_rng(0)
    r, s, x, y = rng.random((20, 2)), rng.random((20, 3)), rng.random((7, 2)), rng.random((7, 3))
    d, e = metric_named(name, r), metric_named("chebyshev", s)
    least = rng.random(20)
    most = least + rng.random(20)
    lower, upper = MatchedEnvelope(r, d, s, e, least, most).bounds(x, y)
    apart = d.pairwise(x, r) + e.pairwise(y, s)
    np.testing.assert_array_equal(lower, np.maximum((least - apart).max(axis=1), 0.0))
    np.testing.assert_array_equal(upper, (most + apart).min(axis=1))


def test_without_answers_nothing_is_known():
    none, metric = np.empty((0, 1)), metric_named("euclidean", np.zeros((1, 1)))
    lower, upper = MatchedEnvelope(none, metric, none, metric, np.empty(0), np.empty(0)).bounds(
        np.zeros((2, 1)), np.zeros((2, 1))
    )
    assert lower.tolist() == [0.0, 0.0]
    assert np.isinf(upper).all()


@pytest.mark.parametrize("chunk", [1, 2**22])
@pytest.mark.parametrize("n_answers", [0, 1, 20])
def test_the_matrix_of_every_pair_encloses_the_bounds_of_each_and_differs_by_rounding(n_answers, chunk, monkeypatch):
    monkeypatch.setattr(pair_envelope, "_MATRIX_DISTANCES", chunk)
    rng = np.random.default_rng(0)
    r, s, x, y = (rng.random((n, width)) for n, width in ((n_answers, 2), (n_answers, 3), (7, 2), (5, 3)))
    d, e = metric_named("euclidean", x), metric_named("chebyshev", y)
    least = rng.random(n_answers)
    most = least + rng.random(n_answers)
    most[::3] = np.inf
    envelope = MatchedEnvelope(r, d, s, e, least, most)
    found, plain = envelope.matrix(x, y), envelope.bounds(np.repeat(x, 5, axis=0), np.tile(y, (7, 1)))
    for one, other in zip(found, plain):
        np.testing.assert_allclose(one.ravel(), other, rtol=0, atol=1e-14)
    assert (found[0].ravel() <= plain[0]).all()
    assert (found[1].ravel() >= plain[1]).all()
