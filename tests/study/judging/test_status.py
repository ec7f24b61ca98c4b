"""How far a study is: what counts as answered, who did what, and how long the rest takes."""

from __future__ import annotations

import pytest

from commensurate.study.judging.status import LONGEST_PAUSE_SECONDS, status_of
from commensurate.study.simulate import simulate_study
from worlds.answered_study import Clock, answer, people_study


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def make(tmp_path, clock):
    """Make studies that are closed when the test ends."""
    made = []

    def one(**design):
        made.append(people_study(tmp_path / f"people{len(made)}.db", clock=clock, **{"questions": 20, **design}))
        return made[-1]

    yield one
    for study in made:
        study.close()


def progress(study):
    found = status_of(study)
    return found.questions, found.answered, found.answers_left


def test_a_new_study_has_everything_before_it(make):
    study = make(repeats=0.2, title="Who is like whom?")
    found = status_of(study)
    assert (found.title, found.created_at) == ("Who is like whom?", study.created_at)
    assert [(group.name, group.records, group.forgotten, group.rows) for group in found.groups] == [
        ("yes", 120, 0, 120),
        ("no", 120, 0, 120),
    ]
    assert (found.questions, found.answered, found.repeats, found.repeats_answered) == (20, 0, 4, 0)
    assert (found.answers, found.answers_left, found.simulated, found.closed) == (0, 24, 0, 0)
    assert (found.experts, found.seconds, found.hours_left) == ((), None, None)


def test_a_question_is_answered_when_it_has_one_number(make):
    study = make()
    answer(study, 3)
    assert progress(study) == (20, 3, 17)


def test_a_question_that_wants_two_answers_has_them_from_two_experts(make):
    study = make(answers_per_question=2)
    first, *_ = answer(study, 3, "ana")
    assert progress(study) == (20, 0, 37)
    study.record(first.question_id, 0.5, expert="ana")
    assert progress(study) == (20, 0, 37), "a correction is no second answer"
    study.record(first.question_id, 0.5, expert="ben")
    assert progress(study) == (20, 1, 36)
    study.record(first.question_id, 0.5, expert="eve")
    assert progress(study) == (20, 1, 36), "more than wanted is not less left elsewhere"


def test_unsure_is_no_number_and_a_number_that_becomes_unsure_is_none(make):
    study = make()
    first, *_ = answer(study, 2)
    study.record(first.question_id, None, expert="ana", unsure=True)
    assert progress(study) == (20, 1, 19)
    (ana,) = status_of(study).experts
    assert (ana.answered, ana.unsure, ana.corrections) == (2, 1, 1)
    study.record(first.question_id, 0.5, expert="ana")
    assert progress(study) == (20, 2, 18)


def test_hidden_repeats_are_counted_apart(make):
    study = make(repeats=1.0)
    answer(study, 30, "ana")
    found = status_of(study)
    assert found.answered + found.repeats_answered == 30
    assert found.repeats_answered >= 10
    answer(study, 10, "ana")
    found = status_of(study)
    assert (found.questions, found.answered, found.repeats, found.repeats_answered) == (20, 20, 20, 20)
    assert (found.answers, found.answers_left) == (40, 0)


def test_a_repeat_wants_one_answer_however_many_the_question_wants(make):
    study = make(repeats=0.2, answers_per_question=2)
    assert status_of(study).answers_left == 2 * 20 + 4


def test_questions_about_a_forgotten_record_are_closed(make):
    study = make(repeats=1.0)
    answered, open_one = answer(study, 1)[0], study.next_questions("ben")[0]
    study.forget(answered.left_id)
    found = status_of(study)
    assert (found.questions, found.repeats, found.closed) == (19, 19, 2)
    assert (found.answered, found.answers, found.answers_left) == (0, 1, 38)
    study.forget(open_one.right_id)
    assert progress(study) == (18, 0, 36)
    assert sum(group.forgotten for group in status_of(study).groups) == 2
    assert sum(group.records for group in status_of(study).groups) == 238


def test_simulated_answers_are_counted_as_such(make):
    study = make(repeats=0.1)
    simulate_study(study)
    found = status_of(study)
    assert found.simulated == found.answers == 22
    assert found.answers_left == 0


def test_what_each_expert_did_is_told_in_the_order_they_came(make, clock):
    study = make()
    (question,) = answer(study, 1, "ben")
    clock.go_on(30.0)
    study.record(question.question_id, 0.5, expert="ben", comment="better")
    study.record(question.question_id, 0.5, expert="ana", comment="so what")
    study.record(question.question_id, 0.75, expert="ana")
    held, skipped = study.next_questions("ana", 2)
    study.skip(skipped.question_id, expert="ana")
    ben, ana = status_of(study).experts
    assert (ben.name, ana.name) == ("ben", "ana")
    assert (ben.answered, ben.corrections, ben.comments, ben.skipped, ben.held_now) == (1, 1, 1, 0, 0)
    assert (ana.answered, ana.corrections, ana.comments, ana.skipped, ana.held_now) == (1, 1, 0, 1, 1)
    assert ben.last_answer_at == "2025-03-01T09:00:30.000000+00:00"
    study.release(held.question_id, expert="ana")
    assert status_of(study).experts[1].held_now == 0


def test_what_was_shown_long_ago_is_held_no_more(make, clock):
    study = make(lease_minutes=5.0)
    study.next_questions("ana", 3)
    assert [one.held_now for one in status_of(study).experts] == [3]
    clock.go_on(301.0)
    assert [one.held_now for one in status_of(study).experts] == [0]


# --- pace ---


def test_one_answer_tells_no_pace(make):
    study = make()
    answer(study, 1)
    found = status_of(study)
    assert (found.seconds, found.hours_left) == (None, None)


def test_the_pace_is_the_median_time_between_an_experts_answers(make, clock):
    study = make()
    for pause in (0.0, 10.0, 20.0, 60.0):
        clock.go_on(pause)
        answer(study, 1)
    found = status_of(study)
    assert found.seconds == 20.0
    assert found.hours_left == pytest.approx(16 * 20.0 / 3600.0)
    assert found.experts[0].seconds == 20.0


def test_measured_seconds_go_before_the_clock(make, clock):
    study = make()
    for seconds in (5.0, 7.0, 9.0):
        clock.go_on(100.0)
        (question,) = study.next_questions("ana")
        study.record(question.question_id, 0.5, expert="ana", seconds=seconds)
    assert status_of(study).seconds == 7.0


def test_pauses_and_others_answers_do_not_count(make, clock):
    study = make()
    for who, pause in (("ana", 0.0), ("ben", 3.0), ("ana", 7.0), ("ana", LONGEST_PAUSE_SECONDS + 1.0), ("ana", 10.0)):
        clock.go_on(pause)
        answer(study, 1, who)
    ana, ben = status_of(study).experts
    assert (ana.seconds, ben.seconds) == (10.0, None)


def test_answers_at_one_moment_tell_no_pace(make):
    study = make()
    answer(study, 5)
    assert status_of(study).seconds is None


def test_imported_answers_tell_no_pace_unless_it_was_measured(make, clock):
    study = make()
    for _ in range(3):
        clock.go_on(10.0)
        (question,) = study.next_questions("ana")
        study.record(question.question_id, 0.5, expert="ana", origin="import")
    assert status_of(study).seconds is None


def test_when_all_is_answered_no_time_is_left(make, clock):
    study = make(questions=4)
    for _ in range(4):
        clock.go_on(10.0)
        answer(study, 1)
    found = status_of(study)
    assert (found.answers_left, found.hours_left) == (0, 0.0)
