"""Further questions for a study that has begun: random ones, or those from which most is learnt.

How much an answer about one pair lowers the variance of all others depends on where the pair is, not on what the
answer will be. So active choice picks a whole batch before any of it is asked: greedily, each pair given those chosen
before.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.linalg import lapack
from threadpoolctl import threadpool_limits

from commensurate.arrays import FloatArray, IntArray, PointPairs
from commensurate.asking.questions import Between
from commensurate.errors import InvalidParameter
from commensurate.groups.elements import Elements
from commensurate.guarantees.population import PAIRS_OF_THESE
from commensurate.learning.few_answers.plan import (
    SPREAD_POWER,
    BudgetPlan,
    PairPlan,
    held_out_places,
    pair_plan,
    split_proportionally,
)
from commensurate.learning.few_answers.row_draws import (
    free_rows,
    n_different,
    random_rows,
    repeats_in,
    unasked_pairs,
    without_repeats,
)
from commensurate.learning.regression.posterior import Posterior
from commensurate.learning.regression.regression import Regression
from commensurate.learning.regression.stacked import StackedRegression


def most_informative(model: Regression, pool: PointPairs, reference: PointPairs, n: int) -> IntArray:
    """Return the numbers of n pairs of ``pool``; answers about them lower the summed variance over ``reference`` most.

    Certainty is judged by the Gaussian process that has the most weight in the model.
    """
    if not isinstance(model, StackedRegression):
        raise InvalidParameter(
            "design='active' needs a learner that knows how uncertain it is about each pair: 'auto', 'auto-free' or 'gp'; "
            "with a scikit-learn regressor use design='random'"
        )
    leading = model.leading_process
    if leading is None:
        # the answers so far do not show on what they depend: the pool is random, and any part of it
        return np.arange(min(n, len(pool[0])), dtype=np.int64)
    describe = model.describe.features
    with threadpool_limits(1):
        return _greedy(leading.process, describe(*pool), describe(*reference), n)


def _greedy(process: Posterior, pool: FloatArray, reference: FloatArray, n: int) -> IntArray:
    kernel = process.kernel
    known_pool, known_reference = (_whitened(process, features) for features in (pool, reference))
    shared = kernel.between(pool, reference) - known_pool.T @ known_reference
    variances = kernel.signal - np.einsum("ij,ij->j", known_pool, known_pool) + kernel.noise
    chosen: list[int] = []
    for _ in range(min(n, len(pool))):
        gains = np.einsum("ij,ij->i", shared, shared) / np.maximum(variances, 1e-12 * kernel.signal)
        gains[chosen] = -np.inf
        best = int(np.argmax(gains))
        chosen.append(best)
        # what the pool still shares with the chosen pair, given everything known and chosen before
        with_best = kernel.between(pool, pool[best : best + 1])[:, 0] - known_pool.T @ known_pool[:, best]
        scale = np.sqrt(max(float(variances[best]), 1e-12 * kernel.signal))
        update = with_best / scale
        shared -= np.outer(update, shared[best] / scale)
        variances = variances - update**2
        known_pool = np.vstack([known_pool, update])
    return np.array(chosen, dtype=np.int64)


def _whitened(process: Posterior, features: FloatArray) -> FloatArray:
    solved, _ = lapack.dtrtrs(process.factor, process.kernel.between(process.features, features), lower=1)
    return np.asarray(solved)


# pairs to choose from, and pairs whose certainty counts, for an active choice
POOL, REFERENCE = 1_500, 500
# share of further questions that is split equally over the pairs of groups
EQUAL_SHARE = 0.5
# where fewer are held out than the plan's share, so many times that share is, and not all:
# something is to be learnt as well
MOST_CATCH_UP = 2.0
# pairs on which a model's uncertainty is averaged
UNCERTAINTY_PAIRS = 500


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
    # a part goes to all alike: where a model is certain it must still be judged
    equal = EQUAL_SHARE / (1.0 - EQUAL_SHARE) * sum(weights) / len(weights)
    return {
        between: _more(part, (members[between[0]], members[between[1]]), share, plan, models[between], rng)
        for (between, part), share in zip(
            plan.by_pair.items(), split_proportionally(n, [weight + equal for weight in weights])
        )
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
    if plan.settings.claim == PAIRS_OF_THESE:
        return _more_pairs(part, sides, n, plan, rng)
    # the share so far, as long as there are rows that nothing was learnt from
    judges = _rows_that_may_judge(part, sides, plan)
    n_held_out = min(_held_out_of(part, n, plan), *map(len, judges))
    reserved = (
        _with_rows(part.reserved[0], judges[0][:n_held_out]),
        _with_rows(part.reserved[1], judges[1][:n_held_out]),
    )
    held_out = held_out_places(n, n_held_out, rng)
    left, right = (
        random_rows(len(side), kept, asked, held_out, rng) for side, kept, asked in zip(sides, reserved, part.rows)
    )
    if plan.settings.design == "active":
        left[~held_out], right[~held_out] = _chosen(part, sides, n - n_held_out, model, rng)
    else:
        free = free_rows(len(sides[0]), reserved[0]), free_rows(len(sides[1]), reserved[1])
        left, right = without_repeats((left, right), held_out, part.rows, free, rng)
    return pair_plan(sides, (left, right), held_out, reserved, before=part.pairs)


def _rows_that_may_judge(
    part: PairPlan, sides: tuple[Elements, Elements], plan: BudgetPlan
) -> tuple[IntArray, IntArray]:
    """Return the rows of either side that a further held-out question may be about, those set aside first.

    What a random design has not asked about is as random as what was set aside. What an active one has not chosen is
    not: only rows that it could not choose may judge it.
    """
    # not the generator of the draws: held-out rows must not depend on what else is drawn
    rng = np.random.default_rng([plan.seed, len(part.pairs), 1])
    found = []
    for side, kept, asked in zip(sides, part.reserved, part.rows):
        waiting = kept[~np.isin(kept, asked)]
        unasked = np.setdiff1d(free_rows(len(side), kept), asked) if plan.settings.design == "random" else waiting[:0]
        found.append(np.concatenate([waiting, rng.permutation(unasked)]))
    return found[0], found[1]


def _with_rows(reserved: IntArray, more: IntArray) -> IntArray:
    return np.concatenate([reserved, more[~np.isin(more, reserved)]])


def _more_pairs(
    part: PairPlan, sides: tuple[Elements, Elements], n: int, plan: BudgetPlan, rng: np.random.Generator
) -> PairPlan:
    """Draw further questions where held-out ones may be about any pair that is not learnt from.

    All are drawn uniformly at random from the pairs never asked about. Then, given what is learnt from, held-out pairs
    are a uniform draw from all others, those of before too: which of them were held out had no part in the draw.
    """
    sizes = len(sides[0]), len(sides[1])
    n_new = min(n, sizes[0] * sizes[1] - n_different(part.rows))
    held_out = held_out_places(n, min(_held_out_of(part, n, plan), n_new), rng)
    new = unasked_pairs(sizes, part.rows, n_new, rng)
    # what is left to ask when all pairs have been asked about: those learnt from, once more
    again = rng.choice(np.flatnonzero(~part.held_out), size=n - n_new)
    order = np.concatenate([np.flatnonzero(held_out), np.flatnonzero(~held_out)])
    rows = []
    for drawn, asked in zip(new, part.rows):
        own = np.empty(n, dtype=np.int64)
        own[order] = np.concatenate([drawn, asked[again]])
        rows.append(own)
    return pair_plan(sides, (rows[0], rows[1]), held_out, part.reserved, before=part.pairs)


def _free(part: PairPlan, sides: tuple[Elements, Elements]) -> tuple[IntArray, IntArray]:
    return free_rows(len(sides[0]), part.reserved[0]), free_rows(len(sides[1]), part.reserved[1])


def _held_out_of(part: PairPlan, n: int, plan: BudgetPlan) -> int:
    """Return how many of n further questions are to be held out,
    for all of them to have the plan's share sooner or later.
    """
    share, before = plan.settings.calibration, len(part.pairs)
    wanted = round(share * (before + n)) - int(part.held_out.sum())
    # counted from the first question, so that n single ones hold out as many as n at once
    most = int(MOST_CATCH_UP * share * (before + n)) - int(MOST_CATCH_UP * share * before)
    return max(0, min(n, wanted, most))


def fewer_held_out(plan: BudgetPlan, more: Mapping[Between, PairPlan]) -> str | None:
    """Say which further questions hold out less than the plan's share,
    because no rows or pairs are left to judge; None if none do.
    """
    short = []
    for (left, right), part in more.items():
        before, n, n_held_out = plan.by_pair[left, right], len(part.pairs), int(part.held_out.sum())
        if n_held_out < (wanted := _held_out_of(before, n, plan)):
            short.append(
                f"of {n} further questions between {left!r} and {right!r}, {n_held_out} are held out instead of {wanted}"
            )
    if not short:
        return None
    if plan.settings.claim == PAIRS_OF_THESE:
        return f"{'; '.join(short)}, because no other pairs are left; to hold out more, use more rows"
    left_over = (
        "no other row is left that nothing is learnt from"
        if plan.settings.design == "random"
        else "each row that was set aside at the start is used only once"
    )
    return (
        f"{'; '.join(short)}, because {left_over}; to hold out more, use more rows, or claim='pairs of these elements' if "
        "nothing need be said about new elements"
    )


def _chosen(
    part: PairPlan, sides: tuple[Elements, Elements], n: int, model: Regression, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Choose n pairs to learn from among many random ones; none of them is about a row set aside."""
    none_held_out = np.zeros(max(POOL, n), dtype=bool)
    left, right = (
        random_rows(len(side), kept, asked, none_held_out, rng)
        for side, kept, asked in zip(sides, part.reserved, part.rows)
    )
    free = _free(part, sides)
    left, right = without_repeats((left, right), none_held_out, part.rows, free, rng)
    fresh = ~repeats_in(left, right, part.rows)
    if fresh.sum() >= n:
        left, right = left[fresh], right[fresh]
    # certainty counts where it will be needed: anywhere, but not on the very rows that will judge it
    x, y = (side.points[rng.choice(rows, size=REFERENCE)] for side, rows in zip(sides, free))
    best = most_informative(model, (sides[0].points[left], sides[1].points[right]), (x, y), n)
    return left[best], right[best]


def _uncertainty(model: Regression, sides: tuple[Elements, Elements], rng: np.random.Generator) -> float:
    left, right = (side.points[rng.integers(len(side), size=UNCERTAINTY_PAIRS)] for side in sides)
    return float(model.estimate_with_uncertainty(left, right)[1].mean())
