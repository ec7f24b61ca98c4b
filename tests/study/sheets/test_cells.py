import csv
import math
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from commensurate.errors import InvalidInput
from commensurate.study.sheets.cells import moment_in, neutralised, number_cell, number_in, restored, shown

FORMULA_SIGNS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]
# any text, and often one that begins like a formula or with apostrophes
TEXTS = st.text() | st.builds("".join, st.lists(st.sampled_from(["'", '"', ",", ";", "5", *FORMULA_SIGNS]), max_size=6))


@given(TEXTS)
@example("''")
@example("'=1")
@example("\0")
def test_every_text_survives_neutralising_and_restoring(text):
    assert restored(neutralised(text)) == text


@given(TEXTS)
def test_no_neutralised_cell_begins_with_a_formula_sign(text):
    assert not neutralised(text).startswith(tuple(FORMULA_SIGNS))


@pytest.mark.parametrize("sign", FORMULA_SIGNS)
def test_every_formula_sign_gets_one_apostrophe(sign):
    assert neutralised(sign + "1+1") == "'" + sign + "1+1"


@pytest.mark.parametrize("text", ["", "a", "1", "ab'c", " =1", "🙂", "مرحبا"])
def test_harmless_text_is_left_alone(text):
    assert neutralised(text) == text


@given(TEXTS)
def test_a_text_whose_apostrophe_a_spreadsheet_removed_reads_the_same_unless_it_begins_with_one(text):
    if not text.startswith("'"):
        assert restored(neutralised(text).removeprefix("'")) == text


def test_an_apostrophe_that_somebody_typed_before_a_word_stays():
    assert restored("'tis fine") == "'tis fine"


@given(st.floats(min_value=0, allow_nan=False, allow_infinity=False))
@example(-0.0)
@example(5e-324)
@example(1.7976931348623157e308)
def test_numbers_read_back_to_the_last_bit(value):
    back = number_in(number_cell(value))
    assert back is not None
    assert struct.pack("d", back) == struct.pack("d", value)


@given(st.floats(min_value=0, allow_nan=False, allow_infinity=False))
def test_numbers_with_a_decimal_comma_read_back_to_the_last_bit(value):
    assert number_in(number_cell(value).replace(".", ","), decimal_comma=True) == value


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_a_number_that_reading_would_refuse_is_not_written(value):
    with pytest.raises(InvalidInput, match="cannot be written"):
        number_cell(value)


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("abc", "is not a number"),
        ("1_000", "is not a number"),
        ("1.234,5", "is not a number"),
        ("0,5,5", "is not a number"),
        ("٠", "is not a number"),
        (".", "is not a number"),
        ("50%", "is not a number"),
        ("#N/A", "is not a number"),
        ("=1", "is not a number"),
        ("-nan", "is not finite"),
        ("-inf", "is not finite"),
        ("Infinity", "is not finite"),
        ("1e999", "is not finite"),
        ("-0.5", "is negative"),
        ("-0,5", "is negative"),
    ],
)
def test_what_is_no_dissimilarity_is_refused_with_the_reason(cell, why):
    with pytest.raises(InvalidInput, match=why):
        number_in(cell, decimal_comma=True)


@pytest.mark.parametrize("cell", ["", "  ", "NaN", " nan "])
def test_an_empty_cell_and_nan_hold_no_number(cell):
    assert number_in(cell) is None


def test_a_decimal_comma_is_refused_where_commas_separate_cells():
    with pytest.raises(InvalidInput, match="decimal comma"):
        number_in("0,5")


@pytest.mark.parametrize(
    ("cell", "value"), [("7", 7.0), (".5", 0.5), ("5.", 5.0), ("+0.5", 0.5), ("1,5E-05", 1.5e-5), ("1.234", 1.234)]
)
def test_numbers_as_spreadsheets_write_them_are_read(cell, value):
    assert number_in(cell, decimal_comma=True) == value


def test_shown_numbers_are_never_neutralised_and_texts_that_look_like_them_are():
    values = [-5, -0.5, np.float64(-0.5), np.float32(-0.5), np.int64(-5), True, None, "-5"]
    assert [shown(value) for value in values] == ["-5", "-0.5", "-0.5", "-0.5", "-5", "True", "", "'-5"]


@pytest.mark.parametrize("cell", ["01/03/2025", "2025-13-01", "yesterday", "45717.5"])
def test_a_date_in_another_form_than_iso_8601_is_refused(cell):
    with pytest.raises(InvalidInput, match="ISO 8601"):
        moment_in(cell)


@pytest.mark.parametrize("cell", ["2025-03-01", "2025-03-01T14:05:00Z", "2025-03-01 14:05:00.123456+02:00"])
def test_a_date_comes_back_in_its_own_words(cell):
    assert moment_in(cell) == cell
    assert moment_in("  ") is None


@given(st.lists(TEXTS, min_size=1))
def test_the_csv_module_takes_every_neutralised_text(tmp_path_factory, texts):
    path = tmp_path_factory.getbasetemp() / "cells.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\r\n").writerow(["x", *map(neutralised, texts)])
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, strict=True))
    assert [list(map(restored, row[1:])) for row in rows] == [texts]
