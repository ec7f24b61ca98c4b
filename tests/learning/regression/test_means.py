"""Mean functions: their gradients, and that each finds what was planted."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import check_grad

from commensurate.learning.regression.means.families import EmbeddingMean, MinkowskiMean, PrototypeMean
from commensurate.learning.regression.means.forms import MeanTask, Stage, fit_form

FORMS = [
    MinkowskiMean(np.array([0, 1, 2]), np.array([0, 1, 2])),
    EmbeddingMean.between(4, 3, kind="linear", rank=1),
    EmbeddingMean.between(4, 3, kind="linear", rank=2),
    EmbeddingMean.between(4, 3, kind="largest", rank=2, units=3),
    EmbeddingMean.between(4, 3, kind="folded", rank=2, units=5),
    PrototypeMean(4, 3, n_prototypes=3),
]


def task(seed=0, n=40):
    rng = np.random.default_rng(seed)
    return MeanTask(rng.normal(size=(n, 4)), rng.normal(size=(n, 3)), rng.random(n), rng.uniform(1.0, 3.0, n), 0.3)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_gradients_are_those_of_finite_differences(form):
    given = task()
    for stage in (Stage(0.01, 0.0, 1), Stage(0.01, 0.2, 1)):
        parameters = form.start(np.random.default_rng(1), 0.3)
        assert len(parameters) == form.size
        loss = partial(given.loss, form, stage=stage)
        off = check_grad(lambda at, loss=loss: loss(at)[0], lambda at, loss=loss: loss(at)[1], parameters)
        assert off < 1e-5 * max(1.0, np.linalg.norm(loss(parameters)[1]))


def test_where_all_gaps_are_zero_the_gradient_is_finite():
    form = MinkowskiMean(np.array([0]), np.array([0]))
    values, pullback = form.evaluate(np.array([0.5, 0.5, 0.0, 0.3]), np.ones((4, 1)), np.ones((4, 1)))
    assert values.max() < 1e-100
    assert np.isfinite(pullback(np.ones(4))).all()


def test_beyond_its_largest_size_a_scale_of_prototypes_has_no_slope():
    form = PrototypeMean(1, 1, n_prototypes=1)
    _, pullback = form.evaluate(np.array([0.0, 0.0, 0.0, 25.0, -3.0]), np.ones((4, 1)), np.ones((4, 1)))
    by_s, by_t = pullback(np.ones(4))[-2:]
    assert by_s == 0.0
    assert by_t > 0.0


# more prototypes than there are, for some end up where they are of no use
PLANTED = [(form, form) for form in FORMS[:-1]] + [(PrototypeMean(4, 3, n_prototypes=2), PrototypeMean(4, 3))]


@pytest.mark.parametrize(("planted", "form"), PLANTED, ids=lambda form: form.name)
def test_what_was_planted_is_found(planted, form):
    parameters = planted.start(np.random.default_rng(5), 0.3)
    rng = np.random.default_rng(6)
    left, right, new_left, new_right = (rng.normal(size=(250, width)) for width in (4, 3, 4, 3))
    targets = planted.evaluate(parameters, left, right)[0]
    task = MeanTask(left, right, targets, np.ones(250), 0.3)
    found = fit_form(form, task, form.stages(task.spread), np.random.default_rng(0))[-1]
    expected = planted.evaluate(parameters, new_left, new_right)[0]
    estimates = form.evaluate(found, new_left, new_right)[0]
    assert np.abs(estimates - expected).mean() < 0.05 * expected.std()
