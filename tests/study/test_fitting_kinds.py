"""What a study of grades or comparisons passes on to learn from."""

import math

import pytest

from commensurate.study.fitting import answer_to_learn_from, fit_study, plan_of
from commensurate.study.judging.heard import Heard
from worlds.small_study import questions_of
from worlds.study_kinds import answer_everything, kinds_study


def learnt_from(study):
    in_plan = {one.question_id for one in plan_of(study).questions}
    answers = [(one, answer_to_learn_from(study.settings, one)) for one in study.stored_answers() if not one.unsure]
    return [(stored, answer) for stored, answer in answers if answer.question_id in in_plan]


def test_a_grade_is_learnt_as_the_range_of_its_boundaries_and_a_held_out_answer_as_a_number(tmp_path):
    with kinds_study(tmp_path / "s.db", "grades") as study:
        answer_everything(study)
        ends = [0.0, *study.settings.boundaries, math.inf]
        pairs = learnt_from(study)
        assert len(pairs) == 40
        for stored, answer in pairs:
            if stored.held_out:
                assert answer.value == stored.value
            else:
                grade = study.settings.grades.index(stored.choice)
                assert tuple(answer.said) == (ends[grade], ends[grade + 1], False)


def test_a_comparison_is_learnt_as_a_bound_beside_a_ruler_under_the_id_of_its_pair(tmp_path):
    with kinds_study(tmp_path / "s.db", "comparisons", repeats=0.25) as study:
        answer_everything(study)
        same = next(one for one in questions_of(study) if one.kind == "comparison" and one.about_sigma)
        study.record(same.question_id, "same", expert="ana")
        for stored, answer in learnt_from(study):
            if stored.held_out:
                continue
            distance = stored.other_distance
            expected = {"first": (0.0, distance), "second": (distance, math.inf)}.get(
                stored.choice, (0.8 * distance, 1.2 * distance)
            )
            assert tuple(answer.said) == pytest.approx((*expected, True))
        assert len(learnt_from(study)) == 50


@pytest.mark.parametrize("kind", ["grades", "comparisons"])
def test_answers_about_known_pairs_unsure_ones_and_forgotten_records_teach_nothing(tmp_path, kind):
    with kinds_study(tmp_path / "s.db", kind) as study:
        answer_everything(study)
        known = sum(one.known_distance is not None for one in study.stored_answers())
        assert known == 8
        log = fit_study(study).logs_["old", "new"]
        assert len(log) == 40
        unsure = next(one for one in study.stored_answers() if not one.held_out and one.known_distance is None)
        study.record(unsure.question_id, None, unsure=True, expert="ana")
        assert len(fit_study(study).logs_["old", "new"]) == 39


def test_the_record_that_a_comparison_was_made_with_is_forgotten_with_what_it_taught(tmp_path):
    with kinds_study(tmp_path / "s.db", "comparisons") as study:
        asked = answer_everything(study)
        one = next(one for one in asked if one.kind == "comparison" and one.between[0] != one.between[1])
        pairs = {answer.question_id for _, answer in learnt_from(study)}
        study.forget(one.other.right_id, group=one.other.group)
        left = {answer.question_id for _, answer in learnt_from(study)}
    assert left < pairs


def test_checks_of_the_stopping_rule_count_the_questions_about_sigma_alone(tmp_path):
    with kinds_study(tmp_path / "s.db", "grades") as study:
        answer_everything(study)
        heard = Heard.of(study)
    assert len(heard.order) == len(heard.present().answers) == 40
    assert heard.numbers == [40]
    assert heard.moment(40) == 40
    assert {one.known_distance for one in heard.history} == {None}
