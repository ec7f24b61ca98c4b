"""Which pairs are asked about, and which answers are held out."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesRegressor

from commensurate.errors import InvalidInput, InvalidParameter, TooFewAnswers
from commensurate.learning.few_answers import plan as planning
from commensurate.learning.few_answers.plan import (
    BudgetShares,
    calibration_count,
    held_out_places,
    planned_counts,
    split_proportionally,
)
from commensurate.learning.few_answers.row_draws import fresh_rows, unasked_pairs
from worlds.few_answers import POINTS, A, B, budgeted, sigma

# so many that more pairs are left to learn from than a learner can take
MANY = {"a": np.random.default_rng(0).random((200, 2)), "b": np.random.default_rng(1).random((180, 3))}
THREE = {**POINTS, "c": 50.0 * POINTS["a"]}


def test_elements_are_drawn_without_replacement_on_both_sides():
    (block,) = budgeted(budget=90).plan(POINTS).blocks
    assert len(set(block.left.ids)) == len(set(block.right.ids)) == len(block) == 90


def test_held_out_questions_are_about_elements_that_nothing_is_learnt_from():
    est = budgeted(budget=300)
    (part,) = est.plan(POINTS).by_pair.values()
    assert part.held_out.sum() == 39, "half of 90 rows are 45, and 39 of them are used"
    for side in (part.pairs.left, part.pairs.right):
        assert not set(side.ids[part.held_out]) & set(side.ids[~part.held_out])
        assert len(set(side.ids[part.held_out])) == 39


def test_more_is_never_held_out_than_there_are_fresh_elements():
    (part,) = budgeted(budget=30).plan({"a": POINTS["a"][:9], "b": POINTS["b"][:40]}).by_pair.values()
    assert part.held_out.sum() == 4
    (alone,) = budgeted(budget=30).plan({"a": POINTS["a"][:1], "b": POINTS["b"][:40]}).by_pair.values()
    assert alone.held_out.sum() == 0


@pytest.mark.filterwarnings("ignore::commensurate.errors.TooFewAnswers")
@pytest.mark.parametrize(("rows", "budget"), [(60, 400), (30, 200), (20, 60)])
def test_no_pair_is_asked_about_twice_while_there_are_others(rows, budget):
    plan = budgeted(budget=budget).plan({name: points[:rows] for name, points in POINTS.items()})
    (part,) = plan.by_pair.values()
    assert len(set(zip(*(side.tolist() for side in part.rows)))) == budget
    free = Counter(part.rows[1][~part.held_out].tolist())
    assert max(free.values()) - min(free.values()) <= 2, "each row is asked about as often as any other, or nearly so"


def test_when_all_rows_were_asked_about_they_come_round_again():
    (block,) = budgeted(budget=200).plan(POINTS).blocks
    assert set(Counter(block.left.ids).values()) == {1, 2}
    assert max(Counter(block.right.ids).values()) > 2
    few = {"a": POINTS["a"][:2], "b": POINTS["b"][:2]}
    with pytest.warns(TooFewAnswers):
        plan = budgeted(budget=200, answer_error="noise").plan(few)
    ids = [question.question_id for question in plan.questions]
    assert len(set(ids)) == 200, "a pair that is asked twice is two questions"


def test_too_few_rows_for_an_interval_are_told_where_the_plan_is_made():
    few = {"a": POINTS["a"][:30], "b": POINTS["b"]}
    told = "between 'a' and 'b', only 15 answers can be held out instead of 19, because each row is used only once"
    for design in ("random", "active"):
        with pytest.warns(TooFewAnswers, match=told) as caught:
            budgeted(budget=100, design=design).plan(few)
        assert caught[0].filename == __file__
    with pytest.warns(TooFewAnswers, match=told) as caught:
        est = budgeted(budget=100).fit(few, sigma)
    assert caught[0].filename == __file__
    with pytest.warns(
        TooFewAnswers, match="in a group of fewer than 38 rows, .* use more rows or a lower confidence level"
    ):
        est.predict_interval(A, B, interval="calibrated")
    # more rows, or fewer answers than a 95 % interval could be made of anyway
    budgeted(budget=100).plan({"a": POINTS["a"][:38], "b": POINTS["b"]})
    budgeted(budget=50).plan(few)


def test_the_same_seed_gives_the_same_questions_and_another_others():
    def ids(seed):
        return [question.question_id for question in budgeted(random_state=seed).plan(POINTS).questions]

    assert ids(1) == ids(1) != ids(2)


@pytest.mark.parametrize(("n", "share", "expected"), [(100, 0.2, 19), (400, 0.2, 79), (50, 0.2, 10), (400, 0.0, 0)])
def test_held_out_answers_come_in_steps_of_twenty_less_one(n, share, expected):
    assert calibration_count(n, share) == expected


@given(st.integers(1, 300), st.data())
def test_held_out_questions_are_spread_over_the_whole_plan(n, data):
    n_held_out = data.draw(st.integers(0, n))
    places = held_out_places(n, n_held_out, np.random.default_rng(n))
    assert places.sum() == n_held_out
    # any first part has its share, give or take one
    shares = np.cumsum(places) - np.arange(1, n + 1) * n_held_out / n
    assert np.abs(shares).max() <= 1.0 + 1e-9


@given(st.integers(0, 1000), st.lists(st.floats(0.0, 10.0), min_size=1, max_size=8))
def test_a_split_budget_is_spent_exactly(n, weights):
    parts = split_proportionally(n, weights)
    assert sum(parts) == n
    assert min(parts) >= 0
    if sum(weights) > 0.0:
        assert all(abs(part - n * weight / sum(weights)) <= 1.0 + 1e-6 for part, weight in zip(parts, weights))


def test_fresh_rows_come_before_those_asked_about():
    drawn = fresh_rows(np.arange(10), np.arange(6), 4, np.random.default_rng(0))
    assert sorted(drawn) == [6, 7, 8, 9]


def test_more_is_asked_where_elements_are_farther_apart():
    plan = budgeted(budget=120).plan(THREE)
    assert set(plan.by_pair) == {("a", "b"), ("a", "c"), ("b", "c")}
    assert sum(len(block) for block in plan.blocks) == 120
    assert len(plan.by_pair["a", "b"].pairs) < len(plan.by_pair["a", "c"].pairs)
    # held-out answers are counted for each pair of groups by itself
    assert all(part.held_out.sum() == calibration_count(len(part.pairs), 0.2) for part in plan.by_pair.values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {},
            "learns from at most 5,000 answers per pair of groups.*there would be 12,221 different pairs in 29,999,921 ",
        ),
        (
            {"design": "active"},
            "learns from at most 5,000 answers per pair of groups.*there would be 9,900 different pairs",
        ),
        ({"answer_error": "noise"}, "learns from at most 5,000 answers per pair of groups"),
        (
            {"learner": ExtraTreesRegressor()},
            "29,999,921 questions about .* are too many: .* only 12,221 different pairs",
        ),
        (
            {"learner": ExtraTreesRegressor(), "answer_error": "noise"},
            "at most 1,000,000 questions, whatever the learner, and there would be 30,000,000; ask fewer",
        ),
    ],
)
def test_a_budget_beyond_every_limit_is_refused_before_any_pair_is_drawn(options, message, monkeypatch):
    monkeypatch.setattr(planning, "draw_pairs", lambda *_: pytest.fail("pairs were drawn"))
    with pytest.raises(InvalidParameter, match=message):
        budgeted(budget=3 * 10**7, **options).plan(MANY)


@pytest.mark.parametrize(
    "options", [{}, {"design": "active"}, {"symmetric": False}, {"calibration": 0.5}, {"budget": 200}]
)
def test_what_is_counted_before_the_draw_is_what_is_drawn(options):
    plan = budgeted(**options).plan(THREE)
    shares = BudgetShares({between: len(part.pairs) for between, part in plan.by_pair.items()}, plan.growth)
    assert planned_counts(plan.elements, plan.settings, shares) == {
        between: part.counts for between, part in plan.by_pair.items()
    }


def test_asking_both_ways_makes_a_plan_for_each():
    plan = budgeted(symmetric=False).plan(POINTS)
    assert set(plan.by_pair) == {("a", "b"), ("b", "a")}


def test_a_plan_reads_as_a_table_and_as_a_line():
    plan = budgeted().plan(POINTS)
    assert len(plan.to_frame()) == 60
    assert plan.to_frame()["question_id"].tolist() == [q.question_id for q in plan.questions]
    assert str(plan) == "a × b: 60 questions\nin all 60 questions"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": 3}, "budget must be at least 4 questions for each of 1 pair"),
        ({"budget": 2.5}, "budget must be a whole number"),
        ({"budget": True}, "budget must be a whole number, at least 0, got True"),
        ({"budget": np.True_}, "budget must be a whole number, at least 0, got np.True_"),
        (
            {"budget": 10_000},
            "learns from at most 5,000 answers.*there would be 9,921;.*ClusterSimilarity.*scikit-learn",
        ),
        ({"budget": 6_400, "design": "active"}, "at most 5,000 answers.*there would be 6,[0-9]+;"),
        (
            {"budget": 15_000, "learner": ExtraTreesRegressor()},
            "14,921 questions about .* are too many: .* only 12,221 different pairs",
        ),
        ({"claim": "all pairs"}, "claim must be one of 'new elements', 'pairs of these elements', got 'all pairs'"),
        ({"claim": "pairs of these elements", "design": "active"}, "needs design='random'.*or claim='new elements'"),
        ({"budget": 4, "calibration": 0.8}, "holds out 3, and at least 2 must remain to learn from"),
        ({"design": "active", "learner": ExtraTreesRegressor()}, "design='active' needs a learner that knows"),
        ({"calibration": 1.0}, "calibration must be the share.*0 to 0.9"),
        ({"calibration": True}, "calibration must be the share"),
        ({"calibration": "x"}, "calibration must be the share.*got 'x'"),
        ({"learner": "forest"}, "learner must be 'auto'.*got 'forest'"),
        ({"learner": ExtraTreesRegressor}, "pass an instance, not a class"),
        ({"design": "clever"}, "design must be one of 'random', 'active'"),
        ({"symmetric": "yes"}, "symmetric must be one of"),
        ({"answer_error": -1.0}, "answer_error must be a finite number"),
        ({"answer_error": "noisy"}, "'noise' if experts err at random, or 'auto' if nothing is known"),
    ],
)
def test_bad_parameters_are_refused_before_anyone_is_asked(options, message):
    with pytest.raises(InvalidParameter, match=message):
        budgeted(**options).plan(MANY)


def test_a_plan_fits_its_groups_and_its_estimator_only():
    plan = budgeted().plan(POINTS)
    with pytest.raises(InvalidInput, match="made for other groups"):
        budgeted().fit({**POINTS, "b": POINTS["b"] + 1.0}, plan=plan, answers={})
    with pytest.raises(InvalidInput, match="made by BudgetedSimilarity, budget=60.*this is.*budget=61"):
        budgeted(budget=61).fit(plan=plan, answers={})
    with pytest.raises(InvalidInput, match="plan must be the result of plan"):
        budgeted().fit(plan="mine", answers={})


def test_as_many_rows_are_set_aside_as_there_are_held_out_questions_and_no_more():
    rng = np.random.default_rng(0)
    groups = {"drugs": rng.random((68, 2)), "proteins": rng.random((442, 2))}
    (part,) = budgeted(budget=2_000).plan(groups).by_pair.values()
    assert part.held_out.sum() == 19
    assert [len(rows) for rows in part.reserved] == [19, 19], "not 34 and 221"


def test_under_the_other_claim_nothing_is_set_aside_and_no_held_out_pair_is_learnt_from():
    for rows, budget in ((90, 300), (12, 120)):
        few = {name: points[:rows] for name, points in POINTS.items()}
        (part,) = budgeted(budget=budget, claim="pairs of these elements").plan(few).by_pair.values()
        assert part.counts.reserved == (0, 0)
        assert part.held_out.sum() == calibration_count(budget, 0.2)
        pairs = list(zip(*(side.tolist() for side in part.rows)))
        assert len(set(pairs)) == budget
        shared = set(part.rows[0][part.held_out]) & set(part.rows[0][~part.held_out])
        assert shared, "held-out pairs are about the elements that are learnt about"


def test_where_pairs_run_out_those_held_out_are_still_not_learnt_from():
    few = {"a": POINTS["a"][:10], "b": POINTS["b"][:10]}
    (part,) = budgeted(budget=200, answer_error="noise", claim="pairs of these elements").plan(few).by_pair.values()
    pairs = list(zip(*(side.tolist() for side in part.rows)))
    held_out = {pair for pair, judges in zip(pairs, part.held_out) if judges}
    assert len(held_out) == part.held_out.sum() == 19
    assert {pair for pair, judges in zip(pairs, part.held_out) if not judges} == set(pairs) - held_out


def test_held_out_pairs_are_a_uniform_draw_from_all_that_are_not_learnt_from():
    drawn = Counter()
    for seed in range(2_000):
        rows = unasked_pairs((3, 4), (np.array([0, 1]), np.array([0, 1])), 2, np.random.default_rng(seed))
        drawn.update(zip(*(side.tolist() for side in rows)))
    assert len(drawn) == 10
    assert (0, 0) not in drawn
    # each of 10 pairs is expected 400 times, with a standard deviation of 18
    assert max(abs(count - 400) for count in drawn.values()) < 4 * 18
    rows = unasked_pairs((1_000, 1_000), (np.array([0]), np.array([0])), 50, np.random.default_rng(0))
    assert len(set(zip(*(side.tolist() for side in rows)))) == 50
