"""The documents' figures from committed results: ``python -m benchmarks.documents`` writes them; a test checks that they match."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from commensurate.experiments.budget.candidates import generated_parts as candidates
from commensurate.experiments.budget.designs import generated_parts as designs
from commensurate.experiments.budget.forecasts import generated_parts as forecasts
from commensurate.experiments.budget.tables import generated_parts as few_answers
from commensurate.experiments.fairness.tables import generated_parts as fairness
from commensurate.experiments.paper.published import (
    ALGORITHMS,
    BASELINES,
    PAPER,
    PROXY_ALGORITHMS,
    TESTS,
)
from commensurate.experiments.reproduction.findings import COUNTINGS, Findings
from commensurate.experiments.reproduction.page import overtaking
from commensurate.experiments.segments.tables import generated_parts as segments

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
DOCUMENTS = (
    ROOT / "README.md",
    ROOT / "docs" / "reproduction.md",
    ROOT / "docs" / "few-answers.md",
    ROOT / "docs" / "fairness.md",
    ROOT / "docs" / "segments.md",
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
    lines = [
        "| | answers | mean error | 95 % of errors ≤ | largest error | mean width of intervals | intervals that hold |"
    ]
    lines += ["|---|---|---|---|---|---|---|"]
    for name, row in figures.items():
        kind = "calibrated" if name == "BudgetedSimilarity" else "certified"
        lines.append(
            f"| {name} | {row['questions']:,} | {row['mean error']:.3f} | {row['95 % of errors ≤']:.3f} "
            f"| {row['largest error']:.3f} | {row['mean interval width']:.3f}, {kind} "
            f"| {100 * row['intervals that hold']:.0f} % |"
        )
    return "\n".join(lines)


def speed_table(measurements: list[dict[str, object]]) -> str:
    """Return the measurements as a Markdown table, one row a task: the best and the worst ratio of its cases."""
    rows: dict[tuple[object, object, object], list[float]] = {}
    for one in measurements:
        rows.setdefault((one["task"], one["peer"], one["goal"]), []).append(float(str(one["ratio"])))
    lines = ["| task | peer | cases | ours / peer | goal |", "|---|---|---|---|---|"]
    for (task, peer, goal), ratios in rows.items():
        shown = " to ".join(f"{ratio:.2g}" for ratio in sorted({min(ratios), max(ratios)}))
        lines.append(f"| {task} | {peer} | {len(ratios)} | {shown} | ≤ {goal:g} |")
    return "\n".join(lines)


def error_table(findings: Findings, measure: str = "relative_mean") -> str:
    """Return one column of Tables 1 to 3: the paper's figure, and median and range of ours in both ways of testing."""
    lines = ["| data set | algorithm | paper | as in the paper | on unseen rows |", "|---|---|---|---|---|"]
    for name in findings.datasets:
        for algorithm in ALGORITHMS:
            cells = [findings.error(name, test, algorithm, measure) for test in TESTS]
            ours = " | ".join(cell.spread.shown(2) for cell in cells)
            lines.append(f"| {PAPER[name].title} | {algorithm} | {cells[0].paper:.2f} | {ours} |")
    return "\n".join(lines)


def decrease_table(findings: Findings) -> str:
    """Return Table 4 in every way of counting."""
    lines = ["| counted | " + " | ".join(PAPER[name].title for name in findings.datasets) + " |"]
    lines.append("|---" * (1 + len(findings.datasets)) + "|")
    lines.append("| the paper | " + " | ".join(f"{PAPER[name].decrease:.2f}" for name in findings.datasets) + " |")
    for counting in COUNTINGS:
        cells = [findings.decrease(name, counting) for name in findings.datasets]
        ours = " | ".join(cell.spread.shown(2) for cell in cells)
        lines.append(f"| {counting} | {ours} |")
    return "\n".join(lines)


def places(findings: Findings) -> str:
    """Say how many of the paper's figures lie within the range of our draws."""
    lines = [f"Of the paper's errors, so many lie within the range of our {findings.settings.repeats} draws:", ""]
    lines += ["| | as in the paper | on unseen rows |", "|---|---|---|"]
    for label, algorithms in (("NAIVE and CLUSTER", PROXY_ALGORITHMS), ("MLP, RF and XGB", BASELINES)):
        cells = [findings.errors(test, algorithms) for test in TESTS]
        counts = " | ".join(f"{sum(cell.inside for cell in some)} of {len(some)}" for some in cells)
        lines.append(f"| {label} | {counts} |")
    return "\n".join(lines)


def curve_end_table(findings: Findings) -> str:
    """Return where each curve of error against questions ends, in both ways of testing."""
    lines = ["| data set | algorithm | questions | as in the paper | on unseen rows |", "|---|---|---|---|---|"]
    for name in findings.datasets:
        for algorithm in ALGORITHMS:
            ends = [findings.curve(name, algorithm, test)[-1] for test in TESTS]
            errors = " | ".join(f"{end.relative:.2f}" for end in ends)
            lines.append(f"| {PAPER[name].title} | {algorithm} | {ends[0].questions:,} | {errors} |")
    return "\n".join(lines)


def overtaken_list(findings: Findings) -> str:
    """Say, for every data set and test, which baseline errs less than NAIVE with all its questions, and from when on."""
    return "\n".join(f"- {overtaking(findings, name, test)}" for test in TESTS for name in findings.datasets)


def sigma_table(findings: Findings) -> str:
    """Return the smallest σ of Figure 1 beside the paper's."""
    lines = ["| data set | paper | ours |", "|---|---|---|"]
    for name in findings.datasets:
        cell = findings.least_sigma(name)
        lines.append(f"| {PAPER[name].title} | {cell.paper:.4f} | {cell.spread.shown(4)} |")
    return "\n".join(lines)


def suite_table(findings: Findings) -> str:
    """Return the worst failure rates of the synthetic suite for each rare mass, beside the theorem's bound."""
    worst: dict[tuple[float, float], dict[str, float]] = {}
    for row in findings.suite:
        rates = worst.setdefault((row.rare_mass, row.theorem_bound), {})
        rates[row.algorithm] = max(rates.get(row.algorithm, 0.0), row.failure_rate)
    lines = [
        "| rare mass p of both groups | bound min(1, 2δ + 2p) | worst NAIVE | worst CLUSTER |",
        "|---|---|---|---|",
    ]
    for (mass, bound), rates in sorted(worst.items()):
        lines.append(f"| {mass:g} | {bound:.2f} | {rates['NAIVE']:.3f} | {rates['CLUSTER']:.3f} |")
    return "\n".join(lines)


def reproduction() -> Findings:
    """Return what the committed run of ``commensurate reproduce`` found."""
    return Findings.read(RESULTS / "reproduction" / "results.json")


def audit_speed(found: dict[str, Any]) -> str:
    """Return how long an audit of many people took, as a sentence."""
    seconds, beside, steep = found["seconds"], found["beside every pair"], found["steep"]
    left, right = found["representatives"]
    return (
        f"Measured on {found['machine']['cores']} cores, {found['people']:,} × {found['people']:,} people, CLUSTER with {left:,} and "
        f"{right:,} representatives: {found['sampled pairs']:,} random pairs are judged in {seconds['sampled']:.0f} s, and the worst of all "
        f"{found['pairs']:,} pairs found in {seconds['worst 100']:.0f} s, once all answers were compared with each other "
        f"({seconds['comparing the answers, once']:.0f} s). That is with a σ that changes by {found['steepness']:g} of the distance within groups; with "
        f"{steep['steepness']:g}, near what M1 and M2 allow, it takes {steep['seconds']['sampled']:.0f} s and "
        f"{steep['seconds']['worst 100']:.0f} s. Beside looking at all {beside['pairs']:,} pairs of "
        f"{beside['people']:,} × {beside['people']:,} people, the search finds the same worst pairs in {beside['ratio']:.2f} of the time."
    )


def neighbors_speed(found: dict[str, Any]) -> str:
    """Return how long retrieval and matching took, as a sentence."""
    left, right = found["representatives"]
    beside, matching = found["beside every pair"], found["matching"]
    return (
        f"Measured on {found['machine']['cores']} cores with CLUSTER, {left:,} and {right:,} representatives: the 10 nearest of each of "
        f"{found['neighbours'] // 10:,} elements among as many take {found['seconds']['neighbours']:.1f} s; {beside['case']}, "
        f"{beside['ratio']:.2f} of the time of {beside['peer']}. Matching {matching['a side']:,} a side takes {matching['seconds']:.0f} s."
    )


def generated() -> dict[str, str]:
    """Return every generated part of the documents, from the committed results."""
    findings = reproduction()
    return {
        "demo table": demo_table(json.loads((RESULTS / "demo.json").read_text(encoding="utf-8"))),
        "speed table": speed_table(json.loads((RESULTS / "speed.json").read_text(encoding="utf-8"))["measurements"]),
        "error table": error_table(findings),
        "absolute error table": error_table(findings, "absolute_mean"),
        "decrease table": decrease_table(findings),
        "places": places(findings),
        "curve ends": curve_end_table(findings),
        "overtaking": overtaken_list(findings),
        "sigma table": sigma_table(findings),
        "suite table": suite_table(findings),
        **few_answers(json.loads((RESULTS / "budget" / "summary.json").read_text(encoding="utf-8"))),
        **forecasts(json.loads((RESULTS / "forecasts" / "summary.json").read_text(encoding="utf-8"))),
        **candidates(json.loads((RESULTS / "candidates" / "summary.json").read_text(encoding="utf-8"))),
        **fairness(json.loads((RESULTS / "fairness.json").read_text(encoding="utf-8"))),
        "audit speed": audit_speed(json.loads((RESULTS / "audit.json").read_text(encoding="utf-8"))),
        "neighbors speed": neighbors_speed(json.loads((RESULTS / "neighbors.json").read_text(encoding="utf-8"))),
        **segments(json.loads((RESULTS / "segments.json").read_text(encoding="utf-8"))),
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
