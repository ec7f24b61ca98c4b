"""Calibrated intervals of chosen pairs: which held-out answers they rest on, and what they say where these are few."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications.retrieval.matching import match_one_to_one
from commensurate.applications.retrieval.neighbors import neighbors
from commensurate.errors import TooFewAnswers
from commensurate.guarantees.conformal import conformal_quantile, conformal_rank
from worlds.few_answers import POINTS, A, B, budgeted, sigma


@pytest.fixture(scope="module")
def learnt():
    return budgeted(budget=120).fit(POINTS, sigma)


def test_where_every_pair_is_chosen_the_intervals_are_those_of_random_pairs(learnt):
    left, right = A[:5], B[:4]
    found = neighbors(learnt, left, right, 4, interval="calibrated")
    lower, upper = learnt.predict_interval(left[found["left"]], right[found["right"]], interval="calibrated")
    np.testing.assert_array_equal(found["lower"], lower)
    np.testing.assert_array_equal(found["upper"], upper)


def test_an_interval_rests_on_the_held_out_pairs_that_would_have_been_found_in_its_place(learnt):
    left, right, level = A[:3], B[:4], 0.6
    found = neighbors(learnt, left, right, 2, interval="calibrated", confidence_level=level)
    held_out = learnt.held_out_pairs()
    for row, pair in found.iterrows():
        place, qualifying = int(pair["right"]), []
        for x, y in zip(held_out.left, held_out.right):
            candidates = right.copy()
            candidates[place] = y
            again = neighbors(learnt, x[None], candidates, 2, interval="estimate")
            qualifying.append(place in set(again["right"]))
        scores = held_out.scores[qualifying]
        factor = conformal_quantile(scores, conformal_rank(len(scores), level))
        ends = learnt.bounds_reaching(np.array([factor]), left[[int(pair["left"])]], right[[place]], ("a", "b"))
        assert (found["lower"][row], found["upper"][row]) == (ends[0][0], ends[1][0])


def test_an_intersection_is_finite_even_where_the_calibrated_interval_is_not(learnt):
    for search in (lambda **options: neighbors(learnt, A, B, 1, **options), lambda **options: matched(**options)):
        with pytest.warns(TooFewAnswers, match="are infinite"):
            both = search(interval="intersection")
        certified = search(interval="certified")
        np.testing.assert_allclose(both["lower"], certified["lower"])
        np.testing.assert_allclose(both["upper"], certified["upper"])

    found = neighbors(learnt, A, B[:4], 2, interval="intersection", confidence_level=0.6)
    certified = neighbors(learnt, A, B[:4], 2, interval="certified")
    assert (found["lower"] >= certified["lower"]).all()
    assert (found["upper"] < certified["upper"]).any()


def matched(**options):
    learnt = budgeted(budget=120).fit(POINTS, sigma)
    return match_one_to_one(learnt, A, B, **options).pairs


def test_the_warning_stands_where_the_user_called_and_says_how_many_answers_it_takes(learnt):
    with pytest.warns(TooFewAnswers, match="held-out pairs that would have been chosen in its place") as caught:
        found = neighbors(learnt, A, B, 2, interval="calibrated")
    assert caught[0].filename == __file__
    assert np.isinf(found["upper"]).all()
    # one in 30 is among the 2 nearest of 60
    assert "one in 30 is" in str(caught[0].message)
    assert "about 570 held-out answers" in str(caught[0].message)
    with pytest.warns(TooFewAnswers, match="matched with one of 60 records needs 19 .* about 1,140 held-out") as caught:
        match_one_to_one(learnt, A, B, interval="calibrated")
    assert caught[0].filename == __file__


def test_pairs_that_were_given_do_not_tell_about_chosen_ones():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 60, (200, 2))
    table = pd.DataFrame({"left_id": rows[:, 0], "right_id": rows[:, 1], "answer": sigma(A[rows[:, 0]], B[rows[:, 1]])})
    est = cm.BudgetedSimilarity(learner="gp", answer_error="noise", claim="pairs of these elements", random_state=0)
    est.fit({"a": A, "b": B}, pairs=table)
    with pytest.warns(TooFewAnswers, match="were given, not drawn at random"):
        found = neighbors(est, A, B[:3], 3, interval="calibrated")
    assert np.isinf(found["upper"]).all()


def test_a_model_that_holds_nothing_out_has_no_held_out_pairs():
    est = cm.NaiveSimilarity(epsilon=0.2, delta=0.2, random_state=0).fit(POINTS, sigma)
    for ask in (est.held_out_pairs, lambda: est.bounds_reaching(np.ones(1), A[:1], B[:1])):
        with pytest.raises(cm.errors.InvalidParameter, match="holds none out"):
            ask()


def test_held_out_pairs_have_their_sides_in_the_order_asked_for(learnt):
    one, other = learnt.held_out_pairs(("a", "b")), learnt.held_out_pairs(("b", "a"))
    np.testing.assert_array_equal(one.left, other.right)
    np.testing.assert_array_equal(one.scores, other.scores)
    assert len(one) == 19
