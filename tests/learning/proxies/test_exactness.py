"""NAIVE and CLUSTER equal the plain implementations in plain_algorithms.py, number for number."""

import numpy as np
import pytest

import commensurate as cm
from worlds.plain_algorithms import plain_bounds, plain_cover, plain_predict, random_ell3

RNG = np.random.default_rng(3)
# rounded, so that rows repeat and distances tie
GROUPS = {"a": np.round(RNG.random((300, 3)), 1), "b": np.round(RNG.random((400, 3)), 1)}
TEST = {name: RNG.random((500, 3)) for name in GROUPS}
SIGMA = random_ell3(3, seed=1)


def oracle(left, right, between):
    return SIGMA(left, right)


def drawn_rows(est: cm.NaiveSimilarity | cm.ClusterSimilarity) -> dict[str, np.ndarray]:
    return {name: np.array([int(i) for i in sample.elements.ids]) for name, sample in est.samples_.items()}


def test_the_draw_is_n_rows_with_replacement_from_the_seed():
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.02, random_state=5).fit(GROUPS, oracle)
    rng = np.random.default_rng(5)
    for name, points in GROUPS.items():
        rows = rng.integers(len(points), size=cm.sample_size(0.02))
        distinct = np.unique(points[rows], axis=0)
        assert est.samples_[name].n_drawn == cm.sample_size(0.02) == 392
        np.testing.assert_array_equal(np.unique(est.samples_[name].elements.points, axis=0), distinct)
        assert drawn_rows(est)[name][0] == rows[0]


def test_naive_predicts_the_answer_about_the_nearest_samples():
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.05, random_state=0).fit(GROUPS, oracle)
    samples = tuple(est.samples_[name].elements.points for name in GROUPS)
    itself = tuple(np.arange(len(points)) for points in samples)
    expected = plain_predict(samples, itself, SIGMA, TEST["a"], TEST["b"])
    np.testing.assert_array_equal(est.predict(TEST["a"], TEST["b"]), expected)


@pytest.mark.parametrize("dilation", [0.0, 0.5, 1.0, 2.0, 8.0])
def test_cluster_predicts_the_answer_about_the_representatives_of_the_nearest_samples(dilation):
    est = cm.ClusterSimilarity(epsilon=0.1, delta=0.05, dilation=dilation, random_state=0).fit(GROUPS, oracle)
    samples, representatives = [], []
    rng = np.random.default_rng(0)
    for points in GROUPS.values():
        rng.integers(len(points), size=cm.sample_size(0.05))
    for name in GROUPS:
        sample = est.samples_[name].elements.points
        samples.append(sample)
        representatives.append(plain_cover(sample, dilation * 0.1, rng.permutation(len(sample))))
        assert set(est.samples_[name].representatives) == set(representatives[-1])
    expected = plain_predict(tuple(samples), tuple(representatives), SIGMA, TEST["a"], TEST["b"])
    np.testing.assert_array_equal(est.predict(TEST["a"], TEST["b"]), expected)


def test_given_samples_are_the_rows_themselves():
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.05, samples="given").fit(GROUPS, oracle)
    for name, points in GROUPS.items():
        np.testing.assert_array_equal(np.unique(est.samples_[name].elements.points, axis=0), np.unique(points, axis=0))
        assert est.samples_[name].n_drawn == len(points)
    np.testing.assert_array_equal(
        est.predict(GROUPS["a"][:50], GROUPS["b"][:50]), SIGMA(GROUPS["a"][:50], GROUPS["b"][:50])
    )


@pytest.mark.parametrize("estimator", [cm.NaiveSimilarity, cm.ClusterSimilarity])
def test_the_certified_interval_is_the_envelope_over_all_answers(estimator):
    est = estimator(epsilon=0.05, delta=0.05, random_state=0).fit(GROUPS, oracle)
    left, right = (est.samples_[name].asked.points for name in GROUPS)
    rows, columns = (k.ravel() for k in np.indices((len(left), len(right))))
    expected = plain_bounds(
        left[rows], right[columns], SIGMA(left[rows], right[columns]), TEST["a"][:60], TEST["b"][:60]
    )
    lower, upper = est.predict_interval(TEST["a"][:60], TEST["b"][:60])
    np.testing.assert_allclose(lower, expected[0], atol=1e-15)
    np.testing.assert_allclose(upper, expected[1], atol=1e-15)


def test_the_matrix_holds_every_pair():
    est = cm.ClusterSimilarity(epsilon=0.05, delta=0.1, random_state=0).fit(GROUPS, oracle)
    matrix = est.predict_matrix(TEST["a"][:7], TEST["b"][:5])
    assert matrix.shape == (7, 5)
    for i in range(7):
        np.testing.assert_array_equal(matrix[i], est.predict(np.repeat(TEST["a"][i : i + 1], 5, 0), TEST["b"][:5]))


def test_three_groups_are_three_pairs_each_on_its_own():
    groups = {**GROUPS, "c": np.round(RNG.random((200, 3)), 1)}
    asked = []

    def counting(left, right, between):
        asked.append((between, len(left)))
        return SIGMA(left, right)

    est = cm.ClusterSimilarity(epsilon=0.05, delta=0.1, dilation=1.0, random_state=2).fit(groups, counting)
    sizes = {name: len(sample.representatives) for name, sample in est.samples_.items()}
    expected = {pair: sizes[pair[0]] * sizes[pair[1]] for pair in [("a", "b"), ("a", "c"), ("b", "c")]}
    assert est.n_questions_by_pair_ == expected
    assert {pair: sum(n for p, n in asked if p == pair) for pair in expected} == expected
    alone = cm.ClusterSimilarity(epsilon=0.05, delta=0.1, dilation=1.0, random_state=2).fit(GROUPS, oracle)
    np.testing.assert_array_equal(
        est.predict(TEST["a"], TEST["b"], between=("a", "b")), alone.predict(TEST["a"], TEST["b"])
    )


def test_ties_go_to_the_sample_drawn_first():
    """Halfway between lattice points several samples are nearest; the first one drawn is the proxy."""
    lattice = {name: RNG.integers(0, 3, (60, 2)).astype(float) for name in "ab"}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, random_state=0).fit(
        lattice, lambda x, y, between: 3 * x[:, 0] + x[:, 1]
    )
    middle = np.full((1, 2), 0.5)
    rows = np.random.default_rng(0).integers(60, size=cm.sample_size(0.1))
    first = next(x for x in lattice["a"][rows] if np.abs(x - 0.5).max() == 0.5)
    assert est.predict(middle, middle)[0] == 3 * first[0] + first[1]
