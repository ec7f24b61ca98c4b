"""Steps of a long experiment: each is computed once, kept in a file of its own, and never computed again.

A run that was stopped, at whatever moment, goes on from the files that are there: they are written whole or not at all.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from threadpoolctl import threadpool_limits

from commensurate.errors import CommensurateError, InvalidInput
from commensurate.files import replacing

Result = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Step:
    """One piece of work: ``run(**arguments, **context)`` returns plain values, which are kept under ``name``.

    ``arguments`` decide the result and are kept with it; ``context``, such as the folder of the data, does not and is
    not. ``weight`` says about how many seconds it takes, so that the time left can be told.
    """

    name: str
    run: Callable[..., Result]
    arguments: Mapping[str, object]
    context: Mapping[str, object] = field(default_factory=dict)
    weight: float = 1.0

    def file(self, folder: Path) -> Path:
        """Where the result is kept."""
        return folder / f"{self.name}.json"


def run_steps(
    steps: Sequence[Step],
    folder: Path,
    *,
    provenance: Mapping[str, object],
    jobs: int = 1,
    done: Callable[[Step], None] = lambda step: None,
) -> dict[str, Result]:
    """Return the results of all steps by name; those that are in ``folder`` already are read, not computed.

    ``provenance`` is written into every file; ``done`` is told of each step as it is computed.
    """
    # the longest first, so that no core waits for a long one at the end
    missing = sorted(missing_steps(steps, folder), key=lambda step: -step.weight)
    with closing(_computed(missing, jobs)) as computed:
        for step, result in computed:
            _write(step, result, folder, provenance)
            done(step)
    return {step.name: _read(step, folder) for step in steps}


def missing_steps(steps: Sequence[Step], folder: Path) -> list[Step]:
    """Return the steps that have no result yet; a result that cannot be used is an error."""
    missing = []
    for step in steps:
        if step.file(folder).exists():
            _read(step, folder)
        else:
            missing.append(step)
    return missing


def _read(step: Step, folder: Path) -> Result:
    path = step.file(folder)
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        result: Result = kept["result"]
        arguments = kept["arguments"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(
            f"{path} cannot be read as the result of a step ({error}); delete it to compute it again"
        ) from error
    if arguments != _as_json(step.arguments):
        raise InvalidInput(
            f"{path} was computed with {arguments}, not with {dict(step.arguments)}; delete it, or choose another folder"
        )
    return result


def _write(step: Step, result: Result, folder: Path, provenance: Mapping[str, object]) -> None:
    path = step.file(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"step": step.name, "provenance": provenance, "arguments": dict(step.arguments), "result": result}
    with replacing(path) as file:
        file.write(json.dumps(content, ensure_ascii=False, indent=1).encode())


def _as_json(values: Mapping[str, object]) -> object:
    return json.loads(json.dumps(dict(values)))


def _computed(steps: Sequence[Step], jobs: int) -> Generator[tuple[Step, Result], None, None]:
    """Compute steps, several at a time in processes of their own if asked to, and yield them as they are finished."""
    if jobs == 1 or len(steps) < 2:
        for step in steps:
            yield step, _in_one_thread(step)
        return
    # spawned, not forked: a fork after a parallel Numba kernel hangs
    context = multiprocessing.get_context("spawn")
    lifeline, held = context.Pipe(duplex=False)
    waiting = list(reversed(steps))
    running: dict[Future[Result], Step] = {}
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with, initargs=(lifeline,)) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    step = waiting.pop()
                    running[pool.submit(_in_one_thread, step)] = step
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield running.pop(future), future.result()
        except BrokenProcessPool as error:
            held.close()
            raise CommensurateError(
                "a worker process was ended from outside, perhaps because memory ran out; finished steps are kept: run "
                "the same command again with fewer jobs"
            ) from error
        except BaseException:
            held.close()  # ends the workers in the middle of their steps
            raise
    held.close()


def _in_one_thread(step: Step) -> Result:
    """Run a step with one thread in linear algebra: two slow small systems down, and sums would depend on the cores."""
    with threadpool_limits(1):
        return step.run(**step.arguments, **step.context)


def _end_with(lifeline: Connection) -> None:
    """Let a worker end when the other end of ``lifeline`` is closed: on purpose, or because its process was killed.

    An interruption from the keyboard reaches workers too; it is left to the process that started them.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        lifeline.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
