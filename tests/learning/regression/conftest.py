import numpy as np
import pytest

from commensurate.geometry.metrics import FunctionMetric, metric_named
from commensurate.groups.elements import Space
from commensurate.learning.regression.regression import AnsweredPairs

EUCLIDEAN = metric_named("euclidean", np.zeros((1, 1)))


def distances(left, right):
    return np.sqrt(((left[:, None] - right[None]) ** 2).sum(axis=2))


@pytest.fixture
def answered():
    """Pairs of random points of two groups, answered by a function of their rows."""

    def draw(sigma, n, *, widths=(3, 3), shared=True, metric=EUCLIDEAN, seed=0):
        rng = np.random.default_rng(seed)
        x, y = rng.uniform(-1.0, 1.0, (n, widths[0])), rng.uniform(-1.0, 1.0, (n, widths[1]))
        names = ("x", "x") if shared else ("u", "w")
        spaces = tuple(
            Space(group, metric, tuple(f"{name}{k}" for k in range(width)))
            for group, name, width in zip("ab", names, widths)
        )
        return AnsweredPairs(spaces, x, y, sigma(x, y), np.ones(n))

    return draw


@pytest.fixture
def only_distances():
    """A metric that can only be evaluated."""
    return FunctionMetric(distances)
