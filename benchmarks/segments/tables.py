"""The tables of docs/segments.md, from the committed figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from commensurate.report.tables import markdown_rows

Row = Mapping[str, Any]

BY = {
    "shared columns": "no experts: age and income alone",
    "shared columns across": "no experts: d within vendors, age and income across",
    "transport": "no experts: the same after optimal transport",
    "matched segments": "no experts: each vendor separately, segments matched by age and income",
    "asked medoids": "each vendor separately, segments matched by answers about their medoids",
    "experts": "BudgetedSimilarity",
    "NAIVE": "NAIVE",
    "truth": "the true σ",
}


def generated_parts(results: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables by the name of their place in the document."""
    return {
        "segments found": found_table(results["draws"]),
        "segments where sigma is small": found_table(results["small sigma"]),
        "segments certainty": certainty_table([row for row in results["draws"] if "certain" in row]),
        "segments next questions": next_questions_sentence(results["next questions"]),
    }


def found_table(rows: Sequence[Row]) -> str:
    """Return how well each way finds the segments: the mean over the draws, and the range.

    >>> print(found_table([{"by": "transport", "answers": 0, "rand_index": index} for index in (0.25, 0.75)]))
    | dissimilarity by | answers | adjusted Rand index | for newcomers |
    | --- | --- | --- | --- |
    | no experts: the same after optimal transport | 0 | 0.50 (0.25 to 0.75) | – |
    """
    lines = []
    for by, some in _ways(rows):
        newcomers = _spread(some, "rand_index_of_newcomers") if "rand_index_of_newcomers" in some[0] else "–"
        answers = "all pairs" if some[0]["by"] == "truth" else _answers(some)
        lines.append([by, answers, _spread(some, "rand_index"), newcomers])
    return markdown_rows(["dissimilarity by", "answers", "adjusted Rand index", "for newcomers"], lines)


def certainty_table(rows: Sequence[Row]) -> str:
    """Return what clusterings say about themselves by certified intervals, beside the truth; means over the draws."""
    heading = ["dissimilarity by", "answers", "cluster certain", "of these wrong", "cost", "bounds", "true cost"]
    lines = []
    for by, some in _ways(rows):
        lower, upper = (mean(row["cost_bounds"][end] for row in some) for end in (0, 1))
        lines.append(
            [
                by,
                _answers(some),
                f"{100 * mean(row['certain'] for row in some):.0f} %",
                f"{sum(row['certain_but_wrong'] for row in some)}",
                f"{mean(row['cost'] for row in some):.0f}",
                f"{lower:.0f} to {upper:.0f}",
                f"{mean(row['true_cost'] for row in some):.0f}",
            ]
        )
    return markdown_rows(heading, lines)


def next_questions_sentence(figures: Mapping[str, int]) -> str:
    """Say what the next questions brought."""
    return (
        f"After {figures['budget']:,} answers, it is uncertain to which cluster {figures['uncertain']:,} of {figures['customers']:,} customers belong. "
        f"The {figures['questions']} questions of `next_questions({figures['questions']})` were expected to settle "
        f"{figures['expected']:,} of them, and settled {figures['settled']:,}; the same number of random questions settled "
        f"{figures['settled_by_random_ones']:,}."
    )


def _ways(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Return the draws of each way, in the order of `BY` and by rising answers;
    NAIVE's answers differ from draw to draw.
    """
    found: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        fixed = row["answers"] if row["by"] == "experts" else 0
        found.setdefault((row["by"], fixed), []).append(row)
    ways = list(BY)
    return [(BY[by], found[by, n]) for by, n in sorted(found, key=lambda key: (ways.index(key[0]), key[1]))]


def _answers(rows: Sequence[Row]) -> str:
    counts = sorted({row["answers"] for row in rows})
    return " to ".join(f"{count:,}" for count in dict.fromkeys((counts[0], counts[-1])))


def _spread(rows: Sequence[Row], what: str) -> str:
    values = [row[what] for row in rows]
    return f"{mean(values):.2f} ({min(values):.2f} to {max(values):.2f})"
