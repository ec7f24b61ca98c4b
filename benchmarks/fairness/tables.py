"""The tables of docs/fairness.md, from the committed figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.fairness.admissions_audit import BUDGET, MALUS
from commensurate.report.tables import markdown_rows

Row = Mapping[str, Any]
VERDICTS = ("violated", "undecided", "satisfied")
BY = {"experts": "few answers, calibrated", "euclidean": "Euclidean distance", "transported": "optimal transport"}
NAMED = {"euclidean": "the Euclidean distance", "transported": "optimal transport"}


def generated_parts(results: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables by the name of their place in the document."""
    lending = results["lending"]
    return {
        "fairness admissions fair": admissions_table([row for row in results["admissions"] if row["malus"] == 0.0]),
        "fairness admissions": admissions_table([row for row in results["admissions"] if row["malus"] == MALUS]),
        "fairness without experts": without_experts_table(results["shared columns"]),
        "fairness next questions": next_questions_sentence(results["next questions"]),
        "fairness lending": audits_table(lending["audits"]),
        "fairness lending words": lending_sentences(lending),
        "fairness repair": repair_table(lending["repairs"]),
    }


def admissions_table(rows: Sequence[Row]) -> str:
    """Return verdicts beside the truth as a table.

    >>> row = {"model": "NAIVE", "answers": 9, "interval": "certified", "pairs": 4}
    >>> row |= {"violated": 1, "undecided": 1, "satisfied": 2}
    >>> row |= {"wrong": 0, "truly_violated": 2, "people_wronged": {"city": 0, "rural": 1}}
    >>> print(admissions_table([row]))  # doctest: +NORMALIZE_WHITESPACE
    | model | answers | intervals | violated | undecided | satisfied | in truth violated | wrong verdicts |
      people treated worse |
    | --- | --- | --- | --- | --- | --- | --- | --- | --- |
    | NAIVE | 9 | certified | 25.0 % | 25.0 % | 50.0 % | 50.0 % | 0 | 0 city, 1 rural |
    """
    heading = [
        "model",
        "answers",
        "intervals",
        *VERDICTS,
        "in truth violated",
        "wrong verdicts",
        "people treated worse",
    ]
    lines = [
        [
            row["model"],
            f"{row['answers']:,}",
            row["interval"],
            *_shares(row),
            _share(row, "truly_violated"),
            _wrong(row),
            _people(row),
        ]
        for row in rows
    ]
    return markdown_rows(heading, lines)


def without_experts_table(rows: Sequence[Row]) -> str:
    """Return what is said with and without experts, beside the truth."""
    heading = ["compared by", "answers", *VERDICTS, "in truth violated", "wrong verdicts", "opposite to the experts'"]
    lines = [
        [
            BY[row["by"]],
            f"{row['answers']:,}",
            *_shares(row),
            _share(row, "truly_violated"),
            _wrong(row),
            _opposite(row),
        ]
        for row in rows
    ]
    return markdown_rows(heading, lines)


def audits_table(rows: Sequence[Row]) -> str:
    """Return what certified and calibrated intervals decide, with the limits for the share of violations."""
    heading = ["model", "answers", "intervals", *VERDICTS, "limits for the share of violations", "in truth"]
    lines = [
        [
            row["model"],
            f"{row['answers']:,}",
            row["interval"],
            *_shares(row),
            _limits(row),
            _share(row, "truly_violated"),
            _wrong(row),
            _people(row),
        ]
        for row in rows
    ]
    return markdown_rows([*heading, "wrong verdicts", "people treated worse"], lines)


def next_questions_sentence(figures: Mapping[str, int]) -> str:
    """Say what the next questions brought."""
    return (
        f"Certified intervals from {BUDGET:,} answers leave {figures['undecided']:,} pairs undecided. The {figures['questions']} "
        f"questions of `audit.next_questions({figures['questions']})` were expected to settle {figures['expected']:,} of them, "
        f"and settled {figures['settled']:,}; the same number of random questions settled {figures['settled by random ones']:,}."
    )


def lending_sentences(lending: Mapping[str, Any]) -> str:
    """Say what is so within groups, and what comes out without experts."""
    within = ", ".join(f"{_limits(row)} of all pairs within {row['left_group']}" for row in lending["within"])
    lines = [
        # rounded down: it must still be true
        f"- Some pair is violated for every L below {math.floor(100 * lending['audits'][0]['fails_below']) / 100:g}.",
        f"- Within groups, every pair is decided. With 95 % confidence, violations make up {within}.",
    ]
    for row in lending["without experts"]:
        lines.append(
            f"- Without experts, by {NAMED[row['baseline']]}: of the {row['violated']:,} pairs that calibrated intervals call violated, "
            f"{row['violated that pass']:,} pass; of those that they call satisfied, {row['satisfied that fail']:,} fail."
        )
    return "\n".join(lines)


def repair_table(rows: Sequence[Row]) -> str:
    """Return what each repair changes, what it costs, and what it leaves."""
    prices = ["accuracy", "AUC", "Brier score"]
    heading = ["intervals", "`use=`", "L", "people changed", "mean change", "spread", *prices]
    heading += ["violated after", "in truth violated", "newcomers without violation"]
    lines = [
        [
            row["interval"],
            row["under"],
            f"{row['lipschitz']:g}",
            f"{row['changed']:,}",
            f"{row['mean_change']:.3f}",
            _before_and_after(row["spread"]) + (", **collapsed**" if row["collapsed"] else ""),
            *(_before_and_after(row["price"][name]) for name in prices),
            f"{row['violated after']}",
            " → ".join(f"{100 * share:.2f} %" for share in row["in truth"]),
            f"{row['newcomers without violation']} of {row['newcomers']}",
        ]
        for row in rows
    ]
    return markdown_rows(heading, lines)


def _before_and_after(both: Sequence[float]) -> str:
    return " → ".join(f"{value:.3f}" for value in both)


def _limits(row: Row) -> str:
    """Return the limits for the share of violations, rounded outwards: they must still hold."""
    return f"{math.floor(1000 * row['share_lower']) / 10:.1f} to {math.ceil(1000 * row['share_upper']) / 10:.1f} %"


def _shares(row: Row) -> list[str]:
    return [_share(row, verdict) for verdict in VERDICTS]


def _share(row: Row, what: str) -> str:
    share = 100 * row[what] / row["pairs"]
    return "< 0.1 %" if 0.0 < share < 0.05 else f"{share:.1f} %"


def _wrong(row: Row) -> str:
    """Return how many verdicts are wrong, with their share unless there is none."""
    return f"{row['wrong']:,} ({100 * row['wrong'] / row['pairs']:.2f} %)" if row["wrong"] else "0"


def _opposite(row: Row) -> str:
    if "opposite" not in row:
        return "–"
    return f"{row['opposite']:,} of {row['decided_by_experts']:,} ({100 * row['opposite'] / row['decided_by_experts']:.0f} %)"


def _people(row: Row) -> str:
    return ", ".join(f"{count:,} {group}" for group, count in row["people_wronged"].items())
