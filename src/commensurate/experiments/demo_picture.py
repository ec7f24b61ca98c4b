"""The demo's results as a picture, or as text where matplotlib is missing."""

from __future__ import annotations

from pathlib import Path

from commensurate.experiments.demo import BUDGETED, CLUSTER, DemoResults
from commensurate.report.curves import Curve
from commensurate.report.pictures import HeldOutPairs, draw_held_out
from commensurate.report.text_plot import text_cdf, text_curves


def draw_demo(results: DemoResults, path: Path) -> None:
    """Save the picture; the file's suffix chooses its format."""
    few_answers, bounded = results.judged[BUDGETED], results.judged[CLUSTER]
    assert bounded.error_bounds is not None
    pairs = HeldOutPairs(
        truth=few_answers.truth,
        estimates={name: one.estimates for name, one in results.judged.items()},
        intervals_of=BUDGETED,
        interval_name=f"{few_answers.kind} interval",
        lower=few_answers.lower,
        upper=few_answers.upper,
        bounds_of=CLUSTER,
        error_bounds=bounded.error_bounds,
    )
    draw_held_out(pairs, _curves(results), path)


def text_demo(results: DemoResults) -> str:
    """Return how far off the estimates are, and what more answers give, as text."""
    errors = {name: one.errors for name, one in results.judged.items()}
    return "\n\n".join(
        [
            "How far off the estimates are",
            text_cdf(errors, n_steps=4),
            "What more answers give: the mean error",
            text_curves(_curves(results)),
        ]
    )


def _curves(results: DemoResults) -> list[Curve]:
    return [
        Curve(name, [point.questions for point in points], [point.mean_error for point in points])
        for name, points in results.curves.items()
    ]
