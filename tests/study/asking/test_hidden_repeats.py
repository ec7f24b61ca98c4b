"""Hidden repeats: to whom they go, and when."""

from commensurate.study.store.asking import REPEAT_DISTANCE
from study.small_study import (
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
        # 15 are new; repeats of what she has just answered stand among them, and are not due
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
