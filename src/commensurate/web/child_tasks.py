"""The tasks of a process beside the server: ``python -m commensurate.web.child_tasks``
reads one from standard input.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from threading import Thread
from traceback import extract_tb
from typing import Any, TextIO

from commensurate.errors import CommensurateError
from commensurate.study.study import Study

# experts are served first
NICENESS = 10


def do(order: Mapping[str, Any], answers: TextIO) -> None:
    """Do what is asked, and send each result on a line of its own."""

    def send(sent: Mapping[str, Any]) -> None:
        answers.write(json.dumps(sent) + "\n")
        answers.flush()

    try:
        # whatever a library prints is no result
        with redirect_stdout(sys.stderr), Study(order["place"]) as study:
            for result in TASKS[order["task"]](study, order["target"]):
                send({"result": result})
    except CommensurateError as error:
        send({"failure": str(error)})
    except Exception as error:
        # its message may hold anything
        where = extract_tb(error.__traceback__)[-1]
        send({"failure": f"{type(error).__name__} in {os.path.basename(where.filename)}, line {where.lineno}"})


def _overview(study: Study, _: str) -> Iterator[Any]:
    from commensurate.study.judging.overview import overview_stages
    from commensurate.web.overview_view import figures_of

    for seen in overview_stages(study):
        yield figures_of(seen, study.settings).to_plain()


def _answers(study: Study, target: str) -> Iterator[Any]:
    from commensurate.study.sheets.exchange import export_study

    yield export_study(study, target)


def _history(study: Study, target: str) -> Iterator[Any]:
    from commensurate.study.sheets.exchange import export_study

    yield export_study(study, target, history=True)


def _backup(study: Study, target: str) -> Iterator[Any]:
    from commensurate.study.owner_desk import back_up

    yield str(back_up(study, target))


TASKS: Mapping[str, Callable[[Study, str], Iterator[Any]]] = {
    "overview": _overview,
    "answers": _answers,
    "history": _history,
    "backup": _backup,
}


def _end_with_the_server() -> None:
    """End when the other end of the standard input is closed: by the server, or by its end."""
    # not through sys.stdin, which a waiting thread would keep from being closed
    while os.read(0, 1):
        pass
    os._exit(1)


def _run() -> None:
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    order = json.loads(sys.stdin.readline())
    Thread(target=_end_with_the_server, daemon=True).start()
    do(order, sys.stdout)


if __name__ == "__main__":
    _run()
