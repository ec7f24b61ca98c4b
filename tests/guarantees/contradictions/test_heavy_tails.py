import numpy as np
import pytest

from commensurate.guarantees.contradictions.heavy_tails import anchor_rank, two_largest_errors


def share_beyond(factor, n, m, draw, draws=20_000):
    """How often the two largest of n sizes together exceed so many anchors of m other sizes, two of them left out."""
    rng = np.random.default_rng([n, m])
    anchors = np.sort(np.abs(draw(rng, (draws, m - 2))), axis=1)[:, m - 3 - anchor_rank(m)]
    largest = np.sort(np.abs(draw(rng, (draws, n))), axis=1)[:, -2:]
    return np.mean(np.maximum(largest, anchors[:, None]).sum(axis=1) > factor * anchors)


@pytest.mark.parametrize(("n", "m"), [(2, 3), (20, 5), (60, 12), (100, 20), (40, 40)])
def test_under_t3_the_probability_is_the_level(n, m):
    factor = two_largest_errors(n, m, 0.05)
    assert share_beyond(factor, n, m, lambda rng, size: rng.standard_t(3, size)) == pytest.approx(0.05, abs=0.006)


@pytest.mark.parametrize("name", ["normal", "laplace", "uniform"])
def test_with_lighter_tails_it_is_lower(name):
    factor = two_largest_errors(60, 12, 0.05)
    draw = {
        "normal": lambda rng, size: rng.normal(size=size),
        "laplace": lambda rng, size: rng.laplace(size=size),
        "uniform": lambda rng, size: rng.uniform(-1.0, 1.0, size),
    }[name]
    assert share_beyond(factor, 60, 12, draw) < 0.03


def test_with_heavier_tails_it_is_higher():
    factor = two_largest_errors(60, 12, 0.05)
    assert share_beyond(factor, 60, 12, lambda rng, size: rng.standard_t(1.5, size)) > 0.1


def test_more_errors_reach_farther_and_more_held_out_ones_tell_more():
    assert two_largest_errors(100, 20, 0.05) < two_largest_errors(200, 20, 0.05)
    assert two_largest_errors(100, 20, 0.05) < two_largest_errors(100, 20, 0.01)
    assert two_largest_errors(100, 10, 0.05) > two_largest_errors(100, 100, 0.05)


def test_thousands_of_errors_are_no_trouble():
    assert 10.0 < two_largest_errors(20_000, 4_000, 0.05) < 100.0
