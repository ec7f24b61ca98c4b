"""Sheets as a user fills them in, and what a study holds after."""

import csv
from contextlib import contextmanager
from pathlib import Path

from commensurate.study.study import Study


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def read_rows(path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@contextmanager
def filled(path):
    """Let a test fill in a sheet as a spreadsheet would."""
    rows = read_rows(path)
    yield rows
    write_rows(path, rows)


def typed(path, *rows):
    """Write a sheet that somebody typed: question, answer and expert, and what else is named."""
    names = dict.fromkeys(name for row in rows for name in row)
    return write_rows(path, [{name: row.get(name, "") for name in names} for row in rows])


def counts(imported):
    return imported.new, imported.corrections, imported.known, imported.open


def fill_in(run, n: int, expert: str = "Ana", place: str = "s.db") -> list[dict[str, str]]:
    """Export the questions, answer the first n, and leave them in filled.csv."""
    assert run("study", "export", place, "open.csv", "--force").returncode == 0
    rows = read_rows("open.csv")[:n]
    for k, row in enumerate(rows):
        row.update(answer=str(k / 100), expert=expert)
    write_rows("filled.csv", rows)
    return rows


def answers_in(place: str) -> int:
    with Study(place) as study:
        return len(study.stored_answers(history=True))
