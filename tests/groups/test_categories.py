from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.errors import InvalidParameter, InvalidTable
from commensurate.groups.learn_columns import learn_columns


def column(*values: object, **options: object):
    """Learn the column "x" of groups "a", "b", … from the values of each."""
    tables = {chr(ord("a") + k): pd.DataFrame({"x": series}) for k, series in enumerate(values)}
    return learn_columns(tables, **options)["x"]


def test_categories_that_are_numbers_are_sorted_by_value():
    assert column(pd.Categorical([10, 1, 2])).categories == ("1", "2", "10")
    assert column(pd.Categorical([0.5, 10.0, 2.0])).categories == ("0.5", "2", "10")


def test_categories_of_which_one_is_text_are_sorted_as_text_wherever_it_stands():
    for values in ([10, "2", 9], ["2", 10, 9], [9, 10, "2"]):
        assert column(np.array(values, dtype=object)).categories == ("10", "2", "9")


def test_whole_numbers_are_the_same_category_however_they_are_stored():
    assert column(pd.Categorical([1, 2]), pd.Categorical([1.0, 2.0])).categories == ("1", "2")
    assert column(pd.Categorical([1, 2]), pd.Categorical(["1", "2"])).categories == ("1", "2")
    assert column(pd.Categorical([Decimal("1.00"), 2])).categories == ("1", "2")


def test_an_order_of_integers_holds_for_a_column_that_a_gap_made_float():
    table = pd.DataFrame({"x": [5, None, 3, 1]})
    (group,) = cm.groups_from_tables({"a": table}, orders={"x": [1, 3, 5]}, missing="median", scale="none")
    assert group.encoding.encode(table)[:, 0].tolist() == [3.0, 1.0, 2.0, 1.0]


def test_decimals_fractions_and_booleans_in_an_object_column_are_numbers():
    learnt = column(np.array([Decimal("0.5"), Fraction(1, 4), np.int8(3), True, np.bool_(False)], dtype=object))
    assert (learnt.categories, learnt.low, learnt.high) == (None, 0.0, 3.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([date(2020, 1, 1)], "dates or times"),
        ([datetime(2020, 1, 1)], "dates or times"),
        ([pd.Timestamp("2020-01-01"), "x"], "dates or times"),
        ([timedelta(days=1)], "dates or times"),
        ([pd.Period("2020-01")], "dates or times"),
        ([1.0, 1j], "complex"),
        ([np.complex64(1j)], "complex"),
    ],
)
def test_dates_and_complex_numbers_are_refused_whatever_holds_them(values, message):
    for series in (pd.Series(values), pd.Series(values, dtype=object)):
        with pytest.raises(InvalidTable, match=f"'x' of group 'b' holds {message}"):
            column([1.0], series)


def test_dates_and_complex_numbers_are_refused_in_prediction_too():
    (group,) = cm.groups_from_tables({"a": pd.DataFrame({"x": [1.0, 2.0]})})
    for values in (pd.to_datetime(["2020-01-01"]), [date(2020, 1, 1)], [1j]):
        with pytest.raises(InvalidTable, match="dates or times|complex"):
            group.encoding.encode(pd.DataFrame({"x": values}))


def test_ordered_categoricals_with_different_orders_are_an_error_that_names_both_groups():
    low_high = pd.Categorical(["low"], categories=["low", "high"], ordered=True)
    high_low = pd.Categorical(["low"], categories=["high", "low"], ordered=True)
    longer = pd.Categorical(["low"], categories=["low", "high", "top"], ordered=True)
    for other in (high_low, longer):
        with pytest.raises(InvalidTable, match="group 'a'.*group 'b'.*orders="):
            column(low_high, other)
    assert column(low_high, longer, orders={"x": ["low", "high", "top"]}).categories == ("low", "high", "top")
    assert column(low_high, low_high, ["high"]).categories == ("low", "high")


def test_an_ordered_categorical_whose_categories_are_the_same_as_text_is_an_error():
    with pytest.raises(InvalidParameter, match="twice"):
        column(pd.Categorical([1, "1"], categories=[1, "1"], ordered=True))


def test_unused_categories_of_an_unordered_categorical_are_ignored():
    assert column(pd.Categorical(["x"], categories=["w", "x", "y"])).categories == ("x",)


def test_a_column_without_any_value_in_a_group_has_no_kind():
    nothing = [np.nan, np.nan]
    assert column(nothing, ["red", "blue"], missing="median").fill == "blue"
    assert column(nothing, [1.0, 3.0], missing="median").fill == 2.0
    assert column(pd.Series([None, None], dtype="category"), [1.0, 3.0]).categories is None


def test_an_infinite_value_or_left_out_category_is_reported_with_its_group_and_row():
    infinite = pd.DataFrame({"x": [1.0, np.inf]}, index=["p", "q"])
    with pytest.raises(InvalidTable, match="group 'b' must be finite.*row q"):
        learn_columns({"a": pd.DataFrame({"x": [1.0]}), "b": infinite})
    left_out = pd.DataFrame({"x": ["low", "top"]}, index=["p", "q"])
    with pytest.raises(InvalidTable, match="group 'b' has the category 'top' at row q"):
        learn_columns({"a": pd.DataFrame({"x": ["low"]}), "b": left_out}, orders={"x": ["low", "high"]})


def test_the_fill_of_equally_frequent_categories_is_the_first_in_order():
    assert column(["red", "blue", "red", "blue"], missing="median").fill == "blue"
