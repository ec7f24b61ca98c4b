import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.errors import InvalidInput, InvalidParameter, InvalidTable
from commensurate.groups.group import elements_of
from commensurate.groups.tables import split_table

PEOPLE = pd.DataFrame({"married": [1, 0], "age": [20, 30], "who": ["p", None]})


def twice(name: str) -> pd.DataFrame:
    return pd.DataFrame([[1, 2], [0, 1]], columns=[name, name])


def test_integer_column_names_work_and_are_text_inside():
    table = pd.DataFrame(np.array([[0.0, 10.0], [2.0, 30.0]]))
    first, _ = elements_of({"a": table, "b": table})
    assert first.space.columns == ("0", "1")
    assert first.space.points_of(pd.DataFrame([[1.0, 20.0]])).tolist() == [[0.5, 0.5]]
    assert first.space.points_of(pd.DataFrame({"1": [20.0], "0": [1.0]})).tolist() == [[0.5, 0.5]]
    assert first.space.encoding.knows(table).tolist() == [True, True]


def test_integer_column_names_may_be_given_as_features_group_ids_and_orders():
    table = pd.DataFrame([["x", 0.0, "p", "low"], ["y", 1.0, "q", "high"]])
    groups = cm.groups_from_table(table, group=0, features=[1, 3], ids=2, orders={3: ["low", "high"]})
    first, second = elements_of(groups)
    assert (first.name, second.ids.tolist(), second.points.tolist()) == ("x", ["q"], [[1.0, 1.0]])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (twice("age"), "column 'age' twice"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "column '1' twice"),
        (pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])), "several levels"),
        (np.zeros((2, 2)), "must be given as a DataFrame, got ndarray"),
    ],
)
def test_a_table_whose_columns_cannot_be_told_apart_is_an_error(table, message):
    with pytest.raises(InvalidTable, match=message):
        cm.groups_from_tables({"a": table})
    with pytest.raises(InvalidTable, match=message):
        cm.groups_from_tables({"a": table}, missing="drop")
    with pytest.raises(InvalidTable, match=message):
        split_table(table, "age")


def test_a_column_that_stands_twice_is_an_error_in_prediction_too():
    (group,) = cm.groups_from_tables({"a": pd.DataFrame({"age": [1, 2]})})
    with pytest.raises(InvalidTable, match="column 'age' twice"):
        group.encoding.encode(twice("age"))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"features": "age"}, InvalidParameter, r"use \['age'\]"),
        ({"features": ["age", "age"]}, InvalidParameter, "'age' twice"),
        ({"ids": "who"}, InvalidTable, "id column 'who' has missing values"),
    ],
)
def test_features_and_ids_that_cannot_be_used_say_why(options, error, message):
    with pytest.raises(error, match=message):
        cm.groups_from_table(PEOPLE, group="married", **options)


def test_table_names_that_are_the_same_text_are_an_error():
    with pytest.raises(InvalidInput, match="names must differ"):
        cm.groups_from_tables({1: PEOPLE, "1": PEOPLE})


def test_metrics_are_found_by_the_text_of_the_group_name():
    groups = cm.groups_from_table(PEOPLE[["married", "age"]], group="married", metric={0: "manhattan", 1: "chebyshev"})
    assert [g.metric for g in groups] == ["chebyshev", "manhattan"]
