"""The seam to the people or functions that answer: put questions, check what comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from commensurate.arrays import FloatArray, IntArray
from commensurate.asking.question_blocks import QuestionBlock
from commensurate.asking.questions import Answer, Between, Question, answers_by_question
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
        """Return one number, or one Answer, per question; NaN where there is no answer."""


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
) -> FloatArray:
    """Put the questions about the pairs (rows[k], columns[k]) and return the checked answers.

    NaN is no answer: where the oracle ``may_decline``, it is returned, else refused.
    """
    if isinstance(oracle, QuestionOracle):
        block.left.check_can_be_shown()
        block.right.check_can_be_shown()
        questions = [block.question(int(i), int(j)) for i, j in zip(rows, columns)]
        given: object = _in_order(oracle.ask(questions), questions)
    else:
        left = block.left.space.for_oracle(block.left.points[rows])
        right = block.right.space.for_oracle(block.right.points[columns])
        given = oracle(left, right, block.between)
    return _checked(given, block, rows, columns, may_decline)


def _in_order(given: object, questions: Sequence[Question]) -> object:
    """Answers name their question, so they may come in any order; plain numbers are in the order asked."""
    if not (isinstance(given, Sequence) and given and isinstance(given[0], Answer)):
        return given
    values = answers_by_question(given)
    in_order = [values.pop(question.question_id, np.nan) for question in questions]
    if values:
        raise InvalidAnswer(f"the oracle answered the question {next(iter(values))!r}, which it was not asked")
    return in_order


def _checked(given: object, block: QuestionBlock, rows: IntArray, columns: IntArray, may_decline: bool) -> FloatArray:
    if isinstance(given, pd.Series):
        # pandas has a missing value of its own
        given = given.astype(object).where(given.notna(), np.nan)
    answers = as_answers(given, "the oracle's answers")
    if answers.shape != (len(rows),):
        raise InvalidAnswer(
            f"the oracle must return shape ({len(rows)},), one number per pair, got {answers.shape}; it gets all "
            "pairs of a block at once"
        )
    wrong = ~(np.isfinite(answers) & (answers >= 0.0)) & ~(may_decline & np.isnan(answers))
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        left, right = block.between
        every = (
            "; no question may be left unanswered here, as BudgetedSimilarity allows" if np.isnan(answers[k]) else ""
        )
        raise InvalidAnswer(
            f"the oracle must answer with finite numbers, at least 0 (small means similar), got {answers[k]} for "
            f"element {block.left.ids[rows[k]]!r} of {left!r} and {block.right.ids[columns[k]]!r} of {right!r}{every}"
        )
    return answers
