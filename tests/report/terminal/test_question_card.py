"""Two records side by side, on every kind of terminal."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from commensurate.report.terminal.question_card import QuestionCard
from commensurate.study.shown.columns import ColumnStyle

BETWEEN = ("married", "single")


def shown(left, right, *, width=60, between=BETWEEN, only_differences=False, **console) -> list[str]:
    stream = io.StringIO()
    card = QuestionCard(between, left, right, only_differences)
    Console(file=stream, width=width, **console).print(card)
    return stream.getvalue().splitlines()


def line_of(lines: list[str], column: str) -> list[str]:
    (line,) = (line for line in lines if line.startswith(column))
    return line.split()


def test_the_groups_are_the_headings():
    assert shown({"age": 1}, {"age": 2})[0].split() == ["married", "single"]


def test_values_that_differ_are_marked_without_any_colour():
    lines = shown({"job": "cook", "town": "Rome"}, {"job": "nurse", "town": "Rome"})
    assert line_of(lines, "job") == ["job", "cook", "≠", "nurse"]
    assert line_of(lines, "town") == ["town", "Rome", "Rome"]
    assert "\x1b" not in "".join(lines)


def test_on_a_terminal_values_that_differ_are_bold_and_equal_ones_dim():
    lines = shown({"job": "cook", "town": "Rome"}, {"job": "nurse", "town": "Rome"}, force_terminal=True)
    job, town = lines[-2:]
    assert "\x1b[1mcook" in job
    assert "\x1b[1m≠" in job
    assert "\x1b[2mRome" in town


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1", "TERM": "xterm-256color"}, {"TERM": "dumb"}])
def test_no_colour_is_used_where_none_is_wanted(variables):
    lines = shown({"job": "cook"}, {"job": "nurse"}, force_terminal=True, _environ=variables)
    assert "≠" in lines[-1]
    assert not any(f"\x1b[{code}" in "".join(lines) for code in ("3", "4", "9"))


@pytest.mark.parametrize(
    ("left", "right", "difference"),
    [
        (35, 40, "(+5)"),
        (40.0, 35, "(−5)"),
        (0.1, 0.35, "(+0.25)"),
        (0, 12_345_678, "(+12,345,678)"),
        (0, 10**12, "(+1e+12)"),
        ("35", "40", "(+5)"),
    ],
)
def test_numbers_that_differ_show_by_how_much_the_right_one_is_larger(left, right, difference):
    assert line_of(shown({"x": left}, {"x": right}), "x")[-1] == difference


@pytest.mark.parametrize(
    ("left", "right"),
    [(True, False), ("007", "2"), (None, 2), (1, float("inf")), (float("nan"), 1.0), (10**400, 1.0), (1, "many")],
)
def test_a_difference_that_means_nothing_is_not_shown(left, right):
    cells = " ".join(shown({"x": left}, {"x": right}))
    assert "≠" in cells
    assert "(+" not in cells
    assert "(-" not in cells


@pytest.mark.parametrize(("left", "right"), [(35, 35.0), (None, float("nan")), ("cook", " cook "), ("a\r\nb", "a\nb")])
def test_values_that_look_alike_are_not_marked(left, right):
    assert "≠" not in "".join(shown({"x": left}, {"x": right}))


def test_a_missing_value_is_not_a_missing_column():
    lines = shown({"age": None, "income": 3}, {"age": 30, "score": 7})
    assert line_of(lines, "age") == ["age", "(missing)", "≠", "30"]
    assert line_of(lines, "income") == ["income", "3", "–"]
    assert line_of(lines, "score") == ["score", "–", "7"]


def test_shared_columns_come_first():
    lines = shown({"only left": 1, "b": 2, "a": 3}, {"a": 3, "only right": 4, "b": 2})
    assert [line[:10].rstrip() for line in lines[2:]] == ["b", "a", "only left", "only right"]


def test_markup_and_escapes_in_records_show_harmlessly():
    evil = "[red]x[/red] \x1b[2J :smile:"
    text = "\n".join(
        shown({evil: evil}, {evil: "[/]"}, width=200, between=("[bold]m", "\x1b[31ms"), force_terminal=True)
    )
    assert text.count(r"[red]x[/red] \x1b[2J :smile:") == 2
    assert "[/]" in text
    assert "[bold]m" in text
    assert r"\x1b[31ms" in text
    assert "\x1b[2J" not in text
    assert "\x1b[31m" not in text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_long_texts_wrap_and_nothing_is_lost(width):
    words = [f"word{k}" for k in range(60)]
    left = {"a name of a column that is long itself": " ".join(words), "url": "x" * 150, "大": "日本語" * 40}
    right = {"a name of a column that is long itself": "short", "url": "y", "大": "本"}
    lines = shown(left, right, width=width)
    text = "".join(lines)
    assert all(cell_len(line) <= width for line in lines)
    assert all(word in text for word in words)
    assert text.count("x") == 150
    assert text.count("語") == 40


def test_a_narrow_card_stays_narrow_on_a_wide_terminal():
    assert max(map(len, shown({"age": 35}, {"age": 40}, width=200))) < 40


def test_a_terminal_that_knows_ascii_only_gets_ascii_only():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict")
    card = QuestionCard(BETWEEN, {"age": 35, "pay": 2}, {"age": 40})
    Console(file=stream, width=60).print(card)
    stream.flush()
    text = stream.buffer.getvalue().decode("ascii")
    assert "!=" in text
    assert "≠" not in text


def test_only_differences_leaves_equal_columns_out_and_counts_them():
    lines = shown(
        {"age": 1, "job": "cook", "town": "Rome"}, {"age": 2, "job": "cook", "town": "Rome"}, only_differences=True
    )
    assert line_of(lines, "age")
    assert not any("cook" in line for line in lines)
    assert lines[-1] == "and the same in 2 other columns"
    assert shown({"age": 1}, {"age": 1}, only_differences=True) == ["the same in every column shown"]


def test_records_without_columns_say_so():
    assert shown({}, {}) == ["(this study shows experts no columns)"]


def test_columns_have_their_labels_and_units_and_every_terminal_can_print_them():
    styles = {"pay": ColumnStyle(label="Income", unit="EUR")}
    card = QuestionCard(BETWEEN, {"pay": 42000}, {"pay": 38500}, styles=styles)
    for encoding, minus, space in (("utf-8", "−", "\u202f"), ("ascii", "-", " ")):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        Console(file=stream, width=60).print(card)
        stream.flush()
        text = stream.buffer.getvalue().decode(encoding)
        assert "Income" in text
        assert f"42,000{space}EUR" in text
        assert f"38,500{space}EUR ({minus}3,500{space}EUR)" in text
