"""An error that a command prints names the options of that command, not the parameters of the functions behind it."""

from __future__ import annotations

import re

import pytest

from commensurate.cli.main import app
from commensurate.cli.options import options_of, with_options

NAMES = {
    "budget": "--questions",
    "interval": "--interval",
    "exclude_self": "--exclude-self",
    "group": "--group",
    "k": "-k",
    "source": "--source",
}


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("budget must be at least 4, got 3", "--questions must be at least 4, got 3"),
        ("interval='certified' needs a bound", "--interval certified needs a bound"),
        ("leave out exclude_self=True", "leave out --exclude-self"),
        ("pass a larger budget=, or k=5.", "pass a larger --questions, or -k 5."),
        ("group 'single' must have 13 columns", "group 'single' must have 13 columns"),
        ("the budget must be large", "the budget must be large"),
        ("group must be text, got 'interval=certified'", "--group must be text, got 'interval=certified'"),
        ('there is no column "k=3"', 'there is no column "k=3"'),
        ("call set_params(interval='certified')", "call set_params(interval='certified')"),
        ("the model's interval=calibrated", "the model's --interval calibrated"),
        (
            "pass either a CSV file and group='COLUMN', or source='NAME=FILE.csv' once per group",
            "pass either a CSV file and --group COLUMN, or --source NAME=FILE.csv once per group",
        ),
        ("source names the group 'a' twice", "--source names the group 'a' twice"),
    ],
)
def test_only_parameters_become_options(message, shown):
    assert with_options(message, NAMES) == shown


def test_a_command_without_options_leaves_messages_as_they_are():
    assert with_options("budget must be 4", {}) == "budget must be 4"


def test_options_are_those_of_the_command_that_is_called():
    created = options_of(app, ["--debug", "study", "create", "fit", "--questions", "3"])
    assert created["budget"] == created["questions"] == "--questions"
    assert created["confidence_level"] == "--confidence-level"
    assert "budget" not in options_of(app, ["fit", "study"])


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["plan", "{data}", "--group", "married", "--delta", "2"], "--delta must lie strictly between 0 and 1"),
        (
            ["study", "create", "{new}", "--data", "{data}", "--group", "married", "--questions", "3"],
            "--questions must be a whole number, at least 4, got 3",
        ),
        (
            ["study", "create", "{new}", "--data", "{data}", "--group", "married", "--confidence-level", "95"],
            "--confidence-level must lie strictly between 0 and 1, got 95",
        ),
    ],
)
def test_errors_of_the_library_name_options(words, shown, run, tmp_path):
    data = tmp_path / "people.csv"
    data.write_text("married,age\n" + "".join(f"{row % 2},{row}\n" for row in range(800)))
    done = run(*(word.format(data=data, new=tmp_path / "people.db") for word in words))
    assert done.returncode == 1
    assert re.match(rf"commensurate: {re.escape(shown)}", done.stderr), done.stderr
