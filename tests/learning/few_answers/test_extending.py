"""Further questions: random or chosen, with held-out pairs that stay random."""

import numpy as np
import pytest

from commensurate.errors import InvalidInput, InvalidParameter, TooFewAnswers
from commensurate.learning.few_answers.extending import most_informative
from commensurate.learning.regression.posterior import Posterior
from worlds.few_answers import POINTS, A, B, answers_to, budgeted, sigma

TOO_MANY_FOR_36_PAIRS = (
    "questions about 'a' and 'b' are too many: without the rows set aside for held-out questions, there are only 36 "
    "different pairs; ask fewer, or set answer_error='noise' if asking again may give a different answer$"
)


def test_the_first_chosen_pair_lowers_the_summed_variance_most():
    est = budgeted(budget=40).fit(POINTS, sigma)
    model = est.models_["a", "b"]
    pool, reference = (A[:30], B[:30]), (A[30:], B[30:])
    process = model.leading_process.process

    def variance_after(number):
        extra = model.describe.features(pool[0][number : number + 1], pool[1][number : number + 1])
        known = Posterior.condition(
            process.kernel,
            np.vstack([process.features, extra]),
            np.append(process.targets, 0.0),
            np.append(process.repeats, 1.0),
        )
        return (known.estimate_with_uncertainty(model.describe.features(*reference))[1] ** 2).sum()

    first, second = most_informative(model, pool, reference, 2)
    summed = [variance_after(number) for number in range(30)]
    assert first == int(np.argmin(summed))
    assert second != first


def test_an_active_design_spends_the_budget_and_holds_out_its_share():
    est = budgeted(budget=100, design="active").fit(POINTS, sigma)
    part = est.plan_.by_pair["a", "b"]
    assert est.n_questions_ == len(part.pairs) == 100
    assert part.held_out.sum() == 20
    assert np.abs(est.predict(A, B) - sigma(A, B)).mean() < 0.1 * sigma(A, B).std()


def test_held_out_pairs_of_an_active_design_do_not_depend_on_the_answers():
    def held_out(scale):
        est = budgeted(budget=100, design="active").fit(
            POINTS, lambda left, right, between: sigma(left, right) ** scale
        )
        part = est.plan_.by_pair["a", "b"]
        return part.pairs.left.points[part.held_out], part.pairs.left.points[~part.held_out]

    (one, trained), (other, otherwise) = held_out(1.0), held_out(0.5)
    np.testing.assert_array_equal(one, other)
    assert not np.array_equal(trained, otherwise)


def test_further_questions_are_fresh_and_keep_their_names():
    est = budgeted(budget=60).fit(POINTS, sigma)
    before = [question.question_id for question in est.plan_.questions]
    more = est.extend(20)
    assert len(more.questions) == 20
    ids = [question.question_id for question in est.plan_.questions]
    assert ids == before + [question.question_id for question in more.questions]
    assert len(set(est.plan_.blocks[0].left.ids)) == 80
    est.update(answers_to(more.questions))
    assert est.n_questions_ == 80


def test_a_pair_asked_again_has_an_id_of_its_own():
    few = {"a": POINTS["a"][:3], "b": POINTS["b"][:3]}
    est = budgeted(budget=20, answer_error="noise").fit(few, sigma)
    with pytest.warns(TooFewAnswers, match="0 are held out instead of 4, because no other row is left"):
        more = est.extend(10)
    ids = [question.question_id for question in est.plan_.questions]
    assert len(set(ids)) == 30
    assert [question.question_id for question in more.questions] == ids[20:]


def test_further_questions_are_about_pairs_that_nobody_was_asked_about():
    for design in ("random", "active"):
        few = {"a": POINTS["a"][:20], "b": POINTS["b"][:20]}
        est = budgeted(budget=60, design=design).fit(few, sigma)
        with pytest.warns(TooFewAnswers, match="are held out instead of"):
            est.extend(30)
        (block,) = est.plan_.blocks
        assert len(set(zip(block.left.ids, block.right.ids))) == len(block) == 90


def test_single_further_questions_are_about_new_pairs_until_there_are_none():
    few = {"a": POINTS["a"][:6], "b": POINTS["b"][:6]}
    est = budgeted(budget=12, calibration=0.0).fit(few, sigma)
    for n in range(12, 36):
        (block,) = est.plan_.blocks
        assert len(set(zip(block.left.ids, block.right.ids))) == len(block) == n
        est.extend(1)
    with pytest.raises(InvalidParameter, match=f"^37 {TOO_MANY_FOR_36_PAIRS}"):
        est.extend(1)


def test_further_questions_that_would_repeat_exact_answers_are_refused_and_change_nothing():
    few = {"a": POINTS["a"][:8], "b": POINTS["b"][:8]}
    est = budgeted(budget=16).fit(few, sigma)
    with pytest.raises(InvalidParameter, match="too many: .* only .. different pairs"):
        est.extend(60)
    assert len(est.plan_.questions) == 16


def test_a_budget_that_would_run_out_of_pairs_is_refused_before_anyone_is_asked():
    few = {"a": POINTS["a"][:12], "b": POINTS["b"][:12]}
    with pytest.raises(InvalidParameter, match=f"^48 {TOO_MANY_FOR_36_PAIRS}"):
        budgeted(budget=60, design="active").plan(few)


def test_where_the_model_is_certain_it_is_still_judged():
    groups = {**POINTS, "c": POINTS["a"][:80].copy()}
    est = budgeted(budget=90).fit(groups, lambda left, right, between: left[:, 0] * (between == ("a", "b")))
    before = est.n_questions_by_pair_
    est.extend(60)
    assert all(len(part.pairs) - before[pair] >= 10 for pair, part in est.plan_.by_pair.items())


def test_further_questions_go_where_estimates_are_uncertain():
    groups = {**POINTS, "c": POINTS["a"][:80].copy()}

    def oracle(left, right, between):
        if between == ("a", "c"):
            return np.zeros(len(left))
        return np.abs(np.sin(9.0 * left[:, 0]) - np.sin(9.0 * right[:, 1])) * 0.1

    est = budgeted(budget=90).fit(groups, oracle)
    before = est.n_questions_by_pair_
    est.extend(60)
    added = {pair: len(part.pairs) - before[pair] for pair, part in est.plan_.by_pair.items()}
    assert sum(added.values()) == 60
    assert added["a", "c"] < min(added["a", "b"], added["b", "c"])


def test_more_questions_than_a_learner_can_take_are_refused_before_anyone_is_asked():
    est = budgeted().fit(POINTS, sigma)
    with pytest.raises(InvalidParameter, match="at most 5,000 answers"):
        est.extend(7_000)
    assert len(est.plan_.questions) == 60


@pytest.mark.parametrize(("budget", "steps"), [(118, [5]), (150, [20]), (190, [20, 20]), (190, [1] * 20)])
def test_most_of_further_questions_are_learnt_from_even_if_few_were_held_out_before(budget, steps):
    rng = np.random.default_rng(0)
    est = budgeted(budget=budget).fit({"a": rng.random((400, 2)), "b": rng.random((300, 3))}, sigma)
    before = est.plan_.by_pair["a", "b"].held_out.sum()
    assert before < 0.2 * budget, "held-out answers were rounded down"
    for n in steps:
        est.extend(n)
    more = est.plan_.by_pair["a", "b"].held_out.sum() - before
    assert 0.2 * sum(steps) <= more <= 0.4 * sum(steps) + 1


def test_held_out_questions_are_spread_over_small_steps():
    rng = np.random.default_rng(0)
    est = budgeted(budget=100).fit({"a": rng.random((400, 2)), "b": rng.random((300, 3))}, sigma)
    held_out = []
    for _ in range(6):
        before = est.plan_.by_pair["a", "b"].held_out.sum()
        est.extend(10)
        held_out.append(int(est.plan_.by_pair["a", "b"].held_out.sum() - before))
    assert max(held_out) <= 3
    assert sum(held_out) == 13


def test_extending_needs_a_whole_number_and_the_tables():
    est = budgeted().fit(POINTS, sigma)
    with pytest.raises(InvalidParameter, match="n must be a whole number"):
        est.extend(-1)
    est.plan_ = type(est.plan_).of(est.plan_.by_pair, (), est.plan_.settings, est.plan_.seed)
    with pytest.raises(InvalidInput, match="need the tables that the first were drawn from"):
        est.extend(5)


def test_a_plan_says_how_many_questions_are_chosen_later():
    assert str(budgeted(budget=60, design="active").plan(POINTS)).endswith(
        "in all 15 questions; 45 more will be chosen once these are answered"
    )
    assert str(budgeted(budget=60).plan(POINTS)).endswith("in all 60 questions")


def test_further_held_out_questions_are_about_rows_that_nothing_was_learnt_from():
    rng = np.random.default_rng(0)
    est = budgeted(budget=100).fit({"a": rng.random((200, 2)), "b": rng.random((150, 3))}, sigma)
    for _ in range(2):
        est.extend(20)
    part = est.plan_.by_pair["a", "b"]
    assert part.held_out.sum() > 19
    for rows, reserved in zip(part.rows, part.reserved):
        assert sorted(rows[part.held_out]) == sorted(reserved)
        assert not set(reserved) & set(rows[~part.held_out])


def test_under_the_other_claim_further_pairs_are_new_and_say_when_there_are_none():
    few = {"a": POINTS["a"][:10], "b": POINTS["b"][:10]}
    est = budgeted(budget=60, answer_error="noise", claim="pairs of these elements").fit(few, sigma)
    est.extend(30)
    part = est.plan_.by_pair["a", "b"]
    pairs = list(zip(*(side.tolist() for side in part.rows)))
    assert len(set(pairs)) == 90
    assert part.held_out.sum() == 18
    est.extend(10)
    with pytest.warns(TooFewAnswers, match="0 are held out instead of 2, because no other pairs are left"):
        est.extend(10)
    part = est.plan_.by_pair["a", "b"]
    held_out = {pair for pair, judges in zip(zip(*part.rows), part.held_out) if judges}
    assert not held_out & {pair for pair, judges in zip(zip(*part.rows), part.held_out) if not judges}
