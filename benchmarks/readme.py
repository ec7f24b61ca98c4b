"""The README's tables from committed results: ``python -m benchmarks.readme`` writes them; a test checks that they match."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"


def demo_figures() -> dict[str, dict[str, float]]:
    """Run the demo and return its figures."""
    from commensurate.experiments.demo import Demo, demo_estimators

    demo = Demo.prepare()
    return {name: demo.judge(estimator).figures() for name, estimator in demo_estimators().items()}


def demo_table(figures: dict[str, dict[str, float]]) -> str:
    """Return the demo's figures as a Markdown table."""
    lines = [
        "| | questions | mean error | largest error | mean width of the certified interval | intervals that hold |"
    ]
    lines += ["|---|---|---|---|---|---|"]
    for name, row in figures.items():
        lines.append(
            f"| {name} | {row['questions']:,} | {row['mean error']:.3f} | {row['largest error']:.3f} "
            f"| {row['mean interval width']:.3f} | {100 * row['intervals that hold']:.0f} % |"
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


def with_tables(text: str) -> str:
    """Return the README with its tables as the committed results have them."""
    text = replaced(text, "demo table", demo_table(json.loads((RESULTS / "demo.json").read_text())))
    speed = json.loads((RESULTS / "speed.json").read_text())
    return replaced(text, "speed table", speed_table(speed["measurements"]))


def replaced(text: str, name: str, table: str) -> str:
    """Put ``table`` between the comments that mark its place."""
    before, _, rest = text.partition(f"<!-- {name}:")
    mark, _, rest = rest.partition("-->")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    assert end, f"the README has no place for the {name}"
    return f"{before}<!-- {name}:{mark}-->\n{table}\n{end}{after}"


if __name__ == "__main__":
    (RESULTS / "demo.json").write_text(json.dumps(demo_figures(), indent=1, ensure_ascii=False) + "\n")
    readme = ROOT / "README.md"
    readme.write_text(with_tables(readme.read_text()))
