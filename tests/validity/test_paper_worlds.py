"""The worlds of the paper's proofs, where the truth is known and its statements can be measured."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import commensurate as cm
from commensurate.asking.simulated.shared_columns import PaperExpert


def discrete(name: str, values: np.ndarray) -> cm.Group:
    """A group of numbered elements, all at distance 1 from each other: hamming on one column."""
    return cm.Group(name, np.asarray(values, dtype=float)[:, None], metric="hamming")


def independent_sigma(n_left: int, n_right: int, seed: int):
    """σ drawn from U[0, 1] for every pair: M1 and M2 hold because all distances are 1."""
    table = np.random.default_rng(seed).random((n_left, n_right))
    return lambda left, right, between: table[left[:, 0].astype(int), right[:, 0].astype(int)]


def test_no_free_lunch_where_every_element_is_rare_nothing_is_learnt():
    epsilon, delta, crowd = 0.01, 0.05, 50_000
    sigma = independent_sigma(1, crowd, seed=0)
    groups = [discrete("one", np.zeros(10)), discrete("crowd", np.arange(crowd))]
    assert cm.rare_mass(groups[1].points, epsilon, delta, metric="hamming", random_state=0).table == 1.0
    rng = np.random.default_rng(1)
    right = rng.integers(crowd, size=(20_000, 1)).astype(float)
    left = np.zeros_like(right)
    for est in (
        cm.NaiveSimilarity(epsilon=epsilon, delta=delta, random_state=0),
        cm.ClusterSimilarity(epsilon=epsilon, delta=delta, random_state=0),
    ):
        est.fit(groups, sigma)
        failed = np.abs(est.predict(left, right) - sigma(left, right, None)) > 6 * epsilon
        # outside the samples a guess is within 6ε of U[0, 1] at most 12ε of the time
        assert failed.mean() >= 1.0 - 12 * epsilon - cm.sample_size(delta) / crowd - 0.01
        assert est.guarantee().pairs[0].theorem_failure == 1.0


def test_the_lower_bound_instance_needs_every_pair_of_atoms():
    epsilon, delta = 0.01, 0.05
    atoms = round(1 / delta)
    sigma = independent_sigma(atoms, atoms, seed=2)
    groups = [discrete(name, np.repeat(np.arange(atoms), 50)) for name in ("x", "y")]
    every = np.indices((atoms, atoms)).reshape(2, -1, 1).astype(float)
    truth = sigma(*every, None)

    exact = cm.ClusterSimilarity(epsilon=epsilon, delta=delta, random_state=0).fit(groups, sigma)
    assert exact.question_counts_.distinct == atoms**2
    assert (exact.predict(*every) == truth).all()

    # ρε ≥ 1 merges everything: one question, and an error for nearly all pairs
    merged = cm.ClusterSimilarity(epsilon=epsilon, delta=delta, dilation=1 / epsilon, random_state=0).fit(groups, sigma)
    assert merged.n_questions_ == 1
    assert np.mean(np.abs(merged.predict(*every) - truth) > 6 * epsilon) > 0.8


def clumps(n_clumps: int, per_clump: int, diameter: float, rng: np.random.Generator) -> np.ndarray:
    """Clumps of equal size, far apart, each of the given diameter at most."""
    centres = np.repeat(10.0 * np.arange(n_clumps), per_clump)
    return (centres + rng.uniform(-diameter / 2, diameter / 2, len(centres)))[:, None]


@pytest.mark.parametrize("dilation", [2.0, 8.0])
def test_where_nothing_is_rare_expected_queries_are_at_most_gamma_gamma_minus_one_over_delta_squared(dilation):
    epsilon, delta, gamma = 0.1, 0.1, 3
    rng = np.random.default_rng(0)
    groups = {f"g{k}": clumps(10, 200, epsilon, rng) for k in range(gamma)}
    for points in groups.values():
        assert cm.rare_mass(points, epsilon, delta, random_state=0).table == 0.0
    queries = [
        cm.ClusterSimilarity(epsilon=epsilon, delta=delta, dilation=dilation, ask="on_demand", random_state=seed)
        .fit(groups, lambda left, right, between: np.zeros(len(left)))
        .n_paper_queries_
        for seed in range(20)
    ]
    assert np.mean(queries) <= gamma * (gamma - 1) / delta**2
    assert np.mean(queries) > 0.5 * gamma * (gamma - 1) / delta**2, "a bound that is never near says little"


def test_expected_representatives_stay_below_one_over_delta_plus_the_rare_samples():
    epsilon, delta = 0.1, 0.1
    rng = np.random.default_rng(1)
    crowd = clumps(8, 100, epsilon, rng)
    loners = 1000.0 + 10.0 * np.arange(200.0)[:, None]
    points = np.vstack([crowd, loners])
    rare = cm.rare_mass(points, epsilon, delta, random_state=0).table
    assert rare == pytest.approx(0.2)
    counts = [
        len(
            cm.ClusterSimilarity(epsilon=epsilon, delta=delta, dilation=2.0, ask="on_demand", random_state=seed)
            .fit({"a": points, "b": crowd}, lambda left, right, between: np.zeros(len(left)))
            .samples_["a"]
            .representatives
        )
        for seed in range(30)
    ]
    # Lemmas 4.5 and 4.6, for the dense elements and for the rare ones
    assert np.mean(counts) <= 1.0 / delta + cm.sample_size(delta) * rare
    assert np.mean(counts) > 0.8 * (8 + 0.2 * cm.sample_size(delta) * 0.8)


@pytest.mark.parametrize(
    ("estimator", "bound"),
    [
        (cm.NaiveSimilarity(epsilon=0.01, delta=0.1), 6 * 0.01),
        (cm.ClusterSimilarity(epsilon=0.01, delta=0.1, dilation=2.0), 2 * (3 + 4) * 0.01),
        (cm.ClusterSimilarity(epsilon=0.01, delta=0.1, dilation=8.0), 2 * (3 + 16) * 0.01),
    ],
)
def test_the_failure_rate_pooled_over_samples_and_pairs_is_at_most_two_delta_plus_the_rare_masses(estimator, bound):
    """Atoms: six of mass 0.15 (dense) and many of mass 0.002 (rare), 0.1 in all; every missed atom is an error."""
    rows = np.concatenate([np.repeat(np.arange(6), 75), np.arange(6, 56)])
    groups = [discrete(name, rows) for name in ("x", "y")]
    smooth = independent_sigma(56, 56, seed=3)

    def sigma(left, right, between):
        return np.round(smooth(left, right, between))  # 0 or 1: a wrong guess breaks every bound here

    rare = cm.rare_mass(groups[0].points, 0.01, 0.1, metric="hamming", random_state=0).table
    assert rare == pytest.approx(0.1)
    rng = np.random.default_rng(4)
    failed = []
    for seed in range(150):
        est = estimator.set_params(random_state=seed).fit(groups, sigma)
        left, right = (rng.choice(rows, size=(300, 1)).astype(float) for _ in range(2))
        failed.append(np.mean(np.abs(est.predict(left, right) - sigma(left, right, None)) > bound))
    limit = cm.failure_probability(0.1, rare, rare)
    assert np.mean(failed) <= limit + 3 * np.std(failed) / np.sqrt(len(failed))
    assert np.mean(failed) > 0.15 * limit, "a rate that is always near 0 would hide a broken bound"


def test_all_pairs_of_dense_elements_obey_the_bound_but_with_probability_two_delta():
    """The stronger statement of the same proof: one event over the samples covers every dense pair."""
    epsilon, delta = 0.1, 0.2
    rng = np.random.default_rng(5)
    groups = {name: clumps(5, 40, epsilon, rng) for name in ("x", "y")}
    expert = PaperExpert(np.ones(1), np.ones(1), np.zeros(1), first="x")
    every = [np.repeat(groups["x"], 200, axis=0), np.tile(groups["y"], (200, 1))]
    truth = expert(*every, ("x", "y"))
    broken = [
        (
            np.abs(
                cm.NaiveSimilarity(epsilon=epsilon, delta=delta, random_state=seed).fit(groups, expert).predict(*every)
                - truth
            )
            > 6 * epsilon
        ).any()
        for seed in range(200)
    ]
    assert np.mean(broken) <= 2 * delta


coordinates = st.floats(-3.0, 3.0)
triples = arrays(np.float64, (3, 4), elements=coordinates)
weights = arrays(np.float64, 4, elements=st.floats(0.0, 1.0))


@given(triples, triples, weights, weights, arrays(np.float64, 4, elements=st.floats(-0.5, 0.5)))
def test_equation_one_obeys_m1_and_m2(left, right, alpha, beta, theta):
    expert = PaperExpert(alpha, beta, theta, first="x")
    x, z, _ = left[:, None]
    y, w, _ = right[:, None]
    sigma = expert(x, y, ("x", "y"))
    assert sigma <= np.linalg.norm(x - z) + expert(z, y, ("x", "y")) + 1e-12
    assert sigma <= expert(x, w, ("x", "y")) + np.linalg.norm(w - y) + 1e-12


def test_equation_one_is_not_a_metric():
    """The paper's own counterexamples: not symmetric in its arguments, and not 0 for equal ones."""
    one, two = np.array([[1.0]]), np.array([[2.0]])
    shifted = PaperExpert(np.ones(1), np.ones(1), np.array([2.0]), first="x")
    assert shifted(one, two, ("x", "y")) == pytest.approx(1.0)
    assert shifted(two, one, ("x", "y")) == pytest.approx(3.0)
    equal = PaperExpert(np.ones(1), np.ones(1), np.array([1.0]), first="x")
    assert equal(one, one, ("x", "y")) == pytest.approx(1.0)


def test_alpha_belongs_to_the_first_named_group_whichever_side_is_asked_first():
    rng = np.random.default_rng(6)
    expert = PaperExpert.draw(3, first="x", rng=rng)
    left, right = rng.random((5, 3)), rng.random((5, 3))
    np.testing.assert_array_equal(expert(left, right, ("x", "y")), expert(right, left, ("y", "x")))


@given(st.integers(0, 10_000), st.sampled_from(["euclidean", "manhattan", "chebyshev", "minkowski(3)"]))
def test_the_certified_interval_holds_the_truth_for_random_sigma(seed, metric):
    """σ(x, y) = min over prototype pairs of d(x, p) + d(y, q) + w obeys M1 and M2 with full slope."""
    from commensurate.geometry.metrics import metric_named

    rng = np.random.default_rng(seed)
    d = metric_named(metric, np.zeros((1, 2)))
    p, q, w = rng.random((4, 2)), rng.random((4, 2)), rng.random(4)

    def sigma(left, right, between):
        return (d.pairwise(left, p) + d.pairwise(right, q) + w).min(axis=1)

    groups = [cm.Group(name, rng.random((30, 2)), metric=metric) for name in "ab"]
    est = cm.ClusterSimilarity(epsilon=0.05, delta=0.3, dilation=1.0, random_state=seed).fit(groups, sigma)
    left, right = rng.random((50, 2)), rng.random((50, 2))
    lower, upper = est.predict_interval(left, right)
    truth = sigma(left, right, None)
    assert (lower <= truth + 1e-12).all()
    assert (truth <= upper + 1e-12).all()


@given(st.integers(0, 10_000), st.booleans())
def test_sides_swapped_give_the_same(seed, on_demand):
    rng = np.random.default_rng(seed)
    groups = {"a": rng.random((25, 2)), "b": rng.random((20, 3)), "c": rng.random((15, 1))}
    est = cm.ClusterSimilarity(
        epsilon=0.05, delta=0.3, dilation=1.0, ask="on_demand" if on_demand else "eager", random_state=seed
    ).fit(groups, lambda left, right, between: np.abs(left[:, 0] - right[:, 0]))
    names = list(rng.permutation(list(groups))[:2])
    left, right = (rng.random((10, groups[name].shape[1])) for name in names)
    np.testing.assert_array_equal(est.predict(left, right, names), est.predict(right, left, names[::-1]))
    np.testing.assert_array_equal(
        est.predict_matrix(left, right, names), est.predict_matrix(right, left, names[::-1]).T
    )
    for one, other in zip(est.predict_interval(left, right, names), est.predict_interval(right, left, names[::-1])):
        np.testing.assert_array_equal(one, other)
