"""The owner has answered questions put again: to whom, when, and until when."""

import pytest

from commensurate.errors import InvalidInput, UnknownQuestion
from commensurate.study.owner_desk import ask_again
from commensurate.study.simulate import simulate_study
from commensurate.study.study import Study
from worlds.small_study import answer_all, asked_ids, questions_of, small_study


@pytest.fixture
def study(tmp_path, clock):
    with small_study(tmp_path, clock=clock, calibration=0.0) as made:
        yield made


def answer(study, n, expert="ana", value=0.5):
    asked = asked_ids(study.next_questions(expert, n))
    for question in asked:
        study.record(question, value, unsure=value is None, expert=expert)
    return asked


def test_a_question_that_is_put_again_comes_first_of_all_and_says_so(study):
    answered = answer(study, 3)
    held = asked_ids(study.next_questions("ana", 2))
    assert ask_again(study, answered[1]) == ("ana",)
    asked = study.next_questions("ana", 4)
    assert asked_ids(asked)[:3] == [answered[1], *held]
    assert [one.again for one in asked] == [True, False, False, False]
    assert study.question(answered[1], expert="ana").again
    assert not study.question(answered[1], expert="bob").again
    assert not study.question(answered[0], expert="ana").again


def test_it_ends_with_her_answer_which_corrects_the_one_before(study):
    answered = answer(study, 3)
    ask_again(study, answered[1])
    before = study.counts("ana")
    study.record(answered[1], 0.9, expert="ana")
    after = study.counts("ana")
    assert (before.answered, before.open) == (3, 18)
    assert (after.answered, after.open) == (3, 17)
    assert answered[1] not in asked_ids(study.next_questions("ana", 20))
    assert not study.question(answered[1], expert="ana").again
    assert [one.value for one in study.stored_answers(history=True) if one.question_id == answered[1]] == [0.5, 0.9]


def test_everybody_who_answered_is_asked_with_a_number_or_unsure(tmp_path):
    with small_study(tmp_path, calibration=0.0, answers_per_question=3) as study:
        (question,) = answer(study, 1, "ana")
        for expert, value in (("bob", None), ("eve", 0.2)):
            study.record(question, value, unsure=value is None, expert=expert)
        study.record(questions_of(study)[5].question_id, 0.5, expert="dan")
        assert ask_again(study, question) == ("ana", "bob", "eve")
        for expert in ("ana", "bob", "eve"):
            (asked,) = study.next_questions(expert)
            assert (asked.question_id, asked.again) == (question, True)
            study.record(question, 0.4, expert=expert)
        assert not study.next_questions("dan")[0].again
        for expert in ("ana", "bob", "eve"):
            assert question not in asked_ids(study.next_questions(expert, 20))


def test_asking_twice_is_asking_once(study):
    answered = answer(study, 2)
    for _ in range(3):
        assert ask_again(study, answered[0]) == ("ana",)
    assert study.counts("ana").open == 19
    study.record(answered[0], 0.9, expert="ana")
    assert answered[0] not in asked_ids(study.next_questions("ana", 20))
    # answered, it may be asked again once more
    assert ask_again(study, answered[0]) == ("ana",)
    assert asked_ids(study.next_questions("ana")) == [answered[0]]


def test_skipped_it_comes_after_all_others_and_is_still_put_again(study):
    answered = answer(study, 3)
    ask_again(study, answered[1])
    study.next_questions("ana")
    study.skip(answered[1], expert="ana")
    asked = study.next_questions("ana", 20)
    assert len(asked) == 18
    assert (asked[-1].question_id, asked[-1].again) == (answered[1], True)
    ask_again(study, answered[1])
    assert asked_ids(study.next_questions("ana", 20))[-1] == answered[1]


def test_what_she_skipped_before_she_answered_it_still_comes_first_when_it_is_put_again(study):
    (question,) = asked_ids(study.next_questions("ana"))
    study.skip(question, expert="ana")
    study.record(question, 0.5, expert="ana")
    ask_again(study, question)
    assert asked_ids(study.next_questions("ana")) == [question]


def test_while_one_holds_it_the_other_waits(study, clock):
    (question,) = answer(study, 1, "ana")
    study.record(question, 0.1, expert="bob")
    assert ask_again(study, question) == ("ana", "bob")
    assert asked_ids(study.next_questions("ana")) == [question]
    assert study.counts("bob").with_others == 1
    assert question not in asked_ids(study.next_questions("bob", 3))
    clock.move(31.0)
    assert asked_ids(study.next_questions("bob")) == [question]


def test_it_survives_closing_the_study(study, clock):
    (question,) = answer(study, 1)
    ask_again(study, question)
    study.close()
    with Study(study.where, clock=clock) as again:
        assert again.next_questions("ana")[0].again


def test_nobody_is_told_of_a_hidden_repeat_and_none_is_put_again(tmp_path):
    with small_study(tmp_path, calibration=0.0, repeats=1.0) as study:
        repeats = {one.question_id: one.repeat_of for one in questions_of(study) if one.repeat_of is not None}
        seen = []
        while asked := study.next_questions("ana"):
            assert not asked[0].again
            seen.append(asked[0].question_id)
            study.record(seen[-1], 0.5, expert="ana")
        assert set(repeats) <= set(seen)
        for repeat, original in repeats.items():
            with pytest.raises(InvalidInput, match=f"is a hidden repeat of {original}.*ask {original} again"):
                ask_again(study, repeat)
        assert study.next_questions("ana") == []


def test_a_held_out_question_is_not_put_again(tmp_path):
    with small_study(tmp_path) as study:
        answer_all(study, "ana")
        held_out = next(one.question_id for one in questions_of(study) if one.held_out)
        with pytest.raises(InvalidInput, match="is held out to measure the error"):
            ask_again(study, held_out)
        assert study.next_questions("ana") == []


def test_what_nobody_answered_is_not_put_again(study):
    (question,) = asked_ids(study.next_questions("ana"))
    with pytest.raises(InvalidInput, match="no expert has answered question"):
        ask_again(study, question)
    assert not study.next_questions("ana")[0].again


def test_unknown_and_forgotten_questions_are_not_put_again(study):
    (question,) = answer(study, 1)
    ask_again(study, question)
    study.forget(study.question(question, expert="ana").left_id)
    for name in ("nonsense", question, None):
        with pytest.raises(UnknownQuestion):
            ask_again(study, name)
    assert not any(one.again for one in study.next_questions("ana", 20))
    assert study.counts("ana").open == len(study.next_questions("ana", 20))


def test_simulated_experts_are_not_asked_again(tmp_path):
    with small_study(tmp_path, calibration=0.0) as study:
        simulate_study(study)
        with pytest.raises(InvalidInput, match="rehearsal"):
            ask_again(study, questions_of(study)[0].question_id)
