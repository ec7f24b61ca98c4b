"""Many at once: each question is one person's at a time, everybody gets on, and nobody sees an error."""

import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from commensurate.errors import StudyBusy
from commensurate.study.store import answering, database
from commensurate.study.study import Study
from worlds.study_clients import check_file
from worlds.study_places import answer_some, create_small

pytestmark = pytest.mark.slow

ANSWER_ONCE = """
import sys
from commensurate.study.study import Study
with Study(sys.argv[1]) as study:
    (question,) = study.next_questions("ben")
    study.record(question.question_id, 0.5, expert="ben")
    print(*(answer.expert for answer in study.stored_answers()))
"""
EXPERTS = [f"expert {k}" for k in range(16)]


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = datetime(2030, 1, 1, tzinfo=UTC)

    def __call__(self):
        return self.now

    def advance(self, **time):
        self.now += timedelta(**time)


# --- sixteen processes ---


def overlapping(held):
    """Return who was handed a question while somebody else had it."""
    found, until = [], {}
    for since, end, question, expert in sorted(held):
        last_end, holder = until.get(question, (0.0, expert))
        if since < last_end and holder != expert:
            found.append((question, holder, expert))
        until[question] = max((last_end, holder), (end, expert))
    return found


@pytest.mark.parametrize("answers_per_question", [1, 2])
def test_sixteen_processes_answer_each_question_as_often_as_wanted_and_one_at_a_time(
    places, clients, answers_per_question
):
    place = places.study(answers_per_question=answers_per_question, questions=100 // answers_per_question)
    started = {expert: clients.start("answer_all", place, expert=expert) for expert in EXPERTS}
    for client in started.values():
        client.join()
    assert [client.said()[-1] for client in started.values()] == [{"done": True}] * 16
    held = [
        (line["since"], line["until"], line["question"], expert)
        for expert, client in started.items()
        for line in client.said()
        if "question" in line
    ]
    assert overlapping(held) == []
    check_file(place)
    with Study(place) as study:
        given = study.stored_answers(history=True)
    assert set(Counter(answer.question_id for answer in given).values()) == {answers_per_question}
    assert len(given) == 100
    assert len({(answer.question_id, answer.expert) for answer in given}) == len(given)
    # else nobody was in anybody's way
    assert len({answer.expert for answer in given}) > 8


def test_two_intervals_that_overlap_would_be_noticed():
    held = [(0.0, 2.0, "q", "ana"), (1.0, 3.0, "q", "bob"), (4.0, 5.0, "q", "ana"), (0.0, 9.0, "r", "bob")]
    assert overlapping(held) == [("q", "ana", "bob")]


def test_a_study_opened_twice_in_a_process_loses_nothing_while_another_process_comes_and_goes(tmp_path):
    # whoever closes a file gives away the locks of the whole process; the other would then take itself for the last
    # one, and remove the log that is still written to
    place = tmp_path / "people.db"
    create_small(place).close()
    command = [sys.executable, "-c", ANSWER_ONCE, str(place)]
    with Study(place) as study, Study(place):
        for question in study.next_questions("ana", 2):
            subprocess.run(command, check=True, capture_output=True)
            study.record(question.question_id, 0.1, expert="ana")
        seen = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert Counter(seen) == {"ana": 2, "ben": 3}


def test_processes_that_open_and_close_a_study_all_the_time_do_not_disturb_each_other(places, clients):
    place = places.study()
    started = [clients.start("answer_opening_each_time", place, expert=expert, n=6) for expert in EXPERTS[:8]]
    for client in started:
        client.join()
    assert [client.said()[-1] for client in started] == [{"done": True}] * 8
    check_file(place)
    with Study(place) as study:
        assert len(study.stored_answers(history=True)) == 48


def test_of_several_who_make_a_study_in_one_place_one_does_and_the_others_are_told(places, creators):
    place = places.empty()
    started = [creators.start("create", place) for _ in range(4)]
    for client in started:
        client.join()
    last = [client.said()[-1] for client in started]
    assert sorted(line.get("error", "none") for line in last) == ["StudyExists"] * 3 + ["none"]
    Study(place).close()


# --- threads ---


def test_threads_share_one_open_study(places):
    place = places.study(questions=60)
    with Study(place) as study:

        def answer(expert):
            while asked := study.next_questions(expert):
                study.record(asked[0].question_id, 0.5, expert=expert)

        with ThreadPoolExecutor(12) as pool:
            list(pool.map(answer, EXPERTS[:12]))
        given = study.stored_answers(history=True)
    assert Counter(Counter(answer.question_id for answer in given).values()) == {1: 60}


def test_what_is_read_together_is_of_one_moment(place):
    with Study(place) as study, Study(place) as other:
        with study._database.reading() as connection:
            before = list(answering.stored_answers(connection, history=True))
            answer_some(other, 3)
            assert list(answering.stored_answers(connection, history=True)) == before
        assert len(study.stored_answers()) == 3


def test_who_waits_too_long_for_another_writer_is_told_so(place, monkeypatch):
    monkeypatch.setattr(database, "PATIENCE_SECONDS", 0.2)
    with Study(place) as study, Study(place) as other:
        (question,) = study.next_questions("ana")
        with other._recording():
            with pytest.raises(StudyBusy, match="the study is locked by another writer; try again"):
                study.record(question.question_id, 0.5, expert="ana")
            # readers wait for nobody
            assert study.stored_answers() == []
        study.record(question.question_id, 0.5, expert="ana")
        assert len(study.stored_answers()) == 1


# --- leases ---


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(places, clock):
    place = places.empty()
    create_small(place, lease_minutes=30.0).close()
    with Study(place, clock=clock) as study:
        yield study


def ids(questions):
    return {question.question_id for question in questions}


def test_a_question_that_one_holds_is_handed_to_nobody_else_until_the_lease_ends(study, clock):
    assert len(study.next_questions("ana", n=100)) == 100
    assert study.next_questions("bob") == []
    assert study.counts("bob").open == 0
    clock.advance(minutes=30, microseconds=-1)
    assert study.next_questions("bob") == []
    clock.advance(microseconds=1)
    assert study.counts("bob").open == 100
    assert len(study.next_questions("bob", n=100)) == 100
    assert study.next_questions("ana") == []


def test_who_looks_again_sees_the_same_and_holds_it_anew(study, clock):
    first = study.next_questions("ana")
    clock.advance(minutes=20)
    assert study.next_questions("ana") == first
    clock.advance(minutes=20)
    assert ids(first).isdisjoint(ids(study.next_questions("bob", n=100)))


def test_a_lease_is_as_long_as_was_asked_for(study, clock):
    study.next_questions("ana", n=100, minutes=5)
    clock.advance(minutes=5)
    assert len(study.next_questions("bob", n=100)) == 100


def test_what_is_skipped_is_given_back_at_once_and_comes_last_for_who_skipped_it(study):
    asked = study.next_questions("ana", n=100)
    study.skip(asked[0].question_id, expert="ana")
    assert ids(study.next_questions("bob", n=100)) == {asked[0].question_id}
    study.skip(asked[0].question_id, expert="bob")
    assert study.next_questions("ana", n=100)[-1].question_id == asked[0].question_id


def test_an_answer_that_comes_after_the_lease_is_kept_too(study, clock):
    (question,) = study.next_questions("ana")
    clock.advance(minutes=31)
    study.next_questions("bob", n=100)
    study.record(question.question_id, 0.25, expert="ana")
    study.record(question.question_id, 0.75, expert="bob")
    assert [(answer.expert, answer.value) for answer in study.stored_answers()] == [("ana", 0.25), ("bob", 0.75)]


def test_the_hold_of_a_killed_client_ends_with_its_lease(places, clients, clock):
    place = places.study()
    client = clients.start("answer_for_ever", place, expert="ana", start=0)
    client.wait_until(lambda: client.all_said("recorded"))
    client.kill()
    clock.now = datetime.now(UTC) + timedelta(minutes=31)
    with Study(place, clock=clock) as study:
        answered = {answer.question_id for answer in study.stored_answers()}
        assert len(study.next_questions("bob", n=100)) == 100 - len(answered)
