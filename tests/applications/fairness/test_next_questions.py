"""The questions that an audit proposes settle as many undecided pairs as it says, and no others settle more."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

import commensurate as cm
from commensurate.applications import audit_fairness
from commensurate.applications.fairness import next_questions as module
from worlds.audit_worlds import Recorder, World, some_scores, unfitted

COLUMNS = ["left_group", "left", "right_group", "right", "settles"]


def audited(name="budgeted", groups="ab", seed=0, **options):
    world = World.draw(seed, groups)
    est = unfitted(name, seed).fit(world.people(40, seed), Recorder(world.sigma))
    people = world.people(10, seed + 9)
    return est, people, world, audit_fairness(est, people, scores=some_scores(people, seed), pairs="all", **options)


def settled_by(question, expected, undecided, people, lipschitz):
    """Which undecided pairs an answer settles: by M1 and M2, and by definition."""
    names = question["left_group"], question["right_group"]
    same = (undecided["left_group"] == names[0]) & (undecided["right_group"] == names[1])
    way = np.full(len(undecided), np.inf)
    for row, pair in enumerate(undecided.itertuples()):
        if same.iloc[row]:
            way[row] = np.linalg.norm(people[names[0]][question["left"]] - people[names[0]][pair.left])
            way[row] += np.linalg.norm(people[names[1]][question["right"]] - people[names[1]][pair.right])
    gaps = undecided["gap"].to_numpy()
    return (gaps > lipschitz * (expected + way)) | (gaps <= lipschitz * (expected - way))


def expected_answer(est, question, people):
    left = people[question["left_group"]][[question["left"]]]
    right = people[question["right_group"]][[question["right"]]]
    between = (question["left_group"], question["right_group"])
    estimate = est.predict(left, right, between)[0]
    return float(np.clip(estimate, question["lower"], question["upper"]))


@pytest.mark.parametrize("groups", ["ab", "abc"])
@pytest.mark.parametrize("name", ["naive", "budgeted"])
def test_each_question_settles_most_of_what_those_before_it_left(name, groups):
    est, people, _, audit = audited(name, groups)
    undecided = audit.verdicts[audit.verdicts["verdict"] == "undecided"].reset_index(drop=True)
    assert 10 < len(undecided) < module.CANDIDATES, "all may be asked about, or the plain way is another"
    asked = audit.next_questions(5)
    assert list(asked) == COLUMNS
    questions = undecided.to_dict("records")
    settles = np.array([settled_by(q, expected_answer(est, q, people), undecided, people, 1.0) for q in questions])
    place_of = {tuple(q[name] for name in COLUMNS[:-1]): place for place, q in enumerate(questions)}
    still_open = np.ones(len(undecided), dtype=bool)
    for row in asked.itertuples(index=False):
        counts = (settles & still_open).sum(axis=1)
        chosen = place_of[tuple(row)[:-1]]
        assert row.settles == counts[chosen] == counts.max()
        still_open &= ~settles[chosen]


def test_answers_settle_as_many_pairs_as_was_said_where_the_estimates_are_right():
    # σ is the same for everybody, so that estimates are right; the certified intervals do not know
    rng = np.random.default_rng(1)
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.5, random_state=0)
    est.fit({"a": rng.random((10, 2)), "b": rng.random((10, 2))}, lambda left, right, between: np.full(len(left), 0.5))
    people = {"a": rng.random((14, 2)), "b": rng.random((14, 2))}
    scores = {"a": rng.random(14), "b": rng.random(14)}
    before = audit_fairness(est, people, scores=scores, pairs="all", worst=1_000)
    asked = before.next_questions(4)
    assert len(asked) == 4
    lower, upper = (before.verdicts[end].to_numpy().copy() for end in ("lower", "upper"))
    across = (before.verdicts["left_group"] != before.verdicts["right_group"]).to_numpy()
    left, right = before.verdicts["left"].to_numpy(), before.verdicts["right"].to_numpy()
    ways = {name: cdist(points, points) for name, points in people.items()}
    for row in asked.itertuples():
        # the answer, by M1 and M2
        way = ways["a"][row.left, left[across]] + ways["b"][row.right, right[across]]
        lower[across], upper[across] = np.maximum(lower[across], 0.5 - way), np.minimum(upper[across], 0.5 + way)
    gap = before.verdicts["gap"].to_numpy()
    undecided = ~((gap > upper) | (gap <= lower))
    newly_settled = (before.verdicts["verdict"] == "undecided").sum() - undecided.sum()
    assert newly_settled == asked["settles"].sum() > 0
    after = audit_fairness(est, people, scores=scores, pairs="all", answers=asked.assign(answer=0.5), worst=1_000)
    assert ((after.verdicts["verdict"] == "undecided") == undecided).all()
    # the search for the worst knows the answers, too
    worst = np.sort((gap - upper)[gap > upper])[::-1]
    assert after.worst["excess"].to_numpy() == pytest.approx(worst, abs=1e-9)
    assert len(worst) > len(before.worst)


def test_the_pairs_asked_about_are_settled_whatever_the_answer():
    est, people, world, before = audited("budgeted", "abc", seed=2)
    asked = before.next_questions(6)
    answers = [
        world.sigma(people[q.left_group][[q.left]], people[q.right_group][[q.right]], (q.left_group, q.right_group))[0]
        for q in asked.itertuples()
    ]
    after = audit_fairness(
        est, people, scores=some_scores(people, 2), pairs="all", answers=asked.assign(answer=answers)
    )
    undecided = after.verdicts[after.verdicts["verdict"] == "undecided"]
    names = COLUMNS[:-1]
    assert not undecided.merge(asked, on=names).shape[0]
    assert len(undecided) < (before.verdicts["verdict"] == "undecided").sum()
    # what was certain stays certain
    decided = before.verdicts["verdict"] != "undecided"
    assert (after.verdicts["verdict"][decided] == before.verdicts["verdict"][decided]).all()


def test_an_answer_that_may_be_off_settles_no_more_than_it_can():
    rng = np.random.default_rng(1)
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.5, random_state=0, answer_error=0.1)
    est.fit({"a": rng.random((10, 2)), "b": rng.random((10, 2))}, lambda left, right, between: np.full(len(left), 0.5))
    people = {"a": rng.random((14, 2)), "b": rng.random((14, 2))}
    scores = {"a": rng.random(14), "b": rng.random(14)}
    before = audit_fairness(est, people, scores=scores, pairs="all")
    asked = before.next_questions(3)
    after = audit_fairness(est, people, scores=scores, pairs="all", answers=asked.assign(answer=0.5))
    settled = (before.verdicts["verdict"] == "undecided").sum() - (after.verdicts["verdict"] == "undecided").sum()
    assert asked["settles"].sum() == settled


@pytest.mark.parametrize("interval", ["certified", "estimate"])
def test_nothing_is_asked_where_nothing_is_undecided(interval):
    est, people, _, _ = audited("naive")
    scores = {group: np.zeros(len(points)) for group, points in people.items()}
    asked = audit_fairness(est, people, scores=scores, pairs="all", interval=interval).next_questions()
    assert len(asked) == 0
    assert list(asked) == COLUMNS


def test_no_more_is_asked_than_there_is_to_settle():
    _, _, _, audit = audited()
    asked = audit.next_questions(10_000)
    assert asked["settles"].sum() == (audit.verdicts["verdict"] == "undecided").sum()
    assert (asked["settles"] > 0).all()
    assert (asked["settles"].diff().dropna() <= 0).all()
    assert len(audit.next_questions(0)) == 0


def test_questions_are_the_same_for_the_same_seed_and_the_audit_stays_as_it_is():
    _, _, _, audit = audited()
    before = audit.verdicts.copy()
    pd.testing.assert_frame_equal(audit.next_questions(7, random_state=3), audit.next_questions(7, random_state=3))
    pd.testing.assert_frame_equal(audit.verdicts, before)


def test_of_many_undecided_pairs_a_sample_is_judged_and_extrapolated(monkeypatch):
    _, _, _, audit = audited()
    n_undecided = int((audit.verdicts["verdict"] == "undecided").sum())
    monkeypatch.setattr(module, "JUDGED_PAIRS", 10)
    asked = audit.next_questions(1000)
    assert abs(asked["settles"].sum() - n_undecided) <= len(asked), "each number is rounded"


@pytest.mark.parametrize("n", [-1, 1.5, "ten"])
def test_a_number_of_questions_that_is_none_is_refused(n):
    _, _, _, audit = audited()
    with pytest.raises(cm.errors.InvalidParameter, match="n must be a whole number, at least 0"):
        audit.next_questions(n)
