"""How many comparisons with rulers take the place of NAIVE's and CLUSTER's numbers, and what errors in them cost.

In each world, CLUSTER has about 60 representatives a group and NAIVE as many samples. Every number that they ask for is
found by bisection, to a half-width of 0.05: on its own, and from what M1 and M2 imply from the pairs before. In the
paper's hard world, where no answer tells anything about another pair, the count is beside that which no algorithm can
undercut. One pair alone is then located by comparisons that err.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

import commensurate as cm
from benchmarks.measurement import timed
from commensurate.asking.simulated.families import ExpertByPair
from commensurate.guarantees.comparisons.search_with_errors import locate_with_errors
from commensurate.progress import progress
from commensurate.report.tables import markdown_rows
from commensurate.wording import percent

RESULTS = Path(__file__).parent / "results" / "comparisons.json"
COLUMNS, FAMILIES = (1, 2, 4), ("merit", "embedding", "prototypes")
HALF_WIDTH, SIZE, ROWS = 0.05, 60, 600
BETWEEN = ("a", "b")
HARD = (0.05, 0.01, 0.002)
NOISES, FAILURE = (0.02, 0.05, 0.1, 0.2), 0.05


def by_comparisons(groups: Any, oracle: Any, top: float, half_width: float) -> cm.ByComparisons:
    """Return an oracle that is asked for comparisons with evenly spaced rulers, which reach far enough."""
    rulers = cm.Rulers.of(np.linspace(0.0, 1.02 * top, 4_001))
    return cm.ByComparisons(
        lambda left, right, between, distance: oracle(left, right, between) <= distance,
        groups,
        half_width=half_width,
        rulers=rulers,
        at_most=top,
    )


def cluster(epsilon: float) -> cm.ClusterSimilarity:
    """Return CLUSTER with this ε, and with the same representatives every time."""
    return cm.ClusterSimilarity(
        epsilon=epsilon, delta=0.05, dilation=2.0, samples="given", answer_error=HALF_WIDTH, random_state=0
    )


def epsilon_for(groups: Any, representatives: int) -> float:
    """Return the ε with which CLUSTER has about so many representatives a group, by bisection."""
    low, high = 1e-4, 1.0
    for _ in range(20):
        epsilon = math.sqrt(low * high)
        plan = cluster(epsilon).plan(groups)
        mean = np.mean([len(sample.representatives) for sample in plan.samples.values()])
        low, high = (epsilon, high) if mean > representatives else (low, epsilon)
    return high


def measured_world(columns: int, family: str, draw: int) -> list[dict[str, object]]:
    """Return the counts of either algorithm in one world."""
    rng = np.random.default_rng([columns, FAMILIES.index(family), draw])
    oracle = ExpertByPair.draw(family, {"a": columns, "b": columns}, rng)
    rows = {name: rng.random((ROWS, columns)) for name in BETWEEN}
    few = {name: points[:SIZE] for name, points in rows.items()}
    models = {
        "NAIVE": (cm.NaiveSimilarity(epsilon=0.1, delta=0.05, samples="given", answer_error=HALF_WIDTH), few),
        "CLUSTER": (cluster(epsilon_for(rows, SIZE)), rows),
    }
    found = []
    for name, (model, groups) in models.items():
        top = float(oracle(np.repeat(rows["a"], ROWS, axis=0), np.tile(rows["b"], (ROWS, 1)), BETWEEN).max())
        asked = by_comparisons(groups, oracle, top, HALF_WIDTH)
        est, seconds = timed(partial(model.fit, groups, asked))
        left, right = rng.random((1_000, columns)), rng.random((1_000, columns))
        lower, upper = est.predict_interval(left, right)
        sigma = oracle(left, right, BETWEEN)
        found.append(
            {
                "algorithm": name,
                "columns": columns,
                "family": family,
                "draw": draw,
                "numbers": est.n_questions_,
                "comparisons": asked.n_comparisons,
                "alone": asked.n_comparisons_alone,
                "answer error": asked.answer_error,
                "intervals that hold": float(np.mean((lower <= sigma + 1e-9) & (sigma <= upper + 1e-9))),
                "seconds": seconds,
            }
        )
    return found


def measured_hard(error: float, n: int = 20) -> dict[str, object]:
    """Return the count in the paper's hard world, beside that which no algorithm can undercut."""
    table = np.random.default_rng(0).random((n, n))
    groups = [cm.Group(name, np.arange(float(n))[:, None], metric="hamming") for name in BETWEEN]

    def oracle(left: Any, right: Any, between: Any) -> Any:
        return table[left[:, 0].astype(int), right[:, 0].astype(int)]

    asked = by_comparisons(groups, oracle, 1.0, error)
    cm.NaiveSimilarity(epsilon=0.1, delta=1.0 / n, samples="given").fit(groups, asked)
    fewest = cm.fewest_comparisons(n * n, error)
    return {"error": error, "numbers": n * n, "comparisons": asked.n_comparisons, "fewest": fewest}


def compared(sigma: float, noise: float, rng: np.random.Generator, distance: float) -> bool:
    """Compare a dissimilarity with a ruler, with an error."""
    return bool(sigma + noise * rng.standard_normal() <= distance)


def measured_noise(noise: float, searches: int) -> dict[str, object]:
    """Return how many comparisons that err locate one pair, and how often wrongly."""
    rng, rulers = np.random.default_rng(1), cm.Rulers.of(np.linspace(0.005, 1.2, 240))
    counts, failed = [], 0
    for sigma in rng.random(searches).tolist():
        found = locate_with_errors(
            partial(compared, sigma, noise, rng), rulers, half_width=HALF_WIDTH, noise=noise, failure=FAILURE
        )
        counts.append(found.comparisons)
        failed += not found.lower <= sigma <= found.upper
    at_best = math.pi / 2.0 * (noise * float(norm.ppf(1.0 - FAILURE / 2.0)) / HALF_WIDTH) ** 2
    return {"noise": noise, "comparisons": float(np.mean(counts)), "at best": at_best, "failed": failed / searches}


def generated_parts(found: dict[str, Any]) -> dict[str, str]:
    """Return the tables of the documents by the name of their places, from the committed results."""
    worlds = pd.DataFrame(found["worlds"])
    each, alone = (worlds[kind] / worlds["numbers"] for kind in ("comparisons", "alone"))
    worlds = worlds.assign(each=each, alone=alone)
    rows = [
        [
            str(columns),
            *(
                f"{part['each'].mean():.2f} ({part['each'].min():.2f} to {part['each'].max():.2f})"
                for part in (some[some["algorithm"] == name] for name in ("CLUSTER", "NAIVE"))
            ),
            f"{some['alone'].mean():.1f}",
        ]
        for columns, some in worlds.groupby("columns")
    ]
    headings = ["columns", "CLUSTER, comparisons a number", "NAIVE, comparisons a number", "each on its own"]
    hard = [
        [f"{one['error']:g}", f"{one['numbers']:,}", f"{one['comparisons']:,}", f"{one['fewest']:,}"]
        for one in found["hard"]
    ]
    errors = [
        [f"{one['noise']:g}", f"{one['comparisons']:.0f}", f"{one['at best']:.0f}", percent(one["failed"], 1)]
        for one in found["noise"]
    ]
    return {
        "worth of answers": worth_of_answers(),
        "comparisons": markdown_rows(headings, rows),
        "fewest comparisons": markdown_rows(["error", "numbers", "comparisons", "no algorithm with fewer"], hard),
        "comparisons that err": markdown_rows(
            ["error of a comparison", "comparisons", "at σ itself, at a fixed number", "intervals that fail"], errors
        ),
    }


def worth_of_answers() -> str:
    """Return how many numbers an answer is worth, by theory alone."""
    sigma = norm.ppf((np.arange(2_000) + 0.5) / 2_000)
    offsets = np.array([0.0, 0.5, 1.0, 2.0])
    rulers = [
        [name, *(f"{worth:.2f}" for worth in cm.ruler_information(offsets, ruler_is_exact=exact))]
        for name, exact in (("as exact as d", True), ("with the error of σ", False))
    ]
    grades = []
    for noise in (0.1, 0.2, 0.5, 1.0, 2.0):
        # each grade is used equally often
        used = (norm.ppf(np.arange(1, n) / n) * math.hypot(1.0, noise) for n in (3, 5, 7, 9))
        grades.append([f"{noise:g}", *(f"{cm.grade_information(sigma, marks, noise).mean():.2f}" for marks in used)])
    return "\n\n".join(
        [
            markdown_rows(["the ruler is perceived", *(f"off by {offset:g} s" for offset in offsets)], rulers),
            markdown_rows(["s / spread of σ", *(f"{n} grades" for n in (3, 5, 7, 9))], grades),
        ]
    )


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_comparisons", description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one draw; nothing is written")
    options = parser.parse_args(words)
    draws = 1 if options.quick else options.draws
    cases = [(columns, family, draw) for columns in COLUMNS for family in FAMILIES for draw in range(draws)]
    worlds: list[dict[str, object]] = []
    with progress("measuring", total=len(cases)) as advance:
        for case in cases:
            worlds += measured_world(*case)
            advance(1)
    found = {
        "worlds": worlds,
        "hard": [measured_hard(error) for error in HARD],
        "noise": [measured_noise(noise, 50 if options.quick else 500) for noise in NOISES],
    }
    for table in generated_parts(found).values():
        print(f"{table}\n")
    if not options.quick:
        RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
