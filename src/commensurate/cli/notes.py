"""What a user should know beside the results: notes on standard error, a line each."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import typer


@contextmanager
def warnings_as_notes(notes: list[str]) -> Iterator[None]:
    """Add what the block warns of to the notes, each once: intervals that are infinite, since too few answers were held out."""
    from commensurate.errors import TooFewAnswers

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TooFewAnswers)
        yield
    notes += dict.fromkeys(str(warning.message) for warning in caught)


def tell_notes(notes: Iterable[str]) -> None:
    """Print notes on standard error."""
    from commensurate.report.visible_text import visible_text

    for note in notes:
        typer.echo(f"commensurate: {visible_text(note)}", err=True)
