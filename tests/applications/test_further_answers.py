"""Further answers: what they imply, whichever way round they are named, and which are refused."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications import audit_fairness, repair_scores
from commensurate.applications.further_answers import further_answers
from commensurate.applications.record_points import record_points
from commensurate.errors import InconsistentAnswers, InvalidAnswer, InvalidInput, InvalidParameter, UnknownGroup

POINTS = {"a": [[0.0], [1.0]], "b": [[0.0], [1.0]], "c": [[0.0], [1.0]]}
# apart from those who were asked about, so that the model does not know everything
PEOPLE = {"a": [[0.3], [0.8]], "b": [[0.4], [0.9], [5.0]], "c": [[0.5]]}
SCORES = {"a": [0.0, 1.0], "b": [0.5, 0.1, 0.2], "c": [0.3]}


def on_a_line(left, right, between):
    return np.abs(left - right)[:, 0]


def fitted(**options):
    return cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given", **options).fit(POINTS, on_a_line)


MODEL = fitted()


def table(*rows):
    return pd.DataFrame(rows, columns=["left_group", "left", "right_group", "right", "answer"])


def implied(*rows, model=MODEL):
    return further_answers(model, record_points(model, PEOPLE), table(*rows))


def audited(answers=None, model=MODEL, **options):
    return audit_fairness(model, PEOPLE, scores=SCORES, answers=answers, **{"pairs": "all", **options})


def bounds_of(audit, left, right):
    [row] = audit.verdicts.query("left_group == 'a' and right_group == 'b' and left == @left and right == @right").index
    return audit.verdicts.loc[row, ["lower", "upper"]].tolist()


# --- what they imply ---


def test_an_answer_is_the_dissimilarity_of_the_two_it_is_about_and_bounds_their_neighbours():
    before, after = audited(), audited(table(("a", 0, "b", 2, 4.7)))
    assert bounds_of(before, 0, 2) == pytest.approx([0.0, 4.7])
    assert bounds_of(after, 0, 2) == pytest.approx([4.7, 4.7])
    # the other one of a is at a distance of 0.5
    assert bounds_of(before, 1, 2) == pytest.approx([0.0, 4.2])
    assert bounds_of(after, 1, 2) == pytest.approx([4.2, 4.2])


def test_an_answer_is_off_by_what_the_model_says_at_most():
    found = implied(("a", 0, "b", 0, 0.1), ("a", 1, "b", 0, 0.4), model=fitted(answer_error=0.15))
    assert found["a", "b"].least == pytest.approx([0.0, 0.25])
    assert found["a", "b"].most == pytest.approx([0.25, 0.55])


def test_groups_may_be_named_either_way_round():
    one_way = audited(table(("a", 0, "b", 1, 0.6), ("a", 1, "b", 0, 0.4)))
    either = audited(table(("b", 1, "a", 0, 0.6), ("a", 1, "b", 0, 0.4)))
    pd.testing.assert_frame_equal(either.verdicts, one_way.verdicts)
    assert not one_way.verdicts.equals(audited().verdicts)


def test_every_pair_of_groups_gets_its_own_answers():
    found = implied(("a", 0, "b", 1, 0.6), ("c", 0, "a", 1, 0.3))
    assert list(found) == [("a", "b"), ("a", "c")]
    assert found["a", "c"].left_points.tolist() == [[0.8]]
    assert found["a", "c"].right_points.tolist() == [[0.5]]


def test_rows_without_an_answer_are_passed_over():
    some = table(("a", 0, "b", 0, 0.1), ("a", 1, "b", 0, np.nan), ("b", 0, "c", 0, None))
    pd.testing.assert_frame_equal(audited(some).verdicts, audited(some.iloc[:1]).verdicts)
    assert implied(("a", 0, "b", 0, np.nan)) == {}


def test_where_the_way_matters_each_way_has_its_own_answers():
    model = fitted(symmetric=False)
    assert list(implied(("b", 0, "a", 0, 0.1), model=model)) == [("b", "a")]


def test_a_repair_rests_on_them():
    answers = table(("b", 2, "a", 0, 4.7), ("a", 1, "b", 2, np.nan))
    repaired = repair_scores(MODEL, PEOPLE, scores=SCORES, answers=answers)
    assert set(audit_fairness(MODEL, PEOPLE, scores=repaired.scores, answers=answers).verdicts["verdict"]) == {
        "satisfied"
    }
    # without them, a lower bound of 0 forces these two to be equal
    without = repair_scores(MODEL, PEOPLE, scores=SCORES)
    assert without.scores["a"][0] == without.scores["b"][2]
    assert repaired.scores["a"][0] != repaired.scores["b"][2]


# --- what is refused ---

REFUSED = {
    "no column of answers": (table().drop(columns="answer"), InvalidInput, r"missing: \['answer'\]"),
    "a negative answer": (table(("a", 0, "b", 0, -0.5)), InvalidAnswer, "a finite number, at least 0, got .*-0.5.*; 0 means alike"),
    "an infinite answer": (table(("a", 0, "b", 0, np.inf)), InvalidAnswer, "a finite number, at least 0, got .*inf"),
    "an answer in words": (table(("a", 0, "b", 0, "far")), InvalidAnswer, "a finite number, at least 0, got 'far'"),
    "two people of one group": (table(("a", 0, "a", 1, 0.5)), InvalidInput, "two different groups, got one within 'a'"),
    "a group that was not fitted": (table(("a", 0, "z", 1, 0.5)), UnknownGroup, "unknown group 'z'"),
    "a row beyond the last": (table(("a", 0, "b", 3, 0.5)), InvalidInput, r"from 0 to 2 in group 'b', got \[3\]"),
    "a row before the first": (table(("a", -1, "b", 0, 0.5)), InvalidInput, r"from 0 to 1 in group 'a', got \[-1\]"),
    "a name for a row": (table(("a", "Ann", "b", 0, 0.5)), InvalidInput, r"records by row number.*got \['Ann'\]"),
    "a fraction of a row": (table(("a", 0.5, "b", 0, 0.5)), InvalidInput, r"records by row number.*got \[0.5\]"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_named(case):
    answers, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        audited(answers)
    with pytest.raises(error, match=message):
        repair_scores(MODEL, PEOPLE, scores=SCORES, answers=answers)


def test_a_group_of_which_nobody_is_there_is_named():
    people = {name: PEOPLE[name] for name in "ab"}
    with pytest.raises(InvalidInput, match="about the group 'c', which has no rows in data"):
        further_answers(MODEL, record_points(MODEL, people), table(("a", 0, "c", 0, 0.5)))


def test_answers_need_a_bound_on_their_error():
    est = cm.BudgetedSimilarity(budget=20, learner="gp", answer_error="noise", random_state=0)
    rng = np.random.default_rng(0)
    est.fit({"a": rng.random((20, 1)), "b": rng.random((20, 1))}, on_a_line)
    people = {name: PEOPLE[name] for name in "ab"}
    with pytest.raises(InvalidParameter, match=r"answer_error='noise' sets none"):
        further_answers(est, record_points(est, people), table(("a", 0, "b", 0, 0.1)))


def test_they_narrow_certified_intervals_only():
    with pytest.raises(
        InvalidParameter, match="narrow only certified intervals; use interval='certified', got 'estimate'"
    ):
        audited(table(("a", 0, "b", 0, 0.1)), interval="estimate")


CONTRADICTIONS = {
    "the model": table(("a", 0, "b", 0, 50.0)),
    "each other": table(("a", 0, "b", 2, 4.7), ("a", 0, "b", 2, 4.2)),
    "each other, named both ways": table(("a", 0, "b", 2, 4.7), ("b", 2, "a", 0, 4.2)),
}


@pytest.mark.parametrize("options", [{}, {"worst": 0}, {"worst": 0, "pairs": 6}])
@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_contradictions_are_refused_whatever_is_looked_at(case, options):
    """Even where neither the search nor the pairs drawn come upon them."""
    for seed in range(5):
        with pytest.raises(
            InconsistentAnswers, match="between 'a' and 'b' contradict those of the model, or each other"
        ):
            audited(CONTRADICTIONS[case], random_state=seed, **options)


def test_a_model_that_says_0_is_contradicted_by_50():
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given").fit(
        POINTS, lambda left, right, between: np.zeros(len(left))
    )
    with pytest.raises(InconsistentAnswers, match="by 49"):
        audited(table(("a", 0, "b", 0, 50.0)), model=est, worst=0)
    with pytest.raises(InconsistentAnswers, match="by 49"):
        repair_scores(est, PEOPLE, scores=SCORES, answers=table(("a", 0, "b", 0, 50.0)))


def test_a_larger_error_reconciles_what_was_contradictory():
    answers = table(("a", 0, "b", 2, 4.7), ("a", 0, "b", 2, 4.2))
    audit = audited(answers, model=fitted(answer_error=0.25))
    assert bounds_of(audit, 0, 2) == pytest.approx([4.45, 4.45])
