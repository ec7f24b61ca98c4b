"""What the lending example shows: audits beside the truth, the same without experts, and repairs with their price."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.fairness.checked_verdicts import ROUNDING, check_verdicts
from benchmarks.fairness.lending import LIPSCHITZ, SEED, Estimator, Lending, few_answers, many_answers
from commensurate.applications import compare_without_experts
from commensurate.applications.fairness.repair import ScoreRepair, repair_scores
from commensurate.applications.fairness.repair_program import RepairUse
from commensurate.arrays import FloatArray
from commensurate.learning.similarity import Interval

# ε and δ of CLUSTER: thousands of answers, and millions
CLUSTERS = ((0.15, 0.01), (0.05, 0.002))
# answers, to compare with few
MORE = 1_000
# kind of interval, what is taken for the dissimilarity, and L
REPAIRS: tuple[tuple[Interval, RepairUse, float], ...] = (
    ("certified", "lower", 1.0),
    ("certified", "estimate", 1.0),
    ("calibrated", "lower", 1.0),
    ("calibrated", "lower", 2.0),
)


def lending_figures(lending: Lending) -> dict[str, object]:
    """Return the figures of the audits and of the repairs."""
    few = lending.learn(few_answers())
    return {
        "audits": [
            *(audit_row(lending, lending.learn(many_answers(*sizes)), "CLUSTER", "certified") for sizes in CLUSTERS),
            audit_row(lending, few, "BudgetedSimilarity", "certified"),
            audit_row(lending, few, "BudgetedSimilarity", "calibrated"),
            audit_row(lending, lending.learn(few_answers(MORE)), "BudgetedSimilarity", "calibrated"),
        ],
        "within": within_rows(lending, few),
        "without experts": without_experts_rows(lending, few),
        "repairs": [repair_row(lending, few, *way) for way in REPAIRS],
    }


def audit_row(lending: Lending, model: Estimator, name: str, interval: Interval) -> dict[str, object]:
    """Audit by a model, and compare the verdicts with the truth."""
    audit = lending.audit(model, interval)
    about = {"model": name, "answers": model.n_questions_, "interval": interval}
    return {**about, **check_verdicts(audit, lending.truth).figures(), "fails_below": audit.passing.fails_below}


def within_rows(lending: Lending, model: Estimator) -> list[dict[str, object]]:
    """Return the shares within groups, where every pair is decided, whatever the model."""
    shares = lending.audit(model, "certified").shares
    rows = shares[shares["left_group"] == shares["right_group"]].to_dict("records")
    return [{str(key): value for key, value in row.items() if key != "right_group"} for row in rows]


def without_experts_rows(lending: Lending, model: Estimator) -> list[dict[str, object]]:
    """Return, for both ways to do without experts, how many verdicts are the opposite, and which way."""
    compared = compare_without_experts(lending.audit(model, "calibrated"), random_state=SEED)
    counts = compared.totals.set_index(["baseline", "by_experts"])
    return [
        {
            "baseline": row["baseline"],
            "decided": int(row["decided"]),
            "violated": int(counts.loc[(row["baseline"], "violated")].sum()),
            "violated that pass": int(counts.loc[(row["baseline"], "violated"), "satisfied"]),
            "satisfied that fail": int(counts.loc[(row["baseline"], "satisfied"), "violated"]),
        }
        for row in compared.changed.to_dict("records")
    ]


def repair_row(
    lending: Lending, model: Estimator, interval: Interval, use: RepairUse, lipschitz: float
) -> dict[str, object]:
    """Repair the scores, and tell what became of them: the change, the price, what is left, and what newcomers get."""
    repair = repair_scores(
        model, lending.people, scores=lending.scores, lipschitz=lipschitz, use=use, interval=interval
    )
    audit = lending.audit(model, interval, scores=repair.scores, lipschitz=lipschitz)
    return {
        "interval": interval,
        "under": use,
        "lipschitz": lipschitz,
        "changed": repair.n_changed,
        "mean_change": repair.mean_change,
        "spread": [repair.spread_before, repair.spread_after],
        "collapsed": repair.collapsed,
        "price": {str(name): row.tolist() for name, row in repair.price(lending.outcomes).iterrows()},
        "violated after": int(audit.shares["violated"].sum()),
        "undecided after": int(audit.shares["undecided"].sum()),
        "in truth": [truly_violated_share(lending, scores, lipschitz) for scores in (lending.scores, repair.scores)],
        **newcomers(lending, repair),
    }


def newcomers(lending: Lending, repair: ScoreRepair) -> dict[str, float]:
    """Return how many newcomers get a score that violates nothing,
    and by how much that of the others violates at most.
    """
    violations = np.concatenate(
        [repair.score_new(rows, name, lending.newcomer_scores[name])[1] for name, rows in lending.newcomers.items()]
    )
    return {
        "newcomers": len(violations),
        "newcomers without violation": int((violations <= 0.0).sum()),
        "largest violation": float(violations.max()),
    }


def truly_violated_share(lending: Lending, scores: Mapping[str, FloatArray], lipschitz: float = LIPSCHITZ) -> float:
    """Return the share of violations among all pairs across the groups, by the truth."""
    one, other = scores.values()
    left, right = np.divmod(np.arange(len(one) * len(other)), len(other))
    gaps = np.abs(one[left] - other[right])
    return float(np.mean(gaps > lipschitz * lending.truth(left, right) + ROUNDING))
