"""Labels and units of columns: what experts read, and what is refused."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.errors import CommensurateError, InvalidParameter
from commensurate.study.settings import StudySettings
from commensurate.study.shown.columns import ColumnStyle, checked_columns, column_styles
from commensurate.study.study import Study

PEOPLE = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40), "note": ["a", "b"] * 20})


@pytest.mark.parametrize(
    ("style", "value", "shown"),
    [
        (ColumnStyle(), 12345, "12,345"),
        (ColumnStyle(), "12345.50", "12,345.50"),
        (ColumnStyle(), 9999, "9999"),
        (ColumnStyle(unit="€"), 9999.0, "9,999\u202f€"),
        (ColumnStyle(), -12345, "−12,345"),
        (ColumnStyle(), "-0.5", "−0.5"),
        (ColumnStyle(), "1e-7", "1e−7"),
        (ColumnStyle(separators=False), 10115, "10115"),
        (ColumnStyle(unit="€"), "unknown", "unknown"),
        (ColumnStyle(unit="€"), None, "(missing)"),
        (ColumnStyle(), "012345", "012345"),
    ],
)
def test_numbers_have_their_thousands_apart_their_unit_and_a_proper_minus(style, value, shown):
    assert style.value(value) == shown


@given(st.integers(-(10**14), 10**14))
def test_no_digit_is_lost_or_added(number):
    shown = ColumnStyle(unit="€").value(number)
    assert int(shown.removesuffix("\u202f€").replace(",", "").replace("−", "-")) == number


@pytest.mark.parametrize(
    "columns",
    [
        "income",
        {"income": "€"},
        {"income": {"units": "€"}},
        {"income": {"unit": ""}},
        {"income": {"unit": "x" * 21}},
        {"income": {"label": "two\nlines"}},
        {"income": {"label": 5}},
        {"income": {"label": "\ud800"}},
        {"income": {"separators": "no"}},
    ],
)
def test_what_is_no_description_of_a_column_is_refused(columns):
    with pytest.raises(InvalidParameter, match="columns"):
        StudySettings(columns=columns)


def test_a_column_that_nobody_sees_cannot_be_described(tmp_path):
    with pytest.raises(CommensurateError, match="'pay', which experts do not see"):
        Study.create(tmp_path / "s.db", PEOPLE, group="married", questions=10, columns={"pay": {"unit": "€"}})
    assert not (tmp_path / "s.db").exists()


def test_a_study_keeps_its_columns_instructions_and_strips(tmp_path):
    columns = {"age": {"label": "Age", "unit": "years"}}
    options = {"columns": columns, "instructions": "*Alike*", "strips": "all records", "questions": 10}
    Study.create(tmp_path / "s.db", PEOPLE, group="married", features=["age"], **options).close()
    with Study(tmp_path / "s.db") as study:
        kept = study.settings
    assert (kept.columns, kept.instructions, kept.strips) == (columns, "*Alike*", "all records")
    assert column_styles(kept.columns)["age"].value(40) == "40\u202fyears"
    assert checked_columns(kept.columns) == columns


@pytest.mark.parametrize("options", [{"strips": "none"}, {"instructions": 5}, {"instructions": "a" * 6_001}])
def test_other_words_and_strips_are_refused(options):
    with pytest.raises(InvalidParameter, match=next(iter(options))):
        StudySettings(**options)
