"""All that the owner sees of a study, computed at once."""

from __future__ import annotations

import json
from dataclasses import asdict

import pandas as pd
import pytest

from commensurate.study.judging import overview, trust
from commensurate.study.judging.check import check_study
from commensurate.study.judging.overview import overview_of, overview_stages
from commensurate.study.judging.status import status_of
from commensurate.study.judging.trust import trust_of
from commensurate.study.owner_desk import ask_again, last_change, latest_comments, waiting_again
from commensurate.study.store.reading import read_questions
from commensurate.study.study import Study
from worlds.answered_study import Clock, answer, people_study


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """A study of which all 60 questions are answered, by two experts the first 20."""
    with people_study(tmp_path_factory.mktemp("overview") / "people.db", calibration=0.3) as study:
        asked = answer(study, 60)
        for question in asked[:20]:
            study.record(question.question_id, 0.4, expert="ben")
        yield study


@pytest.fixture
def small(tmp_path):
    with people_study(tmp_path / "people.db", clock=Clock()) as study:
        yield study


@pytest.fixture(scope="module")
def seen(answered):
    return overview_of(answered)


def test_it_holds_what_status_trust_and_check_say_by_themselves(answered, seen):
    assert seen.status == status_of(answered)
    assert seen.trust == trust_of(answered)
    assert seen.check == check_study(answered)
    assert (seen.answers, seen.complete) == (80, True)


def test_the_curve_runs_from_what_was_observed_to_beyond_the_plan_with_a_band(seen):
    curve = seen.curve
    assert [n for n, _ in curve.observed] == [30.0, 48.0, 60.0]
    assert (curve.forecast[0].answers, curve.planned) == (pytest.approx(30.0), 60)
    assert curve.forecast[-1].answers == pytest.approx(90.0)
    assert all(one.low < one.expected < one.high for one in curve.forecast)


def test_the_histogram_counts_every_number_once(answered, tmp_path):
    with people_study(tmp_path / "few.db", scale_end=1.0) as study:
        asked = study.next_questions("ana", 5)
        for question, value in zip(asked, (0.0, 0.51, 1.0, 1.01)):
            study.record(question.question_id, value, expert="ana")
        study.record(asked[4].question_id, None, unsure=True, expert="ana")
        found = overview_of(study).histogram
        distances = [(pair.group, pair.distance) for pair in study.ruler()]
    assert (found.counts[0], found.counts[10], found.counts[-1], sum(found.counts)) == (1, 1, 1, 3)
    assert (found.above, found.unsure) == (1, 1)
    assert (found.edges[0], found.edges[-1], len(found.edges)) == (0.0, 1.0, len(found.counts) + 1)
    assert [(mark.group, mark.distance) for mark in found.ruler] == distances


def test_all_but_the_curve_is_known_first(answered):
    first, whole = overview_stages(answered)
    assert (first.curve, first.complete, whole.complete) == (None, False, True)
    assert (first.trust, first.check) == (whole.trust, whole.check)


def test_the_same_answers_are_learnt_from_once_before_the_curve(answered, monkeypatch):
    fits = []
    fit_answers = trust.fit_answers
    monkeypatch.setattr(trust, "fit_answers", lambda *given: fits.append(given) or fit_answers(*given))
    monkeypatch.setattr("commensurate.study.judging.check.holding_answers", lambda *_: pytest.fail("learnt from again"))
    next(overview_stages(answered))
    assert len(fits) == 1


def test_all_figures_are_about_the_same_answers_even_if_others_come_meanwhile(small, monkeypatch):
    asked = answer(small, 30)
    expected = next(overview_stages(small))
    others = iter(asked)

    def and_another_answer(compute):
        def computing(*given, **options):
            small.record(next(others).question_id, 5.0, expert="ben")
            return compute(*given, **options)

        return computing

    for name in ("status_of", "trust_of", "check_study"):
        monkeypatch.setattr(overview, name, and_another_answer(getattr(overview, name)))
    fits = []
    fit_answers = trust.fit_answers
    monkeypatch.setattr(trust, "fit_answers", lambda *given: fits.append(given) or fit_answers(*given))
    # who was there is told as it is now, and what was answered as it was
    small.record(asked[0].question_id, 5.0, expert="ben")
    first = next(overview_stages(small))
    assert first.answers == first.status.answers == 31
    assert sum(first.histogram.counts) + first.histogram.above == 31
    assert (first.trust.figures[0].n_training, first.trust.looks) == (
        expected.trust.figures[0].n_training,
        expected.trust.looks,
    )
    assert len(first.check.disagreements) == 1
    assert len(fits) == 1


def test_without_answers_it_says_why_there_is_no_curve(small):
    found = overview_of(small)
    assert found.curve is None
    assert "there are no answers yet" in found.no_curve
    assert (found.answers, found.complete) == (0, True)


def test_with_few_answers_it_says_how_many_a_curve_needs(small):
    answer(small, 20)
    found = overview_of(small)
    assert found.curve is None
    assert "at least 20 answers to learn from" in found.no_curve
    assert found.trust.figures is not None


def test_a_study_of_which_a_group_was_forgotten_still_has_an_overview(tmp_path):
    people = pd.DataFrame({"married": ["yes", "yes", *["no"] * 10], "age": range(12)})
    with Study.create(
        tmp_path / "few.db", people, group="married", questions=10, seed=1, answer_kind="numbers"
    ) as study:
        answer(study, 3)
        study.forget("0")
        study.forget("1")
        found = overview_of(study)
    assert "Every record of a group was erased" in found.no_curve
    assert found.trust.figures is None


def test_it_can_be_written_as_json(seen):
    assert json.loads(json.dumps(asdict(seen)))["trust"]["looks"]


# --- what can be asked at any moment ---


def test_the_last_change_moves_with_an_answer_a_correction_and_a_forgotten_record(small):
    changes = [last_change(small)]
    (question,) = answer(small, 1)
    changes.append(last_change(small))
    small.record(question.question_id, 0.9, expert="ana")
    changes.append(last_change(small))
    small.forget(question.left_id)
    changes.append(last_change(small))
    assert changes == [(0, 0), (1, 0), (2, 0), (2, 1)]


def test_comments_come_latest_first_and_vanish_with_their_record(small):
    asked = small.next_questions("ana", 3)
    for k, question in enumerate(asked):
        small.record(question.question_id, 0.1, expert="ana", comment=f"comment {k}")
    assert [one.comment for one in latest_comments(small, 2)] == ["comment 2", "comment 1"]
    small.forget(asked[2].left_id)
    assert "comment 2" not in [one.comment for one in latest_comments(small, 50)]


def test_a_question_put_again_waits_until_it_is_answered(small):
    with small._database.reading() as connection:
        held_out = {one.question_id for one in read_questions(connection) if one.held_out}
    question = next(one for one in answer(small, 10) if one.question_id not in held_out)
    assert waiting_again(small) == {}
    ask_again(small, question.question_id)
    assert waiting_again(small) == {question.question_id: ("ana",)}
    small.record(question.question_id, 0.2, expert="ana")
    assert waiting_again(small) == {}
