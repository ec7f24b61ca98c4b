"""The error against σ from two people's answers, in worlds where σ is known.

Power: a bet at 10 % instead of 5 % would be caught by the world with the rarest blunders, squares instead of products
by every noise; and the two kinds of error that the statement assumes away are shown to break it, as its words say.
"""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import commensurate as cm
from commensurate.guarantees.sigma_error import ErrorAgainstSigma, mean_bound

STUDIES, LEVEL = 1_500, 0.95

# errors of answers, right on average, that keep answers between 0 and 1 where σ lies between 0.35 and 0.65
NOISES = {
    "gaussian": lambda rng, sigma: np.clip(rng.normal(0.0, 0.1, sigma.shape), -0.35, 0.35),
    "proportional": lambda rng, sigma: sigma * np.clip(rng.normal(0.0, 0.2, sigma.shape), -0.5, 0.5),
    "heavy tails": lambda rng, sigma: np.clip(0.04 * rng.standard_t(1.5, sigma.shape), -0.35, 0.35),
}


def study(noise, n, rng, *, error=0.08, share_twice=0.5, bias=0.0, apart=0.0):
    """Estimates and answers of one study, and what they say; two people's opinions are ``apart``."""
    sigma = rng.uniform(0.35, 0.65, n)
    first, second = sigma + NOISES[noise](rng, sigma), sigma + NOISES[noise](rng, sigma)
    estimates = sigma + rng.normal(0.0, error, n) + bias
    asked = rng.random(n) < share_twice
    second = np.where(asked, second - apart / 2.0 + bias, np.nan)
    found = ErrorAgainstSigma.of(("a", "b"), estimates, first + apart / 2.0 + bias, second, scale_end=None)
    return found, (estimates, first + apart / 2.0 + bias, second)


def bounds(columns, scale_end=1.0):
    found = ErrorAgainstSigma.of(("a", "b"), *columns, scale_end=scale_end, confidence_level=LEVEL)
    return found.bound, found.bound_of_opinions


@pytest.mark.parametrize("noise", NOISES)
def test_products_of_two_peoples_errors_estimate_the_error_against_sigma_and_squares_do_not(noise):
    rng = np.random.default_rng(0)
    found = [study(noise, 40, rng)[0] for _ in range(STUDIES)]
    products, squares = np.array([(one.mean_square, one.against_answers**2) for one in found]).T
    off = products.std() / np.sqrt(STUDIES)
    assert abs(products.mean() - 0.08**2) <= 4.0 * off
    assert squares.mean() - 0.08**2 > 20.0 * off
    # the standard error is one
    assert np.mean([one.standard_error for one in found]) == pytest.approx(products.std(), rel=0.15)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("n", [20, 79])
def test_the_bound_holds_as_often_as_it_says(noise, n):
    rng = np.random.default_rng(n)
    held = np.mean([np.array(bounds(study(noise, n, rng)[1])) >= 0.08 for _ in range(STUDIES)], axis=0)
    assert (held >= LEVEL).all()


@pytest.mark.parametrize("n", [20, 79])
def test_no_bound_could_be_much_smaller_rare_blunders_of_the_size_of_the_scale_are_missed_as_often_as_it_says(n):
    rng = np.random.default_rng(n)
    for level in (LEVEL, 0.9):
        # just too many blunders to be within the bound of a study that sees none
        share = 1.0 - (0.999 * (1.0 - level)) ** (1.0 / n)
        blunders = (rng.random((10_000, n)) < share).astype(float)
        held = np.mean([mean_bound(one, 1.0, level) >= share for one in blunders])
        # 90 % are told from 95 %
        assert level - 0.01 <= held <= level + 0.01


def test_the_rough_bound_is_too_low_more_often_than_a_bound_may_be():
    rng = np.random.default_rng(3)
    held = np.mean([study("heavy tails", 20, rng, share_twice=1.0)[0].rough_bound >= 0.08 for _ in range(STUDIES)])
    assert 0.75 <= held < LEVEL - 0.02


def test_it_does_not_matter_for_the_bound_which_pairs_the_second_person_skips():
    rng = np.random.default_rng(4)
    held = []
    for _ in range(STUDIES):
        sigma = rng.uniform(0.35, 0.65, 200)
        hard = rng.random(200) < 0.5
        error = np.where(hard, 0.25, 0.02)
        first, second = (sigma + NOISES["gaussian"](rng, sigma) for _ in range(2))
        columns = sigma + error * rng.choice([-1.0, 1.0], 200), first, np.where(hard, np.nan, second)
        found = ErrorAgainstSigma.of(("a", "b"), *columns, scale_end=2.0)
        held.append((found.bound >= np.sqrt((0.25**2 + 0.02**2) / 2.0), found.error >= 0.1))
    held, estimated = np.mean(held, axis=0)
    # the estimate is about the pairs that two people answered
    assert held >= LEVEL
    assert estimated < 0.05


def test_what_all_experts_get_wrong_alike_is_not_seen():
    rng = np.random.default_rng(5)
    # estimates have learnt a bias of 0.1 that all answers share
    found = [bounds(study("gaussian", 2_000, rng, error=0.01, bias=0.1, share_twice=1.0)[1], 1.2)[0] for _ in range(50)]
    assert np.mean(np.array(found) >= 0.1) <= 0.05


def test_lasting_differences_between_two_people_break_the_first_bound_and_not_the_second():
    rng = np.random.default_rng(6)
    found = [study("gaussian", 600, rng, apart=0.24, share_twice=1.0) for _ in range(200)]
    first, of_opinions = np.mean([np.array(bounds(columns, 1.2)) >= 0.08 for _, columns in found], axis=0)
    assert np.mean([one.mean_square for one, _ in found]) < 0.0
    assert first <= 0.05
    assert of_opinions >= LEVEL


def test_whose_answers_stand_alone_has_no_part_in_the_second_bound():
    rng = np.random.default_rng(7)
    held = []
    for _ in range(200):
        # estimates follow the first person, who answers every pair; the second is 0.6 higher and answers half
        first = rng.uniform(0.1, 0.3, 79)
        second = np.where(rng.random(79) < 0.5, first + 0.6, np.nan)
        held.append(bounds((first, first, second))[1] >= 0.3)
    assert np.mean(held) >= LEVEL


def test_shifts_of_people_that_last_for_a_study_break_the_first_bound():
    rng = np.random.default_rng(8)
    sigma = np.full(80, 0.5)
    shifts = rng.choice([-0.3, 0.3], (300, 2))
    found = [bounds((sigma + 0.3, sigma + one, sigma + other))[0] for one, other in shifts]
    assert np.mean(np.array(found) >= 0.3) < 0.5


# --- from answers of named experts to the statement ---


def sigma_of(left, right):
    return 0.45 + 0.1 * np.sin(6.0 * left[:, 0]) + 0.1 * right[:, 0]


def test_a_models_error_against_sigma_is_estimated_and_bounded():
    said, true = [], []
    for seed in range(40):
        rng = np.random.default_rng([seed, 8])
        est = cm.BudgetedSimilarity(
            budget=150, calibration=0.4, learner=Ridge(), answer_error="noise", random_state=seed
        )
        plan = est.plan({name: rng.random((300, 1)) for name in "ab"})
        (block,) = plan.blocks
        exact = sigma_of(block.left.points, block.right.points)
        answers = [
            cm.Answer(question.question_id, float(value), expert)
            for expert in ("ana", "ben")
            for question, value in zip(plan.questions, exact + NOISES["gaussian"](rng, exact))
        ]
        said.append(est.fit(plan=plan, answers=answers).error_against_sigma(scale_end=1.0))
        left, right = rng.random((2, 2_000, 1))
        true.append(np.mean((est.predict(left, right) - sigma_of(left, right)) ** 2))
    found, true = np.array([one.mean_square for one in said]), np.array(true)
    assert abs((found - true).mean()) <= 4.0 * (found - true).std() / np.sqrt(len(said))
    assert np.mean([one.bound**2 for one in said] >= true) >= LEVEL
    assert np.mean([one.against_answers**2 for one in said]) > 2.0 * true.mean()
