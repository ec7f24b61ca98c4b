"""What an audit says in words is what its tables say."""

import numpy as np
import pytest

import commensurate as cm
from commensurate.applications import audit_fairness
from commensurate.applications.fairness.words import nobody_listed, nobody_listed_in_words, passing_in_words, reach_of
from commensurate.wording import limits_of_share
from worlds.audit_worlds import Recorder, World, some_scores, unfitted


@pytest.fixture(scope="module")
def known():
    """Two groups on a line whose dissimilarity is the distance, all of it asked."""
    points = {"a": [[0.0], [0.5], [1.0]], "b": [[0.0], [0.5], [1.0]]}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    return est.fit(points, lambda left, right, between: np.abs(left - right)[:, 0]), points


def said(known, a, b, **options):
    est, points = known
    return str(audit_fairness(est, points, scores={"a": a, "b": b}, **{"pairs": "all", **options}))


def test_the_counts_of_every_pair_of_groups_are_said(known):
    text = said(known, [0.0, 0.5, 1.0], [0.0, 0.9, 1.0])
    assert "Scores may differ by 1 times the dissimilarity of two people (certified intervals)." in text
    assert (
        "Between a and b: of all 9 pairs, 2 violated, 0 undecided, 7 satisfied; of all pairs, 22.22 % are violations."
        in text
    )
    assert "Within a: of all 3 pairs, 0 violated, 0 undecided, 3 satisfied; of all pairs, 0 % are violations." in text


def test_who_is_treated_worse_is_said(known):
    text = said(known, [0.0, 0.5, 1.0], [0.0, 0.9, 1.0])
    # b's second is better off than a's first two and b's first
    assert (
        "Based on all pairs, 3 people are treated worse than the limit allows for certain: 2 of 3 in a, 1 of 3 in b."
        in text
    )
    assert "no one is treated worse than the limit allows for certain." in said(known, [0.0, 0.5, 1.0], [0.0, 0.5, 1.0])


def test_one_person_is_not_said_in_the_plural(known):
    est, points = known
    scores = {"a": [0.0, 0.6]}
    text = str(audit_fairness(est, {"a": points["a"][:2]}, scores=scores, pairs="all"))
    assert "Based on all pairs, 1 person is treated worse than the limit allows for certain: 1 of 2 in a." in text


def test_which_L_passes_is_said(known):
    text = said(known, [0.0, 0.5, 1.0], [0.0, 0.5, 2.0])
    assert "No L passes: two people at distance 0 have different scores." in text
    text = said(known, [0.0, 0.3, 0.6], [0.0, 0.3, 0.6])
    assert (
        "Below L = 0.6 some pair is violated for certain; from L = 0.6 on, all pairs that were compared are satisfied for cer"
        in text
    )


def test_limits_of_a_sample_are_rounded_outwards():
    world = World.draw(0)
    est = unfitted("naive").fit(world.people(40, 0), Recorder(world.sigma))
    people = world.people(30, 1)
    audit = audit_fairness(est, people, scores=some_scores(people, 0), pairs=90, random_state=0)
    lines = str(audit).splitlines()
    for row in audit.shares.itertuples():
        where = f"Within {row.left_group}" if row.left_group == row.right_group else "Between a and b"
        line = next(line for line in lines if line.startswith(where))
        assert f"of {row.n_pairs} random pairs out of {row.n_all_pairs:,}, {row.violated} violated" in line
        assert "(95 % confidence)" in line
        low, high = (float(part) / 100 for part in line.split("of all pairs, ")[1].split(" % are")[0].split(" % to "))
        assert low <= row.share_lower < low + 1.01e-4
        assert high - 1.01e-4 < row.share_upper <= high


@pytest.mark.parametrize(
    ("interval", "promise"),
    [
        ("certified", "Every verdict is right if M1 and M2 hold"),
        ("calibrated", "a verdict on a random pair is wrong with probability at most 0.1"),
        ("estimate", "without any guarantee"),
    ],
)
def test_what_is_promised_is_said(interval, promise):
    world = World.draw(0)
    est = unfitted("budgeted", budget=80).fit(world.people(60, 0), Recorder(world.sigma))
    people = world.people(12, 1)
    audit = audit_fairness(
        est, people, scores=some_scores(people, 0), pairs=60, interval=interval, confidence_level=0.9, random_state=0
    )
    assert promise in str(audit)
    # certainty is for certified intervals
    assert ("for certain" in str(audit)) == (interval == "certified")


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        (0.0, 0.0, "0 %"),
        (1.0, 1.0, "100 %"),
        (2 / 9, 2 / 9, "22.22 %"),
        (0.123456, 0.123456, "12.35 %"),
        (0.123456, 0.123464, "12.34 % to 12.35 %"),
        (0.0, 1e-7, "0 % to 1e-05 %"),
        (0.999999, 1.0, "99.99 % to 100 %"),
    ],
)
def test_a_share_that_is_known_is_one_number_and_limits_are_rounded_outwards(lower, upper, words):
    assert limits_of_share(lower, upper) == words


@pytest.mark.parametrize("interval", ["certified", "estimate"])
def test_every_L_passes_where_all_scores_are_equal(known, interval):
    text = said(known, [0.3] * 3, [0.3] * 3, interval=interval)
    assert "Every L passes: all scores are equal." in text
    assert "Below L" not in text


def test_an_L_that_passes_is_rounded_up_and_one_that_fails_down(known):
    # the ratio of the worst pair, within group a, is 0.123456 / 0.5
    text = said(known, [0.0, 0.123456, 0.123456], [0.0, 0.123456, 0.123456])
    assert "Below L = 0.2469 some pair is violated for certain; from L = 0.247 on, all pairs that were compared" in text


def budgeted_audit(interval, **options):
    world = World.draw(0)
    est = unfitted("budgeted", budget=80, calibration=0.5).fit(world.people(60, 0), Recorder(world.sigma))
    people = world.people(12, 1)
    scores = {name: 4.0 * each for name, each in some_scores(people, 0).items()}
    return audit_fairness(est, people, scores=scores, interval=interval, **{"pairs": 60, "random_state": 0, **options})


CAVEAT = "These intervals give no guarantee about the most extreme of many pairs."


@pytest.mark.parametrize("interval", ["calibrated", "estimate"])
def test_which_L_passes_by_intervals_that_are_not_certain_comes_with_a_caveat(interval):
    audit = budgeted_audit(interval, confidence_level=0.8)
    assert passing_in_words(audit).endswith(CAVEAT)
    assert "for certain" not in passing_in_words(audit)
    assert "Below L = " in passing_in_words(audit)
    assert "some pair that was compared is violated" in passing_in_words(audit)


def test_which_L_passes_by_certified_intervals_needs_no_caveat():
    assert CAVEAT not in str(budgeted_audit("certified"))


@pytest.mark.parametrize(
    ("interval", "worst", "reach"),
    [
        ("certified", 5, "all pairs"),
        ("certified", 0, "the pairs compared"),
        ("calibrated", 5, "all pairs within groups and those listed across"),
        ("calibrated", 0, "the pairs compared within groups"),
        ("estimate", 5, "all pairs within groups and those compared across"),
    ],
)
def test_which_pairs_the_people_were_counted_by_is_said(interval, worst, reach):
    audit = budgeted_audit(interval, worst=worst, confidence_level=0.8)
    assert reach_of(audit) == reach
    assert f"Based on {reach}, " in str(audit)


def test_that_nobody_could_be_listed_is_said():
    # at this level no list of 12 pairs can be told from so few answers
    few = budgeted_audit("calibrated", confidence_level=0.95)
    assert few.shares["violated"].iloc[0] > 0
    assert nobody_listed(few)
    assert nobody_listed_in_words(few) in str(few)
    many = budgeted_audit("calibrated", confidence_level=0.8)
    assert not nobody_listed(many)
    assert nobody_listed_in_words(many) not in str(many)
    assert not nobody_listed(budgeted_audit("certified"))
