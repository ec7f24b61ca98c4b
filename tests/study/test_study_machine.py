"""A study against a plain model of its rules: whatever is done in whatever order, both say the same."""

import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import select

from commensurate.errors import InvalidAnswer, InvalidInput, UnknownQuestion
from commensurate.study.owner_desk import ask_again
from commensurate.study.store import asking
from commensurate.study.store.tables import questions
from commensurate.study.study import Study
from worlds.small_study import Clock, asked_ids, questions_of, small_study

EXPERTS = ("ana", "bob", "eve")
LEASE = 30.0
# small, so that a short run meets repeats that are due and repeats that are not
REPEAT_DISTANCE = 3

experts = st.sampled_from(EXPERTS)
numbers = st.integers(0, 7)
values = st.one_of(st.none(), st.sampled_from([0.0, 0.25, 1.5]))


@dataclass
class Model:
    """What a study should know, as plain lists and dicts; questions are known by their place in the order."""

    wanted: int
    repeat_of: list[int | None]
    records: list[tuple[str, str]]
    clock: Clock
    closed: set[int] = field(default_factory=set)
    answers: list[tuple[int, str, float | None]] = field(default_factory=list)
    leases: dict[tuple[int, str], object] = field(default_factory=dict)
    skips: Counter = field(default_factory=Counter)
    keys: dict[str, tuple[int, str, float | None]] = field(default_factory=dict)
    # what is put again to whom, and whether she has put it off
    again: dict[tuple[int, str], bool] = field(default_factory=dict)

    def last_words(self) -> dict[tuple[int, str], float | None]:
        return {(question, expert): value for question, expert, value in self.answers}

    def holds(self, question: int, expert: str) -> bool:
        return (question, expert) in self.leases and self.leases[question, expert] > self.clock()

    def open(self, question: int) -> bool:
        n = sum(q == question and value is not None for (q, _), value in self.last_words().items())
        return question not in self.closed and n < (self.wanted if self.repeat_of[question] is None else 1)

    def wants(self, question: int, expert: str) -> bool:
        said = self.last_words()
        first = self.repeat_of[question]
        anew = (
            self.open(question)
            and (question, expert) not in said
            and (first is None or said.get((first, expert)) is not None)
        )
        return (anew or (question, expert) in self.again) and question not in self.closed

    def waits(self, question: int, expert: str) -> bool:
        others = [other for other in EXPERTS if other != expert]
        return self.wants(question, expert) and not any(self.holds(question, other) for other in others)

    def due(self, question: int, expert: str) -> bool:
        first = self.repeat_of[question]
        if first is None:
            return True
        of_ana = [q for q, who, _ in self.answers if who == expert]
        return of_ana[::-1].index(first) >= REPEAT_DISTANCE

    def left(self, expert: str) -> tuple[int, int]:
        """Return how many answers are wanted of an expert, repeats from the start,
        and how many more are with others.
        """
        said, found = self.last_words(), Counter()
        for question, first in enumerate(self.repeat_of):
            if question in self.closed:
                continue
            of_ana = self.wants(question, expert)
            needed = {question}
            if first is not None and not of_ana and self.open(question) and (question, expert) not in said:
                # it will be of_ana if she gives a number to what it repeats
                of_ana, needed = self.wants(first, expert), {question, first}
            if of_ana:
                elsewhere = any(self.holds(q, other) for q in needed for other in EXPERTS if other != expert)
                found["with others" if elsewhere else "now"] += 1
        return found["now"], found["with others"]

    def next_for(self, expert: str) -> list[int]:
        waiting = [question for question in range(len(self.repeat_of)) if self.waits(question, expert)]
        return sorted(
            waiting,
            key=lambda q: (
                self.again.get((q, expert), True),
                not self.holds(q, expert),
                not self.due(q, expert),
                self.skips[q, expert],
                q,
            ),
        )

    def ask_again(self, question: int) -> list[str]:
        experts = [expert for expert in EXPERTS if (question, expert) in self.last_words()]
        for expert in experts:
            self.again.setdefault((question, expert), False)
        return experts

    def ask(self, expert: str, n: int) -> list[int]:
        asked = self.next_for(expert)[:n]
        for question in asked:
            self.leases[question, expert] = self.clock() + timedelta(minutes=LEASE)
        return asked

    def record(self, question: int, expert: str, value: float | None) -> None:
        self.answers.append((question, expert, value))
        self.leases.pop((question, expert), None)
        self.again.pop((question, expert), None)

    def skip(self, question: int, expert: str) -> None:
        if self.leases.pop((question, expert), None) is not None:
            self.skips[question, expert] += 1
            if (question, expert) in self.again:
                self.again[question, expert] = True


@cache
def made(answers_per_question: int) -> Path:
    """Make a study once; every run plays with a copy."""
    folder = Path(tempfile.mkdtemp())
    small_study(
        folder, questions=9, repeats=0.5, answers_per_question=answers_per_question, lease_minutes=LEASE
    ).close()
    return folder / "people.db"


class StudyMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock()
        self.patch = mock.patch.object(asking, "REPEAT_DISTANCE", REPEAT_DISTANCE)
        self.patch.start()

    @initialize(wanted=st.sampled_from([1, 2]))
    def begin(self, wanted):
        self.path = Path(shutil.copy(made(wanted), self.folder.name))
        self.study = Study(self.path, clock=self.clock)
        planned = questions_of(self.study)
        places = {question.question_id: question.place for question in planned}
        self.model = Model(
            wanted,
            [None if q.repeat_of is None else places[q.repeat_of] for q in planned],
            [(q.left_id, q.right_id) for q in planned],
            self.clock,
        )
        self.ids = [question.question_id for question in planned]
        self.held_out = [question.held_out for question in planned]

    def teardown(self) -> None:
        self.patch.stop()
        if hasattr(self, "study"):
            self.study.close()
        self.folder.cleanup()

    def held_by(self, expert: str) -> list[int]:
        return [q for q in range(len(self.ids)) if self.model.holds(q, expert) and q not in self.model.closed]

    def save(self, question: int, expert: str, value: float | None, key: str | None = None) -> None:
        self.study.record(self.ids[question], value, unsure=value is None, expert=expert, key=key)

    @rule(expert=experts, n=st.integers(1, 4))
    def ask(self, expert, n):
        expected = self.model.ask(expert, n)
        asked = self.study.next_questions(expert, n)
        assert asked_ids(asked) == [self.ids[question] for question in expected]
        assert [one.again for one in asked] == [(question, expert) in self.model.again for question in expected]

    @rule(expert=experts)
    def count(self, expert):
        of_ana = [value for (_, who), value in self.model.last_words().items() if who == expert]
        counts = self.study.counts(expert)
        assert (counts.answered, counts.unsure) == (len(of_ana), of_ana.count(None))
        assert (counts.open, counts.with_others) == self.model.left(expert)
        assert (counts.open == 0) == (self.model.next_for(expert) == [])

    @rule(expert=experts, value=values, number=numbers)
    def answer_what_she_holds(self, expert, value, number):
        if held := self.held_by(expert):
            question = held[number % len(held)]
            self.save(question, expert, value)
            self.model.record(question, expert, value)

    @rule(expert=experts)
    def work_for_a_while(self, expert):
        for _ in range(3):
            (question,) = self.model.ask(expert, 1) or (None,)
            asked = asked_ids(self.study.next_questions(expert))
            assert asked == ([] if question is None else [self.ids[question]])
            if question is None:
                return
            self.save(question, expert, 0.5)
            self.model.record(question, expert, 0.5)

    @precondition(lambda self: self.model.answers)
    @rule(value=values, number=numbers)
    def correct_an_answer(self, value, number):
        question, expert, _ = self.model.answers[-1 - number % len(self.model.answers)]
        if question in self.model.closed:
            with pytest.raises(UnknownQuestion):
                self.save(question, expert, value)
            return
        self.save(question, expert, value)
        self.model.record(question, expert, value)

    @rule(expert=experts, value=values, number=st.integers(0, 12))
    def answer_without_being_asked(self, expert, value, number):
        if number not in self.model.closed:
            self.save(number, expert, value)
            self.model.record(number, expert, value)

    @rule(expert=experts, value=values, number=numbers, key=st.sampled_from(["k1", "k2"]))
    def answer_under_a_key(self, expert, value, number, key):
        if number in self.model.closed:
            return
        given, known = (number, expert, value), self.model.keys.get(key)
        if known is None:
            self.save(*given, key)
            self.model.record(*given)
            self.model.keys[key] = given
        elif known == given:
            self.save(*given, key)
        else:
            with pytest.raises(InvalidAnswer):
                self.save(*given, key)

    @rule(expert=experts, number=numbers)
    def skip(self, expert, number):
        held = self.held_by(expert)
        question = held[number % len(held)] if held else number
        if question not in self.model.closed:
            self.study.skip(self.ids[question], expert=expert)
            self.model.skip(question, expert)

    @precondition(lambda self: self.model.answers)
    @rule(number=numbers)
    def ask_again(self, number):
        question = self.model.answers[-1 - number % len(self.model.answers)][0]
        if question in self.model.closed:
            return
        if self.held_out[question] or self.model.repeat_of[question] is not None:
            with pytest.raises(InvalidInput):
                ask_again(self.study, self.ids[question])
        else:
            assert set(ask_again(self.study, self.ids[question])) == set(self.model.ask_again(question))

    @rule(minutes=st.sampled_from([1.0, 29.0, 30.0, 31.0]))
    def time_passes(self, minutes):
        self.clock.move(minutes)

    @precondition(lambda self: len(self.model.closed) < 4)
    @rule(number=numbers, left=st.booleans())
    def forget(self, number, left):
        if number in self.model.closed:
            return
        name = self.model.records[number][0 if left else 1]
        about = {q for q, sides in enumerate(self.model.records) if name in sides}
        assert self.study.forget(name).questions == len(about)
        self.model.closed |= about
        self.model.keys = {key: given for key, given in self.model.keys.items() if given[0] not in about}
        self.ids = [question.question_id for question in questions_of(self.study)]

    @rule()
    def close_and_open(self):
        self.study.close()
        self.study = Study(self.path, clock=self.clock)

    @invariant()
    def both_know_the_same(self):
        if not hasattr(self, "study"):
            return
        place = {name: number for number, name in enumerate(self.ids)}
        history = [(place[a.question_id], a.expert, a.value) for a in self.study.stored_answers(history=True)]
        assert history == self.model.answers
        said = {(place[a.question_id], a.expert): a.value for a in self.study.stored_answers()}
        assert said == self.model.last_words()

    @invariant()
    def what_is_noted_as_open_is_open(self):
        if hasattr(self, "study"):
            with self.study._database.reading() as connection:
                noted = connection.execute(select(questions.c.open).order_by(questions.c.place)).scalars().all()
            assert noted == [self.model.open(question) for question in range(len(self.ids))]

    @invariant()
    def nobody_shares_a_question(self):
        if hasattr(self, "study"):
            holders = [sum(self.model.holds(q, expert) for expert in EXPERTS) for q in range(len(self.ids))]
            assert max(holders) <= 1


TestStudyMachine = pytest.mark.slow(StudyMachine.TestCase)
# a failure prints its steps; to make them fewer would take minutes
TestStudyMachine.settings = settings(max_examples=20, stateful_step_count=25, phases=[Phase.generate])
