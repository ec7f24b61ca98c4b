"""A share of held-out questions goes to a second expert; the first answer judges, and both tell how far off σ is."""

import json

import pytest

from commensurate.errors import InvalidParameter
from commensurate.study.judging.heard import Heard
from commensurate.study.judging.trust import trust_of
from commensurate.study.settings import StudySettings
from worlds.small_study import answer_all, questions_of, small_study

# so that half of so few questions can be held out
HALF = {"claim": "pairs of these elements", "calibration": 0.5}


def wanted_twice(study):
    return {
        one.question_id
        for one in questions_of(study)
        if one.repeat_of is None and study.settings.answers_wanted(one.question_id, held_out=one.held_out) == 2
    }


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_second_expert_is_asked_a_share_of_the_held_out_questions_and_no_third_one(tmp_path, share):
    with small_study(tmp_path, questions=60, **HALF, second_answers=share) as study:
        held_out = {one.question_id for one in questions_of(study) if one.held_out}
        assert len(answer_all(study, "ana")) == 60
        second = set(answer_all(study, "bob"))
        assert second == wanted_twice(study) <= held_out
        assert len(second) == round(share * len(held_out))
        assert answer_all(study, "eve") == []


def test_hidden_repeats_stay_with_who_answered_the_question(tmp_path):
    with small_study(tmp_path, questions=40, **HALF, repeats=1.0, second_answers=1.0) as study:
        repeats = {one.question_id for one in questions_of(study) if one.repeat_of is not None}
        assert repeats <= set(answer_all(study, "ana"))
        assert not repeats & set(answer_all(study, "bob"))


def test_where_more_experts_answer_every_question_nothing_changes(tmp_path):
    with small_study(tmp_path, answers_per_question=2, second_answers=1.0) as study:
        assert [len(answer_all(study, name)) for name in ("ana", "bob", "eve")] == [20, 20, 0]
        assert study.status().twice == 0


def test_status_counts_second_answers_as_soon_as_two_experts_have_answered(tmp_path):
    with small_study(tmp_path, questions=60, **HALF, second_answers=0.5) as study:
        n = len(wanted_twice(study))
        answer_all(study, "ana")
        alone = study.status()
        assert (alone.answered, alone.answers_left, alone.twice, alone.twice_answered) == (60, 0, 0, 0)
        (asked,) = study.next_questions("bob", 1)
        study.record(asked.question_id, 0.5, expert="bob")
        both = study.status()
        assert (both.answered, both.answers_left, both.twice, both.twice_answered) == (60, n - 1, n, 1)


def test_the_first_answer_judges_even_if_it_is_corrected_after_the_second(tmp_path):
    with small_study(tmp_path, questions=20, **HALF, second_answers=1.0) as study:
        question = min(wanted_twice(study))
        study.record(question, 0.1, expert="ana")
        study.record(question, 0.7, expert="bob")
        study.record(question, 0.2, expert="ana")
        judging = [(one.expert, one.value) for one in Heard.of(study).present().answers]
        assert judging == [("ana", 0.2), ("bob", 0.7)]


def test_studies_of_earlier_versions_ask_nobody_a_second_time():
    stored = json.loads(StudySettings(seed=1, plan_seed=2, scale_end=1.0, tolerance=0.1).to_json())
    del stored["second_answers"], stored["second_until"]
    settings = StudySettings.from_json(json.dumps(stored))
    assert (settings.second_answers, settings.answers_wanted("00", held_out=True)) == (0.0, 1)
    assert StudySettings.of({}, given=True).second_answers == 0.0


def test_a_share_beyond_1_is_refused():
    with pytest.raises(InvalidParameter, match="second_answers must be a share from 0 to 1, got 2"):
        StudySettings(second_answers=2)


@pytest.fixture
def told(tmp_path):
    """What is told of the error against σ after two experts have answered, the second ``higher`` by so much."""

    def tell(higher):
        with small_study(tmp_path, questions=80, **HALF, second_answers=0.5, scale_end=2.0) as study:
            answer_all(study, "ana")
            answer_all(study, "bob", 0.5 + higher)
            (pair,) = trust_of(study).figures
            # what was computed is read again
            assert trust_of(study).figures == (pair,)
            return pair.against_sigma, len(wanted_twice(study))

    return tell


def test_the_owner_is_told_how_far_off_sigma_estimates_are(told):
    words, n = told(0.1)
    assert f"from {n} pairs answered by two people" in words
    assert "this root mean square is at most" in words
    assert "what all experts get wrong alike is not seen" in words


def test_where_an_answer_lies_beyond_the_scale_no_bound_is_told(told):
    words, _ = told(3.0)
    assert "No bound with a confidence is known" in words
