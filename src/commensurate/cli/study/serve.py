"""``commensurate study serve``: the page where experts answer, and the owner's view."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commensurate.cli.options import StudyPlace

if TYPE_CHECKING:
    from commensurate.web.server import Started


def serve(
    study: StudyPlace,
    host: Annotated[
        str, typer.Option(help="Address to listen on; by default, only this machine can connect.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 chooses a free one.")] = 8765,
    url: Annotated[
        str | None, typer.Option(help="Address that browsers use, if different, such as https://study.example.org.")
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate (PEM); the server then uses https.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Private key of the certificate (PEM).")] = None,
    behind_proxy: Annotated[
        bool,
        typer.Option("--behind-proxy", help="Trust the headers of a proxy on this machine that forwards requests."),
    ] = False,
    log: Annotated[bool, typer.Option("--log", help="Log every request to standard error.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the addresses as JSON on one line.")] = False,
) -> None:
    """Serve the page where experts answer, and print a new link to the owner's page. Press Ctrl-C to stop."""
    from commensurate.extras import require

    for package in ("uvicorn", "starlette"):
        require(package, extra="web", purpose="the experts' page")
    import logging

    from commensurate.study.study import Study
    from commensurate.web.server import ServerSettings, serve_study

    logging.basicConfig(
        stream=sys.stderr, format="%(asctime)s %(message)s", level=logging.WARNING, datefmt="%Y-%m-%d %H:%M:%S"
    )
    logging.getLogger("commensurate.web").setLevel(logging.INFO if log else logging.WARNING)
    settings = ServerSettings(
        host=host, port=port, url=url, tls_cert=tls_cert, tls_key=tls_key, behind_proxy=behind_proxy
    )

    def started(where: Started) -> None:
        if settings.exposed:
            print(
                f"warning: anyone on the same network as {host} can read links and answers; use --tls-cert and --tls-key, "
                "or --host 127.0.0.1 behind a proxy",
                file=sys.stderr,
            )
        (_as_json if as_json else _say)(where)

    with Study(study) as opened:
        serve_study(opened, study, settings, started)


def _as_json(started: Started) -> None:
    print(json.dumps({"url": started.url, "owner_link": started.owner_link}), flush=True)


def _say(started: Started) -> None:
    print(f"owner's page:   {started.owner_link}", flush=True)
    print(
        f"experts' page:  {started.url}; create a link for each with `commensurate study invite STUDY NAME --url "
        f"{started.url}`\nPress Ctrl-C to stop. An answer is saved as soon as the expert sees the next question.",
        file=sys.stderr,
    )
