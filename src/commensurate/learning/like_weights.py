"""How much held-out answers count for pairs of another kind than those asked about.

The weight of a pair is the product over its two sides, because sides are drawn independently: for each, how much more
frequent records like it are among those to come than among those asked about. A small classifier learns it, by straight
lines on the columns, from records that were asked about but not held out, against records of the new kind. No answer
has a part in it, nor any held-out record, so that the same rule weighs held-out and new pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.errors import InvalidInput, InvalidParameter, UnknownGroup
from commensurate.geometry.metrics import PrecomputedMetric
from commensurate.groups.elements import Space
from commensurate.guarantees.weighted_conformal import effective_number, weighted_quantiles
from commensurate.learning.compared_records import fitted_columns
from commensurate.learning.held_out_pairs import HeldOutPairs
from commensurate.wording import counted, rounded_down

# of more rows, a fixed random choice is learnt from
MOST_LEARNT_FROM = 1_000
FEWEST = 10
FOLDS = 5
# how little a classifier is held back, of which cross-validation chooses; with the first, weights are nearly the same
STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class FrequencyRatio:
    """How much more frequent records like a point are among new ones than among those asked about, as a function."""

    space: Space
    centre: FloatArray
    spread: FloatArray
    slopes: FloatArray
    intercept: float

    @classmethod
    def learn(cls, space: Space, asked: FloatArray, new: FloatArray) -> FrequencyRatio:
        """Tell new records from those asked about; how sharply, cross-validation chooses."""
        asked, new = (_features(space, _some(points)) for points in (asked, new))
        if min(len(asked), len(new)) < FEWEST:
            raise InvalidInput(
                f"weights need at least {FEWEST} records of group {space.name!r} that were asked about and not held out, "
                f"and {FEWEST} of the new kind, got {len(asked)} and {len(new)}"
            )
        both = np.concatenate([asked, new])
        is_new = np.arange(len(both)) >= len(asked)
        centre, spread = both.mean(axis=0), both.std(axis=0)
        spread[spread == 0.0] = 1.0
        scaled = (both - centre) / spread
        folds = _folds(len(asked), len(new))
        losses = [
            sum(
                _loss(
                    _classifier(scaled[folds != k], is_new[folds != k], strength),
                    scaled[folds == k],
                    is_new[folds == k],
                )
                for k in range(FOLDS)
            )
            for strength in STRENGTHS
        ]
        slopes, intercept = _classifier(scaled, is_new, STRENGTHS[int(np.argmin(losses))])
        # the odds of being new, as if there were as many of either kind
        return cls(space, centre, spread, slopes, intercept + float(np.log(len(asked) / len(new))))

    def of(self, points: FloatArray) -> FloatArray:
        """Return the ratio at each point."""
        scaled = (_features(self.space, points) - self.centre) / self.spread
        # beyond, a weight is as good as none or as all
        odds = np.clip(np.einsum("ij,j->i", scaled, self.slopes) + self.intercept, -50.0, 50.0)
        return np.asarray(np.exp(odds), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class LikeWeights:
    """How much each held-out answer counts for pairs of records of another kind; ``str()`` says it.

    The weights are estimated, so that intervals that rest on them are approximate.

    Attributes
    ----------
    between
        The two groups, as they were asked.
    ratios
        Of either side, how much more frequent a record is among the new ones; None where records have not changed.
    held_out
        The held-out pairs; those without an answer have an infinite score where they count.
    """

    between: Between
    ratios: tuple[FrequencyRatio | None, FrequencyRatio | None]
    held_out: HeldOutPairs

    @cached_property
    def weights(self) -> FloatArray:
        """The weight of each held-out pair."""
        return self.of(self.held_out.left, self.held_out.right)

    @property
    def n(self) -> int:
        """How many held-out pairs there are."""
        return len(self.held_out)

    @property
    def effective(self) -> float:
        """How many held-out pairs of equal weight would be worth as much: (Σw)² / Σw²."""
        return effective_number(self.weights)

    def of(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the weight of each pair (left[k], right[k])."""
        weights = np.ones(len(left))
        for ratio, points in zip(self.ratios, (left, right)):
            if ratio is not None:
                weights *= ratio.of(points)
        return weights

    def factors(self, left: FloatArray, right: FloatArray, level: float) -> FloatArray:
        """Return for each pair how many uncertainties its interval reaches to either side; infinite where too few."""
        return weighted_quantiles(self.held_out.scores, self.weights, self.of(left, right), level)

    def __str__(self) -> str:
        return (
            "calibrated intervals are weighted for records like the new ones: the "
            f"{counted(self.n, 'held-out question')} between {self.between[0]!r} and {self.between[1]!r} count as "
            f"{rounded_down(self.effective, 3)} of equal weight (the effective number). The intervals are approximate, "
            "since the weights are estimated, and infinite for pairs that are too rare among those asked about"
        )


def _folds(n_asked: int, n_new: int) -> IntArray:
    """Deal the records of either kind out to folds of nearly the same size."""
    rng = np.random.default_rng(SEED)
    return np.concatenate([rng.permutation(n) % FOLDS for n in (n_asked, n_new)])


def _classifier(points: FloatArray, is_new: BoolArray, strength: float) -> tuple[FloatArray, float]:
    from sklearn.linear_model import LogisticRegression

    learnt = LogisticRegression(C=strength, solver="newton-cholesky").fit(points, is_new)
    return learnt.coef_[0], float(learnt.intercept_[0])


def _loss(classifier: tuple[FloatArray, float], points: FloatArray, is_new: BoolArray) -> float:
    slopes, intercept = classifier
    odds = points @ slopes + intercept
    return float(np.logaddexp(0.0, np.where(is_new, -odds, odds)).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Records of a group that were asked about and not held out."""

    space: Space
    points: FloatArray


def learn_ratios(
    like: Mapping[Any, object], between: Between, known: Sequence[Known]
) -> tuple[FrequencyRatio | None, FrequencyRatio | None]:
    """Learn the ratio of either side; None for a group of which there are no new rows, since it has not changed."""
    if not isinstance(like, Mapping) or not like:
        raise InvalidParameter(
            f"like must be a dict with rows of the new kind by group, such as {{{between[0]!r}: rows}}, or what "
            f"weights_like returned, got {type(like).__name__}"
        )
    rows = {str(name): given for name, given in like.items()}
    if unknown := [name for name in rows if name not in between]:
        raise UnknownGroup(
            f"like names the group {unknown[0]!r}, but the pairs are between {between[0]!r} and {between[1]!r}"
        )
    left, right = (_ratio(each, rows[each.space.name]) if each.space.name in rows else None for each in known)
    return left, right


def _ratio(known: Known, rows: object) -> FrequencyRatio:
    if isinstance(known.space.metric, PrecomputedMetric):
        raise InvalidParameter(
            f"like learns weights from columns, but of group {known.space.name!r} only distances are known; leave it out"
        )
    return FrequencyRatio.learn(known.space, known.points, known.space.points_of(rows))


def _some(points: FloatArray) -> FloatArray:
    if len(points) <= MOST_LEARNT_FROM:
        return points
    return points[np.sort(np.random.default_rng(SEED).choice(len(points), MOST_LEARNT_FROM, replace=False))]


def _features(space: Space, points: FloatArray) -> FloatArray:
    """Return points with one column for each category of those that have no order."""
    parts = []
    for column, own in fitted_columns(space):
        values = points[:, own]
        if column.unordered and not column.one_hot:
            span = column.high - column.low
            codes = values * (span if span > 0.0 else 1.0) + column.low
            values = (np.rint(codes) == np.arange(1, len(column.categories or ()) + 1)).astype(np.float64)
        parts.append(values)
    return np.hstack(parts) if parts else points
