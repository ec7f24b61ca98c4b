"""``commensurate study invite`` and ``revoke``: make a personal link for an expert, and end it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from commensurate.cli.options import AsJson, StudyPlace, print_json


def invite(
    study: StudyPlace,
    expert: Annotated[str, typer.Argument(metavar="NAME", help="Whose link it is; answers are recorded under it.")],
    url: Annotated[
        str | None, typer.Option(help="Where experts reach the page; http://127.0.0.1:8765 by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print an expert's personal link, this once; whoever has it answers under that name until `study revoke` ends it."""
    from commensurate.study.gate import checked_expert
    from commensurate.study.invitations import DEFAULT_URL, checked_url, invitations
    from commensurate.study.invitations import invite as new_token
    from commensurate.study.study import Study
    from commensurate.wording import one_line

    name, address = checked_expert(expert), checked_url(DEFAULT_URL if url is None else url)
    with Study.open(study) as opened:
        ends = any(one.expert == name and one.revoked_at is None for one in invitations(opened))
        link = f"{address}/enter/{new_token(opened, name)}"
    if as_json:
        print_json({"expert": name, "link": link, "earlier_link_ended": ends})
        return
    # alone on stdout: it may go through a pipe into a letter
    print(link)
    print(
        f"this link of {one_line(name)} is shown only now, and works until `commensurate study revoke` ends it"
        + ("; the earlier one has ended" if ends else ""),
        file=sys.stderr,
    )


def revoke(
    study: StudyPlace,
    expert: Annotated[str, typer.Argument(metavar="NAME", help="Whose link is to end.")],
    as_json: AsJson = False,
) -> None:
    """End an expert's personal link, at once. The answers stay; `study invite` makes a new link."""
    from commensurate.study.gate import checked_expert
    from commensurate.study.invitations import revoke as end_link
    from commensurate.study.study import Study
    from commensurate.wording import one_line

    name = checked_expert(expert)
    with Study.open(study) as opened:
        end_link(opened, name)
    if as_json:
        print_json({"expert": name, "revoked": True})
    else:
        print(f"the link of {one_line(name)} has ended; the answers stay")
