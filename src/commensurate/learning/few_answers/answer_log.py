"""Every answer to the questions of one pair of groups, in the order given: none is ever overwritten."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.asking.oracle import Oracle, ask, questions_at_once
from commensurate.asking.question_blocks import MatchedPairs
from commensurate.asking.questions import AnswersInput, Between, listed_questions
from commensurate.asking.said import Said
from commensurate.errors import AnswersAgain, InvalidAnswer
from commensurate.learning.few_answers.expert_scales import ExpertScale
from commensurate.learning.few_answers.plan import BudgetPlan
from commensurate.learning.regression.ranges.ranged_pairs import RangedPairs
from commensurate.learning.regression.regression import AnsweredPairs, beyond_rounding

# squares of larger ones, and their sums, would not be finite
LARGEST_ANSWER = 1e100
# fewer answers of the same value may well have been given twice
FEWEST_REPEATS = 3


class Ends(NamedTuple):
    """What was said about some pairs: lower ≤ σ ≤ upper; equal ends for a number."""

    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, said: Iterable[Said]) -> Ends:
        """Collect what was said."""
        ends = np.array([(one.lower, one.upper) for one in said], dtype=np.float64).reshape(-1, 2)
        return cls(ends[:, 0].copy(), ends[:, 1].copy())

    @property
    def are_numbers(self) -> BoolArray:
        """Mark the numbers."""
        return np.asarray(self.lower == self.upper)

    @property
    def finite(self) -> list[float]:
        """Return all ends that are finite."""
        return [end for ends in self for end in ends.tolist() if np.isfinite(end)]

    @property
    def middles(self) -> FloatArray:
        """Return the numbers, the middles of ranges, and the one end of those that have one."""
        return np.where(np.isinf(self.upper), self.lower, 0.5 * (self.lower + self.upper))


@dataclass(frozen=True, slots=True, eq=False)
class AnsweredQuestions:
    """The questions that have an answer, by number; one given several times as mean, first, count, and how it varied.

    ``means`` are those of numbers; a range counts by its middle there. ``repeat_squares`` is the sum of the squared
    deviations of a question's answers from their mean: what repeats tell of the noise.
    """

    numbers: IntArray
    means: FloatArray
    firsts: Ends
    repeats: FloatArray
    repeat_squares: FloatArray

    def said(self, rows: IntArray) -> Ends:
        """Return what was said in answer to some of them: the mean of numbers, or the first range."""
        numbers = self.firsts.are_numbers[rows]
        lower, upper = (np.where(numbers, self.means[rows], end[rows]) for end in self.firsts)
        return Ends(lower, upper)


class GivenAnswer(NamedTuple):
    """An answer: the number of its question, what was said, and who said it, None where that is not known."""

    number: int
    said: Said
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
    def ends(self) -> Ends:
        """What each answer says."""
        return Ends.of(one.said for one in self._given)

    @property
    def only_numbers(self) -> bool:
        """Whether every answer is a number."""
        return all(one.said.is_number for one in self._given)

    def statements(self) -> list[GivenAnswer]:
        """Return the answers, where ranges that one person narrowed while looking at a pair are one."""
        found: list[GivenAnswer] = []
        latest: dict[tuple[int, str | None], int] = {}
        for one in self._given:
            place = latest.get((one.number, one.expert))
            narrower = None if place is None else found[place].said.narrowed_by(one.said)
            if place is None or narrower is None:
                latest[one.number, one.expert] = len(found)
                found.append(one)
            else:
                found[place] = found[place]._replace(said=narrower)
        return found

    def on_common_scale(self, scales: Mapping[str, ExpertScale]) -> AnswerLog:
        """Return what experts would have said on the scale of d, where their own scales are known."""
        if not scales:
            return self

        def changed(one: GivenAnswer) -> GivenAnswer:
            scale = None if one.expert is None else scales.get(one.expert)
            return one if scale is None else one._replace(said=scale.to_common(one.said))

        return AnswerLog(self.pairs, map(changed, self._given), self._n_put)

    @property
    def experts(self) -> IntArray:
        """Who gave each answer: experts are numbered in the order in which they first answered; −1 where not known."""
        number_of = {name: number for number, name in enumerate(self.expert_names)}
        return np.array([-1 if one.expert is None else number_of[one.expert] for one in self._given], dtype=np.int64)

    @property
    def expert_names(self) -> list[str]:
        """The experts who are known, in the order in which they first answered."""
        return list(dict.fromkeys(one.expert for one in self._given if one.expert is not None))

    @property
    def first_experts(self) -> dict[int, str | None]:
        """Who gave the first answer to each question; None where that is not known."""
        found: dict[int, str | None] = {}
        for one in self._given:
            found.setdefault(one.number, one.expert)
        return found

    def second_answers(self, *, unnamed_independent: bool = False) -> FloatArray:
        """Return for each answered question the first number by another person than who gave one first; NaN if none.

        Who answers again remembers the first time. Answers without a name may be one person's: they count as those of
        different people only if that is known.
        """
        first: dict[int, GivenAnswer] = {}
        second: dict[int, float] = {}
        for one in self.statements():
            if not one.said.is_number:
                continue
            before = first.setdefault(one.number, one)
            unnamed = one.expert is None or before.expert is None
            if one is not before and (unnamed_independent if unnamed else one.expert != before.expert):
                second.setdefault(one.number, one.said.lower)
        answered = sorted({one.number for one in self._given})
        return np.array([second.get(number, np.nan) for number in answered], dtype=np.float64)

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
        said = self.statements()
        of_questions = np.array([one.number for one in said], dtype=np.int64)
        numbers, first, which = np.unique(of_questions, return_index=True, return_inverse=True)
        repeats = np.bincount(which, minlength=len(numbers)).astype(np.float64)
        ends = Ends.of(one.said for one in said)
        values = ends.middles
        means = np.bincount(which, weights=values, minlength=len(numbers)) / repeats
        apart = beyond_rounding(values - means[which], values)
        repeat_squares = np.bincount(which, weights=apart**2, minlength=len(numbers)).astype(np.float64)
        firsts = Ends(ends.lower[first], ends.upper[first])
        return AnsweredQuestions(numbers, means, firsts, repeats, repeat_squares)

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

    def given(self) -> Counter[tuple[int, Said]]:
        """Return each answer, as the number of its question and what was said, with how often it was given."""
        return Counter((one.number, one.said) for one in self._given)

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
            given = [GivenAnswer(number, said) for number, said in zip(part.tolist(), heard) if said is not None]
            check_size([one.said for one in given])
            self.declined.update(number for number, said in zip(part.tolist(), heard) if said is None)
            self.note_put(part.tolist())
            self.record(given)
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
    check_size([one.said for one in listed if one.said is not None])
    for name, said, expert in listed:
        if name not in places:
            # a file may list questions of others that nobody answered
            strange += [name] if said is not None else []
            continue
        between, number = places[name]
        if said is None:
            put[between].append(number)
            continue
        again = known[between][number, said] > 0
        known[between][number, said] -= again
        n_again += again
        if not (again and skip_known):
            found[between].append(GivenAnswer(number, said, expert))
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


def check_size(said: Iterable[Said]) -> None:
    """Raise if a finite end of an answer is too large to calculate with."""
    ends = [end for one in said for end in one[:2] if np.isfinite(end)]
    if ends and (largest := max(ends)) > LARGEST_ANSWER:
        raise InvalidAnswer(
            f"answers must be at most {LARGEST_ANSWER:g}, got {largest:g}; use a larger unit for the answers and the "
            "columns"
        )


def answers_table(pairs: MatchedPairs, numbers: IntArray, **columns: FloatArray) -> pd.DataFrame:
    """Return a table of the answers to these questions: the ids of both elements, and what is known beside."""
    return pd.DataFrame({"left_id": pairs.left.ids[numbers], "right_id": pairs.right.ids[numbers], **columns})


def columns_of(said: Ends) -> dict[str, FloatArray]:
    """Return the columns of a table that show what was said: the numbers, and the ends where any are ranges."""
    numbers = said.are_numbers
    answer = {"answer": np.where(numbers, said.lower, np.nan)}
    return answer if numbers.all() else {**answer, "answer_at_least": said.lower, "answer_at_most": said.upper}


def answered_pairs(log: AnswerLog, *, bounded: bool = False) -> AnsweredPairs | RangedPairs:
    """Return all answers of a log as a learner takes them; ``bounded`` if no answer is off by more than is known."""
    left, right = log.pairs.left, log.pairs.right
    spaces = left.space, right.space
    if log.only_numbers:
        answered = log.answered()
        return AnsweredPairs(
            spaces,
            left.points[answered.numbers],
            right.points[answered.numbers],
            answered.means,
            answered.repeats,
            answered.repeat_squares,
            bounded,
        )
    said = log.statements()
    numbers = [one.number for one in said]
    ends = Ends.of(one.said for one in said)
    beside_ruler = np.array([one.said.beside_ruler for one in said], dtype=np.bool_)
    return RangedPairs(spaces, left.points[numbers], right.points[numbers], *ends, beside_ruler, len(log), bounded)


def training_pairs(
    plan: BudgetPlan, logs: Mapping[Between, AnswerLog], between: Between, *, bounded: bool = False
) -> AnsweredPairs | RangedPairs:
    """Return the answers to learn from: all but those held out."""
    return answered_pairs(logs[between].part(~plan.by_pair[between].held_out), bounded=bounded)
