"""Which questions to the expert would settle most of the pairs that are undecided.

An answer v about (r, s) puts the dissimilarity of (x, y) into v ± (d(x, r) + d(y, s)). Nobody knows v beforehand; the
estimate stands for it. The questions are chosen one by one, each for what it settles beyond those before it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.applications.fairness.context import AuditContext
from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between

# undecided pairs that questions are judged by, and pairs to ask about, drawn at random where there are more
JUDGED_PAIRS, CANDIDATES = 4_000, 400


def questions_to_settle_verdicts(
    context: AuditContext, verdicts: pd.DataFrame, lipschitz: float, n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Return up to n pairs to ask about, and how many of the undecided pairs looked at each is expected to settle.

    The first settles most, the next most of the rest. With more undecided pairs than are judged by, the numbers are
    extrapolated.
    """
    undecided = verdicts[verdicts["verdict"] == "undecided"]
    judged = undecided.iloc[rng.permutation(len(undecided))[:JUDGED_PAIRS]]
    tables = [
        _settled(context, (str(names[0]), str(names[1])), part, lipschitz, rng)
        for names, part in judged.groupby(["left_group", "right_group"], sort=False)
    ]
    columns = ["left_group", "left", "right_group", "right", "settles"]
    if not tables:
        return pd.DataFrame(columns=columns)
    chosen = _greedy(tables, n)
    scale = len(undecided) / len(judged)
    rows = [
        {**tables[t][0].iloc[place][columns[:-1]].to_dict(), "settles": round(scale * settled)}
        for t, place, settled in chosen
    ]
    return pd.DataFrame(rows, columns=columns)


Settled = tuple[pd.DataFrame, NDArray[np.bool_]]


def _settled(
    context: AuditContext,
    between: Between,
    undecided: pd.DataFrame,
    lipschitz: float,
    rng: np.random.Generator,
) -> Settled:
    """Return pairs to ask about, and for each (row) which of the undecided pairs (columns) the answer would settle."""
    asked = undecided.iloc[rng.permutation(len(undecided))[:CANDIDATES]].reset_index(drop=True)
    left, right = context.people[between[0]], context.people[between[1]]
    of_asked = left.points[asked["left"].to_numpy()], right.points[asked["right"].to_numpy()]
    of_undecided = left.points[undecided["left"].to_numpy()], right.points[undecided["right"].to_numpy()]
    expected = _expected_answers(context, between, of_asked, asked)
    metrics = left.space.metric, right.space.metric
    reach = metrics[0].pairwise(of_asked[0], of_undecided[0]) + metrics[1].pairwise(of_asked[1], of_undecided[1])
    reach += context.answer_error
    gaps = undecided["gap"].to_numpy()
    settled = (gaps > lipschitz * (expected[:, None] + reach)) | (gaps <= lipschitz * (expected[:, None] - reach))
    return asked, settled


def _expected_answers(
    context: AuditContext, between: Between, points: tuple[FloatArray, FloatArray], asked: pd.DataFrame
) -> FloatArray:
    lower, upper = asked["lower"].to_numpy(), asked["upper"].to_numpy()
    if context.estimates_for_free(between):
        # what an answer can be, the interval knows better
        return np.clip(context.model.predict(*points, between), lower, upper)
    return np.where(np.isfinite(upper), (lower + upper) / 2.0, lower)


def _greedy(tables: list[Settled], n: int) -> list[tuple[int, int, int]]:
    """Choose n times the question that settles most of what is left; return its table, its place and how many."""
    open_pairs = [np.ones(settled.shape[1], dtype=np.bool_) for _, settled in tables]
    chosen = []
    for _ in range(n):
        counts = [(settled & still_open).sum(axis=1) for (_, settled), still_open in zip(tables, open_pairs)]
        best = max(range(len(tables)), key=lambda t: int(counts[t].max()))
        place = int(counts[best].argmax())
        if not counts[best][place]:
            break
        chosen.append((best, place, int(counts[best][place])))
        open_pairs[best] &= ~tables[best][1][place]
    return chosen
