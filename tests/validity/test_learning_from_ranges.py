"""What is said of models that learnt from ranges holds as often as it says, in worlds where σ is known."""

import numpy as np

import commensurate as cm
from worlds.few_answers import budgeted, sigma

FITS, TESTS, N = 60, 200, 100


def narrowed(left, right, rng, width):
    """Return ranges of a width around what is perceived, whose place tells nothing."""
    perceived = sigma(left, right) * (1.0 + 0.15 * rng.standard_normal(len(left)))
    lower = np.maximum(perceived - width * rng.random(len(left)), 0.0)
    return np.column_stack([lower, lower + width])


def test_calibrated_intervals_cover_the_whole_of_new_narrow_ranges():
    covered = []
    for seed in range(FITS):
        rng = np.random.default_rng(seed)
        groups = {"a": rng.random((300, 2)), "b": rng.random((300, 3))}
        plan = budgeted(budget=N, answer_error="noise", random_state=seed).plan(groups)
        (part,) = plan.by_pair.values()
        left, right = part.pairs.left.points, part.pairs.right.points
        ranges = narrowed(left, right, rng, 0.05)
        # learnt from numbers, which is quick; what is held out is narrowed
        ends = np.where(part.held_out[:, None], ranges, ranges.mean(axis=1, keepdims=True))
        answers = [cm.Answer(q.question_id, at_least=low, at_most=high) for q, (low, high) in zip(plan.questions, ends)]
        est = budgeted(budget=N, answer_error="noise", random_state=seed).fit(plan=plan, answers=answers)
        new_left, new_right = rng.random((TESTS, 2)), rng.random((TESTS, 3))
        lower, upper = est.predict_interval(new_left, new_right, confidence_level=0.9)
        new = narrowed(new_left, new_right, rng, 0.05)
        covered.append(np.mean((lower <= new[:, 0]) & (new[:, 1] <= upper)))
    mean, error = np.mean(covered), np.std(covered) / np.sqrt(FITS)
    assert mean >= 0.9 - 2 * error
    assert mean <= 0.97


def test_certified_intervals_of_ranges_never_miss_where_every_answer_is_as_right_as_was_said():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        groups = {"a": rng.random((200, 2)), "b": rng.random((200, 3))}
        error = 0.05

        def expert(left, right, between, rng=rng, error=error):
            perceived = sigma(left, right, between) + error * rng.uniform(-1.0, 1.0, len(left))
            width = rng.choice([0.0, 0.1, 0.5], len(left))
            lower = np.maximum(perceived - width * rng.random(len(left)), 0.0)
            upper = np.maximum(lower + width, perceived)
            return np.column_stack([np.minimum(lower, np.maximum(perceived, 0.0)), np.maximum(upper, 0.0)])

        est = budgeted(budget=60, answer_error=error, random_state=seed).fit(groups, expert)
        left, right = rng.random((500, 2)), rng.random((500, 3))
        lower, upper = est.predict_interval(left, right, interval="certified")
        truth = sigma(left, right)
        assert ((lower <= truth + 1e-9) & (truth <= upper + 1e-9)).all()
