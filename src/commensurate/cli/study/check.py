"""``commensurate study check``: answers that do not fit together, and which questions to ask again."""

from __future__ import annotations

from typing import Annotated

import typer

from commensurate.cli.options import AsJson, StudyPlace, print_json


def check(
    study: StudyPlace,
    worst: Annotated[int, typer.Option(min=1, help="How many of the worst cases to list.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Compare the answers: contradictions, disagreement between experts, and how consistent each expert is.

    The command changes nothing, and does not correct for experts who answer higher or lower than others.
    """
    from rich.console import Console

    from commensurate.report.terminal.study import check_view
    from commensurate.study.study import Study

    with Study(study) as opened:
        found = opened.check(worst=worst)
    if as_json:
        print_json(found)
    else:
        Console(highlight=False).print(check_view(found))
