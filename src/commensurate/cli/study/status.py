"""``commensurate study status``: how far a study is, and how far its estimates can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from commensurate.cli.options import AsJson, StudyPlace, print_json

if TYPE_CHECKING:
    from commensurate.study.judging.status import StudyStatus
    from commensurate.study.judging.trust import StudyTrust
    from commensurate.study.study import Study


def status(
    study: StudyPlace,
    fit: Annotated[
        bool, typer.Option(help="Learn from the answers so far to measure the error; takes seconds.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Show progress, pace, time left, the error so far, and whether experts have answered enough questions."""
    from commensurate.study.study import Study

    with Study(study) as opened:
        counts = opened.status()
        trust = _trust(opened) if fit else None
        if as_json:
            verdict = None if trust is None else trust.verdict
            print_json({"study": opened.where, "status": counts, "trust": trust, "verdict": verdict})
        else:
            _show(opened, counts, trust)


def _trust(study: Study) -> StudyTrust:
    from commensurate.study.judging.trust import trust_of

    return trust_of(study)


def _show(study: Study, counts: StudyStatus, trust: StudyTrust | None) -> None:
    from rich.console import Console

    from commensurate.report.terminal.study import status_view

    Console(highlight=False).print(status_view(study.where, counts, study.settings, trust))
