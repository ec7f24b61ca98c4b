"""What a user may hand in as people and scores, and what is said about the rest."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

import commensurate as cm
from commensurate.applications import audit_fairness
from commensurate.applications.fairness.people import people_of
from commensurate.errors import InvalidInput, InvalidParameter, InvalidPoints, InvalidTable, UnknownGroup

RNG = np.random.default_rng(2)
POINTS = {"a": RNG.random((12, 2)), "b": RNG.random((10, 2))}
SCORES = {"a": RNG.random(12), "b": RNG.random(10)}


def difference(left, right, between):
    return np.abs(left - right)[:, 0]


@pytest.fixture(scope="module")
def model():
    return cm.NaiveSimilarity(epsilon=0.1, delta=0.3, random_state=0).fit(POINTS, difference)


def table(n, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"age": rng.integers(20, 70, n), "job": rng.choice(["clerk", "smith"], n), "income": rng.random(n)}
    )


@pytest.fixture(scope="module")
def tables():
    return {"a": table(30, 0), "b": table(25, 1)}


@pytest.fixture(scope="module")
def table_model(tables):
    seen = {name: rows[["age", "job"]] for name, rows in tables.items()}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.3, random_state=0)
    return est.fit(seen, lambda left, right, between: np.abs(left - right)[:, 0])


def labels(rows):
    return (rows["income"] + 0.01 * rows["age"] > 0.9).astype(int)


def test_people_come_in_the_order_of_the_fitted_groups_with_their_scores(model):
    people = people_of(model, {"b": POINTS["b"], "a": POINTS["a"]}, SCORES)
    assert list(people) == ["a", "b"]
    for name, members in people.items():
        assert len(members) == len(POINTS[name])
        np.testing.assert_array_equal(members.points, POINTS[name])
        np.testing.assert_array_equal(members.scores, SCORES[name])


@pytest.mark.parametrize("form", [list, tuple, pd.Series, lambda x: pd.DataFrame({"p": x}), lambda x: x[:, None]])
def test_scores_may_come_in_any_form_of_a_column(model, form):
    people = people_of(model, POINTS, {name: form(each) for name, each in SCORES.items()})
    np.testing.assert_array_equal(people["b"].scores, SCORES["b"])


def test_scores_of_a_series_are_taken_by_place_and_not_by_its_index(model):
    people = people_of(model, POINTS, {**SCORES, "a": pd.Series(SCORES["a"], index=np.arange(12)[::-1])})
    np.testing.assert_array_equal(people["a"].scores, SCORES["a"])


def test_names_that_are_no_text_are_compared_as_text():
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.3, random_state=0).fit({0: POINTS["a"], 1: POINTS["b"]}, difference)
    people = people_of(est, {0: POINTS["a"], 1: POINTS["b"]}, {0: SCORES["a"], "1": SCORES["b"]})
    assert list(people) == ["0", "1"]


def test_a_classifier_gives_its_probability_of_the_second_class_whatever_other_columns_there_are(table_model, tables):
    every = pd.concat(tables.values())
    classifier = LogisticRegression().fit(every[["income", "age"]], labels(every))
    people = people_of(table_model, tables, classifier)
    for name, rows in tables.items():
        expected = classifier.predict_proba(rows[["income", "age"]])[:, 1]
        np.testing.assert_array_equal(people[name].scores, expected)
        assert expected.std() > 0.0


def test_a_regressor_gives_what_it_predicts(table_model, tables):
    every = pd.concat(tables.values())
    regressor = LinearRegression().fit(every[["age", "income"]], every["income"] ** 2)
    people = people_of(table_model, tables, regressor)
    np.testing.assert_array_equal(people["b"].scores, regressor.predict(tables["b"][["age", "income"]]))


def test_a_classifier_without_probabilities_gives_its_decision_function(model):
    every = np.concatenate(list(POINTS.values()))
    classifier = LinearSVC().fit(every, every[:, 0] > 0.5)
    people = people_of(model, POINTS, classifier)
    np.testing.assert_array_equal(people["a"].scores, classifier.decision_function(POINTS["a"]))


def test_a_function_sees_the_rows_as_they_were_given(table_model, tables):
    people = people_of(table_model, tables, lambda rows: rows["income"] * 2)
    np.testing.assert_array_equal(people["a"].scores, 2 * tables["a"]["income"].to_numpy())


def test_each_group_may_have_a_scorer_of_its_own(model):
    people = people_of(model, POINTS, {"a": SCORES["a"], "b": lambda rows: rows[:, 1]})
    np.testing.assert_array_equal(people["b"].scores, POINTS["b"][:, 1])


BAD = {
    "data that is no dict": ([POINTS["a"]], SCORES, InvalidInput, "data must be a dict by group, got list"),
    "no group": ({}, {}, InvalidInput, r"data has no groups; pass rows of \['a', 'b'\] by name"),
    "an unknown group": ({**POINTS, "c": POINTS["a"]}, SCORES, UnknownGroup, "unknown group 'c' in data; fitted groups"),
    "scores for other groups": (POINTS, {"a": SCORES["a"]}, InvalidInput, r"for the groups of data, \['a', 'b'\], got \['a'\]"),
    "a score too few": (POINTS, {**SCORES, "b": SCORES["b"][1:]}, InvalidInput, r"group 'b' must be 10 numbers.*shape \(9,\)"),
    "two columns of scores": (POINTS, {**SCORES, "b": POINTS["b"]}, InvalidInput, r"10 numbers.*got shape \(10, 2\)"),
    "a score that is NaN": (POINTS, {**SCORES, "b": [0.5] * 9 + [np.nan]}, InvalidInput, "finite, got nan in row 9; give everyone a score"),
    "an infinite score": (POINTS, {**SCORES, "b": [-np.inf] + [0.5] * 9}, InvalidInput, "must be finite, got -inf in row 0"),
    "scores that are words": (POINTS, {**SCORES, "b": ["good"] * 10}, InvalidInput, "scores of group 'b' must be numbers"),
    "a group of nobody": ({**POINTS, "b": np.empty((0, 2))}, {**SCORES, "b": []}, InvalidInput, "group 'b'"),
    "another number of columns": ({**POINTS, "b": np.ones((10, 3))}, SCORES, InvalidPoints, "must have 2 columns like the fitted"),
    "names that are equal as text": ({1: POINTS["a"], "1": POINTS["b"]}, SCORES, InvalidInput, "group names of data must differ"),
    "a scorer that is none": (POINTS, 0.5, InvalidParameter, "a fitted classifier or regressor, or a function of rows, got float"),
    "scores of nobody": (POINTS, None, InvalidParameter, "scores must be numbers by group.*got NoneType"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_used_is_named(model, case):
    data, scores, error, message = BAD[case]
    with pytest.raises(error, match=message):
        audit_fairness(model, data, scores=scores)


def test_a_group_of_an_empty_table_is_refused(table_model, tables):
    with pytest.raises(InvalidInput, match="group 'b'"):
        people_of(table_model, {**tables, "b": tables["b"].iloc[:0]}, lambda rows: rows["income"])


def test_a_classifier_of_three_classes_is_refused(model):
    every = np.concatenate(list(POINTS.values()))
    classifier = DummyClassifier().fit(every, np.arange(len(every)) % 3)
    with pytest.raises(InvalidParameter, match="a classifier with two classes, got one with 3; pass the column"):
        people_of(model, POINTS, classifier)


def test_a_classifier_whose_columns_are_missing_is_refused(table_model, tables):
    every = pd.concat(tables.values()).assign(height=1.0)
    classifier = LogisticRegression().fit(every[["income", "height"]], labels(every))
    with pytest.raises(
        InvalidTable, match=r"LogisticRegression was fitted on.*rows of group 'a' do not have 'height'; add it"
    ):
        people_of(table_model, tables, classifier)


def test_nothing_that_was_handed_in_is_changed(table_model, tables):
    before = {name: rows.copy() for name, rows in tables.items()}
    scores = {name: rows["income"].to_numpy().copy() for name, rows in tables.items()}
    kept = {name: each.copy() for name, each in scores.items()}
    audit = audit_fairness(table_model, tables, scores=scores, pairs=100, random_state=0)
    audit.next_questions(2)
    audit.by_person()
    for name, rows in tables.items():
        pd.testing.assert_frame_equal(rows, before[name])
        np.testing.assert_array_equal(scores[name], kept[name])


def test_scores_that_change_later_do_not_change_the_people(model):
    scores = {name: each.copy() for name, each in SCORES.items()}
    people = people_of(model, POINTS, scores)
    scores["a"][:] = 7.0
    np.testing.assert_array_equal(people["a"].scores, SCORES["a"])
