"""Bounds from statements of every kind hold for every pair, asked about or not, in worlds where σ is known."""

import numpy as np

from commensurate.experiments.synthetic.worlds import SyntheticWorld
from commensurate.guarantees.statements.check import check_statements
from commensurate.guarantees.statements.statement import Statement

WORLDS, PAIRS, SAID, FRESH = 25, 60, 120, 300
FAMILIES = ("merit", "embedding")


def drawn(seed):
    """A σ with M1 and M2, pairs that are asked about, and others."""
    rng = np.random.default_rng(seed)
    family = FAMILIES[seed % len(FAMILIES)]
    world = SyntheticWorld.draw(family, [2, 2], rare_mass=1.0, epsilon=0.02, delta=0.05, rng=rng)
    points = world.elements(PAIRS + FRESH, rng)
    sides = points["g1"], points["g2"]
    return rng, sides, world.oracle(*sides, ("g1", "g2"))


def said_by(sigma, error, rng):
    """Grades of five and comparisons, by what an expert perceives: off by up to ``error``, anew each time."""
    ends = np.concatenate([[0.0], np.quantile(sigma, [0.2, 0.4, 0.6, 0.8]), [np.inf]])
    for _ in range(SAID):
        one, other = rng.choice(PAIRS, size=2, replace=False).tolist()
        perceived = np.maximum(sigma[[one, other]] + rng.uniform(-error, error, size=2), 0.0)
        if rng.random() < 0.5:
            k = int(np.searchsorted(ends[1:-1], perceived[0]))
            yield Statement.between(one, float(ends[k]), float(ends[k + 1]))
        else:
            nearer, farther = (one, other) if perceived[0] <= perceived[1] else (other, one)
            yield Statement.more_alike(nearer, than=farther)


def checked(seed, error, granted):
    """What statements by percepts off by up to ``error`` certify where ``granted`` is allowed."""
    rng, (left, right), sigma = drawn(seed)
    said = list(said_by(sigma[:PAIRS], error, rng))
    check = check_statements(left[:PAIRS], right[:PAIRS], said, answer_error=granted)
    return check, (left[PAIRS:], right[PAIRS:]), sigma


def missed(check, fresh, sigma):
    """How many bounds do not hold, of all pairs."""
    lower, upper = check.bounds(*fresh)
    lower, upper = np.concatenate([check.lower, lower]), np.concatenate([check.upper, upper])
    return int(((sigma < lower - 1e-9) | (sigma > upper + 1e-9)).sum()), float((upper - lower).mean())


def test_no_bound_is_wrong_where_all_that_was_said_is_true():
    widths = []
    for seed in range(WORLDS):
        check, fresh, sigma = checked(seed, 0.0, 0.0)
        assert check.consistent
        wrong, width = missed(check, fresh, sigma)
        assert wrong == 0
        widths.append(width)
    assert np.isfinite(widths).mean() > 0.5, "bounds that are infinite are never wrong"


def test_no_bound_is_wrong_where_experts_err_by_no_more_than_is_granted():
    for seed in range(WORLDS):
        check, fresh, sigma = checked(seed, 0.3, 0.3)
        assert check.consistent
        assert missed(check, fresh, sigma)[0] == 0


def test_without_the_grant_contradictions_appear_or_bounds_are_wrong():
    """What these tests would catch: errors that nothing allows for."""
    contradicting = wrong = 0
    for seed in range(WORLDS):
        check, fresh, sigma = checked(seed, 0.3, 0.0)
        if not check.consistent:
            contradicting += 1
            assert 0.0 < check.smallest_answer_error <= 0.3 + 1e-9
        else:
            wrong += missed(check, fresh, sigma)[0] > 0
    assert contradicting + wrong > WORLDS / 2
    assert contradicting > 0


def test_an_error_of_an_answer_that_would_do_is_never_larger_than_the_one_that_was_made():
    for seed in range(WORLDS):
        assert checked(seed, 0.1, 0.0)[0].smallest_answer_error <= 0.1 + 1e-9


def test_whatever_agrees_with_comparisons_agrees_with_them_on_every_smaller_scale():
    """So comparisons alone certify nothing about a single pair."""
    for seed in range(5):
        rng, (left, right), sigma = drawn(seed)
        said = [one for one in said_by(sigma[:PAIRS], 0.0, rng) if one.other is not None]
        for scale, shift in ((1.0, 0.0), (0.3, 0.0), (0.01, 0.0), (0.5, 7.0)):
            numbers = [Statement.number(k, scale * float(sigma[k]) + shift) for k in range(PAIRS)]
            assert check_statements(left[:PAIRS], right[:PAIRS], [*said, *numbers]).consistent
        larger = [Statement.number(k, 10.0 * float(sigma[k])) for k in range(PAIRS)]
        assert not check_statements(left[:PAIRS], right[:PAIRS], [*said, *larger]).consistent
