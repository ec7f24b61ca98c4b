"""Intersections need M1 and M2, envelopes do not; both keep the level of the calibrated interval."""

import numpy as np
from sklearn.linear_model import Ridge

import commensurate as cm
from commensurate.experiments.synthetic.worlds import SyntheticWorld

FITS, FRESH = 60, 300
CALIBRATED = {"budget": 115, "calibration": 0.8, "learner": Ridge()}


def held(bounds, truth):
    return np.mean((bounds[0] <= truth + 1e-12) & (truth <= bounds[1] + 1e-12))


def smooth_world(seed):
    """A world with M1 and M2, and random numbers."""
    rng = np.random.default_rng(seed)
    return SyntheticWorld.draw("merit", [2, 2], rare_mass=0.25, epsilon=0.02, delta=0.05, rng=rng), rng


def steep(left, right, between=None):
    """Without M1 and M2: it changes three times as fast as the distance."""
    return 2.0 + 3.0 * np.abs(left[:, 0] - right[:, 0])


def steep_model(seed):
    rng = np.random.default_rng(seed)
    est = cm.BudgetedSimilarity(**CALIBRATED, random_state=seed)
    est.fit({name: rng.random((300, 3)) for name in ("a", "b")}, steep)
    return est, rng.random((FRESH, 3)), rng.random((FRESH, 3))


KINDS = ("intersection", "calibrated", "certified")


def test_an_intersection_covers_as_often_as_the_calibrated_interval_and_is_narrower():
    covered, widths = [], []
    for seed in range(FITS):
        world, rng = smooth_world(seed)
        est = cm.BudgetedSimilarity(**CALIBRATED, answer_error=0.0, random_state=seed)
        est.fit(world.elements(300, rng), world.oracle)
        fresh = world.elements(FRESH, rng)
        points, truth = (fresh["g1"], fresh["g2"]), world.oracle(fresh["g1"], fresh["g2"], ("g1", "g2"))
        bounds = {kind: est.predict_interval(*points, interval=kind) for kind in KINDS}
        covered.append([held(bounds[kind], truth) for kind in KINDS])
        widths.append([(bounds[kind][1] - bounds[kind][0]).mean() for kind in KINDS])
    intersection, calibrated, certified = np.mean(covered, axis=0)
    assert certified == 1.0
    # M1 and M2 hold, and the answers are exact: not one pair is lost
    assert intersection == calibrated
    assert 0.93 <= intersection <= 0.985
    widths = np.mean(widths, axis=0)
    assert widths[0] < 0.97 * min(widths[1:])


def test_an_intersection_covers_the_dissimilarity_where_every_answer_is_off_by_as_much_as_it_may():
    """Calibrated intervals contain an answer; unless they are widened by η, they miss σ far too often."""
    eta, covered, unwidened = 0.4, [], []
    for seed in range(FITS):
        world, rng = smooth_world(seed)

        def oracle(left, right, between, world=world, rng=rng):
            truth = world.oracle(left, right, between)
            # nearly all are too high, so that intervals learn to lie there
            return np.maximum(truth + np.where(rng.random(len(truth)) < 0.96, eta, -eta), 0.0)

        est = cm.BudgetedSimilarity(**CALIBRATED, answer_error=eta, random_state=seed)
        est.fit(world.elements(300, rng), oracle)
        fresh = world.elements(FRESH, rng)
        points, truth = (fresh["g1"], fresh["g2"]), world.oracle(fresh["g1"], fresh["g2"], ("g1", "g2"))
        bounds = est.predict_interval(*points, interval="intersection")
        covered.append(held(bounds, truth))
        unwidened.append(held(est.predict_interval(*points, interval="calibrated"), truth))
    assert np.mean(covered) >= 0.94
    assert np.mean(unwidened) < 0.93


def test_an_envelope_covers_new_answers_where_m1_and_m2_do_not_hold():
    """What M1 and M2 allow covers half of them; held-out answers in the envelope would leave it as it is."""
    covered, allowed = [], []
    for seed in range(FITS):
        est, left, right = steep_model(seed)
        truth = steep(left, right)
        covered.append(held(est.predict_interval(left, right, interval="envelope"), truth))
        allowed.append(held(est._model(("a", "b")).conformal_envelope._envelope.bounds(left, right), truth))
    assert 0.93 <= np.mean(covered) <= 0.975
    assert np.mean(allowed) < 0.7


def test_what_an_envelope_says_about_m1_and_m2_is_wrong_as_rarely_as_it_says():
    wrong, n_fits = 0, 150
    for seed in range(n_fits):
        est, left, right = steep_model(seed)
        said = est.envelope_fit(share=0.9, confidence_level=0.9)
        envelope = est._model(("a", "b")).conformal_envelope._envelope.bounds(left, right)
        within = envelope[0] - said.tolerance, envelope[1] + said.tolerance
        # of so few fresh pairs, a share is known to within two standard errors
        wrong += held(within, steep(left, right)) < 0.9 - 2.0 * np.sqrt(0.09 / FRESH)
    # 10 % are allowed, with a standard error of 2.4 %
    assert wrong / n_fits <= 0.10 + 2 * 0.024
    assert said.n_outside > 0


def test_in_a_world_with_m1_and_m2_exact_answers_never_lie_outside():
    for seed in range(10):
        world, rng = smooth_world(seed)
        est = cm.BudgetedSimilarity(**CALIBRATED, answer_error=0.0, random_state=seed)
        said = est.fit(world.elements(300, rng), world.oracle).envelope_fit()
        assert said.n_outside == 0
        assert said.tolerance <= 1e-9
        assert said.granted == 0.0


def test_envelopes_of_selected_pairs_hold_for_these():
    covered, of_random_pairs = [], []
    for seed in range(40):
        est, left, right = steep_model(seed)
        limit = 2.6
        near = est.predict(left, right) <= limit
        left, right, truth = left[near], right[near], steep(left[near], right[near])
        chosen = est.predict_interval(
            left,
            right,
            interval="envelope",
            confidence_level=0.8,
            selected_by=lambda estimate, limit=limit: estimate <= limit,
        )
        covered.append(held(chosen, truth))
        of_random_pairs.append(
            held(est.predict_interval(left, right, interval="envelope", confidence_level=0.8), truth)
        )
    assert 0.78 <= np.mean(covered) <= 0.9
    assert np.mean(of_random_pairs) < 0.7
