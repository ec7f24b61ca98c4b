"""The list by calibrated intervals: of all pairs, or as many as are compared at most, whatever the seed and the order
of the rows; each list for its part of the risk, either way round.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications import audit_fairness
from commensurate.applications.fairness import audit as audit_module
from commensurate.applications.fairness import listed as module
from commensurate.applications.fairness.people import people_of
from commensurate.applications.fairness.worst import Worst


@cache
def fitted(groups, claim="new elements"):
    rng = np.random.default_rng(0)
    est = cm.BudgetedSimilarity(budget=40 * len(groups), calibration=0.5, learner="gp", random_state=0, claim=claim)
    points = {name: rng.random((40, 1)) for name in groups}
    return est.fit(points, lambda left, right, between: np.abs(left - right)[:, 0] + 0.05)


def people_and_scores(groups="ab", n=25, m=30):
    rng = np.random.default_rng(1)
    sizes = dict(zip(groups, [n, m, m]))
    # so far apart that every pair is listed
    scores = {name: np.full(size, 30.0 * groups.index(name)) for name, size in sizes.items()}
    return {name: rng.random((size, 1)) for name, size in sizes.items()}, scores


def audited(groups="ab", n=25, m=30, claim="new elements", **options):
    people, scores = people_and_scores(groups, n, m)
    chosen = {"interval": "calibrated", "confidence_level": 0.6, "pairs": 100, "random_state": 0, "scores": scores}
    return audit_fairness(fitted(groups, claim), people, **{**chosen, **options})


def across(table):
    return table[table["worse_group"] != table["better_group"]].reset_index(drop=True)


def compared(n, m):
    people, scores = people_and_scores(n=n, m=m)
    sides = people_of(fitted("ab"), people, scores)
    return module.pairs_by_record(sides["a"], sides["b"], ("a", "b"))


def test_all_pairs_are_compared_each_once():
    listed = across(audited(worst=1).worst)
    assert set(zip(listed["worse"], listed["better"])) == {(i, j) for i in range(25) for j in range(30)}
    assert len(listed) == 750


@pytest.mark.parametrize(("n", "m"), [(25, 30), (30, 25), (6, 6)])
@pytest.mark.parametrize("most", [90, 60, 24, 5])
def test_of_many_people_everybody_of_the_larger_group_is_in_equally_many_pairs(n, m, most, monkeypatch):
    monkeypatch.setattr(module, "MOST_COMPARED", most)
    pairs = compared(n, m)
    assert len(pairs) == len(set(zip(pairs.left, pairs.right)))
    assert len(pairs) <= max(most, 1)
    times = np.bincount(pairs.left if n > m else pairs.right)
    assert len(set(times[times > 0])) == 1
    assert (times > 0).sum() == min(max(n, m), most)
    first = slice(pairs.matched)
    assert len(set(pairs.left[first])) == len(set(pairs.right[first])) == pairs.matched == min(n, m, most)


def test_how_many_are_predicted_at_once_does_not_matter(monkeypatch):
    expected = audited().worst
    monkeypatch.setattr(module, "COMPARED_AT_ONCE", 4)
    pd.testing.assert_frame_equal(audited().worst, expected)


@pytest.mark.parametrize("most", [100_000, 60])
def test_another_seed_lists_the_same(most, monkeypatch):
    monkeypatch.setattr(module, "MOST_COMPARED", most)
    for table in ("worst", "treated_worst"):
        one, other = (across(getattr(audited(random_state=seed), table)) for seed in (0, 1))
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize("most", [100_000, 60])
def test_another_order_of_the_rows_lists_the_same_people(most, monkeypatch):
    monkeypatch.setattr(module, "MOST_COMPARED", most)
    people, scores = people_and_scores()
    order = np.random.default_rng(2).permutation(25)
    shuffled = (
        audited(),
        audit_fairness(
            fitted("ab"),
            people | {"a": people["a"][order]},
            scores=scores,
            interval="calibrated",
            confidence_level=0.6,
            pairs=100,
            random_state=0,
        ),
    )
    for table in ("worst", "treated_worst"):
        one, other = (across(getattr(audit, table)) for audit in shuffled)
        assert set(zip(one["worse"], one["better"])) == set(zip(order[other["worse"]], other["better"]))


def test_equal_records_are_not_kept_together():
    points = {"a": np.repeat([[0.1], [0.2]], 50, axis=0), "b": np.zeros((3, 1))}
    scores = {name: np.zeros(len(each)) for name, each in points.items()}
    order = module.order_by_record(people_of(fitted("ab"), points, scores)["a"], "a")
    assert sorted(order) == list(range(100))
    changes = np.sum(np.diff(order // 50) != 0)
    assert 30 < changes < 70


@pytest.mark.parametrize(("favourable", "worse"), [("high", "a"), ("low", "b")])
def test_who_is_worse_off_depends_on_which_scores_are_good(favourable, worse):
    listed = across(audited(favourable=favourable).worst)
    assert set(listed["worse_group"]) == {worse}
    assert len(listed) == 750


def test_people_who_are_listed_are_those_counted_and_nobody_is_twice():
    audit = audited(worst=2)
    assert audit.people.set_index("group")["violated"].to_dict() == {"a": 25, "b": 0}
    assert sorted(audit.treated_worst["worse"]) == list(range(25))
    assert audit.treated_worst["better"].is_unique
    assert not audit.exhaustive


@pytest.mark.parametrize(("groups", "n_lists"), [("ab", 1), ("abc", 3)])
def test_each_list_has_its_part_of_the_risk(groups, n_lists, monkeypatch):
    rates = []

    def recorded(context, between, intervals, lipschitz, rate):
        rates.append((between, rate))
        return Worst([], [])

    monkeypatch.setattr(audit_module, "list_violations", recorded)
    audited(groups)
    assert len({between for between, _ in rates}) == len(rates) == n_lists
    assert [rate for _, rate in rates] == pytest.approx([0.4 / n_lists] * n_lists)


@pytest.mark.parametrize(("claim", "alone"), [("new elements", True), ("pairs of these elements", False)])
def test_pairs_of_the_same_people_are_left_out_where_people_are_new(claim, alone, monkeypatch):
    members_left_out = []

    def recorded(p_values, n_scores, rate, *, members):
        members_left_out.append(members is not None)
        return np.zeros(len(p_values))

    monkeypatch.setattr(module, "conformal_e_values", recorded)
    audited(claim=claim)
    assert set(members_left_out) == {alone}


def test_an_excess_is_that_of_the_interval_although_another_rule_lists_it():
    listed = audited(lipschitz=2.0).worst
    np.testing.assert_array_equal(listed["excess"], listed["gap"] - 2.0 * listed["upper"])
    np.testing.assert_array_equal(listed["upper"], listed["calibrated_upper"])


def test_who_is_listed_across_groups_is_not_taken_off_that_list_by_a_greater_gap_within_their_own():
    _, scores = people_and_scores()
    alone = audited(worst=1).treated_worst
    across = alone[alone["worse_group"] != alone["better_group"]]
    assert len(across) == 25
    # one person of the first group is far better off than everybody else in it
    scores = {"a": np.where(np.arange(25) == 0, 60.0, scores["a"]), "b": scores["b"]}
    listed = audited(worst=1, scores=scores).treated_worst
    within = listed[listed["worse_group"] == listed["better_group"]]
    assert len(within) == 1
    assert within["excess"].iloc[0] > 50.0
    still = listed[listed["worse_group"] != listed["better_group"]]
    assert set(still["worse"]) >= set(across["worse"]) - {0}
