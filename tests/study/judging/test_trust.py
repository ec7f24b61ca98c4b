"""Whether enough was asked: looks at fixed numbers, taken once, whoever asks for the status and how often."""

from __future__ import annotations

import math
import shutil

import numpy as np
import pandas as pd
import pytest

from commensurate.errors import StudyUnwritable
from commensurate.study.judging import trust
from commensurate.study.judging.heard import FIRST_LOOK, look_numbers
from commensurate.study.judging.trust import StudyLook, StudyTrust, trust_of
from commensurate.study.owner_desk import back_up
from commensurate.study.simulate import simulate_study
from commensurate.study.store import reading, watching
from commensurate.study.store.answering import GivenAnswer
from commensurate.study.study import Study
from worlds.answered_study import Clock, answer, distance, people_study

pytestmark = pytest.mark.slow

# half of the answers are held out, so that the second look can stop
DESIGN = {"questions": 150, "calibration": 0.5, "claim": "pairs of these elements", "tolerance": 0.05}


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """Studies of one design, after 49 answers and after each look's number, and after 130."""
    folder = tmp_path_factory.mktemp("answered")
    with people_study(folder / "growing.db", **DESIGN) as study:
        done = 0
        for n in (49, 50, 100, 130, 150):
            answer(study, n - done)
            done = n
            back_up(study, folder / f"{n}.db")
    return folder


@pytest.fixture
def opened(answered, tmp_path):
    """Open a study after so many answers; each test has its own."""
    studies = []

    def one(n):
        path = shutil.copy(answered / f"{n}.db", tmp_path / f"{len(studies)}.db")
        studies.append(Study(path, clock=Clock()))
        return studies[-1]

    yield one
    for study in studies:
        study.close()


@pytest.fixture
def fits(monkeypatch):
    """Count how often something is learnt."""
    counted = []
    fit_answers = trust.fit_answers

    def fit(settings, plan, answers, unanswered, known_pairs):
        counted.append(len(answers))
        return fit_answers(settings, plan, answers, unanswered, known_pairs)

    monkeypatch.setattr(trust, "fit_answers", fit)
    return counted


def said(found):
    return {look.n_questions: look for look in found.looks}


# --- when looks are taken ---


def test_looks_double_and_the_last_question_is_one():
    assert look_numbers(400) == [50, 100, 200, 400]
    assert look_numbers(401) == [50, 100, 200, 400, 401]
    assert look_numbers(FIRST_LOOK) == [50]
    assert look_numbers(4) == [4]
    assert look_numbers(0) == []


def test_no_look_is_taken_before_its_number(opened):
    found = trust_of(opened(49))
    assert (found.looks, found.verdict, found.next_look) == ((), None, 50)
    assert found.figures is not None
    found = trust_of(opened(50))
    assert ([look.n_questions for look in found.looks], found.next_look) == ([50], 100)


def test_a_look_sees_what_was_answered_by_then_however_late_it_is_taken(opened):
    on_time = said(trust_of(opened(100)))
    late, later = said(trust_of(opened(130))), said(trust_of(opened(150)))
    assert on_time[100].counted
    assert list(on_time) == list(late) == [50, 100]
    assert {n: later[n] for n in (50, 100)} == late == on_time


def test_looking_often_changes_nothing(opened):
    study = opened(49)
    for more in (1, 20, 29, 1, 30, 20):
        trust_of(study)
        answer(study, more)
        trust_of(study)
    # the same questions were answered in the same order
    assert {n: said(trust_of(study))[n] for n in (50, 100, 150)} == said(trust_of(opened(150)))


def test_a_later_correction_does_not_change_a_look_taken_or_not(opened):
    expected = said(trust_of(opened(100)))
    taken, not_yet = opened(100), opened(100)
    trust_of(taken)
    for study in (taken, not_yet):
        for one in study.stored_answers():
            study.record(one.question_id, one.value + 10.0, expert="ana")
        assert said(trust_of(study)) == expected


def test_a_correction_before_a_look_counts_in_it(opened):
    study = opened(49)
    for one in study.stored_answers():
        study.record(one.question_id, one.value + 10.0 * one.held_out, expert="ana")
    answer(study, 51)
    assert said(trust_of(study))[100] != said(trust_of(opened(100)))[100]


def corrected(study, by_import, folder):
    """Let ana correct every held-out answer that there is, on the page or in a sheet."""
    held_out = [one for one in study.stored_answers() if one.held_out]
    if not by_import:
        for one in held_out:
            study.record(one.question_id, one.value + 10.0, expert="ana")
        return held_out
    study.export(folder / "sheet.csv")
    sheet = pd.read_csv(folder / "sheet.csv", dtype=str, keep_default_na=False)
    changed = sheet["question_id"].isin([one.question_id for one in held_out])
    sheet.loc[changed, "answer"] = [str(float(value) + 10.0) for value in sheet.loc[changed, "answer"]]
    sheet.to_csv(folder / "sheet.csv", index=False)
    assert study.import_(folder / "sheet.csv").corrections == len(held_out)
    return held_out


@pytest.mark.parametrize("by_import", [False, True], ids=["page", "import"])
@pytest.mark.parametrize("looked", [False, True], ids=["not looked", "looked"])
def test_a_held_out_answer_that_a_check_has_judged_by_judges_as_it_stood(opened, tmp_path, looked, by_import):
    expected, study = trust_of(opened(150)), opened(100)
    if looked:
        trust_of(study)
    held_out = corrected(study, by_import, tmp_path)
    answer(study, 50)
    found = trust_of(study)
    assert said(found) == said(expected)
    assert found.figures == expected.figures
    assert found.n_corrected_late == len(held_out) > 20
    assert "held-out answers were corrected after a check had judged by them" in found.corrected_late
    # nothing that was typed is lost
    latest = study.answers().set_index("question_id")["answer"]
    assert all(latest[one.question_id] == pytest.approx(one.value + 10.0) for one in held_out)
    assert len(study.stored_answers(history=True)) == 150 + len(held_out)
    between = ("no", "yes") if ("no", "yes") in study.fit().logs_ else ("yes", "no")
    assert study.fit().held_out_errors(between).max() < 5.0


def test_what_had_no_answer_at_a_check_may_get_one_and_training_answers_may_be_corrected(opened):
    study = opened(49)
    asked = study.next_questions("ana", 51)
    for question in asked:
        study.record(question.question_id, None, expert="ana", unsure=True)
    before = trust_of(study)
    assert [look.n_questions for look in before.looks] == [50, 100]
    assert before.figures[0].n_unanswered >= 20
    for question in asked:
        study.record(question.question_id, distance(question), expert="ana")
    training = next(one for one in study.stored_answers() if not one.held_out)
    study.record(training.question_id, training.value + 1.0, expert="ana")
    found = trust_of(study)
    assert (found.n_corrected_late, found.corrected_late) == (0, None)
    assert found.figures[0].n_unanswered == 0
    assert found.looks == before.looks


def test_repeats_do_not_bring_a_look_nearer_and_unsure_answers_do(tmp_path):
    with people_study(tmp_path / "a.db", questions=60, repeats=1.0) as study:
        with study._database.reading() as connection:
            questions = sorted(reading.read_questions(connection), key=lambda question: question.place)
        first = [question.question_id for question in questions if question.repeat_of is None]
        again = [question.question_id for question in questions if question.repeat_of is not None]
        with study._recording() as record:
            record(GivenAnswer(name, "ana", 0.5) for name in (*first[:49], *again[:40]))
        assert trust_of(study).looks == ()
        study.record(first[49], None, expert="ana", unsure=True)
        assert list(said(trust_of(study))) == [50]


def test_two_experts_on_one_question_are_one_answered_question(tmp_path):
    with people_study(tmp_path / "a.db", questions=60, answers_per_question=2) as study:
        answer(study, 30, "ana")
        answer(study, 30, "ben")
        assert len(study.stored_answers()) == 60
        assert trust_of(study).looks == ()


def test_a_question_that_was_closed_does_not_put_off_the_last_look(tmp_path):
    with people_study(tmp_path / "a.db", questions=60) as study:
        question, *_ = study.next_questions("ana")
        study.forget(question.left_id)
        assert trust_of(study).next_look == 50
        answer(study, 59)
        found = trust_of(study)
    assert [look.n_questions for look in found.looks] == [50, 59]
    assert found.next_look is None


def test_forgetting_an_answered_record_puts_off_nothing(opened):
    study = opened(49)
    study.forget(study.stored_answers()[0].left_id)
    assert trust_of(study).next_look == 50
    answer(study, 1)
    assert list(said(trust_of(study))) == [50]


# --- what looks say ---


def test_a_look_that_could_not_stop_is_not_counted_and_needs_no_learning(opened, fits):
    found = said(trust_of(opened(50)))
    assert (found[50].counted, found[50].stop) == (False, False)
    assert "does not count" in found[50].words
    assert fits == [50], "learnt once, for the figures"


def test_good_estimates_stop_and_bad_ones_do_not(tmp_path):
    verdicts = []
    for k, tolerance in enumerate((0.5, 1e-9)):
        with people_study(tmp_path / f"{k}.db", **{**DESIGN, "questions": 100, "tolerance": tolerance}) as study:
            answer(study, 100)
            verdicts.append(trust_of(study).verdict)
    good, bad = verdicts
    assert "asks for little" not in bad.words
    assert (good.stop, good.counted, good.n_questions) == (True, True, 100)
    assert "Experts have answered enough" in good.words
    assert (bad.stop, bad.counted) == (False, True)
    assert "Not yet proved" in bad.words


def test_a_tolerance_that_one_guess_meets_is_named_as_soon_as_answers_show_it(tmp_path):
    with people_study(tmp_path / "wide.db", **{**DESIGN, "questions": 60, "tolerance": 0.6, "scale_end": 2.0}) as study:
        answer(study, 60)
        (wide,) = trust_of(study).figures
    assert any("A tolerance of 0.6 asks for little" in remark for remark in wide.remarks)
    assert wide.guess_error > wide.mean_error


def test_a_tolerance_below_the_noise_of_answers_is_named(tmp_path):
    with people_study(tmp_path / "noisy.db", **{**DESIGN, "questions": 100, "learner": "gp"}) as study:
        rng = np.random.default_rng(0)
        for question in study.next_questions("ana", 100):
            study.record(question.question_id, abs(1.0 + 0.3 * rng.normal()), expert="ana")
        (noisy,) = trust_of(study).figures
    assert any("No estimate can meet a tolerance of 0.05" in remark for remark in noisy.remarks)


def test_the_verdict_is_the_first_stop_else_the_last_look():
    looks = [StudyLook(50, False, False, "a"), StudyLook(100, True, True, "b"), StudyLook(200, False, True, "c")]
    assert StudyTrust(None, "", (), 50).verdict is None
    assert StudyTrust(None, "", tuple(looks[:1]), 100).verdict is looks[0]
    assert StudyTrust(None, "", tuple(looks), None).verdict is looks[1]
    assert StudyTrust(None, "", (looks[0], looks[2]), None).verdict is looks[2]


def test_every_counted_look_spends_its_part(tmp_path):
    with people_study(tmp_path / "a.db", **{**DESIGN, "tolerance": 1e-9}) as study:
        answer(study, 150)
        counted = [look for look in trust_of(study).looks if look.counted]
    assert [(look.n_questions, look.words.partition("Check ")[2][:2]) for look in counted] == [(100, "1:"), (150, "2:")]


def test_a_look_that_another_has_taken_meanwhile_is_the_one_that_counts(opened, monkeypatch):
    study = opened(50)
    theirs = {"stop": True, "judgeable": True, "counted": True, "words": "theirs"}
    more_needed = trust.more_needed

    def meanwhile(*arguments, **named):
        with study._database.writing() as connection:
            watching.keep_look(connection, 50, theirs, study._now())
        return more_needed(*arguments, **named)

    monkeypatch.setattr(trust, "more_needed", meanwhile)
    assert trust_of(study).looks == (StudyLook(50, True, True, "theirs", judgeable=True),)


# --- figures ---


def test_figures_are_those_of_the_estimator(opened):
    study = opened(130)
    (pair,) = trust_of(study).figures
    (expected,) = trust.fit_answers(study.settings, trust.plan_of(study), study.stored_answers()).guarantee().pairs
    assert pair == trust.PairFigures.of(expected, ())
    assert pair.n_training + pair.n_held_out == 130


def test_figures_are_kept_until_the_next_answer(opened, fits):
    study = opened(130)
    first = trust_of(study)
    fits.clear()
    assert trust_of(study) == first
    with Study(study.where) as again:
        assert trust_of(again) == first
    assert fits == []
    answer(study, 1)
    assert trust_of(study).figures != first.figures
    assert fits == [131]


def test_a_correction_is_learnt_from_too(opened, fits):
    study = opened(49)
    first = trust_of(study)
    one = study.stored_answers()[0]
    study.record(one.question_id, one.value + 1.0, expert="ana")
    assert trust_of(study).figures != first.figures


def test_infinite_figures_are_kept_as_such(opened):
    study = opened(49)
    for _ in range(2):
        assert math.isinf(trust_of(study).figures[0].tolerance)


def test_figures_are_thrown_away_when_a_record_is_forgotten(opened, fits):
    study = opened(130)
    before = trust_of(study)
    fits.clear()
    done = study.forget(study.stored_answers()[0].left_id)
    found = trust_of(study)
    assert fits == [130], "learnt again, looks are not taken again"
    assert found.figures[0].n_training + found.figures[0].n_held_out == 130 - done.answers
    assert found.looks == before.looks


def test_only_the_latest_figures_are_kept(opened):
    study = opened(49)
    for _ in range(3):
        trust_of(study)
        answer(study, 1)
    with study._database.reading() as connection:
        rows = connection.exec_driver_sql("SELECT last_answer FROM snapshots").all()
    assert [tuple(row) for row in rows] == [(51,)]


def test_without_answers_it_says_what_is_missing(tmp_path):
    with people_study(tmp_path / "a.db") as study:
        for _ in range(2):
            found = trust_of(study)
            assert (found.figures, found.looks, found.next_look) == (None, (), 50)
            assert "there are no answers yet" in found.missing
        answer(study, 1)
        assert "learning needs at least 2 answers" in trust_of(study).missing
        answer(study, 5)
        found = trust_of(study)
        assert found.missing is None
        assert found.figures[0].n_training + found.figures[0].n_held_out == 6


def test_answers_that_contradict_each_other_are_told_and_prove_nothing(tmp_path):
    with people_study(
        tmp_path / "a.db", **{**DESIGN, "questions": 100, "tolerance": 0.5, "answer_error": 0.0}
    ) as study:
        asked = answer(study, 99)
        wrong = next(one for one in study.stored_answers() if not one.held_out)
        study.record(wrong.question_id, 50.0, expert="ana")
        assert "contradict M1 and M2" in trust_of(study).missing
        answer(study, 1)
        look = said(trust_of(study))[100]
        assert (look.stop, look.counted) == (False, True), "it was seen from the answers that it could not stop"
        assert "contradict" in look.words
        question = next(question for question in asked if question.question_id == wrong.question_id)
        study.record(wrong.question_id, distance(question), expert="ana")
        found = trust_of(study)
        assert found.missing is None
        assert said(found)[100] == look, "a look is never taken back"


def test_a_group_without_records_has_nothing_to_learn(tmp_path):
    with people_study(tmp_path / "a.db", questions=4) as study:
        simulate_study(study)
        before = trust_of(study)
        for name in {one.left_id for one in study.stored_answers()}:
            study.forget(name)
        found = trust_of(study)
        assert found.looks == before.looks
        assert found.figures is None
        assert found.missing


def test_several_pairs_of_groups_are_judged_together(tmp_path):
    tables = {name: pd.DataFrame({"x": [k / 40 for k in range(40)]}) for name in ("a", "b", "c")}
    with Study.create(
        tmp_path / "a.db", tables, questions=60, learner="gp", seed=0, repeats=0.0, answer_kind="numbers"
    ) as study:
        simulate_study(study)
        found = trust_of(study)
    assert [pair.between for pair in found.figures] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [look.n_questions for look in found.looks] == [50, 60]


def test_status_works_on_either_database(places):
    with Study(places.study(questions=52, learner="gp")) as study:
        assert trust_of(study).figures is None
        answer(study, 52, value=lambda question: abs(question.left_record["age"] - question.right_record["age"]) / 200)
        first = trust_of(study)
        assert [look.n_questions for look in first.looks] == [50, 52]
        assert trust_of(study) == first


def test_the_last_look_comes_though_nobody_can_tell_some_pairs(tmp_path):
    with people_study(tmp_path / "people.db", questions=40, repeats=0.0, tolerance=0.05) as study:
        asked = study.next_questions("ana", 40)
        for k, question in enumerate(asked):
            unsure = k < 3
            study.record(question.question_id, None if unsure else distance(question), expert="ana", unsure=unsure)
        found = trust_of(study)
        assert ([look.n_questions for look in found.looks], found.next_look) == ([40], None)


def test_the_last_look_waits_for_every_expert_so_far_and_for_what_was_skipped_to_come_again(tmp_path):
    clock = Clock()
    with people_study(tmp_path / "people.db", questions=40, repeats=0.0, clock=clock) as study:
        (unsure, skipped), (theirs,) = study.next_questions("ana", 2), study.next_questions("ben", 1)
        study.record(unsure.question_id, None, expert="ana", unsure=True)
        study.skip(skipped.question_id, expert="ana")
        study.record(theirs.question_id, distance(theirs), expert="ben")
        clock.go_on(1.0)
        answer(study, 37, "ana")
        assert (trust_of(study).looks, trust_of(study).n_waiting) == ((), 0)
        clock.go_on(1.0)
        (again,) = study.next_questions("ana", 1)
        assert again.question_id == skipped.question_id
        study.skip(skipped.question_id, expert="ana")
        assert trust_of(study).looks == (), "ben has not seen either of them"
        assert "every expert so far is unsure about it or has skipped it twice" in trust_of(study).when_next
        clock.go_on(1.0)
        for question in study.next_questions("ben", 2):
            study.record(question.question_id, None, expert="ben", unsure=True)
        assert [look.n_questions for look in trust_of(study).looks] == [40]


def test_who_may_only_read_sees_looks_and_figures_too(opened, monkeypatch):
    writable, read_only = opened(130), opened(130)

    def refuse(*, locked=True):
        raise StudyUnwritable("you cannot write to it")

    monkeypatch.setattr(read_only._database, "writing", refuse)
    assert trust_of(read_only) == trust_of(writable)
    with read_only._database.reading() as connection:
        assert watching.read_looks(connection) == {}


# --- known answers ---


@pytest.mark.parametrize("in_order", [True, False])
def test_known_answers_are_looked_at_once_and_all_together(tmp_path, in_order):
    rng = np.random.default_rng(0)
    tables = {name: pd.DataFrame({"x": rng.random(300)}) for name in "ab"}
    rows = rng.permutation(300)[:200]
    once = pd.DataFrame({"left_id": rows, "right_id": rows[::-1]})
    once["answer"] = abs(tables["a"]["x"][rows].to_numpy() - tables["b"]["x"][rows[::-1]].to_numpy())
    if in_order:
        # sorted by the answer: a look at the first 50 would be about alike pairs only
        once = once.sort_values("answer")
    table = pd.concat([once.assign(expert="ana"), once.assign(expert="ben", answer=once["answer"] + 0.01)])
    with Study.create(tmp_path / "s.db", tables, known_answers=table, seed=1, learner="gp", tolerance=0.1) as study:
        found = trust_of(study)
        (look,) = found.looks
        n = study.status().questions
        assert (look.n_questions, look.stop, look.counted, found.next_look) == (n, True, True, None)
        assert "pairs like those given, of new elements" in look.words
        model = study.fit()
    (pair,) = found.figures
    held_out = model.held_out_errors(("a", "b"))
    assert pair.n_held_out == len(held_out) == 39
    assert found.figures[0].mean_error == pytest.approx(held_out.mean())
