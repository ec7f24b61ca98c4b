"""Contradictions among answers of every kind, and what cannot be said of them."""

import pytest

from worlds.small_study import questions_of
from worlds.study_kinds import answer_everything, kinds_study


@pytest.mark.parametrize("kind", ["grades", "comparisons"])
def test_answers_without_errors_never_contradict_m1_and_m2(tmp_path, kind):
    with kinds_study(tmp_path / "s.db", kind, answer_error=0.0) as study:
        answer_everything(study)
        (found,) = study.check().contradictions
    assert (found.count, found.questions) == (0, ())
    assert found.words.startswith("All 40 statements are consistent")


@pytest.mark.parametrize("kind", ["grades", "comparisons"])
def test_under_a_bound_on_errors_a_contradiction_names_the_questions_and_asks_them_again(tmp_path, kind):
    with kinds_study(tmp_path / "s.db", kind, answer_error=0.01, answers_per_question=2) as study:
        answer_everything(study)
        far = "utterly different" if kind == "grades" else "second"
        near = [
            one for one in study.stored_answers() if one.choice in ("hardly different", "first") and not one.held_out
        ]
        near = min((one for one in near if one.known_distance is None), key=lambda one: one.other_distance or 0.0)
        study.record(near.question_id, far, expert="bob")
        check = study.check()
        (found,) = check.contradictions
    if kind == "comparisons":
        # at most t and at least t are both true at t
        assert found.count == 0
        assert [one.question for one in check.word_disagreements] == [near.question_id]
    else:
        assert near.question_id in found.questions
        assert near.question_id in {one.question_id for one in check.ask_again}


def test_if_experts_err_at_random_it_is_said_how_far_off_answers_are_and_that_no_more_can_be_said(tmp_path):
    with kinds_study(tmp_path / "s.db", "grades") as study:
        answer_everything(study)
        consistent = study.check().contradictions[0]
        of_sigma = (one for one in study.stored_answers() if one.known_distance is None)
        near = next(one for one in of_sigma if one.choice == "hardly different")
        study.record(near.question_id, "utterly different", expert="bob")
        (found,) = study.check().contradictions
    assert consistent.words.startswith("All 40 statements are consistent")
    assert (found.count, found.questions) == (0, ())
    assert "cannot be said of grades and comparisons" in found.words


def test_the_questions_of_a_contradiction_are_those_of_the_study(tmp_path):
    # a plan names a comparison by its pair, the study by the whole comparison
    with kinds_study(tmp_path / "s.db", "comparisons", answer_error=0.0, answers_per_question=2) as study:
        for one in questions_of(study):
            if one.kind == "comparison" and one.about_sigma:
                study.record(one.question_id, "second" if one.other_distance > 0.4 else "first", expert="ana")
        held = [one for one in questions_of(study) if one.held_out]
        for one in held:
            study.record(one.question_id, 0.0, expert="ana")
        (found,) = study.check().contradictions
        ids = {one.question_id for one in questions_of(study)}
    assert found.count == len(found.questions) >= 2
    assert set(found.questions) <= ids


def test_a_study_of_numbers_is_checked_as_before(tmp_path):
    with kinds_study(tmp_path / "s.db", "numbers") as study:
        answer_everything(study)
        check = study.check()
    assert check.not_compared is None
    assert "statements" not in check.contradictions[0].words
