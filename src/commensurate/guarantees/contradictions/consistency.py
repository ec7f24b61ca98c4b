"""Do the answers contradict each other? Two answers must not differ by more than the distances between their elements.

If M1 and M2 hold and answer i says that the dissimilarity of (x_i, y_i) lies in [a_i, b_i], then a_i ≤ b_j + D_ij for
all i and j, where D_ij = d(x_i, x_j) + d'(y_i, y_j); and if that holds for all i and j, some dissimilarity with M1 and
M2 gives these answers. So comparing every answer with every other finds every contradiction, and nothing else is one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from commensurate.arrays import FloatArray
from commensurate.checks import as_answers, checked_answer_error, checked_count
from commensurate.errors import InvalidAnswer
from commensurate.guarantees.contradictions.compared_answers import ComparedAnswers, MetricLike
from commensurate.wording import rounded_up

# an excess below this fraction of the largest answer is rounding, and so is a distance below this fraction of a gap
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two answers of which the first exceeds the second by ``excess`` more than their ``distance`` and errors allow.

    ``first`` and ``second`` are numbers of answers; ``labels`` is how to call the two. ``answer_error`` is how far each
    of them may be off.
    """

    first: int
    second: int
    excess: float
    distance: float
    labels: tuple[str, str]
    answer_error: float = 0.0

    @property
    def gap(self) -> float:
        """By how much the first answer exceeds the second."""
        return self.excess + self.distance + 2.0 * self.answer_error

    def __str__(self) -> str:
        gap = f"{self.labels[0]} exceeds {self.labels[1]} by {self.gap:.6g}"
        off = f" and each answer may be off by {self.answer_error:.6g}" if self.answer_error else ""
        if self.distance == 0.0:
            too_much = f": {self.excess:.6g} too much" if off else ""
            return f"{gap}, but the distance between their elements is 0{off}{too_much}"
        return f"{gap}, but their elements are only {self.distance:.6g} apart{off}: {self.excess:.6g} too much"


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """What comparing every answer with every other found.

    Attributes
    ----------
    n_answers
        How many answers were compared.
    answer_error
        The error η granted to every answer: it was read as [max(0, a − η), b + η].
    tolerance
        An excess up to this is taken for rounding.
    contradictions
        The worst ones, worst first; equally bad ones by their numbers.
    n_contradictions
        How many ordered pairs of answers contradict each other, listed above or not.
    smallest_answer_error
        The smallest η, in place of (not on top of) ``answer_error``, with which the answers as given are consistent:
        half of the largest a_i − b_j − D_ij, or 0.
    smallest_scale
        The smallest factor ≥ 1 by which d would have to grow to make the answers, read with ``answer_error``,
        consistent; infinite if answers about elements at distance 0 contradict each other, or at a distance that is
        rounding beside the difference of the answers.
    """

    n_answers: int
    answer_error: float
    tolerance: float
    contradictions: tuple[Contradiction, ...]
    n_contradictions: int
    smallest_answer_error: float
    smallest_scale: float

    @property
    def consistent(self) -> bool:
        """Tell whether no two answers contradict each other."""
        return self.n_contradictions == 0

    def __str__(self) -> str:
        granted = f", each allowed to be off by {self.answer_error:.6g}" if self.answer_error > 0.0 else ""
        if self.consistent:
            return (
                f"All {self.n_answers:,} answers{granted}{',' if granted else ''} are consistent: no two contradict each "
                "other."
            )
        lines = [
            f"Of {self.n_answers:,} answers{granted}, {self.n_contradictions:,} "
            f"{'pair contradicts' if self.n_contradictions == 1 else 'pairs contradict'} each other: the answers "
            "differ by more than the distances between the elements allow.",
            *(f"  {number}. {found}." for number, found in enumerate(self.contradictions, start=1)),
            f"All answers would be consistent if each could be off by {rounded_up(self.smallest_answer_error, 6)} or "
            "more.",
            "No scaling of the distances helps: answers about elements at distance 0, or so near that it is rounding, "
            "contradict each other."
            if math.isinf(self.smallest_scale)
            else f"They would also be consistent if all distances were {rounded_up(self.smallest_scale, 6)} times as large.",
        ]
        return "\n".join(lines)


def check_answers(
    left: ArrayLike,
    right: ArrayLike,
    answers: ArrayLike,
    *,
    metric: MetricLike | tuple[MetricLike, MetricLike] = "euclidean",
    answer_error: float = 0.0,
    worst: int = 10,
    labels: Sequence[str] | None = None,
) -> AnswerCheck:
    """Compare every answer with every other and report the contradictions.

    Parameters
    ----------
    left, right
        The elements asked about, one row an answer; the two sides may have different columns.
    answers
        One dissimilarity an answer, or two columns [a, b]: it is at least a and at most b (b may be infinite).
    metric
        The intra-group metric: a name, a `Metric`, or a function of two matrices; two of them if the sides differ.
    answer_error
        The largest error η that an answer may have.
    worst
        How many contradictions to list.
    labels
        How to call each answer; "answer 0", "answer 1", … by default.

    >>> print(check_answers([[0.0], [1.0]], [[0.0], [0.0]], [0.5, 2.0]))  # doctest: +NORMALIZE_WHITESPACE
    Of 2 answers, 1 pair contradicts each other: the answers differ by more than the distances between the elements
    allow.
      1. answer 1 exceeds answer 0 by 1.5, but their elements are only 1 apart: 0.5 too much.
    All answers would be consistent if each could be off by 0.25 or more.
    They would also be consistent if all distances were 1.5 times as large.
    """
    least, most = _ends(answers)
    compared = ComparedAnswers.of(left, right, len(least), metric, labels)
    return _compare(compared, (least, most), checked_answer_error(answer_error), checked_count("worst", worst))


def _compare(
    compared: ComparedAnswers, ends: tuple[FloatArray, FloatArray], answer_error: float, worst: int
) -> AnswerCheck:
    least, most = ends
    tolerance = ROUNDING * float(np.concatenate([least, most[np.isfinite(most)]]).max(initial=0.0))
    # Widening both answers by η takes 2η off an excess. That max(0, a − η) does not go below 0 makes no difference: an
    # answer with a < η exceeds nothing anyway.
    granted = 2.0 * answer_error
    found: list[Contradiction] = []
    n_found, largest, scale = 0, 0.0, 1.0

    for first_start, second_start, distances in _ordered_blocks(compared):
        height, width = distances.shape
        lows, highs = least[first_start : first_start + height], most[second_start : second_start + width]
        excess = lows[:, None] - highs
        excess -= distances
        largest = max(largest, float(excess.max(initial=0.0)))
        rows, columns = np.nonzero(excess > tolerance + granted)
        if len(rows) == 0:
            continue
        apart, too_much = distances[rows, columns], excess[rows, columns] - granted
        n_found += len(rows)
        scale = max(scale, _largest_ratio(lows[rows] - highs[columns] - granted, apart))
        # nonzero goes by rows and the sort is stable, hence ties are in the order of their numbers
        for k in np.argsort(-too_much, kind="stable")[:worst].tolist():
            first, second = first_start + int(rows[k]), second_start + int(columns[k])
            names = compared.label(first), compared.label(second)
            found.append(Contradiction(first, second, float(too_much[k]), float(apart[k]), names, answer_error))
        found = sorted(found, key=lambda one: (-one.excess, one.first, one.second))[:worst]
    return AnswerCheck(
        n_answers=len(least),
        answer_error=answer_error,
        tolerance=tolerance,
        contradictions=tuple(found),
        n_contradictions=n_found,
        smallest_answer_error=largest / 2.0 if largest > tolerance else 0.0,
        smallest_scale=scale,
    )


def _largest_ratio(gaps: FloatArray, distances: FloatArray) -> float:
    """Return the largest gap as a multiple of its distance; infinite where the distance is 0, or rounding beside it."""
    ratios = np.divide(gaps, distances, out=np.full(len(gaps), np.inf), where=distances > ROUNDING * gaps)
    return float(ratios.max())


def _ordered_blocks(compared: ComparedAnswers) -> Iterator[tuple[int, int, FloatArray]]:
    """Yield D between runs of answers, with the runs' first numbers; every ordered pair of answers is in one block.

    D is symmetric: what lies below the diagonal is turned over.
    """
    for start, distances in compared.distance_blocks():
        stop = start + len(distances)
        yield start, start, distances
        yield stop, start, distances[:, stop - start :].T


def _ends(answers: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper ends of the answers."""
    array = as_answers(answers, "answers")
    if not (array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 2)):
        raise InvalidAnswer(
            f"answers must be a list of numbers or two columns, at least and at most, got shape {array.shape}"
        )
    least, most = (array, array) if array.ndim == 1 else (array[:, 0], array[:, 1])
    _check_ends("be finite and at least 0", np.isfinite(least) & (least >= 0.0), array)
    if array.ndim == 2:
        _check_ends("have a lower end not above the upper end", least <= most, array)
    return least, most


def _check_ends(what: str, good: NDArray[np.bool_], answers: FloatArray) -> None:
    if not good.all():
        number = int(np.flatnonzero(~good)[0])
        raise InvalidAnswer(f"every answer must {what}, but answer {number} is {answers[number]}; correct or drop it")
