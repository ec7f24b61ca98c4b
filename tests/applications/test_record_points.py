"""Elements that are handed in: checked once, in the order of the fitted groups, as points."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications.record_points import by_group, record_points
from commensurate.errors import InvalidInput, InvalidPoints, UnknownGroup

POINTS = {"a": np.arange(6.0).reshape(3, 2), "b": np.arange(8.0).reshape(4, 2)}


def difference(left, right, between):
    return np.abs(left - right)[:, 0]


@pytest.fixture(scope="module")
def model():
    return cm.NaiveSimilarity(epsilon=0.1, delta=0.3, samples="given").fit(POINTS, difference)


def test_groups_come_in_the_fitted_order_and_some_may_be_left_out(model):
    records = record_points(model, {"b": POINTS["b"], "a": POINTS["a"]})
    assert list(records) == ["a", "b"]
    assert [len(each) for each in records.values()] == [3, 4]
    np.testing.assert_array_equal(records["b"].points, POINTS["b"])
    assert records["b"].space.name == "b"
    assert list(record_points(model, {"b": POINTS["b"]})) == ["b"]


def test_a_group_stands_for_its_points(model):
    records = record_points(model, {"a": cm.Group("a", POINTS["a"])})
    np.testing.assert_array_equal(records["a"].points, POINTS["a"])


def test_a_table_may_have_more_columns_than_were_fitted():
    tables = {name: pd.DataFrame(each, columns=["x", "y"]) for name, each in POINTS.items()}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.3, samples="given").fit(tables, difference)
    wider = {name: rows.assign(note="new")[["note", "y", "x"]] for name, rows in tables.items()}
    expected = record_points(est, tables)
    for name, each in record_points(est, wider).items():
        np.testing.assert_array_equal(each.points, expected[name].points)


def test_names_are_compared_as_text():
    assert by_group("data", {1: "one", "b": "two"}) == {"1": "one", "b": "two"}


REFUSED = {
    "no dict": ([POINTS["a"]], InvalidInput, "data must be a dict by group, got list; for example"),
    "no group": ({}, InvalidInput, r"data has no groups; pass rows of \['a', 'b'\] by name"),
    "names that are equal as text": ({1: 0, "1": 0}, InvalidInput, r"group names of data must differ, got \['1', '1'\]"),
    "an unknown group": ({"z": POINTS["a"]}, UnknownGroup, r"unknown group 'z' in data; fitted groups are \['a', 'b'\]"),
    "no rows": ({"a": np.empty((0, 2))}, InvalidInput, "group 'a' has no rows in data; leave it out, or pass its rows"),
    "another number of columns": ({"a": np.ones((3, 1))}, InvalidPoints, "must have 2 columns like the fitted ones, got 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_named(model, case):
    data, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        record_points(model, data)
