"""An oracle that is asked for comparisons alone: what it answers, what it asks, and what it refuses."""

import math

import numpy as np
import pytest

import commensurate as cm
from commensurate.errors import InvalidAnswer, InvalidParameter, UnknownGroup

RNG = np.random.default_rng(0)
GROUPS = {"a": RNG.random((25, 2)), "b": RNG.random((20, 2))}
EVERY = cm.Rulers.of(np.linspace(0.002, 2.0, 1_000))
BETWEEN = ("a", "b")


def sigma(left, right, between=None):
    return 0.3 + 0.5 * np.abs(left[:, 0] - right[:, 1])


class Closer:
    """Compares, and remembers what it was asked."""

    def __init__(self, function=sigma):
        self.function, self.asked = function, []

    def __call__(self, left, right, between, distance):
        assert len(left) == len(right) == 1
        self.asked.append((*map(tuple, left), *map(tuple, right), distance))
        return self.function(left, right, between) <= distance


def all_pairs(groups=GROUPS):
    a, b = groups["a"], groups["b"]
    return np.repeat(a, len(b), axis=0), np.tile(b, (len(a), 1))


def by_comparisons(closer=None, **options):
    return cm.ByComparisons(closer or Closer(), GROUPS, **{"half_width": 0.02, "rulers": EVERY, **options})


def test_no_answer_is_off_by_more_than_half_the_width():
    oracle = by_comparisons()
    pairs = all_pairs()
    errors = np.abs(oracle(*pairs, BETWEEN) - sigma(*pairs))
    assert errors.max() <= oracle.answer_error <= 0.02 * (1.0 + 1e-9)
    assert oracle.n_located == 500
    lower, upper = oracle.ranges(*pairs, BETWEEN).T
    assert ((lower <= sigma(*pairs)) & (sigma(*pairs) <= upper)).all()


def test_nothing_is_compared_twice():
    closer = Closer()
    oracle, pairs = by_comparisons(closer), all_pairs()
    first = oracle(*pairs, BETWEEN)
    made = len(closer.asked)
    assert made == oracle.n_comparisons == len(set(closer.asked))
    np.testing.assert_array_equal(oracle(*(side[::-1] for side in pairs), BETWEEN), first[::-1])
    assert len(closer.asked) == made


@pytest.mark.parametrize("model", [cm.NaiveSimilarity, cm.ClusterSimilarity])
def test_naive_and_cluster_learn_from_it_and_their_certified_intervals_hold(model):
    oracle = by_comparisons()
    est = model(epsilon=0.1, delta=0.2, samples="given", answer_error=0.02, random_state=0).fit(GROUPS, oracle)
    numbers = model(epsilon=0.1, delta=0.2, samples="given", random_state=0).fit(GROUPS, sigma)
    assert oracle.n_located == est.n_questions_ == numbers.n_questions_
    left, right = RNG.random((200, 2)), RNG.random((200, 2))
    lower, upper = est.predict_interval(left, right)
    assert ((lower <= sigma(left, right)) & (sigma(left, right) <= upper)).all()
    assert np.abs(est.predict(left, right) - numbers.predict(left, right)).max() <= 0.02 * (1.0 + 1e-9)
    assert est.check_answers().consistent


def test_the_bounds_of_the_theorems_grow_by_the_error_of_an_answer():
    crowded = {name: np.round(points, 1) * 0.05 for name, points in GROUPS.items()}
    oracle = cm.ByComparisons(Closer(), crowded, half_width=0.02, rulers=EVERY)
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given", answer_error=0.02).fit(crowded, oracle)
    exact = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given").fit(crowded, sigma)
    bounds = [model.guarantee().pairs[0].theorem_bound for model in (est, exact)]
    assert bounds[0] == pytest.approx(bounds[1] + 0.02)


def test_one_interval_a_pair_serves_as_ranges_for_a_budget():
    oracle = by_comparisons()
    est = cm.BudgetedSimilarity(budget=60, random_state=0, answer_error=0, learner="gp").fit(GROUPS, oracle.ranges)
    assert est.n_questions_ == oracle.n_located == 60


def test_as_statements_the_intervals_certify_more_than_with_one_error_for_all():
    oracle = by_comparisons()
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given", answer_error=0.02).fit(GROUPS, oracle)
    pairs = all_pairs()
    said = [cm.Statement.between(k, *ends) for k, ends in enumerate(oracle.ranges(*pairs, BETWEEN).tolist())]
    left, right = RNG.random((200, 2)), RNG.random((200, 2))
    lower, upper = cm.check_statements(*pairs, said).bounds(left, right)
    assert ((lower <= sigma(left, right)) & (sigma(left, right) <= upper)).all()
    by_one_error = est.predict_interval(left, right)
    assert (upper - lower).mean() < (by_one_error[1] - by_one_error[0]).mean()


def test_on_demand_only_pairs_that_are_needed_are_located():
    oracle = by_comparisons()
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given", ask="on_demand").fit(GROUPS, oracle)
    assert oracle.n_located == 0
    for k in range(5):
        found = est.predict(GROUPS["a"][k : k + 3], GROUPS["b"][k : k + 3])
        np.testing.assert_allclose(found, sigma(GROUPS["a"][k : k + 3], GROUPS["b"][k : k + 3]), atol=0.0201)
    assert oracle.n_located == 7


def test_groups_with_precomputed_distances_are_compared_by_their_row_numbers():
    points = RNG.random((12, 1))
    distances = np.abs(points - points.T)
    groups = [cm.Group(name, distances, metric="precomputed") for name in BETWEEN]

    def closer(left, right, between, distance):
        assert left.dtype == right.dtype == np.int64
        return np.abs(points[left] - points[right])[:, 0] <= distance

    oracle = cm.ByComparisons(closer, groups, half_width=0.02, rulers=EVERY)
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.3, samples="given").fit(groups, oracle)
    np.testing.assert_allclose(est.predict_matrix(range(12), range(12)), distances, atol=0.0201)


def test_the_rulers_are_by_default_the_distances_within_the_groups():
    oracle = cm.ByComparisons(Closer(), GROUPS, half_width=0.05)
    np.testing.assert_array_equal(oracle.rulers.distances, cm.Rulers.within(GROUPS).distances)


# --- rulers that do not reach ---

SHORT = cm.Rulers.of(np.linspace(0.01, 0.5, 50))


def test_pairs_above_the_longest_ruler_are_refused_and_what_was_compared_is_kept():
    closer = Closer()
    oracle, pairs = by_comparisons(closer, rulers=SHORT), all_pairs()
    with pytest.raises(InvalidAnswer, match=r"more dissimilar than the longest ruler, 0\.5: .* only a lower bound"):
        oracle(*pairs, BETWEEN)
    made = len(closer.asked)
    lower, upper = oracle.ranges(*pairs, BETWEEN).T
    assert len(closer.asked) == made
    above = sigma(*pairs) > 0.5
    assert 50 < above.sum() < 450
    assert ((lower <= sigma(*pairs)) & (sigma(*pairs) <= upper)).all()
    assert (upper - lower)[~above].max() <= 0.04 * (1.0 + 1e-9), "below it, all is as it should be"
    assert "only a lower bound" in str(oracle)


def test_or_they_are_answered_and_the_error_says_so():
    far = {name: points + 10.0 * np.arange(len(points))[:, None] for name, points in GROUPS.items()}
    oracle = cm.ByComparisons(lambda *_: np.array([False]), far, half_width=0.02, rulers=SHORT, beyond="answer")
    assert oracle(far["a"][:1], far["b"][:1], BETWEEN).tolist() == [0.5]
    assert oracle.answer_error == math.inf
    assert "any amount" in str(oracle)
    with pytest.raises(InvalidParameter, match="answer_error"):
        cm.NaiveSimilarity(answer_error=oracle.answer_error).fit(far, oracle)


def test_a_number_that_no_dissimilarity_exceeds_takes_the_place_of_longer_rulers():
    oracle, pairs = by_comparisons(rulers=SHORT, at_most=0.8), all_pairs()
    errors = np.abs(oracle(*pairs, BETWEEN) - sigma(*pairs))
    assert errors.max() <= oracle.answer_error <= 0.15 * (1.0 + 1e-9)
    assert oracle.answer_error > 0.02
    assert "no ruler lies nearer" in str(oracle)


def test_gaps_between_rulers_widen_the_error_by_half_a_gap_as_was_foretold():
    rulers, pairs = cm.Rulers.of([0.2, 0.4, 0.7, 0.85]), all_pairs()
    oracle = by_comparisons(rulers=rulers)
    errors = np.abs(oracle(*pairs, BETWEEN) - sigma(*pairs))
    assert (
        errors.max() <= oracle.answer_error <= rulers.gaps(at_least=0.2, at_most=0.85).answer_error(0.02) * (1 + 1e-9)
    )


# --- comparisons that err ---


def test_with_errors_intervals_hold_and_cost_more():
    rng = np.random.default_rng(1)

    def closer(left, right, between, distance):
        return sigma(left, right) + 0.01 * rng.standard_normal(len(left)) <= distance

    exact, pairs = by_comparisons(), all_pairs()
    exact(*pairs, BETWEEN)
    oracle = by_comparisons(closer, noise=0.01)
    assert np.abs(oracle(*pairs, BETWEEN) - sigma(*pairs)).max() <= oracle.answer_error <= 0.02 * (1.0 + 1e-9)
    assert exact.n_comparisons < oracle.n_comparisons < 10 * exact.n_comparisons
    assert "with probability 95 % or more" in str(oracle)


def test_wrong_comparisons_never_show_up_as_contradictions():
    """Nothing is asked that M1 and M2 already tell: whatever is said, they can be true."""
    rng = np.random.default_rng(2)
    oracle = by_comparisons(lambda *_: rng.random(1) < 0.5, at_most=2.0)
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given", answer_error=0.02).fit(GROUPS, oracle)
    assert est.check_answers().consistent
    assert np.abs(est.predict(*all_pairs()) - sigma(*all_pairs())).max() > 0.2


# --- what is refused ---


@pytest.mark.parametrize(
    "returned",
    [[0.2], ["yes"], [True, False], True, [[True]], [1]],
    ids=["number", "text", "two", "one", "matrix", "int"],
)
def test_whoever_compares_must_say_true_or_false_for_each_pair(returned):
    oracle = by_comparisons(lambda *_: returned)
    with pytest.raises(InvalidAnswer, match="closer must return an array with one truth value per pair"):
        oracle(GROUPS["a"][:1], GROUPS["b"][:1], BETWEEN)
    assert oracle.n_comparisons == 0


def test_an_interrupted_search_keeps_the_pairs_that_were_located():
    class Tired(Closer):
        def __call__(self, *question):
            if len(self.asked) == 30:
                raise KeyboardInterrupt
            return super().__call__(*question)

    closer = Tired()
    oracle, pairs = by_comparisons(closer), all_pairs()
    with pytest.raises(KeyboardInterrupt):
        oracle(*pairs, BETWEEN)
    located = oracle.n_located
    assert located > 3
    closer.asked.append("one more than thirty")
    assert np.abs(oracle(*pairs, BETWEEN) - sigma(*pairs)).max() <= 0.02 * (1.0 + 1e-9)
    assert oracle.n_located == 500


@pytest.mark.parametrize(
    "wrong",
    [
        {"half_width": 0.0},
        {"rulers": [0.1, 0.2]},
        {"at_most": -1.0},
        {"noise": -0.1},
        {"failure": 0.0},
        {"failure": 1.0},
        {"beyond": "guess"},
        {"closer": "nobody"},
    ],
)
def test_what_is_out_of_range_is_refused(wrong):
    with pytest.raises(InvalidParameter):
        by_comparisons(**wrong)


def test_groups_that_it_was_not_made_for_are_refused():
    with pytest.raises(UnknownGroup, match="'c'"):
        by_comparisons()(GROUPS["a"], GROUPS["a"], ("a", "c"))
