"""What statements of every kind certify, compared with linear programs; and how contradictions are named."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from commensurate.errors import InconsistentAnswers, InvalidAnswer, InvalidInput, InvalidPoints, NoScale
from commensurate.guarantees.statements.check import check_statements
from commensurate.guarantees.statements.statement import Statement


def world(seed, n=9, k=14, wrong=0.0):
    """Pairs, a σ on them with M1 and M2, and what was said about it; some of it wrong."""
    rng = np.random.default_rng(seed)
    x, y = rng.random((n, 2)), rng.random((n, 3))
    apart = np.abs(x[:, None] - x).sum(axis=2) + np.abs(y[:, None] - y).sum(axis=2)
    sigma = (rng.uniform(0.0, 2.0, size=n) + apart).min(axis=1)
    said = []
    for _ in range(k):
        p, q = rng.choice(n, size=2, replace=False).tolist()
        told = sigma + wrong * rng.standard_normal(n)
        kind = rng.integers(5)
        if kind == 0:
            said.append(Statement.number(p, max(0.0, float(told[p]))))
        elif kind == 1:
            low = float(max(0.0, told[p] - rng.random()))
            said.append(Statement.between(p, low, low + 1.0))
        elif kind == 2:
            said.append(Statement.between(p, at_least=max(0.01, float(told[p]) - 0.2)))
        elif kind == 3:
            nearer, farther = (p, q) if told[p] <= told[q] else (q, p)
            said.append(Statement.more_alike(nearer, than=farther))
        else:
            gap = float(told[p] - told[q])
            said.append(Statement(p, q, gap - 0.1, gap + float(rng.random())))
    return x, y, apart, sigma, said


def constraints(apart, said, error=None):
    """A σ ≤ b over σ and, if ``error`` is "free", the error of an answer."""
    n = len(apart)
    rows, limits = [], []

    def add(plus, minus, limit, errors):
        row = np.zeros(n + 1)
        if plus is not None:
            row[plus] += 1.0
        if minus is not None:
            row[minus] -= 1.0
        row[n] = -errors
        rows.append(row)
        limits.append(limit)

    for i in range(n):
        for j in range(n):
            if i != j:
                add(i, j, apart[i, j], 0.0)
    for one in said:
        errors = 1.0 if one.other is None else 2.0
        if math.isfinite(one.upper):
            add(one.pair, one.other, one.upper, errors)
        if math.isfinite(one.lower):
            add(one.other, one.pair, -one.lower, errors)
    return np.array(rows), np.array(limits)


def solved(apart, said, costs, error):
    rows, limits = constraints(apart, said)
    bounds = [(0.0, None)] * len(apart) + [error]
    return linprog(costs, A_ub=rows, b_ub=limits, bounds=bounds, method="highs")


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("wrong", [0.0, 0.3])
def test_bounds_and_contradictions_are_those_of_a_linear_program(seed, wrong):
    x, y, apart, sigma, said = world(seed, wrong=wrong)
    found = check_statements(x, y, said, metric="manhattan")
    n = len(apart)
    feasible = solved(apart, said, np.zeros(n + 1), (0.0, 0.0)).status == 0
    assert found.consistent == feasible
    if not feasible:
        least = solved(apart, said, np.eye(n + 1)[n], (0.0, None)).fun
        assert found.smallest_answer_error == pytest.approx(least, abs=1e-9)
        assert np.isnan(found.lower).all()
        mended = check_statements(x, y, said, metric="manhattan", answer_error=least * (1.0 + 1e-6))
        assert mended.consistent
        assert not check_statements(x, y, said, metric="manhattan", answer_error=least * 0.99).consistent
        assert mended.smallest_answer_error == pytest.approx(least, abs=1e-9)
        return
    for pair in range(n):
        least = solved(apart, said, np.eye(n + 1)[pair], (0.0, 0.0))
        most = solved(apart, said, -np.eye(n + 1)[pair], (0.0, 0.0))
        assert found.lower[pair] == pytest.approx(least.fun, abs=1e-9)
        assert found.upper[pair] == (pytest.approx(-most.fun, abs=1e-9) if most.status == 0 else math.inf)
    if wrong == 0.0:
        assert (found.lower <= sigma + 1e-12).all()
        assert (found.upper >= sigma - 1e-12).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_statements_of_a_contradiction_contradict_each_other_and_none_can_be_left_out(seed):
    x, y, _, _, said = world(seed, k=30, wrong=0.8)
    found = check_statements(x, y, said, metric="manhattan")
    if found.consistent:
        pytest.fail("the world is meant to contradict itself; draw another")
    alone = [said[k] for k in dict.fromkeys(found.contradiction.statements)]
    again = check_statements(x, y, alone, metric="manhattan")
    assert again.contradiction.excess == pytest.approx(found.contradiction.excess, abs=1e-9)
    for left_out in range(len(alone)):
        rest = alone[:left_out] + alone[left_out + 1 :]
        assert not rest or check_statements(x, y, rest, metric="manhattan").consistent


def test_bounds_of_a_pair_that_nobody_was_asked_about_are_those_it_has_among_the_others():
    x, y, _, _, said = world(4)
    new = np.array([[0.3, 0.9]]), np.array([[0.1, 0.2, 0.5]])
    found = check_statements(x, y, said, metric="manhattan").bounds(*new)
    joined = check_statements(np.vstack([x, new[0]]), np.vstack([y, new[1]]), said, metric="manhattan")
    assert found[0][0] == pytest.approx(joined.lower[-1], abs=1e-8)
    assert found[1][0] == pytest.approx(joined.upper[-1], abs=1e-8)


def test_comparisons_alone_have_no_scale():
    x = np.arange(3.0)[:, None]
    order = [Statement.more_alike(0, than=1), Statement.as_alike(1, 2, within=0.5)]
    found = check_statements(x, np.zeros((3, 1)), order)
    assert found.consistent
    with pytest.raises(NoScale, match="add a number or a range about at least one pair"):
        found.bounds([[0.5]], [[0.0]])
    # that one is less alike by so much says something
    apart = check_statements(x, np.zeros((3, 1)), [*order, Statement(2, 0, lower=0.25)])
    assert apart.bounds([[2.0]], [[0.0]])[0][0] == pytest.approx(0.25, abs=1e-8)


def test_a_typing_error_hides_no_contradiction_among_comparisons():
    said = [Statement.number(0, 0.5), Statement(1, 0, upper=-0.1), Statement(0, 1, upper=0.0)]
    huge = Statement.between(2, at_least=1e12)
    found = check_statements([[0.0], [5.0], [9.0]], np.zeros((3, 1)), [*said, huge])
    assert not found.consistent


def test_ranges_within_the_error_of_an_answer_certify_nothing_but_are_no_comparisons():
    found = check_statements([[0.0]], [[0.0]], [Statement.between(0, at_least=0.05)], answer_error=0.1)
    assert found.bounds([[0.0]], [[0.0]]) == (0.0, math.inf)


def test_contradicting_statements_certify_nothing_and_are_named():
    x = np.array([[0.0], [0.1]])
    said = [Statement.number(0, 0.5, expert="ana"), Statement.between(1, at_least=0.9, expert="ben")]
    found = check_statements(x, np.zeros((2, 1)), said, labels=["(4, 7)", "(4, 9)"])
    with pytest.raises(InconsistentAnswers, match=r"ana: \(4, 7\) is 0.5"):
        found.bounds(x, x)
    assert "ben: (4, 9) is at least 0.9." in str(found)
    assert "could be off by 0.15 or more" in str(found)


@pytest.mark.parametrize(
    ("said", "error", "told"),
    [
        ([], InvalidInput, "there are no statements"),
        ([Statement.number(2, 0.5)], InvalidInput, "names pair 2, but there are 2 pairs"),
        ([Statement.more_alike(0, than=-1)], InvalidInput, "names pair -1"),
        ([Statement.more_alike(1, than=1)], InvalidAnswer, "compares pair 1 with itself"),
        ([Statement.between(0, 0.5, 0.2)], InvalidAnswer, "must not be above its upper end"),
        ([Statement.number(0, float("nan"))], InvalidAnswer, "must not be above its upper end"),
        ([Statement.number(0, -0.5)], InvalidAnswer, "at least 0, but statement 0"),
        ([Statement.number(0, math.inf)], InvalidAnswer, "a finite number"),
        ([Statement.between(0)], InvalidAnswer, "says nothing"),
        ([Statement(0, 1)], InvalidAnswer, "says nothing"),
        (["0.5"], InvalidInput, "must be Statement objects, but number 0 is str"),
        (Statement.number(0, 0.5), InvalidInput, "must be a list of Statement objects, got Statement"),
        ([Statement.number("a", 0.5)], InvalidInput, "names pairs by whole numbers, but statement 0 names 'a'"),
        ([Statement.number(0, "x")], InvalidAnswer, "ends of a statement must be numbers"),
    ],
)
def test_what_is_no_statement_is_refused_in_one_line(said, error, told):
    with pytest.raises(error, match=told):
        check_statements([[0.0], [1.0]], [[0.0], [0.0]], said)


@pytest.mark.parametrize(
    ("left", "right", "told"),
    [
        ([[3.0, 1.0]], [[0.0]], "left must have 1 columns like the pairs that were named, got 2"),
        ([[3.0]], [[0.0], [1.0]], "one row per pair, got 1 and 2 rows"),
    ],
)
def test_bounds_are_refused_for_points_of_another_shape(left, right, told):
    found = check_statements([[0.0]], [[0.0]], [Statement.number(0, 0.5)])
    assert str(found).startswith("The statement is consistent")
    with pytest.raises(InvalidPoints, match=told):
        found.bounds(left, right)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (Statement.between(3, 0.2, 0.4), "pair 3 is between 0.2 and 0.4"),
        (Statement.between(3, at_least=0.2), "pair 3 is at least 0.2"),
        (Statement(0, 1, 0.0, math.inf), "pair 0 is at most as alike as pair 1"),
        (Statement.as_alike(0, 1, within=0.1), "pair 0 exceeds pair 1 by at least -0.1 and at most 0.1"),
        (Statement(0, 1, lower=0.25, expert="ana"), "ana: pair 0 exceeds pair 1 by at least 0.25"),
    ],
)
def test_a_statement_is_told_in_words(statement, words):
    assert str(statement) == words
