"""The table of docs/fairness.md about lists of violations, from the committed figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.audit_lists.measure import ALL_PAIRS, AVERAGED, MATCHED
from commensurate.report.tables import markdown_rows

Row = Mapping[str, Any]


def generated_parts(results: Mapping[str, Any]) -> dict[str, str]:
    """Return the table by the name of its place in the document."""
    rows: list[Row] = results["rows"]
    heading = ["world", "held-out answers", "pairs listed", "audits with a list", "of it no violations"]
    heading += ["people listed", "of these with another seed too"]
    lines = []
    for before, now in zip(_of(rows, MATCHED), _of(rows, ALL_PAIRS)):
        ways = before, now
        line = [str(now["world"]), f"{now['held_out']:,}"]
        line.append(" → ".join(f"{way['pairs']:,.0f}" for way in ways))
        line.append(" → ".join(_share(way["lists"], 0) for way in ways))
        line.append(" → ".join(_share(way["wrong_pairs"], 1) for way in ways))
        line.append(" → ".join(f"{way['people']:,.0f}" for way in ways))
        line.append(" → ".join(_share(way["again"], 0) for way in ways))
        lines.append(line)
    return {"audit lists": "\n\n".join([markdown_rows(heading, lines), in_words(rows, results["draws"])])}


def in_words(rows: Sequence[Row], draws: int) -> str:
    """Say which way lists more, over all rows of the table, and what other e-values of people would give."""

    def mean(way: str, name: str) -> float:
        of_way = _of(rows, way)
        return sum(float(row[name]) for row in of_way) / len(of_way)

    def both(name: str) -> tuple[float, float]:
        return mean(MATCHED, name), mean(ALL_PAIRS, name)

    pairs, people = ([f"{each:,.0f}" for each in both(name)] for name in ("pairs", "people"))
    lists, names = ([_share(each, 0) for each in both(name)] for name in ("lists", "names"))
    wrong = [_share(each, 1) for each in both("wrong_pairs")]
    return (
        f"Means over {draws} draws each; people matched at random → e-values among all pairs. Over all rows, the former lists "
        f"{pairs[0]} pairs and the latter {pairs[1]}; they list anything in {lists[0]} and {lists[1]} of the audits, and "
        f"{wrong[0]} and {wrong[1]} of a list are no violations. They list {people[0]} and {people[1]} people, and anybody "
        f"in {names[0]} and {names[1]} of the audits. By the mean of the e-values of all of a person's pairs, "
        f"{mean(AVERAGED, 'people'):,.0f} people would be listed, but anybody in only {_share(mean(AVERAGED, 'names'), 0)} of "
        "the audits."
    )


def _of(rows: Sequence[Row], way: str) -> list[Row]:
    return [row for row in rows if row["way"] == way]


def _share(share: float | None, digits: int) -> str:
    """Return a share in per cent.

    >>> _share(0.125, 1), _share(None, 0)
    ('12.5 %', '–')
    """
    return "–" if share is None or math.isnan(share) else f"{100 * share:.{digits}f} %"
