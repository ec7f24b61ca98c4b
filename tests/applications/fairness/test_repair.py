"""What a repair reports, what it costs, whom it refuses, and scores for people who come later."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import commensurate as cm
from commensurate.applications import audit_fairness, repair_scores
from commensurate.errors import InvalidInput, InvalidParameter, UnknownGroup
from worlds.audit_worlds import Recorder, World, some_scores, unfitted

WORLD = World.draw(3)
PEOPLE = WORLD.people(40, 3)
SCORES = some_scores(PEOPLE, 3)


@cache
def model(name="cluster", **options):
    return unfitted(name, **options).fit(WORLD.people(60, 4), Recorder(WORLD.sigma))


@cache
def repair(name="cluster", **options):
    return repair_scores(model(name), PEOPLE, scores=SCORES, **options)


def on_a_line(left, right, between):
    return np.abs(left[:, 0] - right[:, 0])


def line(points, others, **options):
    """A model of two groups on a line, which knows every dissimilarity."""
    groups = {"a": np.array(points, dtype=float)[:, None], "b": np.array(others, dtype=float)[:, None]}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given", **options)
    return est.fit(groups, on_a_line), groups


# --- what is reported ---


def test_the_figures_are_those_of_the_scores():
    found = repair(use="estimate")
    before, after = (np.concatenate(list(each.values())) for each in (SCORES, found.scores))
    change = np.abs(after - before)
    assert found.total_change == pytest.approx(change.sum())
    assert found.mean_change == pytest.approx(change.mean())
    assert found.largest_change == change.max()
    assert found.n_changed == (change > 1e-8).sum() > 0
    assert (found.spread_before, found.spread_after) == (before.std(), after.std())
    assert list(found.scores) == list(found.scores_before) == ["a", "b"]
    assert (found.representatives, found.largest_radius) == (None, 0.0)


def test_the_scores_handed_in_stay_as_they_were():
    handed_in = {name: each.copy() for name, each in SCORES.items()}
    found = repair_scores(model(), PEOPLE, scores=handed_in)
    assert all((handed_in[name] == SCORES[name]).all() for name in SCORES)
    assert found.total_change > 0.0


def test_a_collapse_is_told_with_what_to_do():
    # answers that may be off by so much tell nothing apart
    found = repair_scores(model("budgeted", answer_error=9.0), PEOPLE, scores=SCORES)
    assert found.collapsed
    assert found.forced_share == 1.0
    assert found.largest_block == len(PEOPLE["a"]) + len(PEOPLE["b"])
    assert found.spread_after == 0.0
    assert "the scores collapsed. To keep them apart: get more answers; or repair with use=" in str(found)
    # no L is large enough where the lower bounds are 0
    assert "larger L" not in str(found)


def test_a_repair_that_keeps_people_apart_is_no_collapse():
    est, groups = line([0, 1, 2], [0, 1, 2])
    found = repair_scores(est, groups, scores={"a": [0.0, 1.0, 2.0], "b": [0.5, 1.0, 2.0]})
    assert not found.collapsed
    assert "collapsed" not in str(found)
    # each a has its twin in b
    assert (found.forced_share, found.largest_block) == (1.0, 2)


def test_duplicates_are_not_counted_as_forced():
    est, groups = line([0, 0, 5], [20])
    found = repair_scores(est, groups, scores={"a": [0.0, 1.0, 3.0], "b": [9.0]})
    assert found.scores["a"].tolist() == [0.0, 0.0, 3.0]
    assert (found.forced_share, found.largest_block) == (0.0, 0)


def test_equal_scores_have_not_collapsed():
    found = repair_scores(model(), PEOPLE, scores={name: np.full(len(each), 0.5) for name, each in PEOPLE.items()})
    assert (found.collapsed, found.n_changed, found.total_change) == (False, 0, 0.0)


def test_a_larger_lipschitz_constant_never_costs_more():
    changes = [repair(lipschitz=lipschitz, use="estimate").total_change for lipschitz in (0.3, 1.0, 3.0)]
    assert changes[0] > changes[1] > changes[2]


def test_the_lower_bound_costs_more_than_the_estimate():
    assert repair().total_change > repair(use="estimate").total_change


def test_further_answers_narrow_what_a_repair_rests_on():
    found = audit_fairness(model("budgeted"), PEOPLE, scores=SCORES, random_state=0).next_questions(30)
    points = [
        np.array([PEOPLE[name][row] for name, row in zip(found[f"{side}_group"], found[side])])
        for side in ("left", "right")
    ]
    found["answer"] = WORLD.sigma(*points, ("a", "b"))
    options = {"scores": SCORES, "lipschitz": 2.0, "use": "estimate"}
    repaired = repair_scores(model("budgeted"), PEOPLE, **options, answers=found)
    audit = audit_fairness(
        model("budgeted"), PEOPLE, scores=repaired.scores, lipschitz=2.0, answers=found, pairs="all", worst=1
    )
    assert (audit.verdicts["verdict"] != "violated").all()
    assert repaired.total_change != repair_scores(model("budgeted"), PEOPLE, **options).total_change


# --- the price ---


def test_the_price_is_accuracy_auc_and_brier_score_before_and_after():
    est, groups = line([0, 1], [0, 1])
    found = repair_scores(est, groups, scores={"a": [0.1, 0.9], "b": [0.8, 0.9]})
    outcomes = {"a": [0, 1], "b": [1, 1]}
    assert found.scores["b"][0] == found.scores["a"][0]
    price = found.price(outcomes)
    assert price.columns.tolist() == ["before", "after"]
    assert price.loc["accuracy", "before"] == 1.0
    assert price.loc["AUC", "before"] == 1.0
    assert price.loc["AUC", "after"] == pytest.approx(5 / 6)
    assert price.loc["Brier score", "before"] == pytest.approx(0.07 / 4)
    # 0.1 or 0.8 for both twins, whichever: one of them is on the wrong side
    assert price.loc["accuracy", "after"] == 0.75
    assert found.price(outcomes, threshold=0.85).loc["accuracy", "before"] == 0.75


def test_scores_beyond_0_and_1_have_no_brier_score():
    found = repair_scores(model(), PEOPLE, scores={name: 3.0 * each for name, each in SCORES.items()})
    price = found.price({name: np.arange(len(each)) % 2 for name, each in SCORES.items()})
    assert price.index.tolist() == ["accuracy", "AUC"]


def test_outcomes_of_one_kind_have_no_auc():
    price = repair().price({name: np.ones(len(each)) for name, each in SCORES.items()})
    assert price.loc["AUC"].isna().all()


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ({"a": [0, 1]}, "for \\['a', 'b'\\]"),
        ([0, 1], "got list"),
        ({"a": [0, 1], "b": [1]}, "must be 40 values of 0 or 1, one per row, got shape \\(2,\\)"),
        ({"a": np.full(40, 2), "b": np.ones(43)}, "such as 2.0"),
        ({"a": ["yes"] * 40, "b": np.ones(43)}, "must be 0 or 1"),
    ],
)
def test_other_outcomes_are_refused(outcomes, message):
    with pytest.raises(InvalidInput, match=message):
        repair().price(outcomes)


# --- new people ---


def allowed_for(found, rows, group, lipschitz):
    """L times the lower bound of each new person with everybody."""
    est = model()
    columns = []
    for name, points in PEOPLE.items():
        left, right = np.repeat(rows, len(points), axis=0), np.tile(points, (len(rows), 1))
        columns.append(est.predict_interval(left, right, (group, name))[0].reshape(len(rows), len(points)))
    return lipschitz * np.concatenate(columns, axis=1), np.concatenate(list(found.scores.values()))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1_000), group=st.sampled_from("ab"), lipschitz=st.sampled_from([0.5, 2.0, 20.0]))
def test_no_score_on_a_grid_violates_less_than_the_one_for_a_new_person(seed, group, lipschitz):
    found = repair(lipschitz=lipschitz)
    rows = World.draw(3).people(4, seed + 50)[group]
    scores, violations = found.score_new(rows, group)
    allowed, repaired = allowed_for(found, rows, group, lipschitz)
    grid = np.linspace(-0.5, 1.5, 4001)
    least = np.maximum((np.abs(grid[:, None, None] - repaired) - allowed).max(axis=2), 0.0).min(axis=0)
    np.testing.assert_allclose(violations, least, atol=1e-3)
    assert (violations <= least + 1e-8).all()
    np.testing.assert_allclose(
        np.maximum((np.abs(scores[:, None] - repaired) - allowed).max(axis=1), 0.0), violations, atol=1e-12
    )


def test_there_may_be_no_score_without_violation_for_a_new_person():
    """The example of two people at distance 1 who are both like the new one."""
    groups = {"a": np.array([[0.0], [1.0]]), "b": np.array([[0.0], [1.0]])}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given", answer_error=0.0)
    est = est.fit(groups, lambda left, right, between: np.full(len(left), 0.1))
    found = repair_scores(est, {"a": [[0.0], [1.0]]}, scores={"a": [0.0, 1.0]})
    assert found.scores["a"] == pytest.approx([0.0, 1.0], abs=1e-8)
    scores, violations = found.score_new([[0.0]], "b")
    assert scores == pytest.approx([0.5])
    assert violations == pytest.approx([0.4])


def test_a_new_person_keeps_its_own_score_as_far_as_that_violates_nothing():
    est, groups = line([0, 10], [0, 10])
    found = repair_scores(est, groups, scores={"a": [0.0, 10.0], "b": [0.0, 10.0]})
    scores, violations = found.score_new([[5.0], [5.0], [5.0]], "a", [5.0, 4.0, 9.0])
    assert scores == pytest.approx([5.0, 5.0, 5.0], abs=1e-6)
    easier = repair_scores(est, groups, scores={"a": [0.0, 10.0], "b": [0.0, 10.0]}, lipschitz=2.0)
    scores, violations = easier.score_new([[5.0], [5.0], [5.0]], "a", [5.0, 4.0, 12.0])
    assert scores == pytest.approx([5.0, 4.0, 10.0], abs=1e-6)
    assert scores[0] == 5.0
    assert violations.tolist() == [0.0, 0.0, 0.0]


def test_without_a_score_of_its_own_a_new_person_gets_the_middle_of_what_others_have():
    est, groups = line([0, 10], [0, 10])
    found = repair_scores(est, groups, scores={"a": [0.0, 1.0], "b": [0.0, 1.0]})
    assert found.score_new([[1000.0]], "b")[0] == pytest.approx([0.5])


def test_somebody_who_was_repaired_gets_the_same_score_again_without_violation():
    found = repair(use="estimate")
    for name, points in PEOPLE.items():
        scores, violations = found.score_new(points, name, SCORES[name])
        assert (scores == found.scores[name]).all()
        assert (violations == 0.0).all()


def test_nobody_new_is_nobody():
    with pytest.raises(InvalidInput, match="no rows"):
        repair().score_new(np.empty((0, 2)), "a")


def test_a_new_person_of_an_unknown_group_is_refused():
    with pytest.raises(UnknownGroup, match="unknown group 'z'"):
        repair().score_new([[0.0, 0.0]], "z")


# --- what is refused ---


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"use": "upper"}, "use must be one of 'lower', 'estimate'"),
        ({"interval": "estimate"}, "interval must be one of 'certified', 'calibrated'"),
        ({"interval": "calibrated"}, "holds none out"),
        ({"lipschitz": 0.0}, "lipschitz must be"),
        ({"confidence_level": 95}, "confidence_level must lie"),
    ],
)
def test_other_arguments_are_refused(options, message):
    with pytest.raises(InvalidParameter, match=message):
        repair_scores(model(), PEOPLE, scores=SCORES, **options)
