"""A study says nothing false of all pairs though experts skip what is hard, are unsure, or come back to it at the end.

The page's verbs, the store, the looks and the rule are real. The estimator is not: it estimates 0 for every pair, and
an answer is 0 about an easy pair, but 1 about a hard one, of which there are 30 %. So the truth is known: 70 % of all
pairs are within the tolerance, and 100 % of those that the expert answers.

Power: with looks in the order of answering, at which questions that were skipped or unsure are not there, all of these
studies stop at the first look that can stop, and claim 85 %.
"""

from __future__ import annotations

import shutil
import zlib
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from commensurate.guarantees.population import HeldOutCounts
from commensurate.study.judging import trust
from commensurate.study.judging.trust import trust_of
from commensurate.study.study import Study
from worlds.answered_study import Clock

QUESTIONS, STUDIES, HARD = 120, 6, 0.3
TOLERANCE, SHARE = 0.5, 0.85


class EstimatesZero:
    """Stands in for an estimator whose every estimate is 0."""

    largest_answer_ = 0.0

    def __init__(self, plan, answers, unanswered=(), known_pairs=None):
        given = {one.question_id: one.value for one in answers if one.value is not None}
        self.n_questions_by_pair_ = {between: len(given) for between in plan.by_pair}
        self.errors, self.counts = {}, {}
        for between, part in plan.by_pair.items():
            held_out = [part.pairs.question_id(row, row) for row in np.flatnonzero(part.held_out).tolist()]
            self.errors[between] = np.array([given[name] for name in held_out if name in given])
            put = sum(name in given or name in unanswered for name in held_out)
            self.counts[between] = HeldOutCounts(put, len(self.errors[between]))

    def held_out_errors(self, between):
        return self.errors[between]

    def held_out_counts(self, between):
        return self.counts[between]

    def guarantee(self, **_):
        return type("Said", (), {"pairs": ()})


@pytest.fixture(autouse=True)
def _quick_estimator(monkeypatch):
    monkeypatch.setattr(trust, "fit_answers", lambda settings, *heard: EstimatesZero(*heard))


@pytest.fixture
def studies(tmp_path, monkeypatch):
    """Give out the same new study as often as it is asked for."""
    table = pd.DataFrame({"group": ["a", "b"] * QUESTIONS, "x": range(2 * QUESTIONS)})
    with Study.create(
        tmp_path / "new.db",
        table,
        group="group",
        questions=QUESTIONS,
        calibration=0.6,
        repeats=0.05,
        learner="gp",
        answer_kind="numbers",
        seed=1,
        tolerance=TOLERANCE,
        share=SHARE,
    ) as first:
        plan = trust.plan_of(first)
    monkeypatch.setattr(trust, "plan_of", lambda study: plan)

    def of(number):
        for seed in range(number):
            shutil.copy(tmp_path / "new.db", tmp_path / "study.db")
            clock = Clock()
            with Study(tmp_path / "study.db", clock=clock) as opened:
                yield opened, clock, seed
            (tmp_path / "study.db").unlink()

    return of


def is_hard(question, seed, share):
    # a repeat is as hard as its question
    pair = sorted([question.left_id, question.right_id])
    return zlib.crc32(repr((pair, seed)).encode()) % 1000 < 1000 * share


def play(study, clock, seed, respond, experts=("ana",), hard=HARD):
    """Let experts take turns until nobody has anything left but what they skipped twice; return all that was said."""
    found, times = [], Counter()
    for turn in range(2 * QUESTIONS):
        expert = experts[turn % len(experts)]
        asked = [one for one in study.next_questions(expert, 5) if times[expert, one.question_id] < 2]
        for question in asked:
            clock.go_on(1.0)
            times[expert, question.question_id] += 1
            respond(study, question, expert, is_hard(question, seed, hard))
        if turn % 8 == 7 or (not asked and expert == experts[-1]):
            found.append(trust_of(study))
        if not asked and expert == experts[-1]:
            break
    return found


def skip_for_good(study, question, expert, hard):
    if hard:
        study.skip(question.question_id, expert=expert)
    else:
        study.record(question.question_id, 0.0, expert=expert)


def be_unsure(study, question, expert, hard):
    study.record(question.question_id, None if hard else 0.0, expert=expert, unsure=hard)


class AnswersLater:
    """Skips a hard question once, and answers it when it comes again."""

    def __init__(self):
        self.seen = set()

    def __call__(self, study, question, expert, hard):
        if hard and question.question_id not in self.seen:
            self.seen.add(question.question_id)
            study.skip(question.question_id, expert=expert)
        else:
            study.record(question.question_id, float(hard), expert=expert)


@pytest.mark.parametrize("experts", [("ana",), ("ana", "ben", "cleo")], ids=["one", "three"])
@pytest.mark.parametrize("respond", [skip_for_good, be_unsure], ids=["skips", "is unsure"])
def test_no_study_stops_on_a_false_claim_about_all_pairs(studies, respond, experts):
    proved_for_judgeable = 0
    for study, clock, seed in studies(STUDIES):
        found = play(study, clock, seed, respond, experts)
        assert not any(look.stop for said in found for look in said.looks)
        proved_for_judgeable += any(look.judgeable for look in found[-1].looks)
        assert any(look.counted for look in found[-1].looks), "it was looked at all the same"
    # of the pairs that the expert answers, all are within the tolerance
    assert proved_for_judgeable == STUDIES


def test_what_is_skipped_and_answered_at_the_end_counts_by_its_answer(studies):
    for study, clock, seed in studies(STUDIES):
        found = play(study, clock, seed, AnswersLater())
        assert not any(look.stop for look in found[-1].looks)
        assert found[-1].next_look is None, "all were looked at in the end"
        assert "without an answer" not in found[-1].looks[-1].words


def test_a_true_claim_stops_though_some_pairs_are_skipped(studies):
    for study, clock, seed in studies(3):
        found = play(study, clock, seed, skip_for_good, hard=0.02)
        assert found[-1].verdict.stop


def test_who_looks_and_how_often_changes_nothing(studies):
    often, clock, seed = next(iter(studies(1)))
    looked = play(often, clock, seed, AnswersLater())[-1].looks
    with often._database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM looks")
    assert trust_of(often).looks == looked


def test_a_question_that_somebody_still_has_before_them_is_waited_for(studies):
    study, clock, _ = next(iter(studies(1)))
    held = study.next_questions("ben", 3)
    while asked := study.next_questions("ana", 5):
        for question in asked:
            clock.go_on(1.0)
            study.record(question.question_id, 0.0, expert="ana")
    found = trust_of(study)
    assert (found.looks, found.next_look, found.n_waiting) == ((), 50, 3)
    for question in held:
        study.record(question.question_id, 0.0, expert="ben")
    assert [look.n_questions for look in trust_of(study).looks] == [50, 100, QUESTIONS]


def test_who_skips_after_a_break_is_heard_in_the_order_of_time(studies):
    study, clock, _ = next(iter(studies(1)))
    asked = study.next_questions("ana", 50)
    for question in asked[1:]:
        clock.go_on(1.0)
        study.record(question.question_id, 0.0, expert="ana")
    assert trust_of(study).looks == ()
    clock.go_on(3600.0)
    study.skip(asked[0].question_id, expert="ana")
    assert [look.n_questions for look in trust_of(study).looks] == [50]
