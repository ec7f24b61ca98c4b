"""The tables of docs/few-answers.md about intervals of chosen pairs, from the committed figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from commensurate.report.tables import markdown_rows

Row = Mapping[str, Any]
NAMES = {"5 nearest": "the 5 nearest of each", "matched": "one-to-one matched", "small estimates": "small estimates"}


def generated_parts(results: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables by the name of their place in the document."""
    rows = results["rows"]
    return {"intervals of random pairs": random_table(rows), "intervals of chosen pairs": chosen_table(rows)}


def random_table(rows: Sequence[Row]) -> str:
    """Return how often each kind of interval holds for random pairs, and how wide it is."""
    heading = ["world", "interval", "holds", "mean width"]
    lines = [
        [row["world"], row["interval"], _share(row["hold"], row["n"]), f"{row['finite_width'] / row['n_finite']:.3g}"]
        for row in rows
        if row["pairs"] == "random"
    ]
    return markdown_rows(heading, lines)


def chosen_table(rows: Sequence[Row]) -> str:
    """Return how often intervals of chosen pairs hold, how many are finite, and how wide these are."""
    heading = ["world", "pairs", "level", "hold", "finite", "of these hold", "mean width"]
    heading += ["intervals of random pairs hold", "their mean width"]
    lines = [
        [
            row["world"],
            NAMES[row["pairs"]],
            f"{100 * row['level']:.0f} %",
            _share(row["hold"], row["n"]),
            _share(row["n_finite"], row["n"]),
            _share(row["finite_hold"], row["n_finite"]),
            f"{row['finite_width'] / row['n_finite']:.3g}" if row["n_finite"] else "–",
            _share(row["of_random_pairs_hold"], row["n"]),
            f"{row['of_random_pairs_width'] / row['n']:.3g}",
        ]
        for row in rows
        if row["pairs"] != "random"
    ]
    return markdown_rows(heading, lines)


def _share(part: float, whole: float) -> str:
    """Return a share.

    >>> _share(1, 8), _share(0, 0)
    ('12.5 %', '–')
    """
    return f"{100 * part / whole:.1f} %" if whole else "–"
