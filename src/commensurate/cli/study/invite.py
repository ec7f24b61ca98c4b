"""``commensurate study invite`` and ``revoke``: make a personal link for an expert, and end it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from commensurate.cli.options import AsJson, StudyPlace, print_json


def invite(
    study: StudyPlace,
    expert: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the expert; answers are recorded under this name.")
    ],
    url: Annotated[
        str | None, typer.Option(help="Address where experts reach the server; http://127.0.0.1:8765 by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create and print an expert's personal link.
    Anyone with the link can answer under that name until you run `study revoke`.
    """
    from commensurate.study.gate import checked_expert
    from commensurate.study.invitations import DEFAULT_URL, checked_url, invitations
    from commensurate.study.study import Study
    from commensurate.wording import one_line

    name, address = checked_expert(expert), checked_url(DEFAULT_URL if url is None else url)
    with Study(study) as opened:
        ends = any(one.expert == name and one.revoked_at is None for one in invitations(opened))
        link = f"{address}/enter/{opened.invite(name)}"
    if as_json:
        print_json({"expert": name, "link": link, "earlier_link_ended": ends})
        return
    # alone on stdout: it may go through a pipe into a letter
    print(link)
    print(
        f"this link for {one_line(name)} is shown only once; it works until you run `commensurate study revoke`"
        + ("; the previous link no longer works" if ends else ""),
        file=sys.stderr,
    )


def revoke(
    study: StudyPlace,
    expert: Annotated[str, typer.Argument(metavar="NAME", help="Name of the expert whose link to end.")],
    as_json: AsJson = False,
) -> None:
    """End an expert's personal link immediately. Their answers stay; `study invite` creates a new link."""
    from commensurate.study.gate import checked_expert
    from commensurate.study.study import Study
    from commensurate.wording import one_line

    name = checked_expert(expert)
    with Study(study) as opened:
        opened.revoke(name)
    if as_json:
        print_json({"expert": name, "revoked": True})
    else:
        print(f"the link for {one_line(name)} no longer works; all answers are kept")
