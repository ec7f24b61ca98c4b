"""Customers of two vendors: a supermarket's loyalty card and a bank's payment card, with known segments and a known σ.

Both tables have an age and an income. The loyalty card's income is that of the household, the bank's is the customer's
own salary, so that the one column does not mean the same. All else differs. The vendors' customers are of the same five
segments, in other shares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from commensurate import Group, Question, groups_from_tables
from commensurate.arrays import FloatArray, IntArray

LOYALTY, BANK = "loyalty", "bank"
SEGMENTS = ("students", "families", "professionals", "savers", "retired well-off")

# what segments are like: stage of life, the customer's own means, thrift, how much happens online,
# how many earn or live with them
_TYPICAL = np.array(
    [
        (0.12, 0.22, 0.75, 0.85, 0.15),
        (0.42, 0.42, 0.70, 0.55, 0.85),
        (0.38, 0.78, 0.25, 0.80, 0.15),
        (0.80, 0.35, 0.80, 0.20, 0.35),
        (0.85, 0.68, 0.30, 0.30, 0.40),
    ]
)
_SPREAD = 0.10
_SHARES = {LOYALTY: (0.10, 0.35, 0.15, 0.25, 0.15), BANK: (0.30, 0.12, 0.33, 0.10, 0.15)}

# Full range of each column; the tables show a part of it. Scaling by what was seen only stretches distances, so that a
# function which is 1-Lipschitz on the full scale obeys M1 and M2 on the scaled one too.
_RANGES = {
    LOYALTY: {
        "age": (18.0, 90.0),
        "income": (0.0, 150_000.0),
        "basket": (0.0, 200.0),
        "discount_share": (0.0, 100.0),
        "delivery_share": (0.0, 100.0),
        "visits": (0.0, 30.0),
    },
    BANK: {
        "age": (18.0, 90.0),
        "income": (0.0, 150_000.0),
        "savings_share": (0.0, 60.0),
        "travel_share": (0.0, 60.0),
        "online_share": (0.0, 100.0),
    },
}
# What the analyst sees in a customer, from scaled columns: stage of life, freedom to spend, life online. Every matrix
# has a spectral norm of at most 1, and what is bent afterwards is nowhere steeper.
_SEES = {
    LOYALTY: np.array(
        [
            [0.88, 0.00, 0.00, 0.00, 0.00, -0.10],
            [0.00, 0.35, 0.25, -0.80, 0.00, -0.25],
            [-0.20, 0.00, 0.00, 0.00, 0.90, 0.00],
        ]
    ),
    BANK: np.array(
        [
            [0.88, 0.00, 0.00, 0.00, 0.00],
            [0.00, 0.70, -0.50, 0.40, 0.00],
            [-0.20, 0.00, 0.00, 0.00, 0.90],
        ]
    ),
}
_MIDDLE = {LOYALTY: np.array([0.42, -0.25, 0.30]), BANK: np.array([0.48, 0.22, 0.33])}
# what is further from the middle than this counts less and less
_SATURATION = np.array([0.6, 0.5, 0.6])
# so dissimilar are two customers in whom the same is seen: the vendors know too little to call any two of them alike
UNKNOWN = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Customers:
    """A vendor's table, and the segment of each row, which nobody but the world knows."""

    table: pd.DataFrame
    segments: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class SegmentsWorld:
    """The customers of both vendors to be segmented, some who come later, and the true dissimilarity across.

    Attributes
    ----------
    customers, newcomers
        By vendor.
    unknown
        The dissimilarity of two customers in whom the analyst sees the same. At 0.25, σ is about as large between
        customers of one segment as d is; at 0 it is about half as large.
    """

    customers: Mapping[str, Customers]
    newcomers: Mapping[str, Customers]
    unknown: float

    @classmethod
    def draw(
        cls, n_customers: int = 300, n_newcomers: int = 150, *, unknown: float = UNKNOWN, seed: int = 0
    ) -> SegmentsWorld:
        """Draw customers and newcomers of each vendor.

        >>> world = SegmentsWorld.draw(3, 0)
        >>> world.true_matrix().shape
        (3, 3)
        """
        rng = np.random.default_rng(seed)
        drawn = {name: _draw(name, n_customers + n_newcomers, rng) for name in _SHARES}

        def rows(part: slice) -> dict[str, Customers]:
            return {
                name: Customers(every.table[part].reset_index(drop=True), every.segments[part])
                for name, every in drawn.items()
            }

        return cls(rows(slice(n_customers)), rows(slice(n_customers, None)), unknown)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by vendor."""
        return {name: each.table for name, each in self.customers.items()}

    def groups(self) -> list[Group]:
        """Return the vendors' tables as groups; age and income are scaled together."""
        return groups_from_tables(self.tables)

    def true_matrix(self) -> FloatArray:
        """Return the true dissimilarity of every customer of the loyalty card with every one of the bank."""
        loyalty, bank = (view(name, self.tables[name]) for name in (LOYALTY, BANK))
        return self.sigma(loyalty[:, None, :] - bank[None, :, :])

    def sigma(self, gaps: FloatArray) -> FloatArray:
        """Return σ from how far views are apart: nowhere steeper than their distance, so that it obeys M1 and M2."""
        lengths: FloatArray = np.sqrt(self.unknown**2 + np.einsum("...k,...k->...", gaps, gaps))
        return lengths


@dataclass(frozen=True, slots=True, eq=False)
class Analyst:
    """An oracle that is shown raw records and answers with the truth."""

    world: SegmentsWorld

    def ask(self, questions: Sequence[Question]) -> FloatArray:
        """Answer each question from what it shows; the loyalty card's customer stands on the left."""
        left = view(LOYALTY, pd.DataFrame([question.left_record for question in questions]))
        right = view(BANK, pd.DataFrame([question.right_record for question in questions]))
        return self.world.sigma(left - right)


def view(vendor: str, table: pd.DataFrame) -> FloatArray:
    """Return what the analyst sees in each customer: stage of life, freedom to spend, life online.

    >>> world = SegmentsWorld.draw(3, 0)
    >>> view(BANK, world.tables[BANK]).shape
    (3, 3)
    """
    ranges = _RANGES[vendor]
    scaled = np.column_stack(
        [(table[name].to_numpy(dtype=np.float64) - low) / (high - low) for name, (low, high) in ranges.items()]
    )
    # einsum, not BLAS: an answer must not depend on which other pairs are asked in the same batch
    seen = np.einsum("ij,kj->ik", scaled, _SEES[vendor]) - _MIDDLE[vendor]
    bent: FloatArray = _SATURATION * np.tanh(seen / _SATURATION)
    return bent


def _draw(vendor: str, n: int, rng: np.random.Generator) -> Customers:
    segments = rng.choice(len(SEGMENTS), size=n, p=_SHARES[vendor])
    traits = _TYPICAL[segments] + _SPREAD * rng.normal(size=(n, _TYPICAL.shape[1]))
    return Customers((_loyalty if vendor == LOYALTY else _bank)(traits.T, rng), segments)


def _loyalty(traits: FloatArray, rng: np.random.Generator) -> pd.DataFrame:
    stage, means, thrift, online, household = traits
    return _whole_numbers(
        LOYALTY,
        {
            "age": stage,
            "income": 0.55 * means + 0.45 * household + _noise(stage, 0.06, rng),
            "basket": 0.15 + 0.3 * means + 0.35 * household - 0.1 * thrift + _noise(stage, 0.06, rng),
            "discount_share": thrift + _noise(stage, 0.05, rng),
            "delivery_share": 0.8 * online + _noise(stage, 0.06, rng),
            "visits": 0.5 + 0.2 * household - 0.3 * online + _noise(stage, 0.12, rng),
        },
    )


def _bank(traits: FloatArray, rng: np.random.Generator) -> pd.DataFrame:
    stage, means, thrift, online, _ = traits
    return _whole_numbers(
        BANK,
        {
            "age": stage,
            "income": 0.9 * means + _noise(stage, 0.04, rng),
            "savings_share": 0.8 * thrift + 0.1 * means + _noise(stage, 0.06, rng),
            "travel_share": 0.1 + 0.5 * means - 0.2 * thrift + _noise(stage, 0.06, rng),
            "online_share": 0.9 * online + _noise(stage, 0.05, rng),
        },
    )


def _noise(like: FloatArray, spread: float, rng: np.random.Generator) -> FloatArray:
    return spread * rng.normal(size=len(like))


def _whole_numbers(vendor: str, scaled: Mapping[str, FloatArray]) -> pd.DataFrame:
    """Return columns on a scale from 0 to 1 in the vendor's units, within their range; incomes in hundreds."""
    columns = {}
    for name, (low, high) in _RANGES[vendor].items():
        numbers = np.clip(low + (high - low) * scaled[name], low, high)
        columns[name] = numbers.round(-2 if name == "income" else 0).astype(np.int64)
    return pd.DataFrame(columns)
