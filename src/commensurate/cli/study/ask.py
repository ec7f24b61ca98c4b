"""``commensurate study ask``: a study's questions in the terminal."""

from __future__ import annotations

import io
import json
import sys
import time
from dataclasses import asdict
from typing import Annotated

import typer

from commensurate.cli.options import StudyPlace


def ask(
    study: StudyPlace,
    expert: Annotated[str, typer.Option(help="Your name. The same name continues where it stopped.")],
    question: Annotated[
        list[str] | None,
        typer.Option(help="Ask only this question, answered or not; repeat the option to choose several."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON on the last line.")] = False,
) -> None:
    """Answer questions in the terminal: how dissimilar are two records? Small means similar.

    Every answer is recorded before the next question is shown. You can stop at any time; the same command continues.
    """
    from rich.console import Console

    from commensurate.cli.study.chosen_questions import ChosenQuestions
    from commensurate.cli.study.terminal_session import TerminalSession
    from commensurate.study.gate import checked_expert
    from commensurate.study.study import Study

    if isinstance(sys.stdin, io.TextIOWrapper):
        # a byte that is no text is answered like any other slip, it does not end the session
        sys.stdin.reconfigure(errors="replace")
    name = checked_expert(expert)
    with Study(study) as opened:
        asked = ChosenQuestions(opened, question) if question else opened
        session = TerminalSession(
            asked, name, console=Console(highlight=False), read_line=_read_line, clock=time.monotonic
        )
        counts = session.run()
    if as_json:
        print(json.dumps(asdict(counts)))


def _read_line(prompt: str) -> str:
    line = input(prompt)
    if not sys.stdin.isatty():
        # nobody typed it, so the terminal has not shown it
        from commensurate.wording import visible_text

        print(visible_text(line), flush=True)
    return line
