"""``commensurate study revoke``: the end of a personal link."""

from __future__ import annotations

from typing import Annotated

import typer

from commensurate.cli.options import AsJson, StudyPlace, print_json


def revoke(
    study: StudyPlace,
    expert: Annotated[str, typer.Argument(metavar="NAME", help="Whose link is to end.")],
    as_json: AsJson = False,
) -> None:
    """End an expert's personal link, at once. The answers stay; `study invite` makes a new link."""
    from commensurate.report.visible_text import one_line
    from commensurate.study.answer_gate import checked_expert
    from commensurate.study.invitations import revoke as end_link
    from commensurate.study.study import Study

    name = checked_expert(expert)
    with Study.open(study) as opened:
        end_link(opened, name)
    if as_json:
        print_json({"expert": name, "revoked": True})
    else:
        print(f"the link of {one_line(name)} has ended; the answers stay")
