"""An oracle that answers with numbers or ranges, but is asked only for comparisons with pairs of known distance.

Each dissimilarity is found by bisection. It starts from what M1 and M2 imply from the pairs that were located before,
so that a pair near to others takes few comparisons, or none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from commensurate.arrays import BoolArray, Bounds, FloatArray
from commensurate.asking.located_pairs import LocatedPairs
from commensurate.asking.questions import Between
from commensurate.checks import checked_choice, checked_positive
from commensurate.errors import InvalidAnswer, InvalidParameter, UnknownGroup
from commensurate.groups.elements import Space
from commensurate.groups.group import GroupsInput, elements_of
from commensurate.guarantees.comparisons.bisection import Bisection
from commensurate.guarantees.comparisons.rulers import Rulers
from commensurate.guarantees.comparisons.search_with_errors import checked_failure, locate_with_errors
from commensurate.guarantees.stopping import level_of_look
from commensurate.wording import counted, is_or_are, readable, rounded_up

# what is larger by less than this factor is so by rounding
_ROUNDED = 1.0 + 1e-9

Closer = Callable[[NDArray[Any], NDArray[Any], Between, float], ArrayLike]


class ByComparisons:
    """An oracle for every estimator that learns each dissimilarity from comparisons with rulers alone.

    A *ruler* is a pair within a group, of known distance. We assume that the expert judges it by that distance, on the
    scale of σ, and that M1 and M2 hold. Then no answer is off by more than `answer_error`. Nothing is asked that M1 and
    M2 already tell, so that wrong comparisons do not show up as contradictions.

    Parameters
    ----------
    closer
        A function ``(left, right, between, distance)``, which gets one pair, as arrays with one row, and returns an
        array with one truth value: whether this pair is at least as alike as a ruler of this distance.
    groups
        The groups that the estimator is fitted on: their metrics say what M1 and M2 imply.
    half_width
        η: half of each interval is at most so wide, where rulers lie near enough to each other.
    rulers
        The rulers that can be shown; by default the distances within the groups (`Rulers.within`).
    at_most
        A number that no dissimilarity exceeds, if you know one.
    noise, failure
        Where comparisons err: the standard deviation of the error of one (normal, independent of all others), and with
        which probability any interval of all may be wrong. With ``noise=0``, comparisons are always right.
    beyond
        Of a pair that is more dissimilar than the longest ruler, comparisons give only a lower bound. Where nothing
        else makes its interval narrow: "refuse", or "answer" with its middle, or its lower end if there is no upper
        one.

    Attributes
    ----------
    n_comparisons, n_located
        How many comparisons were made, and how many pairs they located.

    Examples
    --------
    >>> groups = {"a": np.linspace(0.0, 1.0, 20)[:, None], "b": np.linspace(0.0, 1.0, 30)[:, None]}
    >>> def closer(left, right, between, distance):
    ...     return np.abs(left - right)[:, 0] <= distance
    >>> oracle = ByComparisons(closer, groups, half_width=0.05, at_most=1.0)
    >>> oracle([[0.2], [0.21]], [[0.7], [0.7]], ("a", "b")), oracle.n_comparisons
    (array([0.51724138, 0.51724138]), 4)
    """

    def __init__(
        self,
        closer: Closer,
        groups: GroupsInput,
        *,
        half_width: float,
        rulers: Rulers | None = None,
        at_most: float = math.inf,
        noise: float = 0.0,
        failure: float = 0.05,
        beyond: Literal["refuse", "answer"] = "refuse",
    ) -> None:
        if not callable(closer):
            raise InvalidParameter(
                f"closer must be a function (left, right, between, distance), got {type(closer).__name__}"
            )
        if rulers is not None and not isinstance(rulers, Rulers):
            raise InvalidParameter(f"rulers must be made by Rulers.of or Rulers.within, got {type(rulers).__name__}")
        self.half_width = checked_positive("half_width", half_width)
        self.at_most = math.inf if at_most == math.inf else checked_positive("at_most", at_most)
        self.noise = 0.0 if noise == 0.0 else checked_positive("noise", noise)
        self.failure = checked_failure(failure)
        self.beyond = checked_choice("beyond", beyond, ("refuse", "answer"))
        self.rulers = Rulers.within(groups) if rulers is None else rulers
        self.n_comparisons = self.n_located = 0
        self._closer = closer
        self._spaces: dict[str, Space] = {each.name: each.space for each in elements_of(groups)}
        self._bisection = Bisection(self.rulers, self.half_width)
        self._pairs: dict[Between, LocatedPairs] = {}
        self._widest, self._n_beyond, self._n_searched = 0.0, 0, 0

    def __call__(self, left: ArrayLike, right: ArrayLike, between: Between) -> FloatArray:
        """Return the middle of the interval of each pair (left[k], right[k])."""
        lower, upper = self._located(left, right, between)
        above = int(self._is_beyond(lower, upper).sum())
        if above and self.beyond == "refuse":
            raise InvalidAnswer(
                f"{counted(above, 'pair')} of {between[0]!r} and {between[1]!r} {is_or_are(above)} more dissimilar than the longest "
                f"ruler, {readable(self.rulers.longest)}: of these, comparisons give only a lower bound; pass longer rulers, or "
                "at_most, or beyond='answer'; what was compared is kept"
            )
        return np.where(np.isinf(upper), lower, (lower + np.where(np.isinf(upper), lower, upper)) / 2.0)

    def ranges(self, left: ArrayLike, right: ArrayLike, between: Between) -> FloatArray:
        """Return the interval of each pair, one row each, for an estimator that learns from ranges."""
        return np.column_stack(self._located(left, right, between))

    @property
    def answer_error(self) -> float:
        """How far off any answer so far is at most: half of the widest interval; infinite if one has no upper end."""
        return self._widest / 2.0

    @property
    def n_comparisons_alone(self) -> int:
        """How many comparisons would suffice without M1 and M2, if all were right: each pair bisected on its own."""
        start = np.array([0.0]), np.array([self.at_most])
        return self.n_located * int(self._bisection.comparisons(*start)[0])

    def __str__(self) -> str:
        each = f" ({self.n_comparisons / self.n_located:.2f} each)" if self.n_located else ""
        text = f"{counted(self.n_located, 'number')} from {counted(self.n_comparisons, 'comparison')} with rulers{each}"
        if self.noise:
            text += f"; all intervals hold with probability {100.0 * (1.0 - self.failure):g} % or more."
        else:
            text += f"; each on its own would take up to {self.n_comparisons_alone:,}."
        if self._n_beyond:
            text += (
                f" Of {counted(self._n_beyond, 'pair')} above the longest ruler, {readable(self.rulers.longest)}, comparisons give "
                "only a lower bound."
            )
        if math.isinf(self.answer_error):
            return f"{text} So some answers may be off by any amount."
        wide = ", because no ruler lies nearer" if self.answer_error > self.half_width * _ROUNDED else ""
        return f"{text} No answer is off by more than {rounded_up(self.answer_error)}{wide}."

    def _is_beyond(self, lower: FloatArray, upper: FloatArray) -> BoolArray:
        """Tell which intervals are wide because they reach above the longest ruler, and nothing else limits them."""
        wide = upper - lower > 2.0 * self.half_width * _ROUNDED
        return wide & (upper > self.rulers.longest) & math.isinf(self.at_most)

    def _located(self, left: ArrayLike, right: ArrayLike, between: Between) -> Bounds:
        """Return the interval of each pair, after comparing where it is not narrow enough."""
        for name in between:
            if name not in self._spaces:
                raise UnknownGroup(f"there is no group {name!r}; ByComparisons was made for {list(self._spaces)}")
        one, other = (self._spaces[name] for name in between)
        pairs = self._pairs.setdefault(between, LocatedPairs(one.metric, other.metric))

        def locate(row: FloatArray, column: FloatArray, lower: float, upper: float) -> tuple[float, float]:
            sides = one.for_oracle(row[None]), other.for_oracle(column[None])
            found = self._locate(lambda distance: self._ask(*sides, between, distance), lower, min(upper, self.at_most))
            self.n_located += 1
            self._n_beyond += int(self._is_beyond(*map(np.asarray, found)))
            self._widest = max(self._widest, found[1] - found[0])
            return found

        return pairs.intervals(_as_rows(left), _as_rows(right), locate)

    def _locate(self, closer: Callable[[float], bool], lower: float, upper: float) -> tuple[float, float]:
        # every value that M1 and M2 allow is possible, so that the two can cross by rounding alone
        lower = min(lower, upper)
        if self.noise and upper - lower > 2.0 * self.half_width:
            # these probabilities add up to the one that was granted
            self._n_searched += 1
            failure = level_of_look(self._n_searched, 1.0 - self.failure)
            found = locate_with_errors(
                closer,
                self.rulers,
                half_width=self.half_width,
                noise=self.noise,
                failure=failure,
                lower=lower,
                upper=upper,
            )
            return found.lower, found.upper
        while not self.noise and upper - lower > 2.0 * self.half_width:
            distance = float(self._bisection.next_ruler(np.array([lower]), np.array([upper]))[0])
            if math.isnan(distance):
                break
            if closer(distance):
                upper = distance
            else:
                lower = distance
        return lower, upper

    def _ask(self, left: NDArray[Any], right: NDArray[Any], between: Between, distance: float) -> bool:
        said = np.asarray(self._closer(left, right, between, distance))
        if said.shape != (1,) or said.dtype != np.bool_:
            raise InvalidAnswer(
                f"closer must return an array with one truth value per pair, True or False, got {said.dtype} of shape "
                f"{said.shape} for one pair"
            )
        self.n_comparisons += 1
        return bool(said[0])


def _as_rows(points: ArrayLike) -> FloatArray:
    """Return points as rows; where distances are precomputed, they are row numbers."""
    rows = np.asarray(points, dtype=np.float64)
    return rows[:, None] if rows.ndim == 1 else rows
