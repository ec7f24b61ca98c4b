"""Hidden repeats: to whom they go, and when."""

import pytest

from commensurate.study.owner_desk import ask_again
from commensurate.study.store.asking import REPEAT_DISTANCE
from worlds.small_study import (
    answer_all,
    asked_ids,
    questions_of,
    small_study,
)


def test_a_repeat_has_its_own_id_and_asks_about_the_same_pair(tmp_path):
    with small_study(tmp_path, repeats=0.5) as study:
        questions = {question.question_id: question for question in questions_of(study)}
        repeats = [question for question in questions.values() if question.repeat_of is not None]
        assert len(questions) == 30
        assert len({question.repeat_of for question in repeats}) == 10
        for repeat in repeats:
            first = questions[repeat.repeat_of]
            assert (first.left_id, first.right_id, first.held_out) == (repeat.left_id, repeat.right_id, repeat.held_out)
            assert first.place < repeat.place


def test_a_repeat_goes_only_to_who_answered_the_first_time(tmp_path):
    with small_study(tmp_path, repeats=1.0) as study:
        repeat_of = {q.question_id: q.repeat_of for q in questions_of(study) if q.repeat_of is not None}
        mine = asked_ids(study.next_questions("ana", 12))
        for question in mine:
            study.record(question, 0.5, expert="ana")
        for question in asked_ids(study.next_questions("bob", 8)):
            study.record(question, 0.5, expert="bob")
        assert {repeat_of[question] for question in asked_ids(study.next_questions("ana", 99))} == set(mine)
        assert len(study.next_questions("bob", 99)) == 8
        assert study.next_questions("eve", 99) == []


def test_who_was_unsure_is_not_asked_the_repeat(tmp_path):
    with small_study(tmp_path, questions=4, repeats=1.0) as study:
        for question in asked_ids(study.next_questions("ana", 4)):
            study.record(question, None, unsure=True, expert="ana")
        assert study.next_questions("ana", 99) == []
        assert study.counts("ana").open == 0


def test_a_repeat_comes_at_least_some_answers_after_the_first_time(tmp_path):
    with small_study(tmp_path, questions=40, repeats=0.5) as study:
        repeat_of = {q.question_id: q.repeat_of for q in questions_of(study) if q.repeat_of is not None}
        order = answer_all(study, "ana")
    place = {question: k for k, question in enumerate(order)}
    assert len(place) == 60
    last_new = max(k for k, question in enumerate(order) if question not in repeat_of)
    hidden = [question for question in repeat_of if place[question] < last_new]
    # they come among the others, not all of them behind
    assert len(hidden) >= 5
    assert min(place[question] - place[repeat_of[question]] for question in hidden) > REPEAT_DISTANCE


def test_only_her_own_answers_since_the_first_time_bring_a_repeat_nearer(tmp_path):
    with small_study(tmp_path, questions=40, repeats=1.0) as study:
        repeat_of = {q.question_id: q.repeat_of for q in questions_of(study) if q.repeat_of is not None}
        mine = asked_ids(study.next_questions("ana", 5))
        for question in mine:
            study.record(question, 0.5, expert="ana")
        for question in asked_ids(study.next_questions("bob", 20)):
            study.record(question, 0.5, expert="bob")
        # 15 are new; repeats of what ana has just answered stand among them, and are not due
        left = asked_ids(study.next_questions("ana", 20))
        assert not set(left[:15]) & set(repeat_of)
        assert {repeat_of[question] for question in left[15:]} == set(mine)


def test_a_repeat_is_due_as_soon_as_ten_other_answers_lie_between(tmp_path):
    with small_study(tmp_path, questions=60, repeats=1.0) as study:
        repeat_of = {q.question_id: q.repeat_of for q in questions_of(study) if q.repeat_of is not None}
        mine = asked_ids(study.next_questions("ana", 8))
        for question in mine:
            study.record(question, 0.5, expert="ana")
        # what others answer makes later places, with the repeats among them, come sooner
        for question in asked_ids(study.next_questions("bob", 25)):
            study.record(question, 0.5, expert="bob")
        order = mine + answer_all(study, "ana")
    last_new = max(k for k, question in enumerate(order) if question not in repeat_of)
    between = [
        k - order.index(repeat_of[question]) - 1
        for k, question in enumerate(order)
        if question in repeat_of and k < last_new
    ]
    assert min(between) == REPEAT_DISTANCE


def answer(study, question, value=0.5, expert="ana"):
    study.record(question, value, unsure=value is None, expert=expert)


def answers_until_the_repeat(tmp_path, say_again):
    """Let an expert repeat what they said 12 answers ago; return how many others lie between that and its repeat."""
    with small_study(tmp_path, questions=60, repeats=1.0, calibration=0.0) as study:
        planned = questions_of(study)
        place = next(k for k, question in enumerate(planned) if question.repeat_of is not None)
        repeat, original = planned[place].question_id, planned[place].repeat_of
        answer(study, original)
        # nothing but the distance keeps the repeat from being next: what stands before it is answered
        for question in planned[:place]:
            if question.question_id != original:
                answer(study, question.question_id, expert="bob")
        for question in [q.question_id for q in planned[place:] if q.repeat_of is None][-12:]:
            answer(study, question)
        say_again(study, original)
        return answer_all(study, "ana").index(repeat)


def corrected(study, question):
    answer(study, question, 0.7)


def asked_once_more(study, question):
    ask_again(study, question)
    assert asked_ids(study.next_questions("ana")) == [question]
    answer(study, question, 0.7)


def test_what_she_said_once_is_repeated_at_once_when_it_is_due_and_next(tmp_path):
    assert answers_until_the_repeat(tmp_path, lambda *_: None) == 0


@pytest.mark.parametrize("say_again", [corrected, asked_once_more])
def test_what_she_said_again_is_repeated_as_late_as_if_she_had_said_it_then_only(tmp_path, say_again):
    assert answers_until_the_repeat(tmp_path, say_again) == REPEAT_DISTANCE


def test_a_repeat_is_asked_early_if_nothing_else_is_left(tmp_path):
    with small_study(tmp_path, questions=4, repeats=1.0) as study:
        repeats = {q.question_id for q in questions_of(study) if q.repeat_of is not None}
        order = answer_all(study, "ana")
        assert set(order[4:]) == repeats
        assert len(order) == 8


def test_a_repeat_is_answered_once_however_many_answers_a_question_gets(tmp_path):
    with small_study(tmp_path, answers_per_question=2, repeats=0.5) as study:
        for expert in ("ana", "bob", "eve"):
            answer_all(study, expert)
        repeats = {q.question_id for q in questions_of(study) if q.repeat_of is not None}
        table = study.answers()
        assert len(table) == 50
        counts = table.groupby("question_id").size()
        assert {int(counts[question]) for question in repeats} == {1}


# --- how many are left ---


@pytest.mark.parametrize("k", [1, 2])
def test_each_answer_of_a_single_expert_leaves_one_less_to_ask_her(tmp_path, k):
    with small_study(tmp_path, questions=16, repeats=0.5, answers_per_question=k) as study:
        left = [study.counts("ana").open]
        while asked := study.next_questions("ana"):
            answer(study, asked[0].question_id)
            left.append(study.counts("ana").open)
        assert left == list(range(24, -1, -1))


def test_answering_once_more_what_she_was_unsure_of_leaves_one_less_whether_it_is_repeated_or_not(tmp_path):
    with small_study(tmp_path, questions=16, repeats=0.5, calibration=0.0) as study:
        asked = asked_ids(study.next_questions("ana", 16))
        for question in asked:
            answer(study, question, None)
        assert study.counts("ana").open == 0
        for question in asked:
            ask_again(study, question)
        left = study.counts("ana").open
        for question in asked:
            answer(study, question)
            left -= 1
            assert study.counts("ana").open == left


def test_a_repeat_no_longer_counts_for_who_was_unsure_or_whom_others_forestalled(tmp_path):
    with small_study(tmp_path, questions=4, repeats=1.0) as study:
        first, second, *_ = asked_ids(study.next_questions("ana", 4))
        assert study.counts("ana").open == 8
        answer(study, first, None)
        assert study.counts("ana").open == 6
        answer(study, second, expert="bob")
        assert study.counts("ana").open == 4
        # the one that ana was unsure of with its repeat, and the repeat of what he answered
        assert study.counts("bob").open == 3


def test_while_an_original_is_with_others_so_is_its_repeat(tmp_path):
    with small_study(tmp_path, questions=4, repeats=1.0) as study:
        held = asked_ids(study.next_questions("ana", 4))
        assert study.next_questions("bob") == []
        assert (study.counts("bob").open, study.counts("bob").with_others) == (0, 8)
        study.release(held[0], expert="ana")
        assert (study.counts("bob").open, study.counts("bob").with_others) == (2, 6)


def test_one_answer_takes_away_as_much_while_another_holds_the_repeat(tmp_path):
    with small_study(tmp_path, questions=4, repeats=1.0, answers_per_question=2) as study:
        for question in asked_ids(study.next_questions("bob", 4)):
            answer(study, question, expert="bob")
        study.next_questions("bob", 2)
        left = [study.counts("ana").open]
        for question in asked_ids(study.next_questions("ana", 4)):
            answer(study, question)
            left.append(study.counts("ana").open)
        assert left == [6, 5, 4, 3, 2]
