"""Text that cannot do anything to a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.wording import one_line, visible_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b31m", r"\x9b31m"),
        ("bell\a", r"bell\x07"),
        ("over\rwritten", r"over\rwritten"),
        ("right to left \u202e", r"right to left \u202e"),
        ("half a pair \ud800", r"half a pair \ud800"),
        ("paragraph\u2029", r"paragraph\u2029"),
        ("tab\t", r"tab\t"),
    ],
)
def test_what_a_terminal_would_obey_is_written_out(text, shown):
    assert visible_text(text) == shown


@pytest.mark.parametrize("text", ["Ünal, σ ≥ 0", "日本語", "می\u200cخواهم", "👩\u200d🔬", "two\nlines", "[red]"])
def test_what_people_write_stays_as_it_is(text):
    assert visible_text(text) == text


def test_lines_of_windows_are_lines():
    assert visible_text("a\r\nb") == "a\nb"


def test_one_line_is_one_line():
    assert one_line(" a\r\n b\x1b ") == r"a b\x1b"


@given(st.text(st.characters()))
def test_no_control_character_is_left_and_all_can_be_encoded(text):
    shown = visible_text(text)
    shown.encode("utf-8")
    assert not any(unicodedata.category(one) == "Cc" for one in shown if one != "\n")
