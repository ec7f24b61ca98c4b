"""BudgetedSimilarity in the variants that are measured."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from benchmarks.budget.catalogue import WorldSpec
from benchmarks.budget.measures import Bounds
from benchmarks.budget.worlds import DrawnWorld, TestPairs
from commensurate import BudgetedSimilarity
from commensurate.asking.simulated.families import Expert
from commensurate.errors import TooFewAnswers

OURS, WITHOUT_MINKOWSKI, GP_ALONE = "ours", "ours without the Minkowski mean", "ours, Gaussian process alone"
LEARNERS: Mapping[str, str] = {OURS: "auto", WITHOUT_MINKOWSKI: "auto-free", GP_ALONE: "gp"}
CONFIDENCE = 0.95


def our_variants(spec: WorldSpec) -> tuple[str, ...]:
    """Return which variants are measured in a world.

    The Minkowski mean contains the paper's σ,
    so on the paper's worlds its lead is by construction: there both are told.
    """
    return (OURS, WITHOUT_MINKOWSKI, GP_ALONE) if spec.is_the_papers else (OURS, GP_ALONE)


def our_estimator(variant: str, answers: int, noisy: bool, seed: int) -> BudgetedSimilarity:
    """Return an unfitted estimator."""
    return BudgetedSimilarity(
        budget=answers,
        learner=LEARNERS[variant],
        answer_error="noise" if noisy else 0.0,
        random_state=seed,
    )


def fitted(variant: str, world: DrawnWorld, answers: int, oracle: Expert, seed: int) -> BudgetedSimilarity:
    """Let a variant ask as many questions as it may."""
    return our_estimator(variant, answers, world.noise > 0.0, seed).fit(world.groups(), oracle)


def intervals(model: BudgetedSimilarity, test: TestPairs) -> Bounds:
    """Return the calibrated intervals of fresh pairs; too few held-out answers make them infinite, which is counted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooFewAnswers)
        return model.predict_interval(
            test.left, test.right, test.between, interval="calibrated", confidence_level=CONFIDENCE
        )
