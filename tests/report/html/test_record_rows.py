"""Two records as rows: which value stands beside which, and what is said about the two."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.report.html.record_rows import ColumnMatch, record_rows, shown_value

EQUAL, DIFFERENT, ONE_SIDED = ColumnMatch


def row(left, right):
    (found,) = record_rows({"x": left}, {"x": right})
    return found


def test_columns_of_both_come_first_in_the_order_of_the_left_record():
    rows = record_rows({"only left": 1, "b": 2, "a": 3}, {"a": 3, "only right": 4, "b": 5})
    assert [one.column for one in rows] == ["b", "a", "only left", "only right"]
    assert [one.comparison for one in rows] == [DIFFERENT, EQUAL, ONE_SIDED, ONE_SIDED]


def test_a_column_that_a_record_lacks_is_none_and_a_value_that_it_lacks_is_missing():
    rows = {one.column: one for one in record_rows({"age": None, "pay": 3}, {"age": 30})}
    assert (rows["age"].left, rows["age"].comparison) == ("(missing)", DIFFERENT)
    assert (rows["pay"].right, rows["pay"].comparison) == (None, ONE_SIDED)


@pytest.mark.parametrize(
    ("left", "right", "difference"),
    [
        (35, 40, "(+5)"),
        ("35", "40", "(+5)"),
        (" 40 ", "35.0", "(−5)"),
        (35, "40", "(+5)"),
        ("0.1", "0.35", "(+0.25)"),
        ("-1", "1", "(+2)"),
        ("1e3", "2e3", "(+1,000)"),
        ("12345678901234567890", "12345678901234567891", "(+1)"),
        (0, 10**12, "(+1e+12)"),
    ],
)
def test_numbers_that_differ_show_by_how_much_however_they_are_stored(left, right, difference):
    assert (row(left, right).difference, row(left, right).comparison) == (difference, DIFFERENT)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("007", "012"),
        ("7", "012"),
        ("1,5", "2,5"),
        ("1_000", "2_000"),
        ("٣", "٤"),
        ("+1", "+2"),
        ("nan", "1"),
        ("inf", "1"),
        ("1e999", "1"),
        ("9" * 5000, "1"),
        ("graduate school", "university"),
        (True, False),
        (1, float("inf")),
        (10**400, 1.0),
        (-(10**308), 10**308),
        (-1.7e308, 1.7e308),
        (None, 2),
    ],
)
def test_a_difference_that_means_nothing_is_not_shown(left, right):
    assert (row(left, right).difference, row(left, right).comparison) == ("", DIFFERENT)


@pytest.mark.parametrize(
    ("left", "right"), [(35, 35.0), ("35", "35.0"), (35, "35"), (None, math.nan), ("cook", " cook "), ("", "  ")]
)
def test_the_same_value_is_equal_however_it_is_stored(left, right):
    assert (row(left, right).comparison, row(left, right).difference) == (EQUAL, "")


def test_codes_with_leading_zeros_are_not_the_numbers_they_look_like():
    assert row("007", "7").comparison is DIFFERENT


def test_what_a_screen_would_obey_is_written_out():
    assert row("\x1b[2J", "\u202eevil").left == r"\x1b[2J"
    assert row("\x1b[2J", "\u202eevil").right == r"\u202eevil"


def test_other_scripts_and_emoji_stay_as_they_are():
    assert shown_value("שלום 👩‍👩‍👧 日本") == "שלום 👩‍👩‍👧 日本"


def test_whole_numbers_are_shown_as_such_and_others_exactly():
    assert [shown_value(one) for one in (35.0, 1e300, 0.1 + 0.2, -0.0)] == ["35", "1e+300", "0.30000000000000004", "0"]


def test_a_text_of_a_million_characters_is_kept_whole():
    assert len(row("x" * 1_000_000, "y").left) == 1_000_000


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(VALUES, VALUES)
def test_whichever_side_a_value_is_on_it_compares_the_same(left, right):
    one, other = row(left, right), row(right, left)
    assert one.comparison is other.comparison
    assert (one.difference == "") == (other.difference == "")
    assert "nan" not in one.difference
    assert "inf" not in one.difference
