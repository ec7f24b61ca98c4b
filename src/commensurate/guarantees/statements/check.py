"""Do statements contradict each other, and what do all of them certify about every pair?

With M1 and M2, which say |σ(p) − σ(q)| ≤ D(p, q), statements lower ≤ σ(p) − σ(q) ≤ upper are difference constraints. So
they contradict each other if and only if there is a cycle of negative length among them; and if there is none, the
shortest ways to and from nothing are the tightest bounds of every pair: each value between them belongs to some σ that
obeys M1 and M2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from commensurate.arrays import Bounds, FloatArray, IntArray
from commensurate.checks import checked_answer_error
from commensurate.errors import InconsistentAnswers, InvalidAnswer, InvalidInput, NoScale
from commensurate.geometry.closure import FROM_ROOT, PairDistances, Paths, Steps, shortest_paths
from commensurate.geometry.metrics import as_points
from commensurate.geometry.pair_envelope import MatchedEnvelope
from commensurate.guarantees.contradictions.compared_answers import ComparedAnswers, MetricLike
from commensurate.guarantees.contradictions.consistency import ROUNDING
from commensurate.guarantees.statements.statement import Statement
from commensurate.wording import counted, rounded_up


@dataclass(frozen=True, slots=True)
class StatementContradiction:
    """Statements that no dissimilarity with M1 and M2 can all have made true.

    ``statements`` are their numbers, in the order in which each leads to the next, twice where one counts both ways;
    ``excess`` is by how much they are too far apart, all together.
    """

    statements: tuple[int, ...]
    excess: float


@dataclass(frozen=True, slots=True, eq=False)
class StatementCheck:
    """What all statements together say.

    Attributes
    ----------
    answer_error
        How far off every perceived dissimilarity may be: a number or an end of a range by as much, a comparison of two
        by twice as much.
    contradiction
        One of few statements, none of which can be left out; None where all statements are consistent.
    smallest_answer_error
        The smallest error, in place of ``answer_error``, with which they are consistent.
    lower, upper
        The tightest bounds of every pair; NaN where statements contradict each other.
    """

    n_statements: int
    answer_error: float
    contradiction: StatementContradiction | None
    smallest_answer_error: float
    lower: FloatArray
    upper: FloatArray
    _named: tuple[str, ...] = field(repr=False)
    _only_comparisons: bool = field(repr=False)
    _compared: ComparedAnswers = field(repr=False)
    _rounding: float = field(repr=False)

    @property
    def consistent(self) -> bool:
        """Tell whether some dissimilarity with M1 and M2 makes all statements true."""
        return self.contradiction is None

    def bounds(self, left: ArrayLike, right: ArrayLike) -> Bounds:
        """Return the certified bounds of the pairs (left[k], right[k]), whether or not anybody was asked about them.

        Raises InconsistentAnswers where statements contradict each other, and NoScale where they say which pairs are
        more alike than others, but not how much: then every interval is [0, ∞).
        """
        if not self.consistent:
            raise InconsistentAnswers(str(self))
        if self._only_comparisons and not (np.isfinite(self.upper).any() or (self.lower > 0.0).any()):
            raise NoScale(
                "comparisons alone do not say how dissimilar any pair is: with σ, every smaller multiple of σ agrees with "
                "them; add a number or a range about at least one pair, or comparisons with pairs of one group, whose "
                "distance is known"
            )
        (one, other), (of_left, of_right) = self._compared.points, self._compared.metrics
        envelope = MatchedEnvelope(
            one, of_left, other, of_right, np.maximum(self.lower - self._rounding, 0.0), self.upper + self._rounding
        )
        return envelope.bounds(*self._compared.checked_pairs(left, right))

    def __str__(self) -> str:
        granted = f", each allowed to be off by {self.answer_error:.6g}," if self.answer_error > 0.0 else ""
        told = counted(self.n_statements, "statement")
        if self.contradiction is None:
            every = (
                f"All {told}{granted} are" if self.n_statements > 1 else f"The {told.removeprefix('1 ')}{granted} is"
            )
            return f"{every} consistent: M1, M2 and what was said can all be true."
        lines = [
            f"Of {told}{granted or ','} {len(self._named)} contradict each other: together they are "
            f"{self.contradiction.excess:.6g} farther apart than M1 and M2 allow.",
            *(f"  {number}. {said}." for number, said in enumerate(self._named, start=1)),
            f"All would be consistent if each could be off by {rounded_up(self.smallest_answer_error, 6)} or more.",
        ]
        return "\n".join(lines)


def check_statements(
    left: ArrayLike,
    right: ArrayLike,
    statements: Sequence[Statement],
    *,
    metric: MetricLike | tuple[MetricLike, MetricLike] = "euclidean",
    answer_error: float = 0.0,
    labels: Sequence[str] | None = None,
) -> StatementCheck:
    """Say whether statements contradict each other, and what they certify about every pair.

    Parameters
    ----------
    left, right
        The pairs that statements name by their numbers, one row each; the two sides may have different columns.
    statements
        What was said. A comparison with a pair of one group, whose distance t is known, says that σ is at most or at
        least t: `Statement.between`.
    metric
        The intra-group metric: a name, a `Metric`, or a function of two matrices; two of them if the sides differ.
    answer_error
        How far off a perceived dissimilarity may be: a number by as much, a comparison of two by twice as much.
    labels
        How to call each pair; "pair 0", "pair 1", … by default.

    Examples
    --------
    >>> said = [Statement.number(0, 0.5), Statement.more_alike(1, than=0)]
    >>> check = check_statements([[0.0], [4.0]], [[0.0], [0.0]], said)
    >>> check.upper, check.bounds([[3.0]], [[0.0]])
    (array([0.5, 0.5]), (array([0.]), array([1.5])))
    >>> print(check_statements([[0.0], [4.0]], [[0.0], [0.0]], [*said, Statement.between(1, at_least=0.7)]))
    Of 3 statements, 3 contradict each other: together they are 0.2 farther apart than M1 and M2 allow.
      1. pair 0 is 0.5.
      2. pair 1 is at least as alike as pair 0.
      3. pair 1 is at least 0.7.
    All would be consistent if each could be off by 0.05 or more.
    """
    n = len(as_points(left, "left"))
    compared = ComparedAnswers.of(left, right, n, metric, labels, "pair")
    statements = _checked(statements, n)
    error = checked_answer_error(answer_error)
    told = _Told.of(statements)
    one, other = compared.points
    distances = PairDistances(one, compared.metrics[0], other, compared.metrics[1])
    rounding = ROUNDING * told.size
    found = _search(told, distances, error, rounding)
    named, enough = found.contradiction and _fewest(told, distances, error, rounding, found.contradiction), error
    while found.contradiction is not None:
        # what mends this one; less than rounding mends nothing
        enough += max(found.contradiction.excess / told.errors_in(found.contradiction), rounding)
        found = _search(told, distances, enough, rounding)
    if named is None:
        # how little would do in the place of what was granted
        enough = 0.0 if error == 0.0 else check_statements(left, right, statements, metric=metric).smallest_answer_error
        bounds = found.lower, found.upper
    else:
        bounds = np.full(n, np.nan), np.full(n, np.nan)
    return StatementCheck(
        n_statements=len(statements),
        answer_error=error,
        contradiction=named,
        smallest_answer_error=enough,
        lower=bounds[0],
        upper=bounds[1],
        _named=() if named is None else tuple(statements[k].in_words(labels) for k in dict.fromkeys(named.statements)),
        _only_comparisons=all(one.other is not None for one in statements),
        _compared=compared,
        _rounding=rounding,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    lower: FloatArray
    upper: FloatArray
    contradiction: StatementContradiction | None


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """All statements, as arrays; ``other`` is `FROM_ROOT` where there is none."""

    pair: IntArray
    other: IntArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, statements: Sequence[Statement]) -> _Told:
        others = [FROM_ROOT if one.other is None else one.other for one in statements]
        return cls(
            np.array([one.pair for one in statements], dtype=np.int64),
            np.array(others, dtype=np.int64),
            np.array([one.lower for one in statements], dtype=np.float64),
            np.array([one.upper for one in statements], dtype=np.float64),
        )

    def take(self, statements: IntArray) -> tuple[_Told, IntArray]:
        """Return some of the statements, about pairs that are numbered anew, and which pairs these are."""
        pair, other = self.pair[statements], self.other[statements]
        pairs = np.unique(np.concatenate([pair, other[other != FROM_ROOT]]))
        anew = np.where(other == FROM_ROOT, FROM_ROOT, np.searchsorted(pairs, other))
        return _Told(np.searchsorted(pairs, pair), anew, self.lower[statements], self.upper[statements]), pairs

    @property
    def size(self) -> float:
        """How large the numbers are that were said."""
        ends = np.abs(np.concatenate([self.lower, self.upper]))
        return float(ends[np.isfinite(ends)].max(initial=0.0))

    @property
    def errors(self) -> FloatArray:
        """How many perceived dissimilarities each compares."""
        return np.where(self.other == FROM_ROOT, 1.0, 2.0)

    def errors_in(self, contradiction: StatementContradiction) -> float:
        """Return by how many times the error of an answer the statements come nearer to each other."""
        return float(self.errors[list(contradiction.statements)].sum())

    def steps(self, error: float, *, backwards: bool) -> tuple[Steps, IntArray]:
        """Return the steps from the root, or backwards to it, and the statement of each."""
        slack = error * self.errors
        alone = self.other == FROM_ROOT
        # σ(pair) ≤ σ(other) + upper, and σ(other) ≤ σ(pair) − lower
        up, down = np.isfinite(self.upper), np.isfinite(self.lower) & ~alone
        first = np.flatnonzero(up & ~(alone & backwards))
        second = np.flatnonzero(down | (np.isfinite(self.lower) & alone & backwards))
        source = np.concatenate([self.other[first], self.pair[second]])
        target = np.concatenate([self.pair[first], self.other[second]])
        length = np.concatenate([(self.upper + slack)[first], (slack - self.lower)[second]])
        if backwards:
            source, target = target, source
        return Steps(source, target, length), np.concatenate([first, second])


def _search(told: _Told, distances: PairDistances, error: float, rounding: float) -> _Found:
    """Return the tightest bounds of all pairs, or the worst contradiction that stands in their way."""
    backwards, said_backwards = told.steps(error, backwards=True)
    # σ is at least 0: so every pair leads to the root, and no cycle is missed
    to_root = shortest_paths(distances, backwards, at_most=0.0)
    nothing = np.empty(0)
    if to_root.cycle is not None:
        return _Found(nothing, nothing, _of_cycle(to_root, backwards, said_backwards, distances))
    forwards, said_forwards = told.steps(error, backwards=False)
    to_pairs = shortest_paths(distances, forwards)
    if to_pairs.cycle is not None:  # beside large numbers, the search backwards took it for rounding
        return _Found(nothing, nothing, _of_cycle(to_pairs, forwards, said_forwards, distances))
    upper, lower = to_pairs.length, 0.0 - to_root.length
    worst = int(np.argmax(lower - upper))
    if lower[worst] - upper[worst] > rounding:
        way = [int(said_forwards[k]) for k in to_pairs.way_to(worst)]
        way += [int(said_backwards[k]) for k in reversed(to_root.way_to(worst))]
        return _Found(nothing, nothing, StatementContradiction(tuple(way), float(lower[worst] - upper[worst])))
    # what is left of an excess is rounding
    return _Found(np.minimum(lower, upper), upper, None)


def _fewest(
    told: _Told, distances: PairDistances, error: float, rounding: float, found: StatementContradiction
) -> StatementContradiction:
    """Return a contradiction among the statements of this one that needs all of its own."""
    numbers = np.array(list(dict.fromkeys(found.statements)), dtype=np.int64)
    for left_out in numbers.tolist():
        rest = numbers[numbers != left_out]
        some, pairs = told.take(rest)
        fewer = _search(some, distances.take(pairs), error, rounding).contradiction if len(rest) else None
        if fewer is not None:
            of_all = StatementContradiction(tuple(rest[list(fewer.statements)].tolist()), fewer.excess)
            return _fewest(told, distances, error, rounding, of_all)
    return found


def _of_cycle(paths: Paths, steps: Steps, said: IntArray, distances: PairDistances) -> StatementContradiction:
    """Return the contradiction of comparisons alone: a cycle that never passes the root."""
    cycle = np.array(paths.cycle, dtype=np.int64)
    numbers = paths.said_on_cycle()
    apart = 0.0
    for pair in cycle[paths.by[cycle] < 0].tolist():
        before = int(paths.before[pair])
        apart += float(distances.between(np.array([before]), slice(pair, pair + 1))[0, 0])
    excess = -(apart + float(steps.length[numbers].sum()))
    return StatementContradiction(tuple(int(said[k]) for k in numbers), excess)


def _checked(statements: object, n_pairs: int) -> list[Statement]:
    if not isinstance(statements, Iterable):
        raise InvalidInput(f"statements must be a list of Statement objects, got {type(statements).__name__}")
    listed = list(statements)
    if not listed:
        raise InvalidInput("there are no statements; pass at least one")
    for number, one in enumerate(listed):
        _check_one(number, one, n_pairs)
    return listed


def _check_one(number: int, one: Any, n_pairs: int) -> None:
    if not isinstance(one, Statement):
        raise InvalidInput(f"statements must be Statement objects, but number {number} is {type(one).__name__}")
    for pair in (one.pair, *([] if one.other is None else [one.other])):
        if not isinstance(pair, int | np.integer) or isinstance(pair, bool):
            raise InvalidInput(f"a statement names pairs by whole numbers, but statement {number} names {pair!r}")
        if not 0 <= pair < n_pairs:
            raise InvalidInput(f"statement {number} names pair {pair}, but there are {n_pairs} pairs, numbered from 0")
    if one.other == one.pair:
        raise InvalidAnswer(f"statement {number} compares pair {one.pair} with itself; compare two different pairs")
    if any(not isinstance(end, int | float | np.number) or isinstance(end, bool) for end in (one.lower, one.upper)):
        raise InvalidAnswer(
            f"the ends of a statement must be numbers, but statement {number} goes from {one.lower!r} to {one.upper!r}"
        )
    if math.isnan(one.lower) or math.isnan(one.upper) or one.lower > one.upper:
        raise InvalidAnswer(
            f"the lower end of a statement must not be above its upper end, but statement {number} goes from "
            f"{one.lower} to {one.upper}"
        )
    if one.lower == math.inf or one.upper == -math.inf or (one.other is None and one.upper < 0.0):
        raise InvalidAnswer(
            f"a dissimilarity is a finite number, at least 0, but statement {number} goes from {one.lower} to {one.upper}"
        )
    if one.other is None and max(one.lower, 0.0) == 0.0 and one.upper == math.inf:
        raise InvalidAnswer(f"statement {number} says nothing: every dissimilarity is from 0 to infinity")
    if one.other is not None and one.lower == -math.inf and one.upper == math.inf:
        raise InvalidAnswer(f"statement {number} says nothing: it has neither a lower nor an upper end")
