"""An answer that says which one it replaces: two windows never overwrite each other unseen."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from commensurate.errors import AnsweredMeanwhile, InvalidAnswer, InvalidParameter
from commensurate.study.study import Study


@pytest.fixture
def study(place):
    with Study(place) as opened:
        yield opened


@pytest.fixture
def question(study):
    return study.next_questions("ana")[0].question_id


def history(study):
    return [one.value for one in study.stored_answers(history=True)]


def test_a_first_answer_and_its_correction_name_what_they_replace(study, question):
    first = study.record(question, 0.5, expert="ana", instead_of=None)
    second = study.record(question, 0.6, expert="ana", instead_of=first.number)
    assert study.record(question, 0.7, expert="ana", instead_of=second.number).number > second.number
    assert history(study) == [0.5, 0.6, 0.7]


@pytest.mark.parametrize("instead_of", [None, 1, 999])
def test_another_answer_than_expected_is_told_and_nothing_is_recorded(study, question, instead_of):
    study.record(question, 0.5, expert="ana", instead_of=None)
    standing = study.record(question, 0.6, expert="ana", comment="elsewhere", instead_of=1)
    with pytest.raises(AnsweredMeanwhile, match="ana has already answered question .*") as caught:
        study.record(question, 0.7, expert="ana", instead_of=instead_of)
    assert caught.value.standing == standing
    assert history(study) == [0.5, 0.6]


def test_the_answer_that_stands_is_in_no_message_and_survives_pickling(study, question):
    study.record(question, 0.625, expert="ana", comment="private")
    with pytest.raises(AnsweredMeanwhile) as caught:
        study.record(question, 0.7, expert="ana", instead_of=None)
    assert "0.625" not in str(caught.value)
    assert "private" not in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.standing, str(again)) == (caught.value.standing, str(caught.value))


def test_answers_of_others_are_not_in_the_way(study, question):
    study.record(question, 0.5, expert="bob")
    study.record(question, 0.6, expert="ana", instead_of=None)
    assert history(study) == [0.5, 0.6]


def test_an_answer_cannot_replace_what_was_never_given(study, question):
    other = study.record(question, 0.5, expert="bob").number
    for number in (other, 999):
        with pytest.raises(InvalidParameter, match="you have no answer to replace; open the question again"):
            study.record(question, 0.6, expert="ana", instead_of=number)
    assert history(study) == [0.5]


def test_an_answer_that_is_sent_again_with_its_key_is_that_answer(study, question):
    given = {"expert": "ana", "key": "k1", "instead_of": None}
    first = study.record(question, 0.5, **given)
    assert study.record(question, 0.5, **given) == first
    study.record(question, 0.8, expert="ana", instead_of=first.number)
    # sent again late, it is known, and the correction stands
    assert study.record(question, 0.5, **given) == first
    assert history(study) == [0.5, 0.8]


@pytest.mark.parametrize(
    "changed", [{"answer": 0.9}, {"answer": None, "unsure": True}, {"answer": 0.5, "comment": "so"}]
)
@pytest.mark.parametrize("instead_of", [None, 1, 2])
def test_a_form_that_is_sent_again_with_changes_is_told_what_stands(study, question, changed, instead_of):
    first = study.record(question, 0.5, expert="ana", key="k1", instead_of=None)
    standing = study.record(question, 0.8, expert="ana", instead_of=first.number)
    with pytest.raises(AnsweredMeanwhile) as caught:
        study.record(question, expert="ana", key="k1", instead_of=instead_of, **changed)
    assert caught.value.standing == standing
    assert history(study) == [0.5, 0.8]


def test_a_key_of_another_question_or_expert_or_without_what_it_replaces_is_a_mistake(study, question):
    other = study.next_questions("ana", 2)[1].question_id
    study.record(question, 0.5, expert="ana", key="k1", instead_of=None)
    for asked, expert, instead_of in ((other, "ana", None), (question, "bob", None), (question, "ana", "any")):
        with pytest.raises(InvalidAnswer, match="key 'k1' belongs to another answer"):
            study.record(asked, 0.6, expert=expert, key="k1", instead_of=instead_of)
    assert history(study) == [0.5]


def test_without_saying_what_it_replaces_an_answer_is_recorded_in_any_case(study, question):
    for value in (0.5, 0.6):
        study.record(question, value, expert="ana")
    study.record(question, 0.7, expert="ana", instead_of="any")
    assert history(study) == [0.5, 0.6, 0.7]


def test_of_two_windows_that_answer_at_once_one_wins_and_the_other_is_told(study):
    for asked in study.next_questions("ana", 12):
        start = Barrier(2)

        def answer(value, question=asked.question_id, start=start):
            start.wait()
            try:
                return study.record(question, value, expert="ana", key=f"{question} {value}", instead_of=None)
            except AnsweredMeanwhile as told:
                return told

        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(answer, (0.25, 0.75)))
        (lost,) = [one for one in results if isinstance(one, AnsweredMeanwhile)]
        (won,) = [one for one in results if not isinstance(one, AnsweredMeanwhile)]
        assert lost.standing == won
    assert len(history(study)) == 12
