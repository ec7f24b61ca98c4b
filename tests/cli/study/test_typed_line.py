"""What a typed line means."""

import pytest

from commensurate.cli.study.typed_line import Command, read_typed


@pytest.mark.parametrize(
    ("line", "number"), [("0", 0.0), ("0.25", 0.25), (" 0,25 ", 0.25), (",5", 0.5), ("1.", 1.0), ("1e-2", 0.01)]
)
def test_comma_and_point_are_both_decimal(line, number):
    assert read_typed(line).answer == number


@pytest.mark.parametrize(
    "line", ["-1", "nan", "inf", "1e999", "1_000", "1,000.5", "1 2", "0x1", "+-1", "x", "s 1", "\x1b[A"]
)
def test_what_is_neither_a_number_nor_a_command_is_unknown(line):
    assert read_typed(line).command is Command.UNKNOWN


@pytest.mark.parametrize(("line", "command"), [("S", Command.SKIP), ("quit", Command.QUIT), ("?", Command.HELP)])
def test_commands_are_letters_of_either_case_or_words(line, command):
    assert read_typed(line).command is command
