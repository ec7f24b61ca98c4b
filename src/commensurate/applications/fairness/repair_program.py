"""The linear program of a repair: the least total change of scores such that no gap is larger than allowed.

Of n people there are n² / 2 pairs, and few of them bind. So the program starts with the pairs that are violated most,
is solved (SciPy's HiGHS), and gets the pairs that its solution violates, the worst of every block, until there are
none: a solution under some of the constraints that satisfies all of them is the least change under all of them.
People between whom no gap is allowed, directly or through others, share one score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, identity
from scipy.sparse.csgraph import connected_components

from commensurate.applications.intervals import ModelIntervals
from commensurate.applications.record_points import every_pair
from commensurate.arrays import FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.errors import CommensurateError
from commensurate.geometry.distinct import distinct_rows
from commensurate.progress import progress

# Of the range of the scores. What is computed in another order may be rounded otherwise; an audit must still agree.
SLACK = 1e-9
_ROUNDINGS = 64.0


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """People (or representatives) as blocks of equal scores;
    ``gaps`` is what is allowed between two blocks, above 0.
    """

    of: IntArray
    gaps: FloatArray

    def __len__(self) -> int:
        return len(self.gaps)


def slack_of(scores: FloatArray) -> float:
    """Return by how much allowed gaps are reduced, so that rounding can never make a gap too large."""
    spread, largest = float(np.ptp(scores)), float(np.abs(scores).max())
    return max(SLACK * spread, _ROUNDINGS * float(np.finfo(np.float64).eps) * largest)


def forced_blocks(allowed: FloatArray, slack: float) -> Blocks:
    """Merge all between whom the allowed gap is at most ``slack``; between blocks the smallest allowed gap binds.

    >>> blocks = forced_blocks(np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 3.0], [2.0, 3.0, 0.0]]), slack=0.0)
    >>> blocks.of, blocks.gaps
    (array([0, 0, 1]), array([[0., 2.], [2., 0.]]))
    """
    n_blocks, of = connected_components(csr_matrix((allowed <= slack).astype(np.int8)), directed=False)
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(n_blocks))
    smallest = np.minimum.reduceat(allowed[order], starts, axis=0)
    gaps = np.minimum.reduceat(smallest[:, order], starts, axis=1) - slack
    np.fill_diagonal(gaps, 0.0)
    return Blocks(of.astype(np.int64), gaps)


def of_different_people(block: IntArray, duplicates: IntArray) -> NDArray[np.bool_]:
    """Tell for each person whether its block holds anybody but its own duplicates, which have the same number."""
    least, most = (np.full(int(block.max()) + 1, start) for start in (len(block) + int(duplicates.max()), -1))
    np.minimum.at(least, block, duplicates)
    np.maximum.at(most, block, duplicates)
    differs: NDArray[np.bool_] = (least < most)[block]
    return differs


def duplicates_of(points: Sequence[FloatArray]) -> IntArray:
    """Number the people of all groups so that those of one group with equal rows have the same number.

    >>> duplicates_of([np.array([[1.0], [1.0]]), np.array([[1.0], [2.0]])])
    array([0, 0, 1, 2])
    """
    numbers, start = [], 0
    for each in points:
        found = distinct_rows(each)
        numbers.append(start + found.inverse)
        start += len(found.first)
    return np.concatenate(numbers)


# of the range of the scores: what HiGHS may leave of a violation (1e-10 is the least it
# takes), and what starts a new round
FEASIBILITY = 1e-10
VIOLATED = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LeastChange:
    """One score per block, and how much work it was."""

    values: FloatArray
    n_rounds: int
    n_constraints: int


def least_change(scores: FloatArray, block: IntArray, blocks: Blocks) -> LeastChange:
    """Return the block scores that minimise the sum of |block score − score| over all people.

    Parameters
    ----------
    scores
        What people have now.
    block
        The block of each of them.
    blocks
        How far apart the scores of two blocks may be.
    """
    low, high = float(scores.min()), float(scores.max())
    values = _medians(scores, block, len(blocks))
    if low == high or not (_excess(values, blocks.gaps) > 0.0).any():
        return LeastChange(values, 0, 0)
    # HiGHS has absolute tolerances: on this scale they mean the same for all scores
    spread = high - low
    program = _Program((scores - low) / spread, block, blocks.gaps / spread)
    solved = program.solve((values - low) / spread)
    found = low + spread * solved.values
    return LeastChange(
        _exact(np.clip(found, low, high), values, blocks.gaps, spread), solved.n_rounds, solved.n_constraints
    )


def _medians(scores: FloatArray, block: IntArray, n_blocks: int) -> FloatArray:
    """Return the median of each block: its least change, were it alone. Of two in the middle the smaller."""
    order = np.lexsort((scores, block))
    sizes = np.bincount(block, minlength=n_blocks)
    medians: FloatArray = scores[order][np.cumsum(sizes) - sizes + (sizes - 1) // 2]
    return medians


def _excess(values: FloatArray, gaps: FloatArray) -> FloatArray:
    excess: FloatArray = values[:, None] - values[None, :] - gaps
    return excess


def _exact(found: FloatArray, unchanged: FloatArray, gaps: FloatArray, spread: float) -> FloatArray:
    """Return a solution that satisfies every constraint, whatever the solver's tolerance left.

    What differs from the block's median by the tolerance is the median. Then a score is lowered to the most that any
    other allows. That ends, because gaps are positive, with scores that are within the old range: a score is never
    lowered below another one.
    """
    values = np.where(np.abs(found - unchanged) <= VIOLATED * spread, unchanged, found)
    while True:
        lowered = (values[None, :] + gaps).min(axis=1)
        if np.array_equal(lowered, values):
            return values
        values = lowered


class _Program:
    """Blocks' scores z from 0 to 1, the people's change as a convex piecewise linear
    function of z, and some constraints.

    z is a sum of pieces, one between any two neighbouring scores of the block's people. The total change grows along a
    piece by the number of people below it minus the number above it: more on every further piece, so that the optimum
    fills them in order, and no integer variables are needed.
    """

    def __init__(self, scores: FloatArray, block: IntArray, gaps: FloatArray) -> None:
        self._gaps = gaps
        k = len(gaps)
        owner = np.concatenate([np.arange(k), block, np.arange(k)])
        knots = np.concatenate([np.zeros(k), scores, np.ones(k)])
        order = np.lexsort((knots, owner))
        owner, knots = owner[order], knots[order]
        ends = np.cumsum(np.bincount(block, minlength=k) + 2)
        rank = np.arange(len(owner)) - np.repeat(ends - np.diff(ends, prepend=0), np.diff(ends, prepend=0))
        people = np.bincount(block, minlength=k)[owner]
        lengths = np.diff(knots, append=0.0)
        kept = np.flatnonzero((rank <= people) & (lengths > 0.0))
        self._costs = np.concatenate([2.0 * rank[kept] - people[kept], np.zeros(k)])
        self._lengths = np.concatenate([lengths[kept], np.ones(k)])
        pieces = csr_matrix((np.ones(len(kept)), (owner[kept], np.arange(len(kept)))), (k, len(kept)))
        self._sums = hstack([pieces, -identity(k)], format="csr")
        self._n_pieces = len(kept)

    def solve(self, values: FloatArray) -> LeastChange:
        """Solve, add what is violated, and solve again, until nothing is."""
        k, rounds, constraints = len(self._gaps), 0, np.empty(0, dtype=np.int64)
        excess = _excess(values, self._gaps)
        worst = float(excess.max())
        with progress("repairing scores", math.log(max(worst, VIOLATED) / VIOLATED), counted=False) as advance:
            while excess.max() > VIOLATED:
                more = np.union1d(constraints, _worst_of_each(excess))
                if len(more) == len(constraints):
                    break  # what is left is the solver's tolerance, and is taken care of exactly afterwards
                constraints = more
                values = self._solved(*np.divmod(constraints, k))
                rounds += 1
                excess = _excess(values, self._gaps)
                still = max(float(excess.max()), VIOLATED)
                advance(max(0.0, math.log(worst / still)))
                worst = min(worst, still)
        return LeastChange(values, rounds, len(constraints))

    def _solved(self, above: IntArray, below: IntArray) -> FloatArray:
        m, k = len(above), len(self._gaps)
        rows = np.tile(np.arange(m), 2)
        columns = self._n_pieces + np.concatenate([above, below])
        differences = csr_matrix((np.repeat([1.0, -1.0], m), (rows, columns)), (m, self._n_pieces + k))
        found = linprog(  # type: ignore[call-overload]  # its stubs know no sparse matrices
            self._costs,
            A_ub=differences,
            b_ub=self._gaps[above, below],
            A_eq=self._sums,
            b_eq=np.zeros(k),
            bounds=np.column_stack([np.zeros(len(self._lengths)), self._lengths]),
            # for 1,500 people 4 s, and highs-ipm 7 s
            method="highs-ds",
            options={"primal_feasibility_tolerance": FEASIBILITY, "dual_feasibility_tolerance": FEASIBILITY},
        )
        if found.status != 0:
            raise CommensurateError(
                f"the linear program of the repair was not solved: {found.message}; report this as a bug"
            )
        values: FloatArray = found.x[self._n_pieces :]
        return values


def _worst_of_each(excess: FloatArray) -> IntArray:
    """Return the pairs (above·k + below) that are violated most,
    one for every block above and one for every block below.

    Five of each needed 5 rounds instead of 12 for 1,500 people, with twice as many constraints, and took as long.
    """
    k = len(excess)
    every = np.arange(k)
    above = np.concatenate([every, excess.argmax(axis=0)])
    below = np.concatenate([excess.argmax(axis=1), every])
    violated = excess[above, below] > VIOLATED
    pairs: IntArray = (above * k + below)[violated]
    return pairs


RepairUse = Literal["lower", "estimate"]
REPAIR_USES: tuple[RepairUse, ...] = ("lower", "estimate")


@dataclass(frozen=True, slots=True, eq=False)
class RepairDissimilarity:
    """The dissimilarity c of a repair: the lower bound, or the estimate brought into its interval.

    c need not be a metric. Where σ differs by which group is named first, both ways bind, so that the smaller c counts.
    """

    intervals: ModelIntervals
    use: RepairUse

    def matrix(self, between: Between, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return c of every left person with every right one."""
        model, reverse = self.intervals.model, (between[1], between[0])
        if between[0] == between[1]:
            return self.intervals.matrix(between, left, right)[0]
        if model.symmetric_:
            if model.groups_.index(between[0]) > model.groups_.index(between[1]):
                return self._one_way(reverse, right, left).T
            return self._one_way(between, left, right)
        return np.minimum(self._one_way(between, left, right), self._one_way(reverse, right, left).T)

    def every(self, points: Mapping[str, FloatArray]) -> FloatArray:
        """Return c of everybody with everybody, in the order of the groups."""
        return every_pair(points, self.matrix)

    def _one_way(self, between: Between, left: FloatArray, right: FloatArray) -> FloatArray:
        lower, upper = self.intervals.matrix(between, left, right)
        if self.use == "lower":
            return lower
        estimates = self.intervals.model.predict_matrix(left, right, between)
        # outside its interval an estimate is wrong for certain; a gap that it allowed could be a certain violation
        return np.clip(estimates, lower, upper)
