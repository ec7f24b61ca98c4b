"""What every command says about itself, word for word."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from commensurate.cli.main import app
from worlds.golden import assert_golden


def every_command(command: Any, words: tuple[str, ...] = ("commensurate",)) -> dict[str, Any]:
    """Return every command by its words; a group is one too."""
    parts = command.commands.items() if isinstance(command, TyperGroup) else ()
    return {" ".join(words): command} | {
        k: v for name, one in parts for k, v in every_command(one, (*words, name)).items()
    }


COMMANDS = every_command(typer.main.get_command(app))


@pytest.mark.parametrize("words", COMMANDS)
def test_the_help_of_every_command_reads_as_agreed(words):
    # not what is printed: its layout is Typer's, and another one in every version
    command = COMMANDS[words]
    options = [f"{', '.join(one.opts)}\n    {one.help}" for one in command.params if not getattr(one, "hidden", False)]
    text = "\n\n".join([words, inspect.cleandoc(command.help), *options])
    assert_golden(text, "_".join(["help", *words.split()[1:]]))
