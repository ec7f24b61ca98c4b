"""A study says falsely that enough was asked at most as often as it promises, whoever looks at it and when.

The looks, the store and the rule are real. The estimator is not, since learning takes too long for hundreds of studies:
it always estimates 0, so that an answer, drawn evenly from 0 to 1, is within the tolerance with a probability that is
known.
"""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import insert, select

from commensurate.guarantees.population import HeldOutCounts
from commensurate.study.judging import trust
from commensurate.study.judging.trust import trust_of
from commensurate.study.store.answering import GivenAnswer
from commensurate.study.store.tables import answers, questions
from commensurate.study.study import Study
from worlds.answered_study import Clock, answer

QUESTIONS, LOOKS = 200, (50, 100, 200)
SHARE, CONFIDENCE = 0.5, 0.8
ALPHA = 1.0 - CONFIDENCE
# over 20,000 draws of such studies 8 % stop; 26 % would if every look had the whole of ALPHA
STUDIES = 100


class EstimatesZero:
    """Stands in for an estimator whose every estimate is 0."""

    largest_answer_ = 0.0

    def __init__(self, plan, answers, unanswered, known_pairs=None):
        given = {answer.question_id: answer.value for answer in answers if answer.value is not None}
        self.errors, self.counts = {}, {}
        for between, part in plan.by_pair.items():
            held_out = [part.pairs.question_id(row, row) for row in np.flatnonzero(part.held_out).tolist()]
            self.errors[between] = np.array([given[name] for name in held_out if name in given])
            put = sum(name in given or name in unanswered for name in held_out)
            self.counts[between] = HeldOutCounts(put, len(self.errors[between]))
        self.n_questions_by_pair_ = {between: len(answers) for between in plan.by_pair}

    def held_out_errors(self, between):
        return self.errors[between]

    def held_out_counts(self, between):
        return self.counts[between]

    def guarantee(self, **_):
        return SimpleNamespace(pairs=())


@pytest.fixture(autouse=True)
def _quick_estimator(monkeypatch):
    monkeypatch.setattr(trust, "fit_answers", lambda settings, *heard: EstimatesZero(*heard))


def study_claiming(place, tolerance):
    """Make a study of the claim that half of the pairs are within so much; in truth, a share of ``tolerance`` is."""
    table = pd.DataFrame({"group": ["a", "b"] * QUESTIONS, "x": range(2 * QUESTIONS)})
    design = {
        "questions": QUESTIONS,
        "calibration": 0.5,
        "repeats": 0.0,
        "learner": "gp",
        "seed": 1,
        "answer_kind": "numbers",
    }
    return Study.create(
        place,
        table,
        group="group",
        tolerance=tolerance,
        share=SHARE,
        confidence_level=CONFIDENCE,
        clock=Clock(),
        **design,
    )


@pytest.fixture
def studies(tmp_path, monkeypatch):
    """Give out the same new study as often as it is asked for."""

    def of(tolerance, number):
        with study_claiming(tmp_path / f"new{tolerance}.db", tolerance) as first:
            plan = trust.plan_of(first)
            first.release(first.next_questions("ana")[0].question_id, expert="ana")
        # all of them ask the same, and nothing is forgotten
        monkeypatch.setattr(trust, "plan_of", lambda study: plan)
        for _ in range(number):
            shutil.copy(tmp_path / f"new{tolerance}.db", tmp_path / "study.db")
            with Study(tmp_path / "study.db", clock=Clock()) as opened:
                yield opened
            (tmp_path / "study.db").unlink()

    return of


def play(study, rng, looked_at):
    """Answer everything and look at these numbers of answers; return what the study says in the end."""
    values = rng.random(QUESTIONS)
    with study._database.reading() as connection:
        asked = connection.execute(select(questions.c.id).order_by(questions.c.place)).scalars().all()
    start = 0
    for end in sorted({*looked_at, QUESTIONS}):
        # what record() writes, at once
        given = {"expert": 1, "answered_at": study._now(), "origin": "library"}
        with study._database.writing() as connection:
            connection.execute(
                insert(answers), [{"question": asked[k], "value": values[k], **given} for k in range(start, end)]
            )
        found = trust_of(study)
        start = end
    return found


def often_or_seldom(rng):
    """Some look once, at the end, others at random moments."""
    return (1 + rng.choice(QUESTIONS - 1, size=rng.choice([0, 0, 3]), replace=False)).tolist()


def test_a_false_claim_is_proved_at_most_as_often_as_promised(studies):
    rng = np.random.default_rng(0)
    false_stops = 0
    for study in studies(SHARE - 0.001, STUDIES):
        found = play(study, rng, often_or_seldom(rng))
        assert [look.n_questions for look in found.looks] == list(LOOKS)
        assert all(look.counted for look in found.looks), "each could have stopped"
        false_stops += found.verdict.stop
    assert false_stops <= ALPHA * STUDIES
    assert false_stops >= 0.1 * ALPHA * STUDIES, "nor is it so careful that it proves nothing"


def test_a_true_claim_is_proved(studies):
    rng = np.random.default_rng(1)
    stops = [play(study, rng, often_or_seldom(rng)).verdict.stop for study in studies(SHARE + 0.25, 20)]
    assert sum(stops) >= 19


def test_a_look_is_never_taken_back_whatever_happens(tmp_path):
    rng = np.random.default_rng(2)
    with study_claiming(tmp_path / "study.db", SHARE - 0.001) as study:
        taken = {}
        while study.counts("ana").open:
            match int(rng.integers(4)):
                case 0 | 1:
                    answer(study, min(12, study.counts("ana").open), value=lambda question: float(rng.random()))
                case 2 if study.stored_answers():
                    with study._recording() as record:
                        record(
                            GivenAnswer(one.question_id, "ana", float(rng.random()))
                            for one in study.stored_answers()[-20:]
                            if not one.left_id.startswith("forgotten") and not one.right_id.startswith("forgotten")
                        )
                case 3 if rng.random() < 0.3:
                    (question,) = study.next_questions("ana")
                    study.forget(question.left_id)
            found = {look.n_questions: look for look in trust_of(study).looks}
            assert {n: found.get(n) for n in taken} == taken
            taken = found
        remaining = max(taken)
        assert sorted(taken) == sorted({50, 100, remaining})
        assert remaining < QUESTIONS, "some were closed, and the last look came all the same"
        with Study(study.where) as again:
            assert {look.n_questions: look for look in trust_of(again).looks} == taken
