import copy
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsRegressor

from commensurate import Answer, NaiveSimilarity
from commensurate.asking.simulated import answers as simulated_answers
from commensurate.asking.simulated.families import FAMILIES
from commensurate.errors import InvalidInput, InvalidParameter, NotFittedError, TooFewAnswers
from commensurate.groups.group import Group, elements_of
from commensurate.guarantees.contradictions.consistency import check_answers
from commensurate.learning.few_answers.answer_log import training_pairs
from commensurate.learning.few_answers.estimator import BudgetedSimilarity
from commensurate.learning.forecasting import from_answers as answers_module
from commensurate.learning.forecasting import from_simulations as module
from commensurate.learning.forecasting.forecast_budget import forecast_budget
from commensurate.learning.forecasting.from_answers import curve_of_answers
from commensurate.learning.forecasting.measured_curve import MeasuredCurve
from commensurate.learning.forecasting.track_record import track_record
from commensurate.learning.regression.learners import learn_pairs

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)
FEW = module.Simulations((25, 50, 100), draws=1)
GROUPS = {"a": RNG.random((150, 2)), "b": RNG.random((120, 2))}


@pytest.fixture(autouse=True)
def few_simulations(monkeypatch):
    """Simulate less than by default: what is tested here does not depend on how much."""
    monkeypatch.setattr(module, "QUICK_SIMULATIONS", FEW)
    monkeypatch.setattr(module, "JUDGED_PAIRS", 100)


def manhattan(left, right):
    return np.abs(left[:, None] - right[None]).sum(axis=2)


def group_pairs():
    table = pd.DataFrame({"age": RNG.integers(20, 70, 60), "town": RNG.choice(["x", "y", "z"], 60)})
    points = RNG.random((60, 3)) + 0.1
    square = manhattan(points, points)
    return {
        "euclidean": [Group("a", 50 * points), Group("b", 50 * points + 7)],
        "other columns": [Group("a", points), Group("b", points[:, :2])],
        "manhattan": [Group("a", points, metric="manhattan"), Group("b", points)],
        "mahalanobis": [Group("a", points, metric="mahalanobis"), Group("b", points)],
        "chebyshev": [Group("a", points, metric="chebyshev"), Group("b", points)],
        "angular": [Group("a", points, metric="angular"), Group("b", points, metric="angular")],
        "gower": [Group("a", table[:30], metric="gower"), Group("b", table[30:], metric="gower")],
        "callable": [Group("a", points, metric=manhattan), Group("b", points, metric=manhattan)],
        "precomputed": [Group("a", square, metric="precomputed"), Group("b", points)],
    }


@pytest.mark.parametrize(("name", "groups"), group_pairs().items())
def test_simulated_experts_obey_m1_and_m2_for_the_groups_own_metrics(name, groups):
    left, right = elements_of(groups)
    rng = np.random.default_rng(1)
    rows = [rng.integers(len(side), size=80) for side in (left, right)]
    x, y = left.points[rows[0]], right.points[rows[1]]
    for family in simulated_answers.fitting_families(left, right, None):
        answers = simulated_answers.draw_answering(family, left, right, rng)(x, y)
        assert np.ptp(answers) > 0.0
        assert check_answers(x, y, answers, metric=(left.space.metric, right.space.metric)).consistent, family


def test_only_groups_with_the_same_columns_have_experts_who_compare_columns():
    fitting = {
        name: simulated_answers.fitting_families(*elements_of(groups), None) for name, groups in group_pairs().items()
    }
    assert fitting["euclidean"] == list(FAMILIES)
    assert not {"paper", "chebyshev"} & set(fitting["other columns"])
    assert fitting["callable"] == fitting["precomputed"] == list(simulated_answers.METRIC_FAMILIES)


@pytest.fixture(scope="module")
def by_target():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "QUICK_SIMULATIONS", FEW)
        return forecast_budget(GROUPS, target_error=0.03, seconds_per_answer=90, cost_per_hour=40)


def test_hours_and_cost_are_those_of_the_questions(by_target):
    assert by_target.hours == pytest.approx(by_target.questions * 90 / 3600)
    assert by_target.cost == pytest.approx(by_target.hours * 40)
    assert forecast_budget(GROUPS, budget=60, families=["paper"]).cost is None


def test_a_target_is_met_after_the_questions_it_needs(by_target):
    assert by_target.questions == int(by_target.questions)
    assert by_target.expected_error == pytest.approx(0.03, rel=0.05)
    assert by_target.band[0] < 0.03 < by_target.band[1]
    assert by_target.cautious_questions > by_target.questions
    assert by_target.reason == ""


def test_the_curve_falls_and_lies_in_its_band(by_target):
    assert (np.diff(by_target.curve_errors) < 0.0).all()
    assert (by_target.curve_low <= by_target.curve_errors).all()
    assert (by_target.curve_errors <= by_target.curve_high).all()
    assert by_target.curve_questions[-1] >= by_target.questions


def test_a_seed_fixes_the_forecast_and_another_seed_changes_it():
    one, again, other = (
        forecast_budget(GROUPS, budget=60, families=["mahalanobis"], random_state=seed).expected_error
        for seed in (0, 0, 1)
    )
    assert one == again != other


def test_errors_are_on_the_scale_of_d():
    small, large = (
        forecast_budget({name: unit * points for name, points in GROUPS.items()}, budget=100, families=["merit"])
        for unit in (1.0, 1000.0)
    )
    assert large.expected_error == pytest.approx(1000.0 * small.expected_error, rel=0.05)


def test_questions_are_counted_over_all_pairs_of_groups():
    groups = {**GROUPS, "c": RNG.random((90, 1))}
    assert forecast_budget(groups, budget=300, families=["merit"]).observed_questions[1] == 3 * 100


def test_words_tell_price_error_and_what_it_rests_on(by_target):
    text = str(by_target)
    assert f"{by_target.questions:,} questions take about {by_target.hours:,.1f} hours" in text
    assert "in money" in text
    assert "on the scale of the metrics" in text
    assert "no farther off than 80 % of those that were measured" in text
    assert f"{by_target.record.worlds} worlds. That is a record, not a confidence" in text
    assert f"At the upper end of the band, 0.03 takes {by_target.cautious_questions:,} questions." in text
    assert "simulated experts, who answer without errors" in text
    near, far = (str(forecast_budget(GROUPS, budget=budget, families=["paper"])) for budget in (110, 500))
    assert "Beyond 100 questions, this is extrapolated." in near
    assert "Beyond 100 questions, this is extrapolated; no forecast so far ahead was measured" in far


def test_a_forecast_is_for_the_learner_that_is_named():
    plain, neighbours = (
        forecast_budget(GROUPS, budget=100, families=["paper"], learner=one) for one in ("gp", KNeighborsRegressor())
    )
    assert plain.expected_error < neighbours.expected_error / 2
    assert (
        "applies to a plain Gaussian process (learner 'gp'); 'auto' errs less if one of its mean functions fits"
        in str(plain)
    )
    assert "This applies to learner 'KNeighborsRegressor'. It uses simulated experts" in str(neighbours)


def test_slow_learners_learn_from_fewer_simulated_experts(monkeypatch):
    learners = []

    def quickly(learner, pairs, rng, previous):
        learners.append((learner, len(pairs)))
        return learn_pairs("gp", pairs, rng, previous)

    monkeypatch.setattr(module, "learn_pairs", quickly)
    monkeypatch.setattr(module, "SLOW_SIMULATIONS", module.Simulations((25, 50), draws=2))
    auto = forecast_budget(GROUPS, budget=50, families=["paper"], learner="auto")
    assert learners == [("auto", 20), ("auto", 40)] * 2
    assert (
        "applies to learner 'auto', whose mean functions fit most of the simulated experts and may not fit yours"
        in str(auto)
    )


def sigma(left, right, between):
    return np.abs(left[:, 0] - right[:, 1])


@pytest.fixture(scope="module")
def answered():
    return BudgetedSimilarity(budget=80, learner="gp", answer_error=0.0, random_state=0).fit(GROUPS, sigma)


def test_after_answers_the_band_is_the_widened_one(answered):
    seen, curve = forecast_budget(budget=200, estimator=answered), curve_of_answers(answered, np.random.default_rng(0))
    ahead = MeasuredCurve(curve, track_record("your answers", "gp")).forecast(200)
    assert seen.band == (ahead.low, ahead.high)
    assert ahead.low < curve.forecast(200).low
    assert ahead.high > curve.forecast(200).high


def test_after_answers_the_forecast_rests_on_them(answered):
    forecast = forecast_budget(budget=200, estimator=answered)
    assert forecast.basis == "your answers"
    assert (forecast.asked, forecast.observed_questions) == (80, (40, 80))
    assert forecast.hours == pytest.approx((200 - 80) * 60 / 3600)
    assert forecast.expected_error < answered.held_out_errors().mean()
    assert str(forecast).startswith("120 more questions take about 2.0 hours")
    assert "applies to learner 'gp' and uses your experts' answers so far" in str(forecast)


class MeanAnswer:
    """A learner that notes from how many answers it has learnt, and by which pairs it is judged."""

    def __init__(self, pairs, learnt_from, judged):
        learnt_from.append(len(pairs))
        self.mean, self.judged = pairs.answers.mean(), judged

    def estimate(self, left, right):
        self.judged.append(left)
        return np.full(len(left), self.mean)


def test_every_training_answer_judges_once_by_halves_and_once_by_fifths(answered, monkeypatch):
    learnt_from, judged = [], []
    monkeypatch.setattr(
        answers_module, "learn_pairs", lambda learner, pairs, rng: MeanAnswer(pairs, learnt_from, judged)
    )
    curve = answers_module.curve_of_answers(answered, np.random.default_rng(0))
    trained = training_pairs(answered.plan_, answered.logs_, ("a", "b"))
    assert learnt_from == [len(trained) - len(part) for part in judged]
    for parts in (judged[:2], judged[2:]):
        assert sorted(map(tuple, np.concatenate(parts))) == sorted(map(tuple, trained.left))
    assert curve.answers.tolist() == [40, 64, 80]


def test_where_elements_were_asked_about_again_no_part_judges_what_was_learnt_from_its_elements():
    rng = np.random.default_rng(0)
    groups = {name: points[:30] for name, points in GROUPS.items()}
    few = BudgetedSimilarity(budget=150, learner="gp", answer_error="noise", random_state=0)
    with pytest.warns(TooFewAnswers):
        few.fit(groups, sigma)
    answers = training_pairs(few.plan_, few.logs_, ("a", "b"))
    for parts in answers_module.SPLITS:
        found = list(answers_module._parts(answers, parts, rng, alone=False))
        assert len(found) == parts
        for kept, left_out in found:
            for points in (answers.left, answers.right):
                assert not set(map(tuple, points[kept])) & set(map(tuple, points[left_out]))
    # errors by parts fall towards the one on held-out elements; judged by elements learnt from, they would be far below
    curve = answers_module.curve_of_answers(few, rng)
    assert curve.errors[0] > curve.errors[-1] / 2.0
    assert curve.answers[0] == pytest.approx(150 / 4, rel=0.2)


def test_a_forecast_is_for_the_learner_whose_errors_are_known(answered):
    forecast = forecast_budget(budget=200, estimator=clone_with(answered, learner="auto"))
    assert "applies to learner 'gp'" in str(forecast)


def clone_with(est, **parameters):
    other = copy.copy(est)
    return other.set_params(**parameters)


@pytest.mark.parametrize("rows", [(25, 25), (60, 900), (900, 900)])
def test_simulated_experts_judge_by_elements_that_nothing_was_learnt_from(rows):
    rng = np.random.default_rng(0)
    sides = elements_of({"a": rng.random((rows[0], 2)), "b": rng.random((rows[1], 2))})
    drawn = module._draw(*sides, 320, rng)
    for asked, judged in zip(drawn.asked, drawn.judged):
        assert not set(asked.tolist()) & set(judged.tolist())
    pairs = set(zip(*(side.tolist() for side in drawn.asked)))
    assert len(pairs) == len(drawn.asked[0]) == min(320, 13 * 13 if rows[0] == 25 else 320)
    assert module._possible([40, 80, 160, 320], drawn)[-1] == len(pairs)


def test_a_small_table_is_no_reason_to_expect_small_errors():
    rng = np.random.default_rng(0)
    few, many = (
        forecast_budget({name: rng.random((n, 3)) for name in "ab"}, budget=200, families=["embedding"], random_state=0)
        for n in (30, 900)
    )
    assert few.expected_error > many.expected_error


def test_one_row_cannot_both_teach_and_judge():
    with pytest.raises(InvalidInput, match="needs at least 2 rows per group, one of them for testing, got 1 of 'b'"):
        forecast_budget({"a": np.random.default_rng(0).random((9, 1)), "b": [[0.5]]}, budget=5)


def test_few_errors_without_a_large_one_are_not_surer_than_all_of_them():
    many, few = np.array([1.0] * 60 + [40.0] * 2), np.ones(20)
    variances = answers_module._variances_of_means([many, few])
    assert variances[1] > 0.05
    assert answers_module._variances_of_means([np.zeros(5), np.zeros(3)]) == [0.0, 0.0]


def test_a_target_that_is_reached_already_takes_no_more_questions(answered):
    forecast = forecast_budget(target_error=1.0, estimator=answered)
    assert forecast.hours == 0.0
    assert "The 80 answers so far should be enough" in str(forecast)
    assert forecast_budget(target_error=100.0, estimator=answered).questions == 40, "fewer were not tried"


def test_a_budget_below_the_answers_that_there_are_is_no_target_that_was_reached(answered):
    assert str(forecast_budget(budget=40, estimator=answered)).startswith(
        "There are already 80 answers. The expected mean error after 40"
    )


def test_a_forecast_from_answers_needs_an_estimator_that_learns_from_few():
    with pytest.raises(InvalidInput, match="must be a fitted BudgetedSimilarity, got NaiveSimilarity"):
        forecast_budget(budget=40, estimator=NaiveSimilarity())


def test_answers_full_of_noise_make_a_small_error_unreachable():
    rng = np.random.default_rng(0)
    est = BudgetedSimilarity(budget=150, learner="gp", answer_error="noise", random_state=0)
    est.fit(GROUPS, lambda left, right, between: 1.0 + rng.random(len(left)))
    forecast = forecast_budget(target_error=0.01, estimator=est)
    assert math.isinf(forecast.questions)
    assert math.isinf(forecast.hours)
    assert str(forecast).startswith(
        "No number of questions is expected to reduce the mean error to 0.01: errors are against answers"
    )


def test_no_error_against_noisy_answers_is_forecast_below_the_experts_own():
    def forecasts(repeats):
        rng = np.random.default_rng(3)
        est = BudgetedSimilarity(budget=120, learner="gp", answer_error="noise", random_state=0)
        plan = est.plan(GROUPS)
        answers = [
            Answer(
                question.question_id, 0.5 + 0.3 * abs(question.left[0] - question.right[0]) + 0.05 * rng.normal(), "ana"
            )
            for _ in range(repeats)
            for question in plan.questions
        ]
        est.fit(plan=plan, answers=answers)
        return [forecast_budget(budget=budget, estimator=est) for budget in (120, 4_000)]

    for soon, late in map(forecasts, (1, 3)):
        own = 0.05 * math.sqrt(2.0 / math.pi)
        assert late.experts_error == pytest.approx(own, rel=0.3)
        assert late.band[0] < own < 1.05 * late.band[1]
        assert late.expected_error <= soon.expected_error
        assert late.expected_error == pytest.approx(own, rel=0.3)
        assert soon.expected_error == pytest.approx(own, rel=0.5)
        assert (
            f"The expected mean error against a new answer (which is itself off by {late.experts_error:.2g} on average) after 4,000"
            in str(late)
        )


def test_a_target_takes_no_fewer_questions_than_were_tried():
    easy = forecast_budget(GROUPS, target_error=5.0, families=["paper"])
    assert easy.questions == easy.observed_questions[0]
    assert f"Fewer may be enough, but fewer than {easy.questions} were not tried." in str(easy)
    few = forecast_budget(GROUPS, budget=8, families=["paper"])
    assert f"Fewer than {few.observed_questions[0]} questions were not tried, so this is extrapolated." in str(few)


def test_more_questions_than_can_be_asked_or_learnt_from_are_no_plan():
    out_of_reach = forecast_budget(GROUPS, target_error=1e-7, families=["mahalanobis"])
    assert math.isinf(out_of_reach.questions)
    few = {"a": RNG.random((20, 2)), "b": RNG.random((20, 2))}
    with pytest.raises(InvalidParameter, match="budget must be at most about 110, got 5,000: groups of 20 and 20 rows"):
        forecast_budget(few, budget=5_000)
    with pytest.warns(TooFewAnswers):
        BudgetedSimilarity(budget=110, learner="gp", answer_error=0.0, random_state=0).plan(few)
    with pytest.raises(InvalidParameter, match="101 questions about .* are too many: .* only 100 different pairs"):
        BudgetedSimilarity(budget=111, learner="gp", answer_error=0.0, random_state=0).plan(few)
    many = {name: RNG.random((20_000, 2)) for name in "ab"}
    with pytest.raises(
        InvalidParameter, match="at most about 6,250, got 7,000: learner 'gp' learns from at most 5,000"
    ):
        forecast_budget(many, budget=7_000)


def test_an_estimator_that_was_not_fitted_says_so():
    with pytest.raises(NotFittedError):
        forecast_budget(budget=100, estimator=BudgetedSimilarity())


def test_volunteers_cost_nothing():
    assert forecast_budget(GROUPS, budget=60, families=["paper"], cost_per_hour=0).cost == 0.0


def test_a_forecast_from_questions_that_were_chosen_says_that_it_is_rough():
    est = BudgetedSimilarity(budget=60, learner="gp", design="active", answer_error=0.0, random_state=0).fit(
        GROUPS, sigma
    )
    assert "It is a rough forecast" in str(forecast_budget(budget=99, estimator=est))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "pass one of target_error, budget and minutes"),
        ({"target_error": 0.1, "budget": 9}, "pass one of target_error, budget and minutes"),
        ({"target_error": 0.0}, "target_error must be a positive, finite number"),
        ({"budget": 0}, "budget must be at least 4 questions for each of 1 pair"),
        ({"budget": 2.5}, "budget must be a whole number"),
        ({"budget": 9, "seconds_per_answer": -1}, "seconds_per_answer must be a positive"),
        ({"budget": 9, "cost_per_hour": math.nan}, "cost_per_hour must be a positive"),
        ({"budget": 9, "band_share": 80}, "write 80 % as 0.8"),
        ({"budget": 9, "band_share": 0.0}, "band_share must be a share of forecasts between 0 and 1"),
        ({"budget": 9, "band_share": 0.999}, "band_share must be at most .* measured in .* worlds, too few"),
        ({"budget": 9, "families": ["friends"]}, "families must be chosen from paper, .* got 'friends'"),
        ({"budget": 9, "random_state": "x"}, "random_state must be"),
        ({"budget": 9, "learner": "forest"}, "learner must be 'auto', .* got 'forest'"),
    ],
)
def test_one_clear_message_tells_what_is_wrong(options, message):
    with pytest.raises(InvalidParameter, match=message):
        forecast_budget(GROUPS, **options)


def test_the_old_name_of_the_bands_share_works_and_warns():
    with pytest.warns(DeprecationWarning, match="confidence_level= is now band_share="):
        old = forecast_budget(GROUPS, budget=60, families=["paper"], confidence_level=0.5)
    assert old.band == forecast_budget(GROUPS, budget=60, families=["paper"], band_share=0.5).band


def test_families_that_do_not_fit_the_groups_are_refused():
    with pytest.raises(InvalidParameter, match="none of the families .* fits groups 'a' and 'b'"):
        forecast_budget(group_pairs()["callable"], budget=9, families=["paper"])


def test_somebody_must_be_planned_for():
    with pytest.raises(InvalidInput, match="pass the groups, or a fitted estimator"):
        forecast_budget(budget=9)


def test_too_few_answers_are_no_basis():
    few = BudgetedSimilarity(budget=15, learner="gp", answer_error=0.0, random_state=0).fit(GROUPS, sigma)
    with pytest.raises(InvalidInput, match="needs at least 20 to learn from and 2 held out between 'a' and 'b'"):
        forecast_budget(budget=99, estimator=few)


def test_minutes_are_as_many_questions_as_there_is_time_for():
    by_minutes = forecast_budget(GROUPS, minutes=45, seconds_per_answer=45, families=["paper"])
    by_number = forecast_budget(GROUPS, budget=60, seconds_per_answer=45, families=["paper"])
    assert (by_minutes.questions, by_minutes.expected_error) == (60, by_number.expected_error)
    assert by_minutes.hours == pytest.approx(0.75)
