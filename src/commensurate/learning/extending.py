"""Further questions for a study that has begun: random ones, or those from which most is learnt."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from commensurate.elicitation.questions import Between
from commensurate.groups.elements import Elements, Rows
from commensurate.learning.active import most_informative
from commensurate.learning.budget_plan import (
    SPREAD_POWER,
    BudgetPlan,
    PairPlan,
    held_out_places,
    pair_plan,
    random_rows,
    split_proportionally,
)
from commensurate.learning.regression.regression import Regression

# pairs to choose from, and pairs whose certainty counts, for an active choice
POOL, REFERENCE = 1_500, 500
# pairs on which a model's uncertainty is averaged
UNCERTAIN_ON = 500


def further_questions(plan: BudgetPlan, models: Mapping[Between, Regression], n: int) -> dict[Between, PairPlan]:
    """Return n further questions for each pair of groups together, more where the model is less certain.

    Nothing here looks at a held-out answer, so that those keep judging what is learnt.
    """
    members = {group.name: group for group in plan.elements}
    # not the plan's own seed: learning uses it
    rng = np.random.default_rng([plan.seed, len(plan.questions)])
    weights = [
        _uncertainty(models[between], (members[between[0]], members[between[1]]), rng) ** SPREAD_POWER
        for between in plan.by_pair
    ]
    return {
        between: _more(part, (members[between[0]], members[between[1]]), share, plan, models[between], rng)
        for (between, part), share in zip(plan.by_pair.items(), split_proportionally(n, weights))
        if share
    }


def _more(
    part: PairPlan,
    sides: tuple[Elements, Elements],
    n: int,
    plan: BudgetPlan,
    model: Regression,
    rng: np.random.Generator,
) -> PairPlan:
    # the share so far, as long as there are rows set aside that nobody was asked about
    wanted = round(plan.settings.calibration * (len(part.pairs) + n)) - int(part.held_out.sum())
    left_over = min(len(np.setdiff1d(kept, asked)) for kept, asked in zip(part.reserved, part.rows))
    n_held_out = max(0, min(n, wanted, left_over))
    held_out = held_out_places(n, n_held_out, rng)
    left, right = (
        random_rows(len(side), kept, asked, held_out, rng) for side, kept, asked in zip(sides, part.reserved, part.rows)
    )
    if plan.settings.design == "active":
        chosen = _chosen(part, sides, n - n_held_out, model, rng)
        left[~held_out], right[~held_out] = chosen
    return pair_plan(sides, (left, right), held_out, part.reserved, before=part.pairs)


def _chosen(
    part: PairPlan, sides: tuple[Elements, Elements], n: int, model: Regression, rng: np.random.Generator
) -> tuple[Rows, Rows]:
    """Choose n pairs to learn from among many random ones; none of them is about a row set aside."""
    left, right = (
        random_rows(len(side), kept, asked, np.zeros(max(POOL, n), dtype=bool), rng)
        for side, kept, asked in zip(sides, part.reserved, part.rows)
    )
    # certainty counts where it will be needed: anywhere, but not on the very rows that will judge it
    free = tuple(np.setdiff1d(np.arange(len(side)), kept) for side, kept in zip(sides, part.reserved))
    x, y = (side.points[rng.choice(rows, size=REFERENCE)] for side, rows in zip(sides, free))
    best = most_informative(model, (sides[0].points[left], sides[1].points[right]), (x, y), n)
    return left[best], right[best]


def _uncertainty(model: Regression, sides: tuple[Elements, Elements], rng: np.random.Generator) -> float:
    left, right = (side.points[rng.integers(len(side), size=UNCERTAIN_ON)] for side in sides)
    return float(model.predict(left, right)[1].mean())
