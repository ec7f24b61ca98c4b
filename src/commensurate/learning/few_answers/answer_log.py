"""Every answer to the questions of one pair of groups, in the order given: none is ever overwritten."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.asking.oracle import Oracle, ask, questions_at_once
from commensurate.asking.question_blocks import MatchedPairs
from commensurate.asking.questions import AnswersInput, Between, listed_questions
from commensurate.errors import AnswersAgain, InvalidAnswer
from commensurate.learning.regression.regression import beyond_rounding

# squares of larger ones, and their sums, would not be finite
LARGEST_ANSWER = 1e100
# fewer answers of the same value may well have been given twice
FEWEST_REPEATS = 3


@dataclass(frozen=True, slots=True, eq=False)
class AnsweredQuestions:
    """The questions that have an answer, by number; one given several times as mean, first, count, and how it varied.

    ``repeat_squares`` is the sum of the squared deviations of a question's answers from their mean:
    what repeats tell of the noise.
    """

    numbers: IntArray
    means: FloatArray
    firsts: FloatArray
    repeats: FloatArray
    repeat_squares: FloatArray


class GivenAnswer(NamedTuple):
    """An answer: the number of its question, its value, and who gave it, None where that is not known."""

    number: int
    value: float
    expert: str | None = None


class AnswerLog:
    """The answers to matched pairs.

    Questions are put in their order. So one without an answer was put if one behind it was: who answered only those
    that were easy has left the others unanswered. ``n_put`` counts the questions that were put at least, where more is
    known than the answers tell.
    """

    def __init__(self, pairs: MatchedPairs, given: Iterable[GivenAnswer] = (), n_put: int = 0) -> None:
        self.pairs = pairs
        self._given = list(given)
        self._n_put = n_put
        # questions that an oracle left unanswered: not put to it again until it is told to resume
        self.declined: set[int] = set()

    def __iter__(self) -> Iterator[GivenAnswer]:
        """Go through the answers, in the order given."""
        return iter(self._given)

    def __len__(self) -> int:
        """Return how many answers there are, repeats included."""
        return len(self._given)

    @property
    def numbers(self) -> IntArray:
        """The question of each answer."""
        return np.array([one.number for one in self._given], dtype=np.int64)

    @property
    def values(self) -> FloatArray:
        """Each answer."""
        return np.array([one.value for one in self._given], dtype=np.float64)

    @property
    def experts(self) -> IntArray:
        """Who gave each answer: experts are numbered in the order in which they first answered; −1 where not known."""
        number_of: dict[str, int] = {}
        return np.array(
            [-1 if one.expert is None else number_of.setdefault(one.expert, len(number_of)) for one in self._given],
            dtype=np.int64,
        )

    @property
    def first_experts(self) -> dict[int, str | None]:
        """Who gave the first answer to each question; None where that is not known."""
        found: dict[int, str | None] = {}
        for one in self._given:
            found.setdefault(one.number, one.expert)
        return found

    def second_answers(self, *, unnamed_independent: bool = False) -> FloatArray:
        """Return for each answered question the first answer by another person than who answered first; NaN if none.

        Who answers again remembers the first time. Answers without a name may be one person's: they count as those of
        different people only if that is known.
        """
        first: dict[int, GivenAnswer] = {}
        second: dict[int, float] = {}
        for one in self._given:
            before = first.setdefault(one.number, one)
            unnamed = one.expert is None or before.expert is None
            if one is not before and (unnamed_independent if unnamed else one.expert != before.expert):
                second.setdefault(one.number, one.value)
        return np.array([second.get(number, np.nan) for number in sorted(first)], dtype=np.float64)

    @property
    def n_answered(self) -> int:
        """How many questions have an answer."""
        return len({one.number for one in self._given})

    @property
    def n_put(self) -> int:
        """How many questions, from the first, were put: all up to the last that was answered or left unanswered."""
        return max([self._n_put, *(one.number + 1 for one in self._given)])

    def answered(self) -> AnsweredQuestions:
        """Return the answers question by question."""
        numbers, first, which = np.unique(self.numbers, return_index=True, return_inverse=True)
        repeats = np.bincount(which, minlength=len(numbers)).astype(np.float64)
        values = self.values
        means = np.bincount(which, weights=values, minlength=len(numbers)) / repeats
        apart = beyond_rounding(values - means[which], values)
        repeat_squares = np.bincount(which, weights=apart**2, minlength=len(numbers)).astype(np.float64)
        return AnsweredQuestions(numbers, means, values[first], repeats, repeat_squares)

    def part(self, of_question: BoolArray, n: int | None = None) -> AnswerLog:
        """Return the answers to some questions alone; of these, the n that were given first."""
        given = [one for one in self._given if of_question[one.number]]
        return AnswerLog(self.pairs, given[:n], self._n_put)

    def without(self, experts: Set[str]) -> AnswerLog:
        """Return the answers of all other experts."""
        return AnswerLog(self.pairs, [one for one in self._given if one.expert not in experts], self._n_put)

    def unanswered(self) -> IntArray:
        """Return the questions that have no answer yet."""
        return np.setdiff1d(np.arange(len(self.pairs)), self.numbers)

    def waiting(self) -> IntArray:
        """Return the questions to be put: unanswered, and not declined."""
        return np.setdiff1d(self.unanswered(), np.array(sorted(self.declined), dtype=np.int64))

    def given(self) -> Counter[tuple[int, float]]:
        """Return each answer, as the number of its question and its value, with how often it was given."""
        return Counter((one.number, one.value) for one in self._given)

    def record(self, given: list[GivenAnswer]) -> None:
        """Keep answers, all or none: an interrupt cannot come between."""
        self._given.extend(given)

    def note_put(self, numbers: Iterable[int]) -> None:
        """Note that these questions were put, whether or not they have an answer."""
        self._n_put = max([self._n_put, *(number + 1 for number in numbers)])

    def ask(self, oracle: Oracle, advance: Callable[[int], None]) -> None:
        """Put every question that waits; what is answered stays answered, whatever happens next.

        An answer of NaN leaves its question unanswered.
        """
        waiting = self.waiting()
        step = questions_at_once(oracle)
        for start in range(0, len(waiting), step):
            part = waiting[start : start + step]
            heard = ask(oracle, self.pairs, part, part, may_decline=True)
            answers = np.array([np.nan if one is None else one.lower for one in heard])
            given = ~np.isnan(answers)
            check_size(answers[given].tolist())
            self.declined.update(part[~given].tolist())
            self.note_put(part.tolist())
            self.record([GivenAnswer(*one) for one in zip(part[given].tolist(), answers[given].tolist())])
            advance(len(part))


def record_answers(logs: Mapping[Between, AnswerLog], answers: AnswersInput, *, skip_known: bool = False) -> int:
    """Keep each answer with its question and return how many; all are kept, or none if one has no question.

    A question that is listed without an answer was put, and has none.

    ``skip_known`` leaves out those that were recorded before this call: of equal answers to one question as many as
    there were, so that two experts who agree count as two. Without it, a warning tells if most of what was recorded
    comes again: a file that was read twice would count as experts who never err.
    """
    places = {
        log.pairs.question_id(number, number): (between, number)
        for between, log in logs.items()
        for number in range(len(log.pairs))
    }
    known = {between: log.given() for between, log in logs.items()}
    n_known = sum(counts.total() for counts in known.values())
    found: dict[Between, list[GivenAnswer]] = {between: [] for between in logs}
    put: dict[Between, list[int]] = {between: [] for between in logs}
    strange, n_again = [], 0
    listed = listed_questions(answers)
    check_size([one.said.lower for one in listed if one.said is not None])
    for name, said, expert in listed:
        value = None if said is None else said.lower
        if name not in places:
            # a file may list questions of others that nobody answered
            strange += [name] if value is not None else []
            continue
        between, number = places[name]
        if value is None:
            put[between].append(number)
            continue
        again = known[between][number, value] > 0
        known[between][number, value] -= again
        n_again += again
        if not (again and skip_known):
            found[between].append(GivenAnswer(number, value, expert))
    if strange:
        raise InvalidAnswer(
            f"{len(strange)} answer(s) do not belong to any question of this plan, the first to {strange[0]!r}; use "
            "the plan that the questions came from"
        )
    if not skip_known and n_again >= max(FEWEST_REPEATS, n_known / 2):
        warnings.warn(
            f"{n_again} answers have the same question and value as recorded ones and were recorded again, as new "
            "answers; if you read a whole file again, use update(answers, skip_known=True)",
            AnswersAgain,
            stacklevel=3,
        )
    for between, given in found.items():
        logs[between].note_put(put[between])
        logs[between].record(given)
    return sum(map(len, found.values()))


def check_size(answers: Sequence[float]) -> None:
    """Raise if an answer is too large to calculate with."""
    if answers and (largest := max(answers)) > LARGEST_ANSWER:
        raise InvalidAnswer(
            f"answers must be at most {LARGEST_ANSWER:g}, got {largest:g}; use a larger unit for the answers and the "
            "columns"
        )


def answers_table(pairs: MatchedPairs, numbers: IntArray, **columns: FloatArray) -> pd.DataFrame:
    """Return a table of the answers to these questions: the ids of both elements, and what is known beside."""
    return pd.DataFrame({"left_id": pairs.left.ids[numbers], "right_id": pairs.right.ids[numbers], **columns})
