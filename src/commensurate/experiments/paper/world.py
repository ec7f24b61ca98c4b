"""One data set as the paper uses it: two groups of points in [0, 1]^d, and a σ drawn from its family."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from commensurate import ClusterSimilarity, NaiveSimilarity, groups_from_tables
from commensurate.arrays import FloatArray, IntArray, PointPairs
from commensurate.asking.simulated.shared_columns import PaperExpert
from commensurate.checks import checked_choice
from commensurate.datasets import Dataset, load_adult, load_credit_card_default, load_give_me_some_credit
from commensurate.experiments.paper.published import DILATION, PAPER, PROXY_ALGORITHMS, PaperFigures

ProxyEstimator = NaiveSimilarity | ClusterSimilarity

LOADERS: Mapping[str, Callable[..., Dataset]] = {
    "credit-card-default": load_credit_card_default,
    "adult": load_adult,
    "give-me-some-credit": load_give_me_some_credit,
}


@dataclass(frozen=True, slots=True, eq=False)
class PaperWorld:
    """The scaled points of both groups, and what the paper says about them.

    ``element_of`` numbers the elements of each group: rows with equal points are one element.
    """

    paper: PaperFigures
    points: Mapping[str, FloatArray]
    element_of: Mapping[str, IntArray]

    @classmethod
    def of(cls, paper: PaperFigures, dataset: Dataset) -> PaperWorld:
        """Make points of a data set's tables."""
        points = encoded(dataset)
        return cls(paper, points, {name: _numbered(rows) for name, rows in points.items()})

    @property
    def groups(self) -> tuple[str, str]:
        """Names of the two groups; the first is the one that α belongs to."""
        first, second = self.points
        return first, second

    @property
    def epsilon(self) -> float:
        """The paper's ε for this data set."""
        return self.paper.epsilon

    def expert(self, rng: np.random.Generator) -> PaperExpert:
        """Draw α, β and θ."""
        first = self.groups[0]
        return PaperExpert.draw(self.points[first].shape[1], first, rng)

    def pairs(self, n: int, rng: np.random.Generator, rows: Mapping[str, IntArray] | None = None) -> PointPairs:
        """Draw n elements of each group independently, from all rows or from those named."""
        left, right = (
            points[rng.choice(np.arange(len(points)) if rows is None else rows[name], size=n)]
            for name, points in self.points.items()
        )
        return left, right

    def unseen_rows(self, sampled: Mapping[str, IntArray]) -> dict[str, IntArray]:
        """Return the rows whose element was never sampled, neither as this row nor as an equal one."""
        return {
            name: np.flatnonzero(~np.isin(elements, elements[sampled[name]]))
            for name, elements in self.element_of.items()
        }


def estimator(
    algorithm: str, epsilon: float, delta: float, seed: int, samples: Literal["draw", "given"] = "draw"
) -> ProxyEstimator:
    """Return NAIVE or CLUSTER with the paper's dilation.

    They ask on demand: a prediction is the same as after asking everything,
    and an answer that no test pair needs is not computed.
    """
    checked_choice("algorithm", algorithm, PROXY_ALGORITHMS)
    if algorithm == "NAIVE":
        return NaiveSimilarity(epsilon=epsilon, delta=delta, samples=samples, ask="on_demand", random_state=seed)
    return ClusterSimilarity(
        epsilon=epsilon, delta=delta, dilation=DILATION, samples=samples, ask="on_demand", random_state=seed
    )


@cache
def load_dataset(name: str, data_home: str | None) -> Dataset:
    """Return a data set in the variant that comes closest to Table 4; each process reads it once."""
    return LOADERS[name](data_home=data_home)


@cache
def paper_world(name: str, data_home: str | None) -> PaperWorld:
    """Return a data set as the paper uses it; each process makes it once."""
    return PaperWorld.of(PAPER[name], load_dataset(name, data_home))


def encoded(dataset: Dataset) -> dict[str, FloatArray]:
    """Return the points of each group: categories as integers, every column scaled to [0, 1]."""
    groups = groups_from_tables(dataset.tables)
    return {group.name: group.encoding.encode(dataset.tables[group.name]) for group in groups if group.encoding}


def _numbered(points: FloatArray) -> IntArray:
    """Return a number for each row that equal rows share."""
    _, numbers = np.unique(points, axis=0, return_inverse=True)
    # NumPy 2.0 gives it a second dimension
    return numbers.reshape(-1)
