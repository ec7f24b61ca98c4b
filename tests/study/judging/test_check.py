"""Answers that do not fit together: found where they are, and not where they are not."""

from __future__ import annotations

import numpy as np
import pytest

from commensurate.study.fitting import holding_answers, plan_of
from commensurate.study.judging.check import WIDE_SHARE, check_study
from commensurate.study.owner_desk import ask_again
from commensurate.study.simulate import simulate_study
from commensurate.study.store.answering import GivenAnswer
from commensurate.study.store.reading import read_questions
from worlds.answered_study import Clock, answer, distance, ids_of, people_study


@pytest.fixture
def make(tmp_path):
    """Make studies that are closed when the test ends."""
    made = []

    def one(**design):
        made.append(people_study(tmp_path / f"people{len(made)}.db", **design))
        return made[-1]

    yield one
    for study in made:
        study.close()


def erring(size, seed=0):
    rng = np.random.default_rng(seed)
    return lambda question: distance(question) + size * rng.random()


def wanted(found):
    return {one.question_id: one.why for one in found.ask_again}


# --- contradictions ---


@pytest.mark.parametrize("answer_error", ["noise", 0.05])
def test_clean_answers_contradict_nothing(make, answer_error):
    study = make(answer_error=answer_error)
    answer(study, 60, value=erring(0.02))
    found = check_study(study)
    (pair,) = found.contradictions
    assert (pair.between, pair.count, pair.questions) == (("yes", "no"), 0, ())
    assert (found.not_compared, found.ask_again) == (None, ())


@pytest.mark.parametrize("answer_error", ["noise", 0.05])
@pytest.mark.parametrize("absurd", [3.0, 50.0])
def test_an_absurd_answer_contradicts_others_and_is_to_be_asked_again(make, answer_error, absurd):
    study = make(answer_error=answer_error, repeats=0.1)
    asked = answer(study, 66, value=erring(0.02))
    wrong = next(one for one in study.stored_answers()[10:] if one.repeat_of is None).question_id
    assert check_study(study).ask_again == ()
    study.record(wrong, absurd, expert="ana")
    found = check_study(study)
    (pair,) = found.contradictions
    # an answer that is off by little more than the others spread may hide behind the noise it makes
    assert pair.count > (0 if (absurd, answer_error) == (3.0, "noise") else 10)
    assert pair.questions[0] == wrong, "the worst come first"
    assert set(pair.questions) <= set(ids_of(asked))
    assert found.ask_again[0].question_id == wrong
    assert "contradicts" in found.ask_again[0].why
    study.record(wrong, distance(study.question(wrong, expert="ana")), expert="ana")
    assert check_study(study).ask_again == (), "a correction mends it"


def test_the_worst_are_listed_and_all_are_counted(make):
    study = make(answer_error=0.05)
    asked = answer(study, 60)
    study.record(asked[10].question_id, 50.0, expert="ana")
    (few,), (many,) = (check_study(study, worst=worst).contradictions for worst in (1, 20))
    assert few.count == many.count == 59
    assert few.words != many.words
    # the one that contradicts all others, not the others
    assert few.questions[0] in ids_of(asked)
    assert many.questions == (asked[10].question_id,)


def test_a_hidden_repeat_that_contradicts_is_named_by_its_question(make):
    study = make(answer_error=0.01, repeats=0.1)
    answer(study, 66)
    repeat = next(one for one in study.stored_answers() if one.repeat_of is not None)
    study.record(repeat.question_id, 50.0, expert="ana")
    assert check_study(study).contradictions[0].questions[0] == repeat.repeat_of


def test_with_too_few_answers_nothing_is_compared(make):
    study = make()
    found = check_study(study)
    assert found.contradictions == ()
    assert "there are no answers" in found.not_compared
    answer(study, 1)
    assert "2 answers" in check_study(study).not_compared
    first = study.stored_answers()[0].question_id
    study.record(first, None, expert="ana", unsure=True)
    assert "there are no answers" in check_study(study).not_compared


def test_checking_changes_nothing_and_finds_the_same_again(make):
    study = make(answers_per_question=2)
    simulate_study(study, noise=0.1)
    before = study.stored_answers(history=True)
    assert check_study(study) == check_study(study)
    assert study.stored_answers(history=True) == before


# --- experts with each other ---


def test_one_expert_alone_agrees_with_nobody(make):
    study = make(repeats=0.1)
    answer(study, 60)
    found = check_study(study)
    assert (found.agreement, found.disagreements, found.shifts) == (None, (), ())


def test_what_experts_differ_about_is_listed_the_widest_first(make):
    study = make(answers_per_question=2)
    asked = answer(study, 60, "ana")
    gaps = {asked[3].question_id: 0.4, asked[7].question_id: 0.9, asked[9].question_id: 0.001}
    answer(study, 60, "ben", lambda question: distance(question) + gaps.get(question.question_id, 0.0))
    found = check_study(study)
    assert [one.question for one in found.disagreements] == [asked[k].question_id for k in (7, 3, 9)]
    assert [name for name, _ in found.disagreements[0].values] == ["ana", "ben"]
    assert found.disagreements[0].spread == pytest.approx(0.9)
    assert len(check_study(study, worst=2).disagreements) == 2


def test_a_wide_disagreement_is_worth_another_answer_and_a_narrow_one_is_not(make):
    study = make(answers_per_question=2, scale_end=1.0)
    asked = answer(study, 60, "ana", lambda question: 0.5)
    gaps = {asked[3].question_id: WIDE_SHARE + 0.01, asked[7].question_id: WIDE_SHARE - 0.01}
    answer(study, 60, "ben", lambda question: 0.5 + gaps.get(question.question_id, 0.0))
    differ = {question for question, why in wanted(check_study(study)).items() if "differ" in why}
    assert differ <= {asked[3].question_id}
    assert asked[3].question_id in wanted(check_study(study))


def test_an_expert_who_answers_higher_is_seen_and_not_corrected(make):
    study = make(answers_per_question=2)
    answer(study, 60, "ana")
    answer(study, 30, "ben", lambda question: distance(question) + 0.25)
    found = check_study(study)
    assert [(one.expert, one.n_questions) for one in found.shifts] == [("ana", 30), ("ben", 30)]
    assert [one.shift for one in found.shifts] == pytest.approx([-0.25, 0.25])
    assert (found.agreement.n_units, found.agreement.n_values) == (30, 60)
    assert found.agreement.low <= found.agreement.alpha <= found.agreement.high < 1.0


def test_experts_who_say_the_same_agree(make):
    study = make(answers_per_question=2)
    answer(study, 60, "ana")
    answer(study, 60, "ben")
    found = check_study(study)
    assert found.agreement.alpha == 1.0
    assert (found.disagreements, [one.shift for one in found.shifts]) == ((), [0.0, 0.0])


def test_only_last_words_are_compared(make):
    study = make(answers_per_question=2)
    (question,) = answer(study, 1, "ana")
    study.record(question.question_id, 9.0, expert="ben")
    assert len(check_study(study).disagreements) == 1
    study.record(question.question_id, distance(question), expert="ben")
    assert check_study(study).disagreements == ()
    study.record(question.question_id, 9.0, expert="ben")
    study.record(question.question_id, None, expert="ben", unsure=True)
    assert check_study(study).disagreements == ()


# --- experts with themselves ---


def test_repeats_tell_how_well_an_expert_repeats_herself(make):
    study = make(repeats=0.2)
    answer(study, 72)
    assert [(one.expert, one.n, one.drift) for one in check_study(study).repeats] == [("ana", 12, 0.0)]
    for one in study.stored_answers():
        if one.repeat_of is not None:
            study.record(one.question_id, one.value + 0.25, expert="ana")
    found = check_study(study)
    (ana,) = found.repeats
    assert ana.drift == pytest.approx(0.25)
    assert ana.answer_deviation == pytest.approx(0.25 / np.sqrt(2.0))
    assert found.disagreements == (), "nobody disagrees with herself"


def test_no_repeat_answered_tells_nothing(make):
    study = make(repeats=0.2)
    answer(study, 5)
    assert check_study(study).repeats == ()


# --- what the owner asked again ---


def differing_study(make, clock):
    """Return a study that ana and ben have answered, far apart in one question, and that question."""
    study = make(answers_per_question=2, scale_end=1.0, calibration=0.0, clock=clock)
    asked = answer(study, 60, "ana")
    wrong = asked[5].question_id
    answer(study, 60, "ben", lambda one: distance(one) + (0.9 if one.question_id == wrong else 0.01))
    clock.go_on(60.0)
    return study, asked[5]


def test_asking_again_does_not_raise_the_agreement(make):
    clock = Clock()
    study, question = differing_study(make, clock)
    before = check_study(study)
    assert (before.n_left_out, before.left_out_words) == (0, None)
    ask_again(study, question.question_id)
    assert check_study(study) == before
    clock.go_on(60.0)
    study.record(question.question_id, distance(question) + 0.01, expert="ben")
    after = check_study(study)
    assert (after.agreement, after.shifts, after.repeats) == (before.agreement, before.shifts, before.repeats)
    assert after.n_left_out == 1
    assert after.left_out_words.startswith("1 answer given after its question was asked again is left out, because ")
    clock.go_on(60.0)
    study.record(question.question_id, distance(question) + 0.01, expert="ana")
    assert check_study(study).left_out_words.startswith("2 answers given after their question")


def test_a_settled_disagreement_is_neither_listed_nor_asked_again(make):
    clock = Clock()
    study, question = differing_study(make, clock)
    assert check_study(study).disagreements[0].question == question.question_id
    assert question.question_id in wanted(check_study(study))
    ask_again(study, question.question_id)
    study.record(question.question_id, distance(question), expert="ben")
    found = check_study(study)
    assert question.question_id not in [one.question for one in found.disagreements]
    assert question.question_id not in wanted(found)


def test_what_an_expert_corrected_by_herself_before_counts(make):
    clock = Clock()
    study, question = differing_study(make, clock)
    study.record(question.question_id, distance(question) + 0.5, expert="ben")
    before = check_study(study)
    clock.go_on(60.0)
    ask_again(study, question.question_id)
    clock.go_on(60.0)
    study.record(question.question_id, distance(question), expert="ben")
    after = check_study(study)
    assert (after.agreement, after.shifts) == (before.agreement, before.shifts)
    assert before.shifts[1].shift == pytest.approx((59 * 0.01 + 0.5) / 60)


def test_an_answer_dated_back_is_still_one_that_was_asked_for_again(make):
    clock = Clock()
    study, question = differing_study(make, clock)
    before = check_study(study)
    ask_again(study, question.question_id)
    with study._recording() as record:
        record([GivenAnswer(question.question_id, "ben", distance(question), answered_at="2025-01-01T00:00:00+00:00")])
    found = check_study(study)
    assert (found.agreement, found.n_left_out) == (before.agreement, 1)


def repeating_study(make, clock):
    """Return a study of which every question comes twice and ana has answered the first time, one of them wrongly."""
    study = make(repeats=1.0, calibration=0.0, clock=clock)
    wrong = answer(study, 20)[3].question_id
    with study._database.reading() as connection:
        repeats = {one.repeat_of: one.question_id for one in read_questions(connection) if one.repeat_of}
    for one in study.stored_answers():
        if one.repeat_of is None and repeats[one.question_id] not in study_ids(study):
            study.record(one.question_id, 0.9 if one.question_id == wrong else 0.1, expert="ana")
    clock.go_on(60.0)
    return study, wrong, repeats[wrong]


def study_ids(study):
    return {one.question_id for one in study.stored_answers()}


def test_a_repeat_is_compared_with_what_stood_when_it_was_answered(make):
    clock = Clock()
    study, original, repeat = repeating_study(make, clock)
    others = {one.n for one in check_study(study).repeats}
    study.record(repeat, 0.5, expert="ana")
    (before,) = check_study(study).repeats
    assert before.n == sum(others) + 1
    clock.go_on(60.0)
    study.record(original, 0.5, expert="ana")
    assert check_study(study).repeats == (before,), "a later correction does not make an expert more consistent"
    ask_again(study, original)
    clock.go_on(60.0)
    study.record(original, 0.5, expert="ana")
    study.record(repeat, 0.5, expert="ana")
    found = check_study(study)
    assert found.repeats == (before,)
    assert found.n_left_out == 2


@pytest.mark.parametrize("answered", [True, False])
def test_a_repeat_after_its_question_was_asked_again_is_left_out(make, answered):
    clock = Clock()
    study, original, repeat = repeating_study(make, clock)
    before = check_study(study).repeats
    ask_again(study, original)
    clock.go_on(60.0)
    if answered:
        study.record(original, 0.5, expert="ana")
    study.record(repeat, 0.5, expert="ana")
    found = check_study(study)
    assert found.repeats == before
    assert found.n_left_out == 1 + answered


# --- forgotten records ---


def test_a_question_forgotten_after_it_was_learnt_from_is_not_asked_again(make):
    study = make(answer_error=0.05)
    asked = answer(study, 60, value=erring(0.02))
    wrong = next(one.question_id for one in study.stored_answers() if not one.held_out)
    study.record(wrong, 50.0, expert="ana")
    history = study.stored_answers(history=True)
    model = holding_answers(study.settings, plan_of(study), study.stored_answers())
    assert wrong in wanted(check_study(study, history=history, model=model))
    study.forget(next(one for one in asked if one.question_id == wrong).left_id)
    assert wrong not in wanted(check_study(study, history=history, model=model))


def test_what_is_about_a_forgotten_record_is_neither_compared_nor_asked_again(make):
    study = make(answers_per_question=2, repeats=1.0, scale_end=1.0)
    question, *_ = answer(study, 120, "ana")
    study.record(question.question_id, 40.0, expert="ben")
    found = check_study(study)
    assert question.question_id in wanted(found)
    assert (len(found.disagreements), len(found.shifts), found.repeats[0].n) == (1, 2, 60)
    done = study.forget(question.left_id)
    found = check_study(study)
    assert (found.disagreements, found.shifts, found.ask_again) == ((), (), ())
    assert found.repeats[0].n == 60 - done.questions // 2


def test_a_study_whose_records_were_all_forgotten_has_nothing_to_compare(make):
    study = make(questions=8)
    asked = answer(study, 8)
    for question in asked:
        study.forget(question.left_id)
    found = check_study(study)
    assert (found.contradictions, found.ask_again) == ((), ())
    assert found.not_compared


def test_held_out_questions_are_never_to_be_asked_again(make):
    study = make(answer_error=0.05, calibration=0.5)
    asked = answer(study, 60)
    held_out = {one.question_id for one in study.stored_answers() if one.held_out}
    for question in asked:
        if question.question_id in held_out:
            study.record(question.question_id, 50.0, expert="ana")
    found = check_study(study, worst=60)
    assert found.contradictions[0].count > 0
    assert not {one.question_id for one in found.ask_again} & held_out
