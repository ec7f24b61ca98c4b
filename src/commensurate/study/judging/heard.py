"""What a study has heard by a moment: which questions were due, what was answered, and what judges the estimates.

Checks of the stopping rule go by the *order of asking*. A check at n is about the first n questions, whoever they went
to, and it is taken as soon as each of them was answered, or an expert was unsure about it or skipped it. Until then it
waits, as for a question that somebody still has before them, or on a worksheet: who answers slowly must not decide
which questions count. So neither the difficulty of a held-out question nor its answer decides whether it is judged, and
one without an answer counts as a miss. The last check, about all questions, waits until those that were skipped have
come again: until every expert so far was unsure about what has no answer, or skipped it twice.

A held-out answer that a check has judged by goes on judging as it stood then, since a correction that came later may
have been made because of what the check said. It is kept like every answer, and status says that there is one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from commensurate.guarantees.stopping import can_prove, level_of_look
from commensurate.study.judging.answer_history import standing_answers
from commensurate.study.settings import StudySettings
from commensurate.study.store import reading, watching
from commensurate.study.store.answering import StoredAnswer
from commensurate.study.store.reading import SkippedQuestion, StoredQuestion
from commensurate.study.study import Study

FIRST_LOOK = 50
# whoever skips a question for the second time does not want it
SKIPPED_FOR_GOOD = 2


def look_numbers(n_questions: int) -> list[int]:
    """Return after how many questions, in the order of asking, the stopping rule is checked.

    >>> look_numbers(400), look_numbers(30)
    ([50, 100, 200, 400], [30])
    """
    numbers = []
    number = FIRST_LOOK
    while number < n_questions:
        numbers.append(number)
        number *= 2
    return [*numbers, n_questions] if n_questions else []


def is_of_earlier_version(look: Mapping[str, Any]) -> bool:
    """Tell whether a check was taken when what was skipped or unsure did not count."""
    return "judgeable" not in look


@dataclass(frozen=True, slots=True)
class HeardPart:
    """Answers to learn from and to judge by, and the questions that were put beside these and have no answer."""

    answers: tuple[StoredAnswer, ...]
    unanswered: frozenset[str]

    @property
    def last(self) -> int:
        """The number of the last answer."""
        return max((answer.number for answer in self.answers), default=0)


@dataclass(frozen=True, eq=False)
class Heard:
    """Everything that a study has heard so far: questions in the order of asking, every answer ever given, every skip.

    ``looks`` are the checks taken so far, by their number.
    """

    settings: StudySettings
    order: tuple[StoredQuestion, ...]
    history: tuple[StoredAnswer, ...]
    skips: tuple[SkippedQuestion, ...]
    looks: Mapping[int, Mapping[str, Any]]

    @classmethod
    def of(cls, study: Study, history: Sequence[StoredAnswer] | None = None) -> Heard:
        """Read it; ``history`` are all answers, if they have been read already."""
        history = study.stored_answers(history=True) if history is None else history
        with study._database.reading() as connection:
            questions = reading.read_questions(connection)
            skips = reading.read_skips(connection)
            looks = watching.read_looks(connection)
        about_sigma = {question.question_id for question in questions if question.about_sigma}
        used = [answer for answer in history if answer.question_id in about_sigma]
        answered = {_question(answer) for answer in used}
        order = sorted(
            (
                question
                for question in questions
                # one about a forgotten record that nobody has answered will never be
                if question.repeat_of is None
                and question.about_sigma
                and (not question.forgotten or question.question_id in answered)
            ),
            key=lambda question: question.place,
        )
        about_these = tuple(one for one in skips if one.question_id in about_sigma)
        return cls(study.settings, tuple(order), tuple(used), about_these, looks)

    # --- when ---

    @cached_property
    def numbers(self) -> list[int]:
        """After how many questions the stopping rule is checked; known answers came all at once, in anybody's order."""
        n = len(self.order)
        return look_numbers(n) if self.settings.given is None else [n]

    def moment(self, n: int) -> int | None:
        """Return after how many answers the first n questions had all been dealt with; None if they have not been."""
        if n == len(self.order):
            moment = self._all_settled
        else:
            dealt = [self._dealt_with.get(question.question_id) for question in self.order[:n]]
            moment = None if None in dealt else max((k for k in dealt if k is not None), default=0)
        return None if moment is None else max(moment, self._at_once)

    def n_waiting(self, n: int) -> int:
        """Return how many of the first n questions nobody has answered, skipped or been unsure about yet."""
        return sum(question.question_id not in self._dealt_with for question in self.order[:n])

    # --- what ---

    def at_look(self, n: int) -> HeardPart | None:
        """Return what a check of the first n questions judges, and by what; None if it is not due yet."""
        if (moment := self.moment(n)) is None:
            return None
        due = {question.question_id for question in self.order[:n]}
        answers = [one for one in self._judging(moment) if _question(one) in due]
        return HeardPart(tuple(answers), frozenset(due - _with_answer(answers)))

    def present(self) -> HeardPart:
        """Return everything answered so far, and what was skipped or left unsure."""
        answers = self._judging(len(self.history))
        return HeardPart(tuple(answers), frozenset(self._dealt_with.keys() - _with_answer(answers)))

    def n_due(self, n: int) -> int:
        """Return how many of the first n questions are held out, of the pair of groups that has fewest."""
        counts = {(question.left_group, question.right_group): 0 for question in self.order}
        for question in self.order[:n]:
            counts[question.left_group, question.right_group] += question.held_out and not question.forgotten
        return min(counts.values(), default=0)

    @property
    def n_corrected_late(self) -> int:
        """How many held-out questions have an answer that was corrected after a check had judged by it."""
        return len({_question(one) for one in self.history if self._comes_late(one)})

    # --- inside ---

    @cached_property
    def _at_once(self) -> int:
        """How many answers were there when the study was made."""
        return sum(answer.origin == "known" for answer in self.history)

    @cached_property
    def _events(self) -> list[tuple[int, str, str, bool]]:
        """What happened, in order: after how many answers, to which question, by whom, and whether it was skipped."""
        # a sheet says itself when it was answered; other times are those of recording
        times, places = [""], [0]
        for k, answer in enumerate(self.history):
            if answer.origin != "import":
                times.append(max(answer.answered_at, times[-1]))
                places.append(k + 1)
        events = [(k + 1, _question(answer), answer.expert, False) for k, answer in enumerate(self.history)]
        events += [(places[bisect_right(times, one.at) - 1], one.question_id, one.expert, True) for one in self.skips]
        return sorted(events, key=lambda event: event[0])

    @cached_property
    def _dealt_with(self) -> dict[str, int]:
        """After how many answers each question was first answered or skipped, or an expert was unsure about it."""
        found: dict[str, int] = {}
        for k, question, _, _ in self._events:
            found.setdefault(question, k)
        return found

    @cached_property
    def _all_settled(self) -> int | None:
        """After how many answers every question had an answer, or nobody of those who had answered would give one."""
        asked = [question.question_id for question in self.order]
        if not asked or not all(name in self._dealt_with for name in asked):
            return None
        earliest = max(self._dealt_with[name] for name in asked)
        missing, experts = set(asked), set[str]()
        declined: dict[str, set[str]] = {name: set() for name in asked}
        skipped: Counter[tuple[str, str]] = Counter()
        for k, name, expert, was_skipped in self._events:
            if was_skipped:
                skipped[name, expert] += 1
            else:
                experts.add(expert)
                if not self.history[k - 1].unsure:
                    missing.discard(name)
            if not was_skipped or skipped[name, expert] >= SKIPPED_FOR_GOOD:
                declined.get(name, set()).add(expert)
            if k >= earliest and experts and all(declined[one] >= experts for one in missing):
                return k
        return None

    @cached_property
    def _judged(self) -> list[tuple[int, frozenset[str]]]:
        """The checks that count: the number of the last answer of each, and the questions it was about."""
        earlier = {n: look for n, look in self.looks.items() if is_of_earlier_version(look)}
        spent = sum(bool(look["counted"]) for look in earlier.values())
        found = [
            (self._number(moment), frozenset(_question(one) for one in self.history[:moment]))
            for n, look in earlier.items()
            if look["counted"] and (moment := self._after_answers(n)) is not None
        ]
        for n in self.numbers:
            if n in earlier or (moment := self.moment(n)) is None:
                continue
            level = level_of_look(spent + 1, self.settings.confidence_level)
            counts = can_prove(self.n_due(n), share=self.settings.share, level=level)
            if bool(self.looks[n]["counted"]) if n in self.looks else counts:
                spent += 1
                found.append((self._number(moment), frozenset(one.question_id for one in self.order[:n])))
        return found

    def _number(self, moment: int) -> int:
        return self.history[moment - 1].number if moment else 0

    def _after_answers(self, n: int) -> int | None:
        """Return after how many answers so many questions had an answer: when earlier versions checked."""
        known: set[str] = set()
        for k, answer in enumerate(self.history):
            if not answer.unsure:
                known.add(_question(answer))
            if len(known) == n:
                return k + 1
        return None

    @cached_property
    def _late(self) -> frozenset[int]:
        """The numbers of answers that correct a held-out one after a check had judged by it."""
        late: set[int] = set()
        standing: dict[tuple[str, str], StoredAnswer] = {}
        for one in self.history:
            key = one.question_id, one.expert
            before = standing.get(key)
            if one.held_out and before is not None and not before.unsure:
                judged_by = any(
                    before.number <= last < one.number and _question(one) in due for last, due in self._judged
                )
                if judged_by:
                    late.add(one.number)
                    continue
            standing[key] = one
        return frozenset(late)

    @cached_property
    def _first_numbers(self) -> dict[tuple[str, str], int]:
        """The number of each expert's first answer to each question that is not unsure."""
        found: dict[tuple[str, str], int] = {}
        for one in self.history:
            if not one.unsure:
                found.setdefault((one.question_id, one.expert), one.number)
        return found

    def _comes_late(self, answer: StoredAnswer) -> bool:
        return answer.number in self._late

    def _judging(self, moment: int) -> list[StoredAnswer]:
        """Return what stood after so many answers, but for what came too late to judge by.

        Of the answers to one question, that of who answered first comes first, even if they corrected it after another
        expert had answered: the first one judges.
        """
        standing = standing_answers(one for one in self.history[:moment] if not self._comes_late(one))
        return sorted(standing, key=lambda one: self._first_numbers.get((one.question_id, one.expert), one.number))


def _question(answer: StoredAnswer) -> str:
    return answer.repeat_of or answer.question_id


def _with_answer(answers: Iterable[StoredAnswer]) -> set[str]:
    return {_question(answer) for answer in answers if not answer.unsure}
