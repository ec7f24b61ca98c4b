"""The list by calibrated intervals: of people matched one to one at random,
for its part of the risk, either way round.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications import audit_fairness
from commensurate.applications.fairness import audit as audit_module
from commensurate.applications.fairness import worst as module


@cache
def fitted(groups):
    rng = np.random.default_rng(0)
    est = cm.BudgetedSimilarity(budget=40 * len(groups), calibration=0.5, learner="gp", random_state=0)
    points = {name: rng.random((40, 1)) for name in groups}
    return est.fit(points, lambda left, right, between: np.abs(left - right)[:, 0] + 0.05)


def audited(groups="ab", n=25, m=30, **options):
    rng = np.random.default_rng(1)
    sizes = dict(zip(groups, [n, m, m]))
    people = {name: rng.random((size, 1)) for name, size in sizes.items()}
    # so far apart that every matched pair is listed
    scores = {name: np.full(size, 30.0 * groups.index(name)) for name, size in sizes.items()}
    chosen = {"interval": "calibrated", "confidence_level": 0.6, "pairs": 100, "random_state": 0, **options}
    return audit_fairness(fitted(groups), people, scores=scores, **chosen)


def across(table):
    return table[table["worse_group"] != table["better_group"]]


def test_as_many_pairs_are_matched_as_the_smaller_group_has_people():
    listed = across(audited(worst=1).worst)
    assert sorted(listed["worse"]) == list(range(25))
    assert listed["better"].is_unique
    assert listed["better"].max() < 30


def test_so_many_are_matched_at_most(monkeypatch):
    monkeypatch.setattr(module, "MOST_MATCHED", 7)
    assert len(across(audited().worst)) == 7


def test_how_many_are_predicted_at_once_does_not_matter(monkeypatch):
    expected = audited().worst
    monkeypatch.setattr(module, "MATCHED_AT_ONCE", 4)
    pd.testing.assert_frame_equal(audited().worst, expected)


def test_another_seed_matches_others_and_the_same_seed_the_same():
    pd.testing.assert_frame_equal(audited().worst, audited().worst)
    assert set(zip(audited().worst["worse"], audited().worst["better"])) != set(
        zip(audited(random_state=1).worst["worse"], audited(random_state=1).worst["better"])
    )


@pytest.mark.parametrize(("favourable", "worse"), [("high", "a"), ("low", "b")])
def test_who_is_worse_off_depends_on_which_scores_are_good(favourable, worse):
    listed = audited(favourable=favourable).worst
    assert set(listed["worse_group"]) == {worse}
    assert len(listed) == 25


def test_people_who_are_listed_are_those_counted():
    audit = audited(worst=2)
    assert audit.people.set_index("group")["violated"].to_dict() == {"a": 25, "b": 0}
    assert sorted(audit.treated_worst["worse"]) == list(range(25))
    assert not audit.exhaustive


@pytest.mark.parametrize(("groups", "n_lists"), [("ab", 1), ("abc", 3)])
def test_each_list_has_its_part_of_the_risk(groups, n_lists, monkeypatch):
    rates = []

    def recorded(search, between, intervals, lipschitz, rate, rng):
        rates.append((between, rate))
        return []

    monkeypatch.setattr(audit_module, "violations_in_a_matching", recorded)
    audited(groups)
    assert len({between for between, _ in rates}) == len(rates) == n_lists
    assert [rate for _, rate in rates] == pytest.approx([0.4 / n_lists] * n_lists)


def test_an_excess_is_that_of_the_interval_although_another_rule_lists_it():
    listed = audited(lipschitz=2.0).worst
    np.testing.assert_array_equal(listed["excess"], listed["gap"] - 2.0 * listed["upper"])
    np.testing.assert_array_equal(listed["upper"], listed["calibrated_upper"])
