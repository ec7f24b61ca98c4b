"""An expert's own desk: what they were asked and answered, and nothing of others."""

import pytest

from commensurate.errors import InvalidParameter, UnknownQuestion
from commensurate.study.expert_desk import answer_before, desk_of, put_question
from commensurate.study.owner_desk import ask_again
from commensurate.study.study import Study
from worlds.study_places import answer_some


@pytest.fixture
def study(places):
    with Study(places.study(calibration=0.0)) as opened:
        yield opened


def answer_to(study, question_id, expert):
    found = put_question(study, question_id, expert=expert)
    return None if found is None else found.answer


def was_asked(study, question_id, expert):
    return put_question(study, question_id, expert=expert) is not None


def seconds_per_answer(study, expert):
    return desk_of(study, None, expert=expert).seconds


def way_back(study, question_id=None, expert="ana"):
    """Return where Back leads, again and again, starting from a question."""
    found = []
    while (before := answer_before(study, question_id, expert=expert)) is not None:
        found.append(before.question_id)
        question_id = before.question_id
    return found


# --- their answers ---


def test_her_last_answer_to_a_question_is_found(study):
    (question,) = answer_some(study, 1)
    first = answer_to(study, question, expert="ana")
    corrected = study.record(question, None, unsure=True, expert="ana", comment="so")
    study.record(question, 0.9, expert="bob")
    assert (first.value, first.number) == (0.0, 1)
    assert answer_to(study, question, expert="ana") == corrected
    assert corrected.number == 2
    assert answer_to(study, question, expert="eve") is None


def test_numbers_count_answers_in_the_order_in_which_they_were_recorded(study):
    answer_some(study, 3)
    answer_some(study, 2, expert="bob")
    stored = study.stored_answers(history=True)
    assert [one.number for one in stored] == [1, 2, 3, 4, 5]
    assert [answer_to(study, one.question_id, expert=one.expert).number for one in stored] == [1, 2, 3, 4, 5]


def test_a_question_that_nobody_knows_has_no_answer(study):
    answer_some(study, 1)
    assert answer_to(study, "nonsense", expert="ana") is None
    assert not was_asked(study, "nonsense", expert="ana")
    for look in (put_question, answer_before, desk_of):
        with pytest.raises(UnknownQuestion):
            look(study, "\0", expert="ana")
        with pytest.raises(InvalidParameter):
            look(study, "nonsense", expert="")


# --- back ---


def test_back_leads_through_her_answers_from_the_last_to_the_first(study):
    answered = answer_some(study, 4)
    answer_some(study, 3, expert="bob")
    assert way_back(study) == answered[::-1]
    assert way_back(study, answered[2]) == answered[1::-1]
    (open_one,) = study.next_questions("ana")
    assert way_back(study, open_one.question_id) == answered[::-1]
    assert way_back(study, expert="eve") == []


def test_a_corrected_answer_stands_where_it_was_corrected(study):
    answered = answer_some(study, 4)
    study.record(answered[1], 0.7, expert="ana")
    assert way_back(study) == [answered[1], answered[3], answered[2], answered[0]]
    assert answer_before(study, None, expert="ana").value == 0.7


def test_back_passes_over_what_was_forgotten(study):
    answered = answer_some(study, 4)
    shown = study.question(answered[2], expert="ana")
    study.forget(shown.left_id, group=shown.between[0])
    closed = {one for one in answered if not was_asked(study, one, expert="ana")}
    assert answered[2] in closed
    assert way_back(study) == [one for one in answered[::-1] if one not in closed]
    assert answer_to(study, answered[2], expert="ana") is None


def test_back_does_not_show_what_she_said_about_a_question_that_is_put_again(study):
    answered = answer_some(study, 4)
    ask_again(study, answered[1])
    assert way_back(study) == [answered[3], answered[2], answered[0]]
    assert way_back(study, answered[1]) == [answered[3], answered[2], answered[0]]
    study.record(answered[1], 0.4, expert="ana")
    assert way_back(study)[0] == answered[1]


# --- what they were asked ---


def test_what_was_handed_out_to_her_was_asked_however_it_ended(study):
    asked = [one.question_id for one in study.next_questions("ana", 4)]
    study.skip(asked[0], expert="ana")
    study.release(asked[1], expert="ana")
    study.record(asked[2], 0.5, expert="ana")
    assert [was_asked(study, one, expert="ana") for one in asked] == [True] * 4
    assert [was_asked(study, one, expert="bob") for one in asked] == [False] * 4


def test_what_she_answered_unasked_counts_as_asked(study):
    (asked,) = study.next_questions("ana")
    study.record(asked.question_id, 0.5, expert="bob")
    assert was_asked(study, asked.question_id, expert="bob")


def test_a_question_is_put_as_she_sees_it(study):
    (asked,) = study.next_questions("ana")
    assert put_question(study, asked.question_id, expert="ana").question == asked
    given = study.record(asked.question_id, 0.5, expert="ana")
    put = put_question(study, asked.question_id, expert="ana")
    assert (put.question, put.answer) == (study.question(asked.question_id, expert="ana"), given)


# --- beside a question ---


def test_beside_a_question_she_reads_how_far_she_is_and_where_back_leads(study):
    answered = answer_some(study, 3)
    for expert in ("ana", "new"):
        for question_id in (None, *answered):
            desk = desk_of(study, question_id, expert=expert)
            assert desk.counts == study.counts(expert)
            assert desk.before == answer_before(study, question_id, expert=expert)


# --- pace ---


def test_the_pace_is_the_median_of_her_last_50_answers_with_a_time(study):
    asked = study.next_questions("ana", 60)
    for k, question in enumerate(asked):
        study.record(question.question_id, 0.5, expert="ana", seconds=1000.0 if k < 10 else float(k))
    assert seconds_per_answer(study, expert="ana") == 34.5
    study.record(asked[0].question_id, 0.5, expert="ana")
    assert seconds_per_answer(study, expert="ana") == 34.5


def test_no_pace_is_known_of_who_has_answered_nothing_or_without_a_time(study):
    answer_some(study, 3)
    assert seconds_per_answer(study, expert="ana") is None
    assert seconds_per_answer(study, expert="bob") is None
