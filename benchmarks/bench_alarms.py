"""How often `check_answers` raises an alarm: on clean answers with many kinds of errors, and where something is wrong.

Worlds: simulated experts of all six families, as `Study.simulate` draws them, so M1 and M2 hold. Answers err in one of
several ways. Planted: a slip of the pen by a factor of 10, experts whose σ has another scale than the metrics, and a
third of the answers from an expert with a scale of their own.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import commensurate as cm
from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between
from commensurate.asking.simulated.answers import draw_answering
from commensurate.asking.simulated.families import FAMILIES
from commensurate.groups.group import elements_of
from commensurate.guarantees.contradictions.noisy_consistency import NoisyAnswerCheck
from commensurate.progress import progress
from commensurate.report.tables import markdown_rows
from commensurate.wording import percent

RESULTS = Path(__file__).parent / "results" / "alarms.json"
BUDGETS = (100, 300)
ROWS, COLUMNS, LEVEL = 500, 3, 0.05
Change = Callable[[FloatArray, np.random.Generator], FloatArray]
# which errors, what is planted, how, and which draw
Study = tuple[str, str, tuple[float, Change] | None, int]

# errors beside σ of mean 1, or in proportion to it
ERRORS: dict[str, Change] = {
    "normal, of one size (10 % of the mean of σ)": lambda sigma, rng: 0.1 * rng.normal(size=len(sigma)),
    "normal, 15 % of σ": lambda sigma, rng: 0.15 * sigma * rng.normal(size=len(sigma)),
    "normal, 30 % of σ": lambda sigma, rng: 0.3 * sigma * rng.normal(size=len(sigma)),
    "Student's t with 3 degrees of freedom, of one size": lambda sigma, rng: 0.06 * rng.standard_t(3, len(sigma)),
    "the same, in proportion to σ": lambda sigma, rng: 0.1 * sigma * rng.standard_t(3, len(sigma)),
    "log-normal, 30 % of σ": lambda sigma, rng: sigma * (np.exp(0.3 * rng.normal(size=len(sigma))) - 1.0),
    "three experts, one higher and one lower than the others": lambda sigma, rng: (
        rng.choice([-0.15, 0.05, 0.2], len(sigma)) + 0.05 * rng.normal(size=len(sigma))
    ),
    "Cauchy: heavier than assumed": lambda sigma, rng: 0.05 * rng.standard_cauchy(len(sigma)),
}
WITH_PLANTED = tuple(ERRORS)[1], tuple(ERRORS)[3]


def slips(n: int, factor: float) -> Change:
    """Return what multiplies some answers by a factor."""

    def change(said: FloatArray, rng: np.random.Generator) -> FloatArray:
        said = said.copy()
        said[rng.choice(len(said), n, replace=False)] *= factor
        return said

    return change


PLANTED: dict[str, tuple[float, Change]] = {
    "one answer 10 times too large": (1.0, slips(1, 10.0)),
    "three answers 10 times too large": (1.0, slips(3, 10.0)),
    "one answer 100 times too large": (1.0, slips(1, 100.0)),
    "three answers 10 times too small": (1.0, slips(3, 0.1)),
    "σ on a scale 3 times that of d": (3.0, lambda said, rng: said),
    "σ on a scale 10 times that of d": (10.0, lambda said, rng: said),
    "one of three experts on a scale 3 times that of the others": (
        1.0,
        lambda said, rng: said * rng.choice([1.0, 1.0, 3.0], len(said)),
    ),
}


def check_of(
    family: str, errors: str, budget: int, draw: int, planted: tuple[float, Change] | None = None
) -> tuple[bool, bool]:
    """Return whether any two answers, and whether all as a whole, raise an alarm in one study."""
    rng = np.random.default_rng([draw, 19])
    groups = {name: rng.normal(size=(ROWS, COLUMNS)) for name in ("a", "b")}
    left, right = elements_of(groups)
    sigma = draw_answering(family, left, right, rng)
    scale, change = planted or (1.0, lambda said, rng: said)
    # one unit for answers and columns: the errors are as large beside σ in every family
    unit = float(np.mean(sigma(left.points, right.points)))

    def oracle(x: FloatArray, y: FloatArray, between: Between) -> FloatArray:
        exact = sigma(x, y) / unit
        return np.maximum(change(scale * (exact + ERRORS[errors](exact, rng)), rng), 0.0) * unit

    est = cm.BudgetedSimilarity(budget=budget, learner="gp", answer_error="noise", random_state=draw)
    found = est.fit(groups, oracle).check_answers(false_alarms=LEVEL)
    assert isinstance(found, NoisyAnswerCheck)
    return found.n_flagged > 0, found.contradict_as_a_whole


def measured(draws: int, planted_draws: int) -> Iterator[dict[str, Any]]:
    """Yield every study with what was found in it."""
    total = len(BUDGETS) * len(FAMILIES) * (len(ERRORS) * draws + len(WITH_PLANTED) * len(PLANTED) * planted_draws)
    with progress("measuring", total=total) as advance:
        for budget in BUDGETS:
            for family in FAMILIES:
                studies: list[Study] = [(errors, "", None, draw) for errors in ERRORS for draw in range(draws)]
                studies += [
                    (errors, name, planted, draw)
                    for errors in WITH_PLANTED
                    for name, planted in PLANTED.items()
                    for draw in range(planted_draws)
                ]
                for errors, name, planted, draw in studies:
                    single, whole = check_of(family, errors, budget, draw, planted)
                    yield {
                        "errors": errors,
                        "planted": name,
                        "budget": budget,
                        "single": single,
                        "whole": whole,
                        "any": single or whole,
                    }
                    advance(1)


def generated_parts(found: list[dict[str, Any]]) -> dict[str, str]:
    """Return the tables of the documents by the name of their places, from the committed results."""
    rates = {(one["errors"], one["planted"], one["budget"]): one for one in found}
    clean = [[errors, *(percent(rates[errors, "", n]["any"], 1) for n in BUDGETS)] for errors in ERRORS]
    planted = [
        [
            name,
            *(
                percent(float(np.mean([rates[errors, name, n][kind] for errors in WITH_PLANTED])))
                for n in BUDGETS
                for kind in ("single", "whole")
            ),
        ]
        for name in PLANTED
    ]
    asked = [f"{n} answers" for n in BUDGETS]
    kinds = [f"{n}, {kind}" for n in asked for kind in ("answer by answer", "as a whole")]
    studies = rates[next(iter(ERRORS)), "", BUDGETS[0]]["studies"]
    with_planted = 2 * rates[WITH_PLANTED[0], next(iter(PLANTED)), BUDGETS[0]]["studies"]
    return {
        "alarms": f"{markdown_rows(['errors of clean answers', *asked], clean)}\n\nShare of studies with any alarm, at a "
        f"level of {percent(LEVEL)}; {studies} studies each.\n\n{markdown_rows(['what is wrong', *kinds], planted)}\n\n"
        f"Share of studies with an alarm; {with_planted} studies each, half with normal errors of 15 % of σ and half "
        "with Student's t."
    }


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_alarms", description=__doc__)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--planted-draws", type=int, default=10)
    options = parser.parse_args(words)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        studies = pd.DataFrame(measured(options.draws, options.planted_draws))
    by = studies.groupby(["errors", "planted", "budget"], sort=False)
    found = by[["single", "whole", "any"]].mean().assign(studies=by.size()).reset_index()
    print(found.to_string(index=False))
    RESULTS.write_text(json.dumps(found.to_dict("records"), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
