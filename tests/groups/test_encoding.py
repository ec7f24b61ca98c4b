import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import commensurate as cm
from commensurate.errors import InvalidParameter, InvalidTable
from commensurate.groups.encoding import Encoding
from commensurate.groups.group import elements_of
from commensurate.groups.learn_columns import learn_columns


def encode(tables: dict[str, pd.DataFrame], group: str, **options: object) -> np.ndarray:
    groups = {g.name: g for g in cm.groups_from_tables(tables, **options)}
    return groups[group].encoding.encode(tables[group])


def test_a_category_becomes_an_integer_from_one_to_k_then_minmax_scaled():
    table = pd.DataFrame({"colour": ["red", "blue", "green", "blue"]})
    assert encode({"a": table}, "a", scale="none")[:, 0].tolist() == [3.0, 1.0, 2.0, 1.0]
    assert encode({"a": table}, "a")[:, 0].tolist() == [1.0, 0.0, 0.5, 0.0]


def test_shared_columns_are_scaled_over_all_groups_and_others_alone():
    tables = {
        "a": pd.DataFrame({"age": [20, 30], "only_a": [1.0, 3.0]}),
        "b": pd.DataFrame({"age": [40, 60], "only_b": [5.0, 9.0]}),
    }
    assert encode(tables, "a").tolist() == [[0.0, 0.0], [0.25, 1.0]]
    assert encode(tables, "b").tolist() == [[0.5, 0.0], [1.0, 1.0]]


def test_one_hot_gives_one_column_per_category_named_after_it():
    table = pd.DataFrame({"colour": ["red", "blue"], "n": [0, 1]})
    (group,) = cm.groups_from_tables({"a": table}, categories="one_hot")
    assert group.encoding.point_columns == ("colour=blue", "colour=red", "n")
    assert group.encoding.encode(table).tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]


def test_an_ordinal_column_keeps_the_given_order_even_under_one_hot():
    table = pd.DataFrame({"letter": ["weak", "strong", "solid"]})
    points = encode({"a": table}, "a", orders={"letter": ["weak", "solid", "strong"]}, categories="one_hot")
    assert points[:, 0].tolist() == [0.0, 1.0, 0.5]


def test_an_ordered_categorical_brings_its_own_order():
    letters = pd.Categorical(["weak", "strong"], categories=["weak", "solid", "strong"], ordered=True)
    assert encode({"a": pd.DataFrame({"letter": letters})}, "a", scale="none")[:, 0].tolist() == [1.0, 3.0]


def test_a_category_that_the_order_leaves_out_is_an_error():
    with pytest.raises(InvalidTable, match="'solid'.*not in the data"):
        cm.groups_from_tables({"a": pd.DataFrame({"letter": ["weak", "solid"]})}, orders={"letter": ["weak", "strong"]})


def test_an_order_for_no_column_or_with_a_category_twice_is_an_error():
    table = pd.DataFrame({"letter": ["weak"]})
    with pytest.raises(InvalidParameter, match="no table has"):
        cm.groups_from_tables({"a": table}, orders={"lettre": ["weak"]})
    with pytest.raises(InvalidParameter, match="twice"):
        cm.groups_from_tables({"a": table}, orders={"letter": ["weak", "weak"]})


def test_an_unseen_category_names_itself_and_what_is_known():
    (group,) = cm.groups_from_tables({"a": pd.DataFrame({"colour": ["red", "blue"]})})
    with pytest.raises(InvalidTable, match="'colour'.*'mauve'.*known categories: 'blue', 'red'"):
        group.encoding.encode(pd.DataFrame({"colour": ["red", "mauve"]}))
    assert group.encoding.knows(pd.DataFrame({"colour": ["red", "mauve"]})).tolist() == [True, False]


def test_a_value_outside_the_seen_range_lands_outside_the_unit_interval():
    (group,) = cm.groups_from_tables({"a": pd.DataFrame({"age": [20, 40]})})
    assert group.encoding.encode(pd.DataFrame({"age": [10, 60]}))[:, 0].tolist() == [-0.5, 2.0]


def test_a_constant_column_does_not_divide_by_zero():
    table = pd.DataFrame({"x": [5.0, 5.0]})
    (group,) = cm.groups_from_tables({"a": table})
    assert group.encoding.encode(pd.DataFrame({"x": [5.0, 6.0]}))[:, 0].tolist() == [0.0, 1.0]


def test_missing_values_are_an_error_unless_told_otherwise():
    table = pd.DataFrame({"age": [20.0, np.nan, 40.0], "job": ["x", "y", None]})
    with pytest.raises(InvalidTable, match="'age'.*missing value at row 1"):
        elements_of(cm.groups_from_tables({"a": table, "b": table}))


def test_missing_drop_drops_the_row_and_its_id():
    table = pd.DataFrame({"age": [20.0, np.nan, 40.0]}, index=["p", "q", "r"])
    elements = elements_of(cm.groups_from_tables({"a": table, "b": table}, missing="drop"))[0]
    assert elements.ids.tolist() == ["p", "r"]


def test_missing_drop_leaving_nothing_is_an_error():
    with pytest.raises(InvalidTable, match="no row of group 'a' is complete"):
        cm.groups_from_tables({"a": pd.DataFrame({"x": [np.nan]})}, missing="drop")


def test_missing_median_fills_numbers_and_categories_in_prediction_too():
    table = pd.DataFrame({"age": [20.0, np.nan, 40.0, 50.0], "job": ["x", "x", "y", None]})
    (group,) = cm.groups_from_tables({"a": table}, missing="median", scale="none")
    assert group.encoding.encode(table).tolist() == [[20.0, 1.0], [40.0, 1.0], [40.0, 2.0], [50.0, 1.0]]


def test_a_column_of_numbers_here_and_text_there_is_an_error():
    with pytest.raises(InvalidTable, match="categories in group 'b' but numbers in group 'a'"):
        learn_columns({"a": pd.DataFrame({"x": [1]}), "b": pd.DataFrame({"x": ["one"]})})


def test_dates_infinite_and_empty_columns_are_errors_that_say_so():
    with pytest.raises(InvalidTable, match="dates or times"):
        learn_columns({"a": pd.DataFrame({"x": pd.to_datetime(["2020-01-01"])})})
    with pytest.raises(InvalidTable, match="infinite"):
        learn_columns({"a": pd.DataFrame({"x": [np.inf]})})
    with pytest.raises(InvalidTable, match="no values"):
        learn_columns({"a": pd.DataFrame({"x": [np.nan]})})


@pytest.mark.parametrize("option", [{"categories": "both"}, {"scale": "z"}, {"missing": "zero"}])
def test_an_unknown_option_lists_the_known_ones(option):
    with pytest.raises(InvalidParameter, match="must be one of"):
        learn_columns({"a": pd.DataFrame({"x": [1]})}, **option)


def test_a_missing_column_names_what_is_lacking():
    (group,) = cm.groups_from_tables({"a": pd.DataFrame({"x": [1, 2], "y": [1, 2]})})
    with pytest.raises(InvalidTable, match=r"missing: \['y'\]"):
        group.encoding.encode(pd.DataFrame({"x": [1]}))


def test_columns_are_found_by_name_in_any_order():
    (group,) = cm.groups_from_tables({"a": pd.DataFrame({"x": [0, 2], "y": [0, 4]})})
    assert group.encoding.encode(pd.DataFrame({"extra": [9], "y": [4], "x": [1]})).tolist() == [[0.5, 1.0]]


def test_booleans_are_numbers():
    assert encode({"a": pd.DataFrame({"x": [True, False]})}, "a")[:, 0].tolist() == [1.0, 0.0]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_minmax_keeps_seen_values_in_the_unit_interval_and_their_order(values):
    table = pd.DataFrame({"x": values})
    points = encode({"a": table}, "a")[:, 0]
    assert points.min() >= 0.0
    assert points.max() <= 1.0
    assert (np.diff(points[np.argsort(values, kind="stable")]) >= 0.0).all()


def test_an_empty_encoding_gives_no_columns():
    assert Encoding(()).encode(pd.DataFrame({"x": [1, 2]})).shape == (2, 0)


def test_a_missing_value_is_no_unseen_category():
    table = pd.DataFrame({"job": ["x", "y", None], "age": [1.0, np.nan, 2.0]})
    rows = pd.DataFrame({"job": ["x", None, "z", None], "age": [1.0, 2.0, 1.0, np.nan]})
    (filled,) = cm.groups_from_tables({"a": table}, missing="median")
    assert filled.encoding.knows(rows).tolist() == [True, True, False, True]
    assert filled.encoding.encode(rows[filled.encoding.knows(rows)]).shape == (3, 2)


@pytest.mark.parametrize("column", ["job", "age"])
def test_without_a_fill_a_missing_number_and_a_missing_category_are_the_same_error(column):
    (group,) = cm.groups_from_tables({"a": pd.DataFrame({"job": ["x", "y"], "age": [1.0, 2.0]})})
    rows = pd.DataFrame({"job": ["x"], "age": [1.0]}, index=["p"], dtype=object)
    rows.loc["p", column] = None
    assert group.encoding.knows(rows).tolist() == [True]
    with pytest.raises(InvalidTable, match=f"column '{column}' of the table has a missing value at row p; fill it"):
        group.encoding.encode(rows)
