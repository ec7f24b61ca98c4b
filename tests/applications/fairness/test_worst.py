"""The worst pairs and people that the search finds are those of looking at every pair."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import commensurate as cm
from commensurate.applications import audit_fairness
from commensurate.applications.fairness.context import AuditContext
from commensurate.applications.fairness.people import people_of
from commensurate.applications.fairness.worst import find_worst, wronged_people
from commensurate.applications.intervals import ModelIntervals
from commensurate.geometry import weighted_nearest
from worlds.audit_worlds import Recorder, World, some_scores, unfitted
from worlds.plain_audit import (
    groups_compared,
    plain_certified,
    plain_complaints,
    worst_excesses,
    worst_of_each_pair_of_groups,
    worst_of_each_person,
)

MODELS = ["naive", "cluster", "budgeted", "naive, both ways"]
CASES = [(name, "certified") for name in MODELS] + [
    (name, "estimate") for name in ("naive", "cluster", "naive, both ways")
]


# answers of a budget are trusted up to a billionth of the largest of them
ROUNDING = 1e-7


def closest(numbers, number):
    return min(abs(each - number) for each in numbers)


def whole_sigma(left, right, between):
    """Whole numbers for whole points, with M1 and M2 for the Manhattan metric; it differs by the way it is asked."""
    return np.abs(left - right)[:, 0] + (1.0 if between[0] > between[1] else 0.0)


@cache
def whole_model(name):
    """A model of whole numbers: everything that follows is exact, and ties abound."""
    rng = np.random.default_rng(1)
    groups = [cm.Group(group, rng.integers(0, 7, (30, 2)).astype(float), metric="manhattan") for group in "abc"]
    if name == "naive, both ways":
        est, groups = unfitted("naive", symmetric=False, answer_error=1.0), groups[:2]
    else:
        est = unfitted(name, budget=60) if name == "budgeted" else unfitted(name, epsilon=1.0)
    recorder = Recorder(whole_sigma)
    return est.fit(groups, recorder), recorder


def upper_ends(name, kind, people):
    """The upper ends of all pairs: from the answers, or by the estimates."""
    est, recorder = whole_model(name)
    if kind == "certified":
        error = 1.0 if name == "naive, both ways" else 0.0
        return plain_certified(people, recorder.answers, error, "cityblock")[1]
    return lambda between: est.predict_matrix(people[between[0]], people[between[1]], between)


whole_points = st.lists(st.tuples(*[st.integers(0, 7)] * 2), min_size=1, max_size=6)
# high scores, so that some excess is left by whatever an answer leaves open
whole_scores = st.lists(st.integers(0, 12), min_size=6, max_size=6)


@pytest.mark.parametrize(("name", "kind"), CASES)
@given(
    points=st.tuples(*[whole_points] * 3),
    scores=st.tuples(*[whole_scores] * 3),
    lipschitz=st.sampled_from([0.5, 1.0, 2.0]),
    high=st.booleans(),
)
@settings(max_examples=20)
def test_the_search_finds_the_same_as_looking_at_every_pair(name, kind, points, scores, lipschitz, high):
    est, _ = whole_model(name)
    people = {group: np.array(points[k], dtype=float) for k, group in enumerate(est.groups_)}
    numbers = {group: np.array(scores[k][: len(people[group])], float) for k, group in enumerate(people)}
    given_scores = numbers if high else {group: 12.0 - each for group, each in numbers.items()}
    symmetric = name != "naive, both ways"
    complaints = plain_complaints(people, numbers, upper_ends(name, kind, people), lipschitz, symmetric)
    search = AuditContext(est, kind, people_of(est, people, given_scores), high, {})
    compared = [each for each in groups_compared(people, symmetric) if each[0] != each[1] or len(people[each[0]]) > 1]
    for k in (1, 3, 20, 1000):
        found = find_worst(search, compared, ModelIntervals(est, kind, 0.95), lipschitz, k)
        listed = [
            (each.worse_group, int(each.worse[row]), each.better_group, int(each.better[row]), float(each.excess[row]))
            for each in found.pairs
            for row in range(len(each))
        ]
        ranked = sorted((row[-1] for row in listed), reverse=True)[:k]
        assert ranked == pytest.approx(worst_excesses(complaints)[:k], abs=ROUNDING)
        assert all(closest(complaints[tuple(pair)], excess) <= ROUNDING for *pair, excess in listed)
    assert len(listed) == len(worst_excesses(complaints))

    by_person = worst_of_each_person(complaints)
    counted = wronged_people(found.people, search.people).set_index("group")["violated"].to_dict()
    assert counted == {group: sum(person[0] == group for person in by_person) for group in people}
    for each in found.people:
        for worse, excess in zip(each.worse, each.excess):
            assert excess <= by_person[each.worse_group, int(worse)] + ROUNDING


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_the_tables_of_an_audit_are_those_of_every_pair(name, kind):
    est, _ = whole_model(name)
    rng = np.random.default_rng(6)
    people = {group: rng.integers(0, 8, (14, 2)).astype(float) for group in est.groups_}
    scores = {group: rng.integers(0, 15, 14).astype(float) for group in people}
    symmetric = name != "naive, both ways"
    complaints = plain_complaints(people, scores, upper_ends(name, kind, people), 1.0, symmetric)
    by_person = worst_of_each_person(complaints)
    assert len(complaints) > 40, "a test of nothing"
    for k in (3, 1000):
        audit = audit_fairness(est, people, scores=scores, pairs=12, interval=kind, worst=k, random_state=0)
        assert audit.exhaustive
        worst, worst_people = worst_of_each_pair_of_groups(complaints, k), sorted(by_person.values(), reverse=True)[:k]
        assert audit.worst["excess"].tolist() == pytest.approx(worst, abs=ROUNDING)
        assert audit.treated_worst["excess"].tolist() == pytest.approx(worst_people, abs=ROUNDING)
        for table in (audit.worst, audit.treated_worst):
            assert (table["worse_score"] < table["better_score"]).all()
            assert (table["gap"] == table["better_score"] - table["worse_score"]).all()
            assert (table["excess"] == table["gap"] - table["upper"]).all()
            for row in table.itertuples():
                both_ways = complaints[row.worse_group, row.worse, row.better_group, row.better]
                assert closest(both_ways, row.excess) <= ROUNDING
                assert row.worse_score == scores[row.worse_group][row.worse]
                assert row.better_score == scores[row.better_group][row.better]
        for row in audit.treated_worst.itertuples():
            assert row.excess == pytest.approx(by_person[row.worse_group, row.worse], abs=ROUNDING)
        assert not audit.treated_worst.duplicated(["worse_group", "worse"]).any()
    assert audit.people["people"].tolist() == [14] * len(people)
    assert audit.people["violated"].tolist() == [sum(who[0] == group for who in by_person) for group in people]


def test_low_scores_that_are_good_change_only_who_is_treated_worse():
    est, _ = whole_model("naive")
    people = {group: np.random.default_rng(8).integers(0, 8, (9, 2)).astype(float) for group in "abc"}
    scores = {group: np.random.default_rng(9 + ord(group)).integers(0, 15, 9) for group in people}
    high, low = (
        audit_fairness(est, people, scores=scores, pairs=9, worst=1_000, favourable=favourable, random_state=0)
        for favourable in ("high", "low")
    )
    names = ["worse_group", "worse", "better_group", "better", "gap", "upper", "excess"]
    mirrored = ["better_group", "better", "worse_group", "worse", "gap", "upper", "excess"]
    assert len(high.worst) > 10
    assert set(high.worst[names].itertuples(index=False, name=None)) == set(
        low.worst[mirrored].itertuples(index=False, name=None)
    )
    assert high.verdicts.equals(low.verdicts)
    assert high.passing == low.passing
    assert (low.worst["worse_score"] > low.worst["better_score"]).all()


@pytest.mark.parametrize("name", ["naive", "budgeted"])
def test_the_search_through_a_tree_finds_what_every_pair_shows(name, monkeypatch):
    # trees are for a million pairs; these are too many for the plain way
    monkeypatch.setattr(weighted_nearest, "TREE_PAYS_FROM", 1)
    world = World.draw(2, "abc")
    recorder = Recorder(world.sigma)
    est = unfitted(name, 2, **({"budget": 90} if name == "budgeted" else {})).fit(world.people(40, 2), recorder)
    people = world.people(25, 3)
    scores = some_scores(people, 3)
    upper = plain_certified(people, recorder.answers)[1]
    complaints = plain_complaints(people, scores, upper, 0.7)
    audit = audit_fairness(est, people, scores=scores, lipschitz=0.7, pairs=30, worst=25, random_state=0)
    assert audit.worst["excess"].to_numpy() == pytest.approx(worst_of_each_pair_of_groups(complaints, 25), abs=ROUNDING)
    by_person = worst_of_each_person(complaints)
    assert audit.treated_worst["excess"].to_numpy() == pytest.approx(
        sorted(by_person.values())[::-1][:25], abs=ROUNDING
    )
    assert audit.people["violated"].sum() == len(by_person)


@pytest.mark.parametrize("interval", ["estimate", "calibrated"])
def test_a_pair_that_was_drawn_twice_is_listed_once(interval):
    world = World.draw(4)
    est = unfitted("budgeted", 4, budget=80, calibration=0.5).fit(world.people(60, 4), world.sigma)
    people = {name: points[:12] for name, points in world.people(12, 5).items()}
    # everybody of b is far better off than anybody of a
    scores = {"a": np.linspace(0.0, 1.0, 12), "b": np.linspace(30.0, 31.0, 12)}
    audit = audit_fairness(est, people, scores=scores, pairs=390, interval=interval, worst=500, random_state=0)
    across = audit.worst[audit.worst["worse_group"] != audit.worst["better_group"]]
    assert len(across) > 0
    assert not across.duplicated(["worse_group", "worse", "better_group", "better"]).any()


def test_nobody_is_listed_where_nobody_is_wronged():
    est, _ = whole_model("naive")
    people = {"a": np.array([[0.0, 0.0], [3.0, 3.0]]), "b": np.array([[1.0, 1.0]])}
    audit = audit_fairness(est, people, scores={"a": [1.0, 1.5], "b": [1.0]}, pairs="all")
    assert len(audit.worst) == len(audit.treated_worst) == audit.people["violated"].sum() == 0
    assert list(audit.worst) == list(audit.treated_worst)
    assert "excess" in audit.worst


def test_worst_0_lists_nothing_and_still_counts_the_people():
    est, _ = whole_model("naive")
    audit = audit_fairness(est, {"a": [[0.0, 0.0], [0.0, 1.0]]}, scores={"a": [0.0, 5.0]}, worst=0)
    assert len(audit.worst) == len(audit.treated_worst) == 0
    assert audit.people["violated"].tolist() == [1]
