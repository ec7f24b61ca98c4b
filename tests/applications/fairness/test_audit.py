"""The audit as a whole: what its tables hold, how they fit together, and what it refuses."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from commensurate.applications import audit_fairness
from commensurate.applications.fairness.verdicts import VERDICTS, verdict_codes
from commensurate.errors import InvalidInput, InvalidParameter, NotFittedError
from worlds.audit_worlds import Recorder, World, some_scores, unfitted

VERDICT_COLUMNS = ["left_group", "left", "right_group", "right", "gap", "lower", "upper", "verdict", "about"]


@cache
def world_of(name="naive", groups="ab", error=0.0):
    world = World.draw(3, groups)
    est = unfitted(name, 3, answer_error=error, **({"budget": 110, "calibration": 0.6} if name == "budgeted" else {}))
    est.fit(world.people(40, 3), Recorder(world.sigma))
    people = world.people(15, 30)
    return est, people, some_scores(people, 3)


def audited(name="naive", groups="ab", **options):
    est, people, scores = world_of(name, groups)
    return audit_fairness(est, people, **{"scores": scores, "pairs": 90, "random_state": 0, **options})


@pytest.mark.parametrize(
    ("name", "interval"), [("naive", "certified"), ("cluster", "estimate"), ("budgeted", "calibrated")]
)
def test_verdicts_follow_from_the_bounds_that_the_model_gives(name, interval):
    est, people, scores = world_of(name, "abc")
    audit = audited(name, "abc", interval=interval, lipschitz=0.8)
    verdicts = audit.verdicts
    assert list(verdicts) == VERDICT_COLUMNS
    assert (audit.lipschitz, audit.interval, audit.confidence_level, audit.favourable) == (0.8, interval, 0.95, "high")
    for names, part in verdicts.groupby(["left_group", "right_group"]):
        left, right = (people[group][part[side]] for group, side in zip(names, ("left", "right")))
        gap = np.abs(scores[names[0]][part["left"]] - scores[names[1]][part["right"]])
        if names[0] == names[1]:
            lower = upper = np.linalg.norm(left - right, axis=1)
        elif interval == "estimate":
            lower = upper = est.predict(left, right, names)
        else:
            lower, upper = est.predict_interval(left, right, names, interval=interval)
        np.testing.assert_array_equal(part["gap"], gap)
        np.testing.assert_allclose(part["lower"], lower, rtol=0, atol=1e-12)
        np.testing.assert_allclose(part["upper"], upper, rtol=0, atol=1e-12)
    expected = np.where(verdicts["gap"] > 0.8 * verdicts["upper"], "violated", "undecided")
    expected = np.where(verdicts["gap"] <= 0.8 * verdicts["lower"], "satisfied", expected)
    assert (verdicts["verdict"] == expected).all()


def test_shares_count_the_verdicts():
    audit = audited(groups="abc")
    for row in audit.shares.itertuples():
        ours = audit.verdicts.query("left_group == @row.left_group and right_group == @row.right_group")["verdict"]
        assert row.n_pairs == len(ours)
        assert [row.violated, row.satisfied, row.undecided] == [
            (ours == verdict).sum() for verdict in ("violated", "satisfied", "undecided")
        ]


def test_each_person_has_the_verdicts_of_the_pairs_it_is_one_of():
    audit = audited(groups="abc")
    by_person = audit.by_person()
    assert list(by_person) == ["group", "person", "pairs", "violated", "satisfied", "undecided"]
    _, people, _ = world_of("naive", "abc")
    assert len(by_person) == sum(map(len, people.values()))
    for verdict in ("violated", "satisfied", "undecided"):
        # every pair has two people
        assert by_person[verdict].sum() == 2 * (audit.verdicts["verdict"] == verdict).sum()
    assert (by_person["pairs"] == by_person[["violated", "satisfied", "undecided"]].sum(axis=1)).all()
    who = by_person[(by_person["group"] == "b") & (by_person["person"] == 4)].iloc[0]
    mine = audit.verdicts.query("(left_group == 'b' and left == 4) or (right_group == 'b' and right == 4)")["verdict"]
    assert who["pairs"] == len(mine)
    assert who["undecided"] == (mine == "undecided").sum()


def test_the_same_seed_gives_the_same_audit():
    one, same, other = (audited(random_state=seed) for seed in (1, 1, 2))
    for table in ("verdicts", "shares", "worst", "treated_worst", "people"):
        pd.testing.assert_frame_equal(getattr(one, table), getattr(same, table))
    assert not one.verdicts.equals(other.verdicts)
    # these are about all pairs, whatever was drawn
    pd.testing.assert_frame_equal(one.worst, other.worst)


def test_one_group_is_audited_by_its_own_metric():
    est, people, scores = world_of()
    audit = audit_fairness(est, {"b": people["b"]}, scores={"b": scores["b"]}, pairs="all")
    n = len(people["b"])
    assert len(audit.verdicts) == n * (n - 1) // 2
    assert (audit.verdicts["lower"] == audit.verdicts["upper"]).all()
    assert "undecided" not in set(audit.verdicts["verdict"])
    assert audit.shares[["left_group", "right_group"]].values.tolist() == [["b", "b"]]
    assert audit.exhaustive


def test_two_of_three_groups_may_be_audited():
    est, people, scores = world_of("naive", "abc")
    two = {name: people[name] for name in "ca"}
    audit = audit_fairness(est, two, scores={name: scores[name] for name in two}, pairs="all")
    assert audit.shares[["left_group", "right_group"]].values.tolist() == [["a", "c"], ["a", "a"], ["c", "c"]]
    assert audit.people["group"].tolist() == ["a", "c"]


def test_one_person_a_group_is_compared_across():
    est, people, _ = world_of()
    one_each = {name: points[:1] for name, points in people.items()}
    audit = audit_fairness(est, one_each, scores={"a": [0.0], "b": [9.0]}, pairs="all")
    assert audit.verdicts["verdict"].tolist() == ["violated"]
    assert audit.worst[["worse_group", "worse", "better_group", "better"]].values.tolist() == [["a", 0, "b", 0]]
    assert audit.people["violated"].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("name", "interval", "pairs", "exhaustive"),
    [
        ("naive", "certified", 90, True),
        ("cluster", "estimate", 90, True),
        ("budgeted", "certified", 90, True),
        ("budgeted", "estimate", 90, False),
        ("budgeted", "estimate", "all", True),
        ("budgeted", "calibrated", "all", False),
    ],
)
def test_it_says_whether_the_worst_are_those_of_all_pairs(name, interval, pairs, exhaustive):
    assert audited(name, interval=interval, pairs=pairs).exhaustive is exhaustive


def test_the_worst_carry_every_interval_that_the_model_gives():
    est, people, _ = world_of("budgeted")
    audit = audited("budgeted", lipschitz=0.3)
    across = audit.worst[audit.worst["worse_group"] != audit.worst["better_group"]]
    assert len(across) > 0
    for row in across.itertuples():
        pair = people[row.worse_group][[row.worse]], people[row.better_group][[row.better]]
        between = row.worse_group, row.better_group
        assert row.estimate == pytest.approx(est.predict(*pair, between)[0])
        certified, calibrated = (
            est.predict_interval(*pair, between, interval=kind) for kind in ("certified", "calibrated")
        )
        assert (row.lower, row.upper) == pytest.approx((certified[0][0], certified[1][0]))
        assert (row.calibrated_lower, row.calibrated_upper) == pytest.approx((calibrated[0][0], calibrated[1][0]))


def test_a_model_without_calibrated_intervals_has_none_in_the_list():
    worst = audited("cluster", lipschitz=0.3).worst
    across = worst[worst["worse_group"] != worst["better_group"]]
    assert len(across) > 0
    assert across[["calibrated_lower", "calibrated_upper"]].isna().all(axis=None)


def test_people_wronged_within_and_across_are_counted_once():
    audit = audited(lipschitz=0.3, worst=1_000)
    assert audit.people["violated"].sum() == len(audit.treated_worst)
    listed = audit.treated_worst.groupby("worse_group").size().to_dict()
    assert {row.group: row.violated for row in audit.people.itertuples() if row.violated} == listed


# --- refused ---


@pytest.mark.parametrize("lipschitz", [0, -1.0, np.nan, np.inf, True, "1", None])
def test_an_L_that_is_no_positive_number_is_refused(lipschitz):
    with pytest.raises(InvalidParameter, match=f"lipschitz must be a .*number greater than 0, got {lipschitz!r}"):
        audited(lipschitz=lipschitz)


@pytest.mark.parametrize("lipschitz", [2, np.int64(2), np.float32(2.0)])
def test_any_kind_of_number_is_an_L(lipschitz):
    assert audited(lipschitz=lipschitz).lipschitz == 2.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": "sure"}, "interval must be one of 'certified', 'calibrated', 'estimate', got 'sure'"),
        ({"favourable": "middle"}, "favourable must be one of 'high', 'low', got 'middle'"),
        ({"confidence_level": 95}, "confidence_level must lie strictly between 0 and 1, got 95"),
        ({"pairs": 0}, "pairs must be"),
        ({"pairs": "some"}, "pairs must be a number of pairs to draw, or 'all', got 'some'"),
        ({"worst": -1}, "worst must be a whole number, at least 0, got -1"),
        ({"random_state": "today"}, "random_state must be None, a whole number"),
        ({"interval": "calibrated"}, "need held-out answers, and NaiveSimilarity holds none out"),
    ],
)
def test_an_option_out_of_its_range_is_named(options, message):
    with pytest.raises(InvalidParameter, match=message):
        audited(**options)


def test_calibrated_intervals_of_cluster_are_refused():
    with pytest.raises(InvalidParameter, match="ClusterSimilarity holds none out; use interval='certified'"):
        audited("cluster", interval="calibrated")


def test_noisy_answers_certify_nothing():
    est, people, scores = world_of("budgeted", error="noise")
    with pytest.raises(
        InvalidParameter, match="need a bound on the error of an answer, and answer_error='noise' sets none"
    ):
        audit_fairness(est, people, scores=scores, pairs=60, interval="certified")
    audit = audit_fairness(est, people, scores=scores, pairs=60)
    assert (audit.interval, len(audit.verdicts)) == ("calibrated", 60)


def test_noisy_answers_certify_nothing_but_groups_by_themselves():
    est, people, scores = world_of("budgeted", error="noise")
    audit = audit_fairness(est, {"a": people["a"]}, scores={"a": scores["a"]}, pairs=60)
    assert audit.verdicts["verdict"].isin(["violated", "satisfied"]).all()
    assert audit.exhaustive


def test_a_model_that_is_not_fitted_is_refused():
    _, people, scores = world_of()
    with pytest.raises(NotFittedError, match="not fitted yet"):
        audit_fairness(unfitted("naive"), people, scores=scores)


def test_a_person_alone_is_refused():
    est, people, _ = world_of()
    with pytest.raises(InvalidInput, match="there are no pairs to compare"):
        audit_fairness(est, {"a": people["a"][:1]}, scores={"a": [1.0]})


def test_a_gap_that_is_all_that_is_allowed_is_no_violation_however_it_was_rounded():
    allowed = np.array([0.3, 0.0, 1e6])
    above = np.nextafter(allowed, np.inf)
    codes = verdict_codes(above, np.zeros(3), allowed, 1.0)
    # of nothing allowed, anything is too much
    assert [VERDICTS[code] for code in codes] == ["undecided", "violated", "undecided"]
    assert set(verdict_codes(1.001 * allowed[[0, 2]], np.zeros(2), allowed[[0, 2]], 1.0)) == {
        VERDICTS.index("violated")
    }
