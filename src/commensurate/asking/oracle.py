"""The seam to the people or functions that answer: put questions, check what comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from commensurate.arrays import FloatArray, IntArray
from commensurate.asking.question_blocks import QuestionBlock
from commensurate.asking.questions import Answer, Between, Question, answers_by_question
from commensurate.asking.said import Said, number_of
from commensurate.checks import as_answers
from commensurate.errors import InvalidAnswer, InvalidParameter

OracleFunction = Callable[[NDArray[Any], NDArray[Any], Between], ArrayLike]

FUNCTION_BLOCK = 2**16


@runtime_checkable
class QuestionOracle(Protocol):
    """An oracle that wants whole questions, with raw records and ids.

    It may be a person. So it is asked one question at a time:
    what was answered is kept, whatever happens at the next one.
    """

    def ask(self, questions: Sequence[Question]) -> ArrayLike | Sequence[Answer]:
        """Return one number, one row of two ends of a range, or one Answer, per question; NaN where there is none."""


Oracle = OracleFunction | QuestionOracle


def check_oracle(oracle: object) -> None:
    """Raise unless ``oracle`` can be asked."""
    if not (callable(oracle) or isinstance(oracle, QuestionOracle)):
        raise InvalidParameter(
            f"the oracle must be a function (left, right, between) or an object with ask(questions), got {type(oracle).__name__}"
        )


def questions_at_once(oracle: Oracle) -> int:
    """Return how many questions to put in one go."""
    return 1 if isinstance(oracle, QuestionOracle) else FUNCTION_BLOCK


def ask(
    oracle: Oracle, block: QuestionBlock, rows: IntArray, columns: IntArray, *, may_decline: bool = False
) -> list[Said | None]:
    """Put the questions about the pairs (rows[k], columns[k]) and return what was said about each, checked.

    NaN is no answer: where the oracle ``may_decline``, that is None, else it is refused.
    """
    given = _put(oracle, block, rows, columns)
    if isinstance(given, Named):
        if not may_decline and None in given.said:
            raise _refused(float("nan"), block, rows, columns, given.said.index(None))
        return given.said
    ends = _checked(given, block, rows, columns, may_decline)
    return [None if np.isnan(lower) else Said(lower, upper) for lower, upper in ends.tolist()]


def ask_numbers(oracle: Oracle, block: QuestionBlock, rows: IntArray, columns: IntArray) -> FloatArray:
    """Put questions of which each needs a number, and return the numbers."""
    given = _put(oracle, block, rows, columns)
    if isinstance(given, Named):
        ends = np.array([(one.lower, one.upper) if one else (np.nan, np.nan) for one in given.said])
    else:
        ends = _checked(given, block, rows, columns, may_decline=False)
    lower, upper = ends[:, 0], ends[:, 1]
    if (lower != upper).any():
        k = int(np.flatnonzero(lower != upper)[0])
        number_of(None if np.isnan(lower[k]) else Said(lower[k], upper[k]), _pair(block, rows, columns, k))
    return lower


class Named(NamedTuple):
    """What was said in Answers, brought into the order of the questions."""

    said: list[Said | None]


def _put(oracle: Oracle, block: QuestionBlock, rows: IntArray, columns: IntArray) -> object:
    """Return what the oracle gives back: Answers in the order asked, or whatever else it is."""
    if not isinstance(oracle, QuestionOracle):
        left = block.left.space.for_oracle(block.left.points[rows])
        right = block.right.space.for_oracle(block.right.points[columns])
        return oracle(left, right, block.between)
    block.left.check_can_be_shown()
    block.right.check_can_be_shown()
    questions = [block.question(int(i), int(j)) for i, j in zip(rows, columns)]
    given = oracle.ask(questions)
    if not _are_answers(given):
        # plain numbers are in the order asked
        return given
    # Answers name their question, so they may come in any order
    found = answers_by_question(given)
    in_order = [found.pop(question.question_id, None) for question in questions]
    if found:
        raise InvalidAnswer(f"the oracle answered the question {next(iter(found))!r}, which it was not asked")
    return Named(in_order)


def _are_answers(given: object) -> TypeGuard[Sequence[Answer]]:
    return isinstance(given, Sequence) and len(given) > 0 and isinstance(given[0], Answer)


def _checked(given: object, block: QuestionBlock, rows: IntArray, columns: IntArray, may_decline: bool) -> FloatArray:
    """Return the two ends of what was said about each pair: one row a pair, equal where it was a number."""
    if isinstance(given, pd.Series):
        # pandas has a missing value of its own
        given = given.astype(object).where(given.notna(), np.nan)
    answers = as_answers(given, "the oracle's answers")
    n = len(rows)
    if answers.shape not in ((n,), (n, 2)):
        raise InvalidAnswer(
            f"the oracle must return shape ({n},), one number per pair, or ({n}, 2), the ends of a range per pair, got "
            f"{answers.shape}; it gets all pairs of a block at once"
        )
    ends = answers.reshape(n, -1)[:, [0, -1]]
    lower, upper = ends.T
    numbers = answers.ndim == 1
    fine = (lower >= 0.0) & np.isfinite(lower) & (lower <= upper) & (np.isfinite(upper) | (not numbers))
    # from 0 to infinity, nothing is said
    fine &= ~((lower == 0.0) & np.isinf(upper))
    wrong = ~fine & ~(may_decline & np.isnan(ends).all(axis=1))
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        raise _refused(answers[k], block, rows, columns, k)
    return ends


def _refused(got: FloatArray | float, block: QuestionBlock, rows: IntArray, columns: IntArray, k: int) -> InvalidAnswer:
    left_open = "; no question may be left unanswered here, as BudgetedSimilarity allows"
    return InvalidAnswer(
        "the oracle must answer with finite numbers, at least 0 (small means similar), or with ranges from a lower to an "
        f"upper end, got {got} for {_pair(block, rows, columns, k)}{left_open if np.isnan(got).any() else ''}"
    )


def _pair(block: QuestionBlock, rows: IntArray, columns: IntArray, k: int) -> str:
    left, right = block.between
    return f"element {block.left.ids[rows[k]]!r} of {left!r} and {block.right.ids[columns[k]]!r} of {right!r}"
