import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.errors import InvalidInput
from commensurate.report.tables import Table, markdown, write_csv
from commensurate.wording import readable


def test_numbers_come_back_from_csv_in_full_precision(tmp_path):
    table = Table("errors", ("data set", "error", "n"), (("Adult, UCI", 0.1 + 0.2, 190_909_489), ('"x"', 1e-17, 3)))
    write_csv(table, tmp_path / "errors.csv")
    with open(tmp_path / "errors.csv", newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert tuple(head) == table.columns
    assert [(name, float(error), int(n)) for name, error, n in rows] == list(table.rows)


def test_csv_replaces_a_file_that_is_there(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old and much longer than what follows")
    write_csv(Table("t", ("σ",), ((1,),)), path)
    assert path.read_text(encoding="utf-8") == "σ\n1\n"


@given(st.text(max_size=30))
def test_no_text_can_add_a_cell_or_a_line_to_a_markdown_table(text):
    lines = markdown(Table("t", (text, "b"), ((text, 1.0),))).rstrip("\n").split("\n")
    assert len(lines) == 5
    for line in lines[2:]:
        bars = line.replace("\\\\", "").replace("\\|", "").count("|")
        assert bars == 3


def test_markdown_escapes_a_bar_and_aligns_numbers_to_the_right():
    lines = markdown(Table("t", ("name", "value"), (("a|b", 0.123456), ("c", 12345.6)))).splitlines()
    assert lines[0] == "**t**"
    assert lines[3:] == ["| --- | ---: |", "| a\\|b | 0.1235 |", "| c | 12,346 |"]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (float("nan"), "n/a"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
        (True, "yes"),
        (False, "no"),
        (0.0, "0"),
        (1234567, "1,234,567"),
        (1.5582, "1.558"),
    ],
)
def test_cells_are_rounded_for_people(cell, text):
    assert readable(cell) == text


def test_a_row_of_the_wrong_length_is_refused():
    with pytest.raises(InvalidInput, match="must have 2 cells, one per column, but row 1 has 1"):
        Table("t", ("a", "b"), ((1, 2), (3,)))
