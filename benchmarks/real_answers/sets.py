"""Real answers about pairs from two groups: how a drug binds a protein, how much somebody likes the one they met."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from commensurate.arrays import FloatArray, IntArray
from commensurate.errors import InvalidInput
from commensurate.groups.elements import Elements
from commensurate.groups.group import Group, elements_of
from commensurate.groups.tables import groups_from_tables
from commensurate.learning.regression.regression import AnsweredPairs

# choices are made on one half of the elements, figures come from the other
HALVES = ("chosen on", "judged on")


@dataclass(frozen=True, slots=True, eq=False)
class RealSet:
    """Two groups, and the pairs of them that were answered about: a row of either table, and the dissimilarity."""

    name: str
    sides: tuple[Elements, Elements]
    left: IntArray
    right: IntArray
    answers: FloatArray
    # which elements of either side are in the half that choices are made on
    in_first_half: tuple[NDArray[np.bool_], NDArray[np.bool_]]

    def __len__(self) -> int:
        return len(self.answers)

    def half(self, which: str) -> RealSet:
        """Return the pairs of which both elements are in this half."""
        wanted = which == HALVES[0]
        kept = (self.in_first_half[0][self.left] == wanted) & (self.in_first_half[1][self.right] == wanted)
        return self.take(np.flatnonzero(kept))

    def take(self, rows: IntArray) -> RealSet:
        """Return some of the answered pairs."""
        return replace(self, left=self.left[rows], right=self.right[rows], answers=self.answers[rows])

    def pairs(self) -> AnsweredPairs:
        """Return the pairs as a learner takes them."""
        one, other = self.sides
        return AnsweredPairs(
            (one.space, other.space),
            one.points[self.left],
            other.points[self.right],
            self.answers,
            np.ones(len(self)),
        )


def real_folder() -> Path:
    """Return where the real answers are."""
    place = os.environ.get("COMMENSURATE_DATA")
    if not place or not (Path(place) / "real").is_dir():
        raise InvalidInput("real answers are needed: set COMMENSURATE_DATA to the folder that contains real/")
    return Path(place) / "real"


def kiba() -> RealSet:
    """Return how weakly drugs bind proteins; either group has distances only."""
    with np.load(real_folder() / "kiba.npz") as stored:
        scores = stored["score"].astype(np.float64)
        bits = np.unpackbits(stored["drug_ecfp4"], axis=1).astype(np.float64)
        alike = stored["protein_similarity"].astype(np.float64)
    both = bits @ bits.T
    either = bits.sum(axis=1)[:, None] + bits.sum(axis=1) - both
    drugs = 1.0 - both / either
    proteins = shortest_path(np.sqrt(np.maximum(1.0 - (alike + alike.T) / 2.0, 0.0)))
    for matrix in (drugs, proteins):
        np.fill_diagonal(matrix, 0.0)
    sides = elements_of([Group("drug", drugs, "precomputed"), Group("protein", proteins, "precomputed")])
    left, right = np.nonzero(np.isfinite(scores))
    return RealSet(
        "kiba",
        (sides[0], sides[1]),
        left,
        right,
        float(np.nanmax(scores)) - scores[left, right],
        (halves(len(drugs)), halves(len(proteins))),
    )


def speed_dating() -> RealSet:
    """Return how little women like men they have met; both groups have the same columns, with gaps."""
    with np.load(real_folder() / "speeddating.npz") as stored:
        tables = {name: _table(stored, name) for name in ("women", "men")}
        left, right = stored["woman"].astype(np.int64), stored["man"].astype(np.int64)
        answers, wave = 10.0 - stored["like"].astype(np.float64), stored["wave"].astype(np.int64)
    made = elements_of(groups_from_tables(tables, missing="median"))
    sides = made[0], made[1]
    # who met whom is decided by the evening: halves by evening lose no meeting
    evening = [np.zeros(len(side), dtype=np.int64) for side in sides]
    evening[0][left], evening[1][right] = wave, wave
    first = halves(int(wave.max()) + 1)
    answered = np.isfinite(answers)
    return RealSet(
        "speed dating",
        sides,
        left[answered],
        right[answered],
        answers[answered],
        (first[evening[0]], first[evening[1]]),
    )


SETS = {"kiba": kiba, "speed dating": speed_dating}


def _table(stored: np.lib.npyio.NpzFile, name: str) -> pd.DataFrame:
    table = pd.DataFrame(stored[f"{name}_numeric"].astype(np.float64), columns=list(stored["numeric"]))
    table = table.where(table != -1.0)
    codes = stored[f"{name}_category"]
    for place, column in enumerate(stored["category"]):
        table[str(column)] = pd.Series([None if code < 0 else f"c{code}" for code in codes[:, place]], dtype=object)
    return table


def halves(n: int) -> NDArray[np.bool_]:
    """Return which of n elements are in the half that choices are made on."""
    chosen: NDArray[np.bool_] = np.random.default_rng(17).permutation(n) < n // 2
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Answers to learn from, and two tests: pairs of elements that were asked about, and of elements that were not."""

    training: RealSet
    warm: RealSet
    cold: RealSet


# share of the elements of either side that no question is about
NEW = 0.25
MOST_TESTED = 4_000


def split(answered: RealSet, n: int, seed: int) -> Split:
    """Draw n answers to learn from; raise if there are not so many."""
    rng = np.random.default_rng([seed, n])
    new = [_drawn(np.unique(rows), rng) for rows in (answered.left, answered.right)]
    is_new = np.isin(answered.left, new[0]), np.isin(answered.right, new[1])
    known = rng.permutation(np.flatnonzero(~is_new[0] & ~is_new[1]))
    if len(known) < 1.2 * n:
        raise InvalidInput(f"{answered.name} has {len(known)} pairs to draw {n} from and to test with")
    training = answered.take(known[:n])
    rest = answered.take(known[n : n + 4 * MOST_TESTED])
    seen = np.isin(rest.left, training.left) & np.isin(rest.right, training.right)
    return Split(
        training,
        rest.take(np.flatnonzero(seen)[:MOST_TESTED]),
        answered.take(rng.permutation(np.flatnonzero(is_new[0] & is_new[1]))[:MOST_TESTED]),
    )


def _drawn(rows: IntArray, rng: np.random.Generator) -> IntArray:
    drawn: IntArray = rng.permutation(rows)[: round(NEW * len(rows))]
    return drawn
