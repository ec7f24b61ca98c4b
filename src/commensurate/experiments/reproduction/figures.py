"""The figures of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commensurate.experiments.figures.curves import ONE_PERSON, Curve, CurvePanel, Mark, draw_curves
from commensurate.experiments.figures.error_bars import CdfPanel, draw_error_bars
from commensurate.experiments.figures.failure_rates import FailurePoint, draw_failure_rates, draw_floor
from commensurate.experiments.figures.histograms import HistogramPanel, draw_histograms
from commensurate.experiments.paper.published import ALGORITHMS, AS_IN_THE_PAPER, PAPER, TESTS
from commensurate.experiments.reproduction.findings import THRESHOLDS, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def all_figures(findings: Findings) -> dict[str, Figure]:
    """Return every figure by the name of its file."""
    figures: dict[str, Figure] = {}
    for name in findings.datasets:
        for test in TESTS:
            figures[error_figure_name(name, test)] = error_figure(findings, name, test)
    if findings.datasets:
        figures["figure-1-sigma"] = sigma_figure(findings)
        for test in TESTS:
            figures[curve_figure_name(test)] = curve_figure(findings, test)
    if findings.has_suite:
        figures["synthetic-suite"] = failure_figure(findings)
        figures["lower-bound"] = draw_floor(findings.lower_bound, {"CLUSTER": findings.lower_bound_cluster})
    return figures


def error_figure_name(name: str, test: str) -> str:
    """Name the file of Figure 2, 3 or 4 in one way of testing.

    >>> error_figure_name("adult", "on unseen rows")
    'figure-3-adult-on-unseen-rows'
    """
    return f"figure-{PAPER[name].figure}-{name}-{test.replace(' ', '-')}"


def curve_figure_name(test: str) -> str:
    """Name the file of the curves in one way of testing.

    >>> curve_figure_name("on unseen rows")
    'error-against-questions-on-unseen-rows'
    """
    return f"error-against-questions-{test.replace(' ', '-')}"


def sigma_figure(findings: Findings) -> Figure:
    """Draw Figure 1: histograms of σ."""
    panels = []
    for name in findings.datasets:
        paper, (edges, counts) = PAPER[name], findings.sigma_histogram(name)
        minimum = findings.least_sigma(name).draws[0]
        panels.append(HistogramPanel(paper.title, edges, counts, minimum, paper.least_sigma, paper.epsilon))
    return draw_histograms(panels)


def error_figure(findings: Findings, name: str, test: str) -> Figure:
    """Draw Figure 2, 3 or 4: which share of test pairs has at most which error."""
    panels = []
    for measure, (title, thresholds) in THRESHOLDS.items():
        shares = {algorithm: findings.shares(name, test, algorithm, measure) for algorithm in ALGORITHMS}
        panels.append(
            CdfPanel(
                title,
                thresholds,
                {algorithm: [each.median for each in row] for algorithm, row in shares.items()},
                {algorithm: [each.lowest for each in row] for algorithm, row in shares.items()},
                {algorithm: [each.highest for each in row] for algorithm, row in shares.items()},
            )
        )
    return draw_error_bars(panels)


def curve_figure(findings: Findings, test: str) -> Figure:
    """Draw the error against the number of questions, one curve an algorithm;
    the paper's own error where it tested so.
    """
    panels = []
    for name in findings.datasets:
        curves = []
        for algorithm in ALGORITHMS:
            # an error of 0 has no place on a logarithmic axis
            points = [point for point in findings.curve(name, algorithm, test) if point.relative > 0.0]
            if points:
                curves.append(
                    Curve(algorithm, [point.questions for point in points], [point.relative for point in points])
                )
        mark = Mark("NAIVE in the paper", PAPER[name].error("NAIVE", "relative_mean"))
        panels.append(CurvePanel(PAPER[name].title, curves, [mark] if test == AS_IN_THE_PAPER else []))
    return draw_curves(panels, measure="mean relative error %", band=ONE_PERSON)


def failure_figure(findings: Findings) -> Figure:
    """Draw measured failure rates of the synthetic suite against the theorem's bound."""
    return draw_failure_rates(
        [
            FailurePoint(
                row.family, row.algorithm, row.rare_mass, row.theorem_bound, row.failure_rate, row.standard_error
            )
            for row in findings.suite
        ]
    )
