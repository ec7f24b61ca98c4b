"""The demo: NAIVE and CLUSTER on the admissions world, judged on applicants that neither has seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate import ClusterSimilarity, Group, NaiveSimilarity, groups_from_tables
from commensurate.experiments.admissions import CITY, ORDERS, RURAL, AdmissionsWorld, Committee

EPSILON, DELTA, DILATION, SHARE, SEED = 0.05, 0.05, 2.0, 0.9, 0
ROUNDING = 1e-12

FloatArray = NDArray[np.float64]
Estimator = NaiveSimilarity | ClusterSimilarity


def demo_estimators() -> dict[str, Estimator]:
    """Return the two algorithms as the demo runs them."""
    return {
        "NAIVE": NaiveSimilarity(epsilon=EPSILON, delta=DELTA, random_state=SEED),
        "CLUSTER": ClusterSimilarity(epsilon=EPSILON, delta=DELTA, dilation=DILATION, random_state=SEED),
    }


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """One fitted algorithm, judged on held-out pairs.

    ``error_bounds`` says by how much each estimate can be off at most; no answer is needed to know it.
    """

    estimator: Estimator
    truth: FloatArray
    estimates: FloatArray
    lower: FloatArray
    upper: FloatArray
    error_bounds: FloatArray
    guarantee: str

    @property
    def errors(self) -> FloatArray:
        """Absolute errors."""
        return np.abs(self.estimates - self.truth)

    @property
    def share_held(self) -> float:
        """Share of certified intervals that hold the truth."""
        return float(np.mean((self.lower <= self.truth + ROUNDING) & (self.truth <= self.upper + ROUNDING)))

    def figures(self) -> dict[str, float]:
        """Return the figures that the demo's table shows."""
        return {
            "questions": self.estimator.n_questions_,
            "mean error": float(self.errors.mean()),
            "95 % of errors ≤": float(np.quantile(self.errors, 0.95, method="higher")),
            "largest error": float(self.errors.max()),
            "mean interval width": float((self.upper - self.lower).mean()),
            "intervals that hold": self.share_held,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Demo:
    """The world and its groups; ``pairs`` are held out before anything is learnt."""

    world: AdmissionsWorld
    groups: list[Group]

    @classmethod
    def prepare(cls) -> Demo:
        """Draw the world."""
        world = AdmissionsWorld.draw()
        return cls(world, groups_from_tables(world.tables, orders=ORDERS))

    @property
    def pairs(self) -> Mapping[str, pd.DataFrame]:
        """The held-out applicants, paired by row."""
        return self.world.held_out

    def judge(self, estimator: Estimator, answered: Callable[[int], None] = lambda n: None) -> Judged:
        """Let the committee answer, then judge the estimator; ``answered`` is told how many answers have come."""
        city, rural = self.pairs[CITY], self.pairs[RURAL]
        estimator.fit(self.groups, oracle=Committee(self.world, answered))
        lower, upper = estimator.predict_interval(city, rural)
        return Judged(
            estimator=estimator,
            truth=self.world.truth(city, rural),
            estimates=estimator.predict(city, rural),
            lower=lower,
            upper=upper,
            error_bounds=estimator.proxy_distances(city, CITY) + estimator.proxy_distances(rural, RURAL),
            guarantee=str(estimator.guarantee(held_out=self.pairs, share=SHARE)),
        )
