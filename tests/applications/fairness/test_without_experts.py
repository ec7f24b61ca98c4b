"""Worlds in which it is known what a distance without experts gets right, and what not."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications import audit_fairness
from commensurate.applications.fairness.people import people_of
from commensurate.applications.fairness.without_experts import (
    BASELINES,
    EuclideanAcross,
    TransportedAcross,
    compare_without_experts,
)
from commensurate.errors import InvalidInput

SHIFT = np.array([3.0, -1.0])
ACROSS = ("a", "b")


def rng(seed=0):
    return np.random.default_rng(seed)


def euclidean(left, right):
    return np.sqrt(((left - right) ** 2).sum(axis=1))


def audit(groups, sigma, *, estimator=None, interval="certified", pairs="all", **options):
    """Audit random scores of the elements that a model was fitted on."""
    estimator = estimator or cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given", random_state=0)
    model = estimator.fit(groups, lambda left, right, between: sigma(left, right))
    data = {name: group.points if isinstance(group, cm.Group) else group for name, group in groups.items()}
    scores = {name: rng(k).random(len(rows)) for k, (name, rows) in enumerate(data.items(), start=10)}
    return audit_fairness(model, data, scores=scores, interval=interval, pairs=pairs, random_state=0, **options)


def changed(result):
    return dict(zip(result.changed["baseline"], result.changed["changed"]))


def same_place():
    return {"a": rng(1).random((40, 2)), "b": rng(2).random((30, 2))}


def shifted_copy():
    """One group is the other, moved and in another order; experts see through the shift."""
    original = rng(1).random((40, 2))
    return {"a": original, "b": rng(2).permutation(original + SHIFT)}


def through_the_shift(left, right):
    return euclidean(left + SHIFT, right)


def three_groups_few_answers():
    groups = {**same_place(), "c": rng(3).random((20, 2)) + 1.0}
    few = cm.NaiveSimilarity(epsilon=0.1, delta=0.9, random_state=0)
    return audit(groups, euclidean, estimator=few)


@pytest.mark.parametrize("interval", ["certified", "estimate"])
def test_where_experts_say_the_euclidean_distance_it_changes_nothing(interval):
    result = compare_without_experts(audit(same_place(), euclidean, interval=interval), random_state=0)
    assert changed(result)["euclidean"] == 0
    assert result.changed["decided"].tolist() == [1200, 1200]


def test_where_few_answers_leave_much_open_euclid_contradicts_none_of_what_is_decided():
    found = three_groups_few_answers()
    result = compare_without_experts(found, random_state=0)
    across = found.verdicts[found.verdicts["left_group"] != found.verdicts["right_group"]]
    open_pairs = (across["verdict"] == "undecided").sum()
    assert 0 < open_pairs < len(across)
    assert changed(result)["euclidean"] == 0
    assert result.changed["decided"].tolist() == [len(across) - open_pairs] * 2


def test_transport_sees_through_a_shift_and_euclid_does_not():
    result = compare_without_experts(audit(shifted_copy(), through_the_shift), random_state=0)
    assert changed(result)["transported"] == 0
    violated = result.totals.query("baseline == 'euclidean' and by_experts == 'violated'").iloc[0]
    # nobody is near anybody any more: whatever is wrong goes unseen
    assert (violated["violated"], changed(result)["euclidean"]) == (0, violated["satisfied"])
    assert violated["satisfied"] > 100


def test_transport_is_misled_where_experts_turn_the_scale_round():
    groups = same_place()
    result = compare_without_experts(audit(groups, lambda left, right: euclidean(1.0 - left, right)), random_state=0)
    assert changed(result)["transported"] > 100


def test_the_counts_are_those_of_the_verdicts_and_add_up():
    result = compare_without_experts(three_groups_few_answers(), random_state=0)
    assert len(result.counts) == 2 * 3 * 3
    assert set(result.counts["by_experts"]) == {"violated", "satisfied", "undecided"}
    for row in result.counts.to_dict("records"):
        ours = result.verdicts[
            (result.verdicts["left_group"] == row["left_group"])
            & (result.verdicts["right_group"] == row["right_group"])
            & (result.verdicts["by_experts"] == row["by_experts"])
        ]
        for verdict in ("violated", "satisfied"):
            assert row[verdict] == (ours[row["baseline"]] == verdict).sum()
    for name in BASELINES:
        of_this = result.totals[result.totals["baseline"] == name]
        assert of_this[["violated", "satisfied"]].to_numpy().sum() == len(result.verdicts) == 40 * 30 + 70 * 20


def test_opposite_verdicts_are_counted_on_decided_pairs_only():
    result = compare_without_experts(three_groups_few_answers(), random_state=0)
    decided = result.verdicts[result.verdicts["by_experts"] != "undecided"]
    for row in result.changed.to_dict("records"):
        opposite = (decided["by_experts"] != decided[row["baseline"]]).sum()
        assert (row["decided"], row["changed"]) == (len(decided), opposite)
        assert row["share"] == pytest.approx(opposite / len(decided))


def test_the_pairs_are_those_of_the_audit_across_groups():
    found = audit(same_place(), euclidean, pairs=300)
    result = compare_without_experts(found, random_state=0)
    across = found.verdicts[found.verdicts["left_group"] != found.verdicts["right_group"]].reset_index(drop=True)
    same = ["left_group", "left", "right_group", "right", "gap"]
    pd.testing.assert_frame_equal(result.verdicts[same], across[same])
    assert result.verdicts["by_experts"].tolist() == across["verdict"].tolist()


def test_every_verdict_is_the_gap_against_l_times_the_distance():
    result = compare_without_experts(audit(same_place(), euclidean, lipschitz=0.5), random_state=0)
    for name in BASELINES:
        beyond = result.verdicts["gap"] > 0.5 * result.verdicts[f"{name}_distance"]
        assert (beyond == (result.verdicts[name] == "violated")).all()
        assert beyond.any()
        assert not beyond.all()


def test_the_seed_decides_whom_transport_matches():
    found = audit(same_place(), euclidean)
    first, again, other = (compare_without_experts(found, random_state=seed).verdicts for seed in (0, 0, 1))
    pd.testing.assert_frame_equal(first, again)
    assert (first["transported_distance"] != other["transported_distance"]).any()
    assert (first["euclidean_distance"] == other["euclidean_distance"]).all()


def test_only_shared_columns_count_and_are_found_by_name():
    groups = {
        "a": cm.Group("a", rng(1).random((20, 3)), columns=["income", "age", "only a"]),
        "b": cm.Group("b", rng(2).random((20, 2)), columns=["age", "income"]),
    }
    found = audit(groups, lambda left, right: np.abs(left[:, 0] - right[:, 1]))
    result = compare_without_experts(found, random_state=0)
    left = groups["a"].points[result.verdicts["left"]][:, [1, 0]]
    right = groups["b"].points[result.verdicts["right"]]
    np.testing.assert_allclose(result.verdicts["euclidean_distance"], euclidean(left, right))


@pytest.mark.parametrize("extra", [False, True])
def test_after_the_map_the_right_groups_metric_is_used_if_it_knows_shared_columns_only(extra):
    original = rng(1).random((20, 2))
    moved = rng(2).permutation(original + SHIFT)[:, ::-1]
    groups = {
        "a": cm.Group("a", original, columns=["u", "v"]),
        "b": cm.Group(
            "b", np.hstack([moved, moved[:, :1]]) if extra else moved, "manhattan", columns=["v", "u", "w"][: 2 + extra]
        ),
    }
    found = audit(groups, lambda left, right: euclidean(left + SHIFT, right[:, [1, 0]]))
    result = compare_without_experts(found, random_state=0)
    gaps = original[result.verdicts["left"]] + SHIFT - groups["b"].points[result.verdicts["right"]][:, [1, 0]]
    expected = np.sqrt((gaps**2).sum(axis=1)) if extra else np.abs(gaps).sum(axis=1)
    np.testing.assert_allclose(result.verdicts["transported_distance"], expected, atol=1e-9)


def test_within_a_group_the_baselines_are_its_own_metric():
    points = same_place()
    groups = {name: cm.Group(name, rows, metric="manhattan") for name, rows in points.items()}
    model = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given", random_state=0)
    model.fit(groups, lambda left, right, between: euclidean(left, right))
    people = people_of(model, points, {"a": np.zeros(40), "b": np.zeros(30)})
    spaces = {name: members.space for name, members in people.items()}
    expected = np.abs(points["a"][:10] - points["a"][10:20]).sum(axis=1)
    for baseline in (EuclideanAcross(spaces), TransportedAcross.aligned(people, [ACROSS], rng())):
        lower, upper = baseline.bounds(("a", "a"), points["a"][:10], points["a"][10:20])
        np.testing.assert_allclose(lower, expected)
        np.testing.assert_array_equal(lower, upper)


def test_where_the_way_round_matters_both_ways_are_compared():
    estimator = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given", symmetric=False, random_state=0)
    result = compare_without_experts(audit(same_place(), euclidean, estimator=estimator), random_state=0)
    assert set(zip(result.verdicts["left_group"], result.verdicts["right_group"])) == {("a", "b"), ("b", "a")}
    assert changed(result)["euclidean"] == 0


def test_tables_are_compared_as_they_were_encoded():
    tables = {
        name: pd.DataFrame({"income": rows[:, 0] * 1e5, "age": np.round(rows[:, 1] * 80)})
        for name, rows in same_place().items()
    }
    result = compare_without_experts(audit(tables, euclidean), random_state=0)
    assert changed(result)["euclidean"] == 0


def test_groups_without_a_common_column_are_refused():
    groups = {
        "a": cm.Group("a", rng(1).random((9, 2)), columns=["income", "age"]),
        "b": cm.Group("b", rng(2).random((9, 2)), columns=["rank", "exam"]),
    }
    found = audit(groups, lambda left, right: np.abs(left[:, 0] - right[:, 0]))
    with pytest.raises(
        InvalidInput, match="no column in common.*cannot be compared without experts.*'income', 'age'.*'rank'"
    ):
        compare_without_experts(found)


def test_row_numbers_of_two_matrices_of_distances_are_no_common_column():
    line = np.arange(5.0)
    distances = np.abs(line[:, None] - line)
    groups = {name: cm.Group(name, distances, metric="precomputed") for name in ACROSS}
    model = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given", random_state=0)
    model.fit(groups, lambda left, right, between: np.abs(left - right).astype(float))
    scores = {name: rng(k).random(5) for k, name in enumerate(ACROSS)}
    found = audit_fairness(model, {name: np.arange(5) for name in ACROSS}, scores=scores, pairs="all")
    with pytest.raises(InvalidInput, match="no column in common.*'a' has none"):
        compare_without_experts(found)


def test_an_audit_of_one_group_has_nothing_to_compare():
    model = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given", random_state=0)
    model.fit(same_place(), lambda left, right, between: euclidean(left, right))
    found = audit_fairness(model, {"a": same_place()["a"]}, scores={"a": np.linspace(0, 1, 40)}, pairs="all")
    with pytest.raises(InvalidInput, match="no pairs across groups"):
        compare_without_experts(found)


def test_the_words_say_what_the_tables_say():
    result = compare_without_experts(three_groups_few_answers(), random_state=0)
    first, *lines = str(result).splitlines()
    assert first == "The same 2,600 pairs across groups, judged without experts, with L = 1:"
    for line, row in zip(lines, result.changed.to_dict("records"), strict=True):
        assert line.startswith(BASELINES[row["baseline"]])
        assert f"it reverses {row['changed']:,} ({100 * row['share']:.3g} %)" in line
        undecided = result.totals.query(f"baseline == '{row['baseline']}' and by_experts == 'undecided'").iloc[0]
        total = undecided["violated"] + undecided["satisfied"]
        assert f"of {total:,} undecided pairs, it calls {undecided['violated']:,} violated" in line


def test_where_experts_decide_nothing_there_is_no_share_and_no_talk_of_one():
    found = three_groups_few_answers()
    undecided = found.verdicts[found.verdicts["verdict"] == "undecided"]
    result = compare_without_experts(replace(found, verdicts=undecided), random_state=0)
    assert result.changed["decided"].tolist() == [0, 0]
    assert result.changed["share"].isna().all()
    assert "round" not in str(result)
