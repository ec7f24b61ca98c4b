"""The tables of a report, one row a figure, each with what it rests on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median

from commensurate.experiments.figures.failure_rates import FloorPoint
from commensurate.experiments.paper.draw import COUNTS
from commensurate.experiments.paper.published import ALGORITHMS, MEASURES, PAPER, PROXY_ALGORITHMS, TESTS
from commensurate.experiments.reproduction.findings import COUNTINGS, THRESHOLDS, Findings
from commensurate.report.html.comparison import Comparison
from commensurate.report.tables import Cell, Table

FLOOR_COLUMNS = ("failure rate", "its standard error", "floor for any learner, on average over σ")
COMPARED = ("paper", "our median", "lowest draw", "highest draw", "where the paper's figure lies")


def all_tables(findings: Findings) -> dict[str, Table]:
    """Return every table by the name of its file."""
    tables: dict[str, Table] = {}
    for name in findings.datasets:
        paper = PAPER[name]
        tables[f"table-{paper.table}-{name}"] = error_table(findings, name)
        tables[f"figure-{paper.figure}-{name}"] = shares_table(findings, name)
    if findings.datasets:
        tables["table-4-decrease"] = decrease_table(findings)
        tables["table-4-questions"] = question_table(findings)
        tables["readings-of-the-paper"] = reading_table(findings)
        tables["figure-1-sigma"] = sigma_table(findings)
        tables["error-against-questions"] = curve_table(findings)
        tables["draws"] = draw_table(findings)
    if findings.has_suite:
        tables["synthetic-suite"] = suite_table(findings)
        tables["lower-bound"] = lower_bound_table(findings)
        tables["no-free-lunch"] = no_free_lunch_table(findings)
    return tables


def error_table(findings: Findings, name: str) -> Table:
    """Return Table 1, 2 or 3 in both ways of testing."""
    rows = [
        (test, algorithm, label, *_compared(findings.error(name, test, algorithm, measure)))
        for test in TESTS
        for algorithm in ALGORITHMS
        for measure, label in MEASURES.items()
    ]
    paper = PAPER[name]
    return Table(
        f"Table {paper.table}: errors on {paper.title}", ("test", "algorithm", "measure", *COMPARED), tuple(rows)
    )


def shares_table(findings: Findings, name: str) -> Table:
    """Return the heights of the bars of Figure 2, 3 or 4: median, lowest and highest over the draws."""
    rows = [
        (test, algorithm, label, threshold, shares.median, shares.lowest, shares.highest)
        for test in TESTS
        for algorithm in ALGORITHMS
        for measure, (label, thresholds) in THRESHOLDS.items()
        for threshold, shares in zip(thresholds, findings.shares(name, test, algorithm, measure))
    ]
    paper = PAPER[name]
    return Table(
        f"Figure {paper.figure}: share of test pairs with at most that error, {paper.title}",
        ("test", "algorithm", "measure", "at most", "median share", "lowest draw", "highest draw"),
        tuple(rows),
    )


def decrease_table(findings: Findings) -> Table:
    """Return Table 4 in every way of counting."""
    rows = [
        (counting, PAPER[name].title, *_compared(findings.decrease(name, counting)))
        for counting in COUNTINGS
        for name in findings.datasets
    ]
    return Table(
        "Table 4: per cent by which CLUSTER asks less than NAIVE", ("counted", "data set", *COMPARED), tuple(rows)
    )


def question_table(findings: Findings) -> Table:
    """Return the questions behind Table 4: medians over the draws."""
    rows: list[tuple[Cell, ...]] = [
        (
            PAPER[name].title,
            algorithm,
            *(int(median(findings.questions(name, algorithm, count))) for count in COUNTS),
        )
        for name in findings.datasets
        for algorithm in PROXY_ALGORITHMS
    ]
    columns = ("data set", "algorithm", "ordered, with repeats", "unordered, with repeats", "distinct")
    return Table("Questions behind Table 4, counted in three ways (medians over the draws)", columns, tuple(rows))


def reading_table(findings: Findings) -> Table:
    """Return Table 4 as printed, and Figure 1's minimum, under every reading of what the paper leaves open."""
    rows: list[tuple[Cell, ...]] = []
    for name in findings.datasets:
        for number, reading in enumerate(findings.readings(name)):
            words = in_words(reading.variant) + (" (default)" if number == 0 else "")
            decrease, sigma = reading.decrease, reading.least_sigma
            measured = (decrease.median, decrease.lowest, decrease.highest, sigma.median, sigma.lowest, sigma.highest)
            rows.append(
                (PAPER[name].title, words, PAPER[name].decrease, *measured[:3], PAPER[name].least_sigma, *measured[3:])
            )
    spread = ("median", "lowest", "highest")
    columns = (
        "data set",
        "reading",
        "paper's decrease %",
        *spread,
        "paper's smallest σ",
        *(f"{word} σ" for word in spread),
    )
    return Table("Table 4, counted as printed, and Figure 1's minimum under every reading", columns, tuple(rows))


def in_words(variant: Mapping[str, object]) -> str:
    """Say which columns and rows a variant keeps.

    >>> in_words({"label": True, "group_column": False, "missing": "drop"})
    'label kept, group column left out, missing: drop'
    """
    words = []
    for name, value in variant.items():
        label = name.replace("_", " ")
        if isinstance(value, bool):
            words.append(f"{label} {'kept' if value else 'left out'}")
        else:
            words.append(f"{label}: {value}")
    return ", ".join(words)


def sigma_table(findings: Findings) -> Table:
    """Return the smallest σ of Figure 1's trials."""
    rows = [(PAPER[name].title, *_compared(findings.least_sigma(name))) for name in findings.datasets]
    return Table("Figure 1: the smallest σ in 10,000 trials", ("data set", *COMPARED), tuple(rows))


def curve_table(findings: Findings) -> Table:
    """Return the errors behind the curves, on one draw."""
    rows = [
        (PAPER[name].title, algorithm, test, point.questions, point.relative, point.absolute)
        for name in findings.datasets
        for algorithm in ALGORITHMS
        for test in TESTS
        for point in findings.curve(name, algorithm, test)
    ]
    columns = ("data set", "algorithm", "test", "questions", "mean relative error %", "mean absolute error/ε")
    return Table("Error against number of questions, on one draw", columns, tuple(rows))


def draw_table(findings: Findings) -> Table:
    """Return the errors of every draw."""
    measures = (*MEASURES, "exact")
    rows: list[tuple[Cell, ...]] = [
        (name, draw, test, algorithm, *(findings.draws(name, test, algorithm, measure)[draw] for measure in measures))
        for name in findings.datasets
        for draw in range(findings.settings.repeats)
        for test in TESTS
        for algorithm in ALGORITHMS
    ]
    columns = ("data set", "draw", "test", "algorithm", *MEASURES.values(), "share of exact estimates")
    return Table("Errors of every draw", columns, tuple(rows))


def suite_table(findings: Findings) -> Table:
    """Return the synthetic suite: error, questions, and failure rate beside the theorem's bound."""
    rows = [
        (
            row.world,
            row.algorithm,
            row.questions,
            row.sigma_sd,
            row.error,
            row.median_relative_error,
            row.error_bound,
            row.failure_rate,
            _or_nan(row.standard_error),
            row.theorem_bound,
            row.uncovered,
        )
        for row in findings.suite
    ]
    columns = (
        "world",
        "algorithm",
        "questions",
        "SD of σ/ε",
        "mean absolute error/ε",
        "median relative error %",
        "error bound/ε",
        "failure rate",
        "its standard error",
        "theorem's bound",
        "no sample within 3ε",
    )
    return Table("Synthetic suite", columns, tuple(rows))


def lower_bound_table(findings: Findings) -> Table:
    """Return the lower-bound instance: failure rate against questions, beside the floor for any learner."""
    learners = [("asks about all pairs of some elements", point) for point in findings.lower_bound]
    rows = [_floor_row(name, point) for name, point in (*learners, ("CLUSTER", findings.lower_bound_cluster))]
    return Table("The world of the paper's lower bound", ("learner", "questions", *FLOOR_COLUMNS), tuple(rows))


def no_free_lunch_table(findings: Findings) -> Table:
    """Return the no-free-lunch instance: failure rates beside the floor for any learner."""
    rows = [_floor_row(name, point) for name, point in findings.no_free_lunch.items()]
    return Table("The paper's no-free-lunch world", ("learner", "samples", *FLOOR_COLUMNS), tuple(rows))


def _floor_row(name: str, point: FloorPoint) -> tuple[Cell, ...]:
    return name, point.questions, point.measured, _or_nan(point.standard_error), point.floor


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _compared(cell: Comparison) -> tuple[Cell, ...]:
    assert cell.paper is not None
    return cell.paper, cell.median, cell.lowest, cell.highest, cell.place
