"""Which L would pass: what the search says is what every pair says."""

import math

import numpy as np
import pytest

import commensurate as cm
from commensurate.applications import audit_fairness
from commensurate.applications.fairness.lipschitz import greatest_ratio
from worlds.audit_worlds import Recorder, World, some_scores, unfitted
from worlds.plain_audit import plain_certified, plain_pairs

SLIGHTLY = 1e-6


def greatest_of_every_pair(people, scores, ends, symmetric=True):
    """The greatest gap / bound, by definition."""
    greatest = 0.0
    for left, right, bound in plain_pairs(people, scores, ends, symmetric).values():
        if gap := abs(left - right):
            greatest = max(greatest, gap / bound if bound else math.inf)
    return greatest


def model_and_people(name, groups="ab", symmetric=True, seed=0):
    world = World.draw(seed, groups, symmetric)
    recorder = Recorder(world.sigma)
    est = unfitted(name, seed, symmetric=symmetric, **({"budget": 120} if name == "budgeted" else {}))
    est.fit(world.people(40, seed), recorder)
    people = world.people(12, seed + 50)
    return est, people, some_scores(people, seed), plain_certified(people, recorder.answers)


@pytest.mark.parametrize(
    ("name", "groups", "symmetric"),
    [("naive", "abc", True), ("naive", "ab", False), ("cluster", "ab", True), ("budgeted", "abc", True)],
)
def test_fails_below_is_the_greatest_ratio_of_all_pairs(name, groups, symmetric):
    est, people, scores, (_, upper) = model_and_people(name, groups, symmetric)
    passing = audit_fairness(est, people, scores=scores, pairs=12, random_state=0).passing
    assert passing.exhaustive
    assert passing.fails_below == pytest.approx(greatest_of_every_pair(people, scores, upper, symmetric), rel=1e-7)
    violated = [
        (
            audit_fairness(est, people, scores=scores, lipschitz=L, pairs="all", worst=0).verdicts["verdict"]
            == "violated"
        )
        for L in (passing.fails_below * (1 - SLIGHTLY), passing.fails_below * (1 + SLIGHTLY))
    ]
    assert violated[0].any()
    assert not violated[1].any()


def test_fails_below_of_estimates_is_the_greatest_ratio_of_all_pairs():
    est, people, scores, _ = model_and_people("cluster", "abc")
    passing = audit_fairness(est, people, scores=scores, pairs=12, interval="estimate", random_state=0).passing

    def estimates(between):
        return est.predict_matrix(people[between[0]], people[between[1]], between)

    expected = greatest_of_every_pair(people, scores, estimates)
    assert passing.fails_below == pytest.approx(expected, rel=1e-12)
    everything = audit_fairness(est, people, scores=scores, pairs="all", interval="estimate").passing
    assert everything.fails_below == passing.fails_below
    # every pair is decided by its estimate; the next number up, so that the pair passes whatever is rounded
    assert everything.passes_from == np.nextafter(passing.fails_below, np.inf)


def far_apart():
    """Groups so far apart that no certified interval reaches down to 0."""
    recorder = Recorder(lambda left, right, between: 3.0 + np.abs(left - right)[:, 0])
    rng = np.random.default_rng(0)
    est = cm.NaiveSimilarity(epsilon=0.2, delta=0.3, random_state=0)
    est.fit({"a": rng.random((30, 1)), "b": rng.random((30, 1))}, recorder)
    people = {"a": rng.random((12, 1)), "b": rng.random((9, 1))}
    # within a group they differ less than people do, so that it is the pairs across that decide
    scores = {"a": 0.5 * people["a"][:, 0], "b": 0.5 * people["b"][:, 0] + 20.0}
    return est, people, scores, plain_certified(people, recorder.answers)


def test_passes_from_is_the_greatest_ratio_to_the_lower_ends_of_all_pairs():
    est, people, scores, (lower, _) = far_apart()
    passing = audit_fairness(est, people, scores=scores, pairs="all").passing
    assert passing.passes_from == pytest.approx(greatest_of_every_pair(people, scores, lower), rel=1e-12)
    assert passing.fails_below < passing.passes_from < math.inf
    satisfied = [
        (audit_fairness(est, people, scores=scores, lipschitz=L, pairs="all").verdicts["verdict"] == "satisfied")
        for L in (passing.passes_from * (1 - SLIGHTLY), passing.passes_from * (1 + SLIGHTLY))
    ]
    assert not satisfied[0].all()
    assert satisfied[1].all()


def test_at_the_very_L_that_passes_every_pair_is_satisfied():
    # 0.9 / 0.3 is rounded down: 0.3 times it is less than 0.9, and so with the others
    for gap, apart in [(0.9, 0.3), (0.5, 1.9), (1.3, 1.1), (1.5, 0.7)]:
        assert gap > gap / apart * apart
        points = {"a": [[0.0], [apart]], "b": [[9.0]]}
        est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
        est.fit(points, lambda left, right, between: np.abs(left - right)[:, 0])
        people, scores = {"a": points["a"]}, {"a": [0.0, gap]}
        passes = audit_fairness(est, people, scores=scores, pairs="all").passing.passes_from
        assert passes == pytest.approx(gap / apart, rel=1e-12)
        audit = audit_fairness(est, people, scores=scores, lipschitz=passes, pairs="all")
        assert audit.verdicts["verdict"].tolist() == ["satisfied"]


def test_no_L_passes_from_where_people_may_be_alike():
    recorder = Recorder(lambda left, right, between: np.abs(left - right)[:, 0])
    rng = np.random.default_rng(0)
    people = {"a": rng.random((30, 2)), "b": rng.random((30, 2))}
    est = unfitted("budgeted").fit(people, recorder)
    scores = some_scores(people, 0)
    lower, _ = plain_certified(people, recorder.answers)
    passing = audit_fairness(est, people, scores=scores, pairs="all").passing
    assert (lower(("a", "b")) == 0.0).any()
    assert math.isinf(passing.passes_from)
    assert passing.fails_below < math.inf


@pytest.mark.parametrize("where", ["a", "b", "c"])
def test_no_L_passes_where_two_people_at_distance_0_differ(where):
    est, people, scores, _ = model_and_people("naive", "abc")
    people[where][3] = people[where][7]
    assert scores[where][3] != scores[where][7]
    passing = audit_fairness(est, people, scores=scores, pairs=12, random_state=0).passing
    assert passing.fails_below == passing.passes_from == math.inf


def test_no_L_passes_where_an_answer_of_0_is_about_people_who_differ():
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    points = {"a": [[0.0], [1.0]], "b": [[0.0], [1.0]], "c": [[0.0], [2.0]]}
    est.fit(points, lambda left, right, between: np.abs(left - right)[:, 0])
    scores = {"a": [0.1, 0.5], "b": [0.1, 0.4], "c": [0.1, 0.1]}
    audit = audit_fairness(est, points, scores=scores, pairs=12, random_state=0)
    assert audit.passing.fails_below == math.inf


@pytest.mark.parametrize("name", ["naive", "budgeted"])
@pytest.mark.parametrize("interval", ["certified", "estimate"])
def test_every_L_passes_where_all_scores_are_equal(name, interval):
    est, people, _, _ = model_and_people(name)
    scores = {group: np.full(len(points), 0.7) for group, points in people.items()}
    audit = audit_fairness(est, people, scores=scores, pairs=30, interval=interval, random_state=0)
    assert audit.passing.fails_below == audit.passing.passes_from == 0.0
    assert set(audit.verdicts["verdict"]) == {"satisfied"}
    assert len(audit.worst) == 0


def test_the_one_who_differs_is_found_although_the_sample_missed_him():
    est, people, _, (_, upper) = model_and_people("naive")
    scores = {group: np.zeros(len(points)) for group, points in people.items()}
    scores["a"][5] = 1.0
    audit = audit_fairness(est, people, scores=scores, pairs=12, random_state=0)
    assert (audit.verdicts["gap"] == 0.0).all()
    assert audit.passing.fails_below == pytest.approx(greatest_of_every_pair(people, scores, upper), rel=1e-12)


def test_pairs_looked_at_are_all_that_a_budgets_estimates_tell():
    est, people, scores, _ = model_and_people("budgeted")
    some, every = (
        audit_fairness(est, people, scores=scores, pairs=pairs, interval="estimate", random_state=0)
        for pairs in (30, "all")
    )
    assert not some.passing.exhaustive
    assert every.passing.exhaustive
    assert some.passing.fails_below <= every.passing.fails_below
    ratios = every.verdicts["gap"] / every.verdicts["upper"]
    assert every.passing.fails_below == pytest.approx(ratios.max(), rel=1e-12)


def test_ratios_of_nothing_and_by_nothing():
    assert greatest_ratio(np.array([0.0, 0.0]), np.array([0.0, 1.0])) == 0.0
    assert greatest_ratio(np.array([2.0, 1.0]), np.array([4.0, 1.0])) == 1.0
    assert greatest_ratio(np.array([2.0]), np.array([np.inf])) == 0.0
    assert greatest_ratio(np.array([1e-3]), np.array([0.0])) == math.inf
    assert greatest_ratio(np.array([]), np.array([])) == 0.0
