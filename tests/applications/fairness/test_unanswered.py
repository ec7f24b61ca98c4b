"""Audits by a model of which some questions were never answered."""

import commensurate as cm
from commensurate.applications import audit_fairness
from worlds.audit_worlds import Recorder, World, some_scores, unfitted
from worlds.plain_audit import plain_certified, plain_complaints, worst_excesses


def partly_answered():
    world = World.draw(3)
    recorder = Recorder(world.sigma)
    est = unfitted("naive", 3, ask="on_demand").fit(world.people(40, 3), recorder)
    people = world.people(15, 30)
    est.predict(people["a"][:4], people["b"][:4])
    return est, recorder, people


def test_the_answers_there_are_certify_although_not_every_pair_has_an_estimate(tmp_path):
    est, recorder, people = partly_answered()
    est.save(tmp_path / "some.cmz")
    # from a file there is there is no oracle to ask
    est, scores = cm.load(tmp_path / "some.cmz"), some_scores(people, 3)
    audit = audit_fairness(est, people, scores=scores, lipschitz=0.2, pairs="all", worst=1_000)
    complaints = plain_complaints(people, scores, plain_certified(people, recorder.answers)[1], 0.2)
    assert len(audit.worst) == len(worst_excesses(complaints)) > 0
    assert set(audit.verdicts["verdict"]) == {"violated", "satisfied", "undecided"}


def test_an_audit_asks_nobody_anything():
    est, _, people = partly_answered()
    before = est.n_questions_
    audit_fairness(est, people, scores=some_scores(people, 3), pairs=60, random_state=0)
    assert est.n_questions_ == before
