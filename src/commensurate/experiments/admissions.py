"""A seeded admissions world: applicants from two school systems with different columns, and the truth known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate import Question

CITY, RURAL = "city", "rural"
LETTERS = ("weak", "solid", "strong", "outstanding")
OLYMPIADS = ("none", "regional", "national")
ORDERS: Mapping[str, Sequence[str]] = {"letter": LETTERS, "olympiad": OLYMPIADS}

# Full range of each column; the tables show a part of it. Scaling by what was seen only stretches distances, so that a
# function which is 1-Lipschitz on the full scale obeys M1 and M2 on the scaled one too.
_RANGES = {
    CITY: {
        "grade_average": (0.0, 4.0),
        "test_score": (400.0, 1600.0),
        "advanced_courses": (0.0, 12.0),
        "letter": (0.0, 3.0),
    },
    RURAL: {"state_exam": (0.0, 100.0), "class_rank": (0.0, 100.0), "olympiad": (0.0, 2.0), "job_hours": (0.0, 30.0)},
}


@dataclass(frozen=True, slots=True, eq=False)
class AdmissionsWorld:
    """Tables of applicants, some set aside, and the committee's true view of how dissimilar two of them are."""

    tables: Mapping[str, pd.DataFrame]
    held_out: Mapping[str, pd.DataFrame]

    @classmethod
    def draw(cls, n_rows: int = 600, n_held_out: int = 400, seed: int = 7) -> AdmissionsWorld:
        """Draw applicants; the rows to hold out are fresh draws, set aside before anything looks at them."""
        rng = np.random.default_rng(seed)
        drawn = {CITY: _city(n_rows + n_held_out, rng), RURAL: _rural(n_rows + n_held_out, rng)}
        return cls(
            {name: table.iloc[:n_rows] for name, table in drawn.items()},
            {name: table.iloc[n_rows:] for name, table in drawn.items()},
        )

    def truth(self, city: pd.DataFrame, rural: pd.DataFrame) -> NDArray[np.float64]:
        """Return the true dissimilarity of each city applicant to the rural one in the same row; 0 means alike.

        The committee sees in each applicant what was achieved, where more and more counts less and less, and what was
        overcome, where the better of two things counts; the dissimilarity is the distance between the two views. A job
        beside school counts for rural applicants, which no shared column would tell.
        """
        gaps = _VIEW[CITY].view(city) - _VIEW[RURAL].view(rural)
        distances: NDArray[np.float64] = np.sqrt((gaps * gaps).sum(axis=1))
        return distances


@dataclass(frozen=True, slots=True, eq=False)
class Committee:
    """An oracle that is shown raw records and answers with the truth; ``answered`` is told how often."""

    world: AdmissionsWorld
    answered: Callable[[int], None] = lambda n: None

    def ask(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        """Answer each question from what it shows."""
        self.answered(len(questions))
        return self.world.truth(
            pd.DataFrame([question.left_record for question in questions]),
            pd.DataFrame([question.right_record for question in questions]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """What the committee sees in scaled columns: what was achieved, and what was overcome.

    Each is bent, but nowhere steeper than one of the linear functions it is made of. If ``achieved``, together with
    either row of ``overcome``, has a spectral norm of at most 1, the view is 1-Lipschitz for Euclidean distance: the
    distance between views then obeys M1 and M2, and no linear view would give it.
    """

    ranges: Mapping[str, tuple[float, float]]
    achieved: NDArray[np.float64]
    passable: float
    overcome: NDArray[np.float64]

    def scaled(self, table: pd.DataFrame) -> NDArray[np.float64]:
        return np.column_stack(
            [(_as_number(table[name]) - low) / (high - low) for name, (low, high) in self.ranges.items()]
        )

    def view(self, table: pd.DataFrame) -> NDArray[np.float64]:
        scaled = self.scaled(table)
        achieved = _SATURATION * np.tanh((scaled @ self.achieved - self.passable) / _SATURATION)
        overcome = (scaled @ self.overcome.T).max(axis=1)
        return np.column_stack([achieved, overcome])


# returns diminish from a passable record on; what is better than that by much more than this hardly counts
_SATURATION = 0.4

_VIEW = {
    CITY: _View(
        _RANGES[CITY],
        achieved=np.array([0.55, 0.6, 0.25, 0.15]),
        passable=0.5,
        overcome=np.array([[0.1, -0.25, 0.8, 0.0], [-0.2, 0.1, 0.0, 0.75]]),
    ),
    RURAL: _View(
        _RANGES[RURAL],
        achieved=np.array([0.6, 0.5, 0.3, 0.0]),
        passable=0.3,
        overcome=np.array([[0.0, -0.25, 0.0, 0.9], [-0.3, 0.3, 0.65, 0.0]]),
    ),
}


def _as_number(column: pd.Series) -> NDArray[np.float64]:
    order = ORDERS.get(str(column.name))
    numbers = column.map({level: float(k) for k, level in enumerate(order)}) if order else column
    return np.asarray(numbers, dtype=np.float64)


# Typical profiles as (talent, diligence), and how common each is; most applicants are close to one of them.
_PROFILES = np.array([(-1.1, -0.8), (-0.4, 0.6), (0.0, -0.2), (0.5, 1.1), (1.0, 0.1), (1.6, 1.3)])
_COMMON = np.array([0.15, 0.22, 0.25, 0.16, 0.14, 0.08])
_TYPICAL = 0.9


def _character(n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw talent and diligence, as two rows: nine in ten close to a profile, the others anywhere."""
    near_profile = _PROFILES[rng.choice(len(_PROFILES), size=n, p=_COMMON)] + 0.1 * rng.normal(size=(n, 2))
    anywhere = rng.normal(size=(n, 2))
    return np.where(rng.random((n, 1)) < _TYPICAL, near_profile, anywhere).T


def _city(n: int, rng: np.random.Generator) -> pd.DataFrame:
    talent, diligence = _character(n, rng)
    return pd.DataFrame(
        {
            "grade_average": np.clip(2.9 + 0.4 * talent + 0.25 * diligence, 0.0, 4.0).round(1),
            "test_score": np.clip(1100 + 180 * talent + 20 * rng.normal(size=n), 400, 1600).round(-1).astype(int),
            "advanced_courses": np.clip(5 + 2.5 * diligence, 0, 12).round().astype(int),
            "letter": _level(0.8 * talent + 0.6 * diligence, (-0.9, 0.4, 1.4), LETTERS),
        }
    )


def _rural(n: int, rng: np.random.Generator) -> pd.DataFrame:
    talent, diligence = _character(n, rng)
    return pd.DataFrame(
        {
            "state_exam": np.clip(58 + 15 * talent + 2 * rng.normal(size=n), 0, 100).round().astype(int),
            "class_rank": np.clip(60 + 14 * talent + 12 * diligence, 0, 100).round().astype(int),
            "olympiad": _level(talent, (0.8, 1.9), OLYMPIADS),
            "job_hours": np.clip(10 - 4 * talent + 3 * diligence, 0, 30).round().astype(int),
        }
    )


def _level(values: NDArray[np.float64], cuts: tuple[float, ...], names: tuple[str, ...]) -> list[str]:
    return [names[k] for k in np.searchsorted(cuts, values)]
