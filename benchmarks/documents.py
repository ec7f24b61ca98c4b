"""The documents' figures from committed results: ``python -m benchmarks.documents`` writes them;
a test checks that they match.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.audit_lists.tables import generated_parts as audit_lists
from benchmarks.awkward_worlds.catalogue import all_worlds
from benchmarks.awkward_worlds.summary import generated_parts as awkward_worlds
from benchmarks.bench_alarms import generated_parts as alarms
from benchmarks.bench_answer_kinds import generated_parts as answer_kinds
from benchmarks.bench_comparisons import generated_parts as comparisons
from benchmarks.bench_earlier import generated_parts as earlier
from benchmarks.bench_real_grades import generated_parts as real_grades
from benchmarks.bench_stopping import generated_parts as stopping
from benchmarks.budget.candidates import generated_parts as candidates
from benchmarks.budget.designs import generated_parts as designs
from benchmarks.budget.tables import generated_parts as few_answers
from benchmarks.chosen_pairs.tables import generated_parts as chosen_pairs
from benchmarks.fairness.tables import generated_parts as fairness
from benchmarks.forecasts.summary import generated_parts as forecasts
from benchmarks.real_answers.summary import generated_parts as real_answers
from benchmarks.segments.tables import generated_parts as segments
from commensurate.experiments.paper.published import ALGORITHMS, BASELINES, PAPER, PROXY_ALGORITHMS, TESTS
from commensurate.experiments.reproduction.findings import COUNTINGS, Findings
from commensurate.experiments.reproduction.page import overtaking
from commensurate.report.tables import markdown_rows

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
DOCUMENTS = (
    ROOT / "README.md",
    ROOT / "docs" / "reproduction.md",
    ROOT / "docs" / "few-answers.md",
    ROOT / "docs" / "answers.md",
    ROOT / "docs" / "fairness.md",
    ROOT / "docs" / "segments.md",
    ROOT / "docs" / "design.md",
    ROOT / "docs" / "guarantees.md",
)


def demo_figures() -> dict[str, dict[str, float]]:
    """Run the demo's estimators and return their figures."""
    from commensurate.experiments.demo import Demo, demo_estimators

    demo = Demo.prepare()
    return {name: demo.judge(estimator).figures() for name, estimator in demo_estimators().items()}


def write_demo() -> None:
    """Run the whole demo and write its figures and its picture."""
    from commensurate.experiments.demo import Demo, run_demo
    from commensurate.experiments.demo_picture import draw_demo

    results = run_demo(Demo.prepare())
    figures = {name: judged.figures() for name, judged in results.judged.items()}
    (RESULTS / "demo.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    draw_demo(results, ROOT / "docs" / "demo.png")


def demo_table(figures: dict[str, dict[str, float]]) -> str:
    """Return the demo's figures as a Markdown table."""
    errors = ["mean error", "95 % of errors ≤", "largest error"]
    rows = [
        [
            name,
            f"{row['questions']:,}",
            *(f"{row[error]:.3f}" for error in errors),
            f"{row['mean interval width']:.3f}, {'calibrated' if name == 'BudgetedSimilarity' else 'certified'}",
            f"{100 * row['intervals that hold']:.0f} %",
        ]
        for name, row in figures.items()
    ]
    return markdown_rows(["", "answers", *errors, "mean width of intervals", "intervals that hold"], rows)


def speed_table(measurements: list[dict[str, object]]) -> str:
    """Return the measurements as a Markdown table, one row a task: the best and the worst ratio of its cases."""
    cases: dict[tuple[object, object, object], list[float]] = {}
    for one in measurements:
        cases.setdefault((one["task"], one["peer"], one["goal"]), []).append(float(str(one["ratio"])))
    rows = []
    for (task, peer, goal), ratios in cases.items():
        shown = " to ".join(f"{ratio:.2g}" for ratio in sorted({min(ratios), max(ratios)}))
        rows.append([str(task), str(peer), str(len(ratios)), shown, f"≤ {goal:g}"])
    return markdown_rows(["task", "peer", "cases", "ours / peer", "goal"], rows)


def predicting_table(measurements: list[dict[str, Any]]) -> str:
    """Return how long two million pairs take, beside XGBoost, and all pairs of many clients."""
    estimates, intervals = (
        {one["case"]: one for one in measurements if str(one["task"]).startswith(f"{kind} of")}
        for kind in ("estimates", "intervals")
    )
    rows = []
    for case, one in estimates.items():
        other = intervals[case]
        cells = [
            f"{each['seconds']:.1f} s, {each['ratio']:.1f} ({each['notes']['ratio to that']:.1f})"
            for each in (one, other)
        ]
        notes = one["notes"]
        given, hours = (
            notes["peer's seconds without features"],
            notes["hours of all 30,000 × 30,000 pairs, extrapolated"],
        )
        rows.append([case, f"{one['peer_seconds']:.1f} s ({given:.1f} s)", *cells, f"{hours:.1f} h"])
    return markdown_rows(
        ["world", "XGBoost (features given)", "estimates", "intervals", "all pairs of 30,000 × 30,000"], rows
    )


def error_table(findings: Findings, measure: str = "relative_mean") -> str:
    """Return one column of Tables 1 to 3: the paper's figure, and median and range of ours in both ways of testing."""
    rows = []
    for name in findings.datasets:
        for algorithm in ALGORITHMS:
            cells = [findings.error(name, test, algorithm, measure) for test in TESTS]
            ours = (cell.spread.shown(2) for cell in cells)
            rows.append([PAPER[name].title, algorithm, f"{cells[0].paper:.2f}", *ours])
    return markdown_rows(["data set", "algorithm", "paper", "as in the paper", "on unseen rows"], rows)


def decrease_table(findings: Findings) -> str:
    """Return Table 4 in every way of counting."""
    names = findings.datasets
    rows = [["the paper", *(f"{PAPER[name].decrease:.2f}" for name in names)]]
    for counting in COUNTINGS:
        rows.append([counting, *(findings.decrease(name, counting).spread.shown(2) for name in names)])
    return markdown_rows(["counted", *(PAPER[name].title for name in names)], rows)


def places(findings: Findings) -> str:
    """Say how many of the paper's figures lie within the range of our draws."""
    before = f"How many of the paper's errors lie within the range of our {findings.settings.repeats} draws:"
    rows = []
    for label, algorithms in (("NAIVE and CLUSTER", PROXY_ALGORITHMS), ("MLP, RF and XGB", BASELINES)):
        cells = [findings.errors(test, algorithms) for test in TESTS]
        rows.append([label, *(f"{sum(cell.inside for cell in some)} of {len(some)}" for some in cells)])
    return f"{before}\n\n{markdown_rows(['', 'as in the paper', 'on unseen rows'], rows)}"


def curve_end_table(findings: Findings) -> str:
    """Return where each curve of error against questions ends, in both ways of testing."""
    rows = []
    for name in findings.datasets:
        for algorithm in ALGORITHMS:
            ends = [findings.curve(name, algorithm, test)[-1] for test in TESTS]
            errors = (f"{end.relative:.2f}" for end in ends)
            rows.append([PAPER[name].title, algorithm, f"{ends[0].questions:,}", *errors])
    return markdown_rows(["data set", "algorithm", "questions", "as in the paper", "on unseen rows"], rows)


def overtaken_list(findings: Findings) -> str:
    """Say, for every data set and test, which baseline errs less than NAIVE with all
    its questions, and from when on.
    """
    return "\n".join(f"- {overtaking(findings, name, test)}" for test in TESTS for name in findings.datasets)


def sigma_table(findings: Findings) -> str:
    """Return the smallest σ of Figure 1 beside the paper's."""
    rows = []
    for name in findings.datasets:
        cell = findings.least_sigma(name)
        rows.append([PAPER[name].title, f"{cell.paper:.4f}", cell.spread.shown(4)])
    return markdown_rows(["data set", "paper", "ours"], rows)


def suite_table(findings: Findings) -> str:
    """Return the worst failure rates of the synthetic suite for each rare mass, beside the theorem's bound."""
    worst: dict[tuple[float, float], dict[str, float]] = {}
    for row in findings.suite:
        rates = worst.setdefault((row.rare_mass, row.theorem_bound), {})
        rates[row.algorithm] = max(rates.get(row.algorithm, 0.0), row.failure_rate)
    rows = [
        [f"{mass:g}", f"{bound:.2f}", f"{rates['NAIVE']:.3f}", f"{rates['CLUSTER']:.3f}"]
        for (mass, bound), rates in sorted(worst.items())
    ]
    return markdown_rows(["rare mass p of both groups", "bound min(1, 2δ + 2p)", "worst NAIVE", "worst CLUSTER"], rows)


def reproduction() -> Findings:
    """Return what the committed run of ``commensurate reproduce`` found."""
    return Findings.read(RESULTS / "reproduction" / "results.json")


def audit_speed(found: dict[str, Any]) -> str:
    """Return how long an audit of many people took, as a sentence."""
    seconds, beside, steep = found["seconds"], found["beside every pair"], found["steep"]
    left, right = found["representatives"]
    return (
        f"Measured on {found['machine']['cores']} cores, with {found['people']:,} people in each of two groups and a CLUSTER model of "
        f"{left:,} and {right:,} representatives. The audit first compares all answers with each other, in "
        f"{seconds['comparing the answers, once']:.0f} s. It then judges {found['sampled pairs']:,} random pairs in "
        f"{seconds['sampled']:.0f} s, and finds the worst of all {found['pairs']:,} pairs in {seconds['worst 100']:.0f} s. Here, σ changes by "
        f"{found['steepness']:g} of the distance within groups. With {steep['steepness']:g}, near the limit of M1 and M2, the three steps take "
        f"{steep['seconds']['comparing the answers, once']:.0f} s, {steep['seconds']['sampled']:.0f} s and "
        f"{steep['seconds']['worst 100']:.0f} s. With {beside['people']:,} people in each group, the search takes {beside['ratio']:.2f} of the time "
        f"of comparing all {beside['pairs']:,} pairs, and finds the same worst pairs."
    )


def neighbors_speed(found: dict[str, Any]) -> str:
    """Return how long retrieval and matching took, as a sentence."""
    left, right = found["representatives"]
    beside, matching = found["beside every pair"], found["matching"]
    return (
        f"Measured on {found['machine']['cores']} cores, with a CLUSTER model of {left:,} and {right:,} representatives. "
        f"`neighbors` finds the 10 nearest members for each of {found['neighbours'] // 10:,} elements, among as many, in "
        f"{found['seconds']['neighbours']:.1f} s. For {beside['case']}, it takes {beside['ratio']:.2f} of the time of {beside['peer']}. "
        f"`match_one_to_one` matches {matching['a side']:,} elements of each group in {matching['seconds']:.0f} s."
    )


def walks_table(found: dict[str, Any]) -> str:
    """Return how many files and functions each walk passes through, before the move and now, as a Markdown table."""
    trees = (found["before"], found["now"])
    rows = [["all source files of the package", *(str(tree["source files"]) for tree in trees), "", ""]]
    for walk in found["now"]["walks"]:
        counts = [tree["walks"][walk] for tree in trees]
        rows.append([walk, *(str(one[kind]) for kind in ("files", "functions") for one in counts)])
    headings = ["walk", "files before", "files now", "functions before", "functions now"]
    return markdown_rows(headings, rows)


def awkward() -> dict[str, str]:
    """Return the table of the awkward worlds."""
    worlds = all_worlds()
    return awkward_worlds(
        pd.read_csv(RESULTS / "awkward-worlds" / "draws.csv"),
        {name: world.kind for name, world in worlds.items()},
        [name for name, world in worlds.items() if world.noise_only],
    )


def generated() -> dict[str, str]:
    """Return every generated part of the documents, from the committed results."""
    findings = reproduction()
    return {
        "demo table": demo_table(json.loads((RESULTS / "demo.json").read_text(encoding="utf-8"))),
        "speed table": speed_table(json.loads((RESULTS / "speed.json").read_text(encoding="utf-8"))["measurements"]),
        "predicting speed": predicting_table(
            json.loads((RESULTS / "speed.json").read_text(encoding="utf-8"))["measurements"]
        ),
        "error table": error_table(findings),
        "absolute error table": error_table(findings, "absolute_mean"),
        "decrease table": decrease_table(findings),
        "places": places(findings),
        "curve ends": curve_end_table(findings),
        "overtaking": overtaken_list(findings),
        "sigma table": sigma_table(findings),
        "suite table": suite_table(findings),
        **few_answers(json.loads((RESULTS / "budget" / "summary.json").read_text(encoding="utf-8"))),
        **forecasts(pd.read_csv(RESULTS / "forecasts" / "forecasts.csv")),
        **candidates(json.loads((RESULTS / "candidates" / "summary.json").read_text(encoding="utf-8"))),
        **fairness(json.loads((RESULTS / "fairness.json").read_text(encoding="utf-8"))),
        "walks": walks_table(json.loads((RESULTS / "walks.json").read_text(encoding="utf-8"))),
        "audit speed": audit_speed(json.loads((RESULTS / "audit.json").read_text(encoding="utf-8"))),
        **audit_lists(json.loads((RESULTS / "audit-lists.json").read_text(encoding="utf-8"))),
        "neighbors speed": neighbors_speed(json.loads((RESULTS / "neighbors.json").read_text(encoding="utf-8"))),
        **chosen_pairs(json.loads((RESULTS / "chosen-pairs.json").read_text(encoding="utf-8"))),
        **segments(json.loads((RESULTS / "segments.json").read_text(encoding="utf-8"))),
        **real_answers(pd.read_csv(RESULTS / "real-answers" / "judged-on.csv")),
        **awkward(),
        **alarms(json.loads((RESULTS / "alarms.json").read_text(encoding="utf-8"))),
        **answer_kinds(pd.read_csv(RESULTS / "answer-kinds.csv")),
        **real_grades(pd.read_csv(RESULTS / "real-grades.csv")),
        **comparisons(json.loads((RESULTS / "comparisons.json").read_text(encoding="utf-8"))),
        **stopping(json.loads((RESULTS / "stopping.json").read_text(encoding="utf-8"))),
        **earlier(pd.read_csv(RESULTS / "earlier" / "draws.csv")),
        **designs(json.loads((RESULTS / "designs" / "summary.json").read_text(encoding="utf-8"))),
    }


def with_generated(text: str) -> str:
    """Return a document with its generated parts as the committed results have them."""
    for name, part in generated().items():
        if f"<!-- {name}:" in text:
            text = replaced(text, name, part)
    return text


def replaced(text: str, name: str, part: str) -> str:
    """Put ``part`` between the comments that mark its place."""
    before, _, rest = text.partition(f"<!-- {name}:")
    mark, _, rest = rest.partition("-->")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    assert end, f"the document has no end of its {name}"
    return f"{before}<!-- {name}:{mark}-->\n{part}\n{end}{after}"


if __name__ == "__main__":
    write_demo()
    for document in DOCUMENTS:
        document.write_text(with_generated(document.read_text(encoding="utf-8")), encoding="utf-8")
