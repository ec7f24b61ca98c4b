"""``make bench``: every task beside its peer, in one run; writes JSON and shows a table.

Of some tasks alone, what was measured takes the place of what is written.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.measurement import Measurement

TASKS = ("nearest", "cover", "envelope", "statements", "gaussian_process", "predict")
RESULTS = Path(__file__).parent / "results"
SPEED = RESULTS / "speed.json"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("tasks", nargs="*", help=f"which of {', '.join(TASKS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="small cases only; nothing is written")
    arguments = parser.parse_args()
    if unknown := set(arguments.tasks) - set(TASKS):
        parser.error(f"unknown task {unknown.pop()!r}; choose from {', '.join(TASKS)}")
    measured: list[Measurement] = []
    for task in arguments.tasks or TASKS:
        Console(stderr=True).print(f"measuring {task} …")
        measured += import_module(f"benchmarks.bench_{task}").measure(quick=arguments.quick)
    show(measured)
    if not arguments.quick:
        rows = [as_json(one) for one in measured]
        if arguments.tasks:
            rows = beside_others(rows)
        RESULTS.mkdir(exist_ok=True)
        content = {"machine": machine(), "measurements": rows}
        SPEED.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def beside_others(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the rows after those of all tasks that were not measured again."""
    again = {row["task"] for row in rows}
    kept = [row for row in json.loads(SPEED.read_text())["measurements"] if row["task"] not in again]
    return kept + rows


def as_json(one: Measurement) -> dict[str, object]:
    return {**asdict(one), "ratio": one.ratio, "met": one.met}


def machine() -> dict[str, object]:
    packages = ("numpy", "scipy", "numba")
    return {
        "cores": os.cpu_count(),
        "system": platform.system(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


def show(measured: Iterable[Measurement]) -> None:
    table = Table("task", "case", "peer", "ours (s)", "peer (s)", "ratio", "goal", "met")
    for one in measured:
        table.add_row(
            one.task,
            one.case,
            one.peer,
            f"{one.seconds:.3g}",
            f"{one.peer_seconds:.3g}",
            f"{one.ratio:.3g}",
            f"≤ {one.goal:g}",
            "yes" if one.met else "NO",
        )
    Console(width=200).print(table)


if __name__ == "__main__":
    main()
