"""BudgetedSimilarity to and from model files: what comes back is what went in."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge

import commensurate as cm
from commensurate.errors import (
    CorruptModelFile,
    InvalidInput,
    InvalidMetric,
    InvalidParameter,
    MissingAnswers,
    NotFittedError,
    TooFewAnswers,
)
from commensurate.learning.few_answers.answer_log import training_pairs
from commensurate.learning.model_file.container import read_model_file, write_model_file
from worlds.stored_models import (
    FOREST,
    POINTS,
    RNG,
    TABLES,
    THREE,
    A,
    B,
    GoesHome,
    again,
    answers_to,
    assert_same,
    estimator,
    faint,
    noisy,
    sigma,
)

# --- what comes back ---


def test_a_loaded_model_says_the_same_to_the_bit(stacked, tmp_path):
    for est in (stacked, estimator().fit(POINTS, sigma)):
        loaded = again(est, tmp_path / "m.cmz")
        assert type(loaded) is cm.BudgetedSimilarity
        assert loaded.get_params() == est.get_params()
        assert loaded.models_["a", "b"].forms == est.models_["a", "b"].forms
        assert_same(loaded, est)


@pytest.mark.parametrize("symmetric", [True, False])
def test_three_groups_come_back_in_both_directions_and_save_to_the_same_bytes(symmetric, tmp_path):
    est = estimator(budget=90, symmetric=symmetric).fit(THREE, sigma)
    loaded = again(est, tmp_path / "one")
    assert loaded.groups_ == ("a", "b", "c")
    assert len(loaded.models_) == (3 if symmetric else 6)
    points = {"a": A, "b": B, "c": A[:, :1]}
    for between in est.models_:
        assert_same(loaded, est, *(points[name] for name in between), between)
    loaded.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_only_the_elements_asked_about_are_stored_and_each_once(tmp_path):
    groups = {"a": POINTS["a"], "b": POINTS["b"][:7], "c": RNG.random((500, 2))}
    est = estimator(budget=60).fit(groups, sigma)
    est.save(tmp_path / "m.cmz")
    manifest, arrays = read_model_file(tmp_path / "m.cmz")
    for k, group in enumerate(manifest["groups"]):
        name = group["name"]
        asked = {
            id for q in est.plan_.questions for id, side in zip((q.left_id, q.right_id), q.between) if side == name
        }
        assert sorted(group["ids"]) == sorted(asked)
        np.testing.assert_array_equal(arrays[f"group{k}.points"], groups[name][[int(id) for id in group["ids"]]])


def test_tables_with_categories_are_stored_without_their_records(tmp_path):
    groups = cm.groups_from_tables(TABLES, metric="gower", categories="one_hot", missing="median")
    est = estimator().fit(groups, faint)
    loaded = again(est, tmp_path / "m.cmz")
    assert_same(loaded, est, TABLES["a"][:9], TABLES["b"][:9])
    assert all(side.records is None for block in loaded.plan_.blocks for side in (block.left, block.right))


def test_noise_with_repeated_answers_comes_back(tmp_path):
    est = estimator(answer_error="noise")
    plan = est.plan(POINTS)
    est.fit(plan=plan, answers=answers_to(plan, range(36), noisy))
    repeated = [*answers_to(plan, [0, 3, 5], sigma).items(), *answers_to(plan, [3], noisy).items()]
    est.update([cm.Answer(question, value) for question, value in repeated])
    loaded = again(est, tmp_path / "m.cmz")
    assert_same(loaded, est)
    np.testing.assert_array_equal(
        training_pairs(loaded.plan_, loaded.logs_, ("a", "b")).repeats,
        training_pairs(est.plan_, est.logs_, ("a", "b")).repeats,
    )
    assert training_pairs(est.plan_, est.logs_, ("a", "b")).repeats.max() > 1.0
    more = answers_to(plan, [0, 38], noisy)
    assert_same(loaded.update(more), est.update(more))


def test_settings_are_those_of_the_fit_whatever_was_set_since(tmp_path):
    est = estimator(random_state=np.random.default_rng(1)).fit(POINTS, sigma)
    est.set_params(budget=77, calibration=0.1, design="active", symmetric=False, answer_error=0.5)
    loaded = again(est, tmp_path / "m.cmz")
    assert (loaded.budget, loaded.calibration, loaded.design, loaded.symmetric) == (40, 0.5, "random", True)
    assert (loaded.answer_error, loaded.random_state) == (0.0, None)
    assert loaded.plan_.settings == est.plan_.settings
    assert again(est.set_params(budget=-1), tmp_path / "m.cmz").budget == 40
    with pytest.raises(InvalidParameter, match="budget"):
        est.update([])


def test_a_model_that_is_not_fitted_cannot_be_saved(tmp_path):
    with pytest.raises(NotFittedError):
        estimator().save(tmp_path / "m.cmz")


# --- going on ---


@pytest.mark.filterwarnings("ignore::commensurate.errors.TooFewAnswers")
@pytest.mark.parametrize("rows", [80, 12])
def test_open_questions_keep_their_ids_and_can_be_answered_after_loading(rows, tmp_path):
    groups = {"a": POINTS["a"][:rows], "b": POINTS["b"][:rows]}  # of 12 rows each, pairs are repeated
    est = estimator(answer_error="noise")
    plan = est.plan(groups)
    est.fit(plan=plan, answers=answers_to(plan, range(30)))
    loaded = again(est, tmp_path / "m.cmz")
    assert_same(loaded, est)
    rest = answers_to(plan, range(30, 40))
    assert_same(loaded.update(rest), est.update(rest))
    assert loaded.n_questions_ == 40


def test_what_a_file_does_not_hold_is_not_shown_to_an_expert(tmp_path):
    est = estimator(answer_error="noise")
    plan = est.plan(TABLES)
    est.fit(plan=plan, answers=answers_to(plan, range(30), faint))
    loaded = again(est, tmp_path / "m.cmz")
    assert plan.questions[30].left_record["job"] in ("x", "ÿ")
    # not the encoded numbers, under the columns' names
    assert loaded.plan_.questions[30].left_record == {}
    with pytest.raises(
        InvalidInput, match="nothing to show an expert for group 'a', because a model file does not hold the rows"
    ):
        loaded.resume(GoesHome())
    with pytest.raises(InvalidInput, match="use the plan"):
        loaded.plan_.to_frame()
    assert loaded.n_questions_ == 30
    assert loaded.resume(faint).n_questions_ == 40


def test_a_loaded_model_goes_on_asking_an_oracle(tmp_path):
    est = estimator()
    plan = est.plan(POINTS)
    est.fit(plan=plan, answers=answers_to(plan, range(30)))
    est.save(tmp_path / "m.cmz")
    with pytest.raises(MissingAnswers, match="there is no oracle to ask"):
        cm.load(tmp_path / "m.cmz").resume()
    loaded, other = cm.load(tmp_path / "m.cmz", oracle=sigma).resume(), cm.load(tmp_path / "m.cmz").resume(sigma)
    est.resume(sigma)
    assert_same(loaded, est)
    assert_same(other, est)
    with pytest.raises(InvalidParameter, match="the oracle must be a function"):
        cm.load(tmp_path / "m.cmz", oracle=7)


def test_no_answer_is_lost_when_asking_is_interrupted_before_anything_was_learnt(tmp_path):
    est, whole = estimator(symmetric=False), estimator(symmetric=False).fit(POINTS, sigma)
    with pytest.raises(KeyboardInterrupt):
        est.fit(POINTS, GoesHome())
    loaded = again(est, tmp_path / "m.cmz")
    assert loaded.n_questions_by_pair_ == est.n_questions_by_pair_
    assert 0 < loaded.n_questions_ < 40
    with pytest.raises(NotFittedError, match="has not learnt from them yet"):
        loaded.predict(A, B, ("a", "b"))
    assert_same(again(loaded, tmp_path / "m.cmz").resume(sigma), whole, between=("b", "a"))


def test_a_model_that_was_learnt_from_fewer_answers_than_there_are_stays_as_it_is(tmp_path, monkeypatch):
    est = estimator()
    plan = est.plan(POINTS)
    est.fit(plan=plan, answers=answers_to(plan, range(20)))
    before = est.models_["a", "b"].estimate_with_uncertainty(A, B)

    def interrupt(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("commensurate.learning.few_answers.estimator.learn_pairs", interrupt)
        with pytest.raises(KeyboardInterrupt):
            est.update(answers_to(plan, range(15, 40)))
    loaded = again(est, tmp_path / "m.cmz")
    assert loaded.n_questions_ == 40
    np.testing.assert_array_equal(loaded.models_["a", "b"].estimate_with_uncertainty(A, B), before)
    assert_same(loaded, est)
    assert_same(loaded.resume(), est.resume())


def test_a_study_that_was_extended_comes_back(tmp_path):
    est = estimator(budget=24, design="active").fit(POINTS, sigma)
    with pytest.warns(TooFewAnswers, match="each row that was set aside at the start is used only once"):
        est.extend(5)
    loaded = again(est, tmp_path / "m.cmz")
    assert_same(loaded, est)
    more = answers_to(est.plan_, range(24, 29))
    assert_same(loaded.update(more), est.update(more))
    with pytest.raises(InvalidInput, match="a model file does not hold"):
        loaded.extend(3)


# --- what is passed again ---


def test_a_foreign_learner_is_passed_again_and_learns_the_same(tmp_path):
    est = estimator(budget=60, learner=FOREST, symmetric=False).fit(POINTS, sigma)
    loaded = again(est, tmp_path / "m.cmz", learner=RandomForestRegressor(n_estimators=5))
    for between, sides in ((("a", "b"), (A, B)), (("b", "a"), (B, A))):
        assert_same(loaded, est, *sides, between)
    assert loaded.learner.n_estimators == 5
    loaded.save(tmp_path / "again.cmz")
    assert (tmp_path / "m.cmz").read_bytes() == (tmp_path / "again.cmz").read_bytes()


@pytest.mark.parametrize(
    ("saved", "passed"),
    [
        (Ridge(alpha=np.float64(1.0)), Ridge(alpha=1)),
        (RandomForestRegressor(n_estimators=5, n_jobs=1), RandomForestRegressor(n_estimators=5, n_jobs=2, verbose=0)),
    ],
    ids=["types of numbers", "how it is computed"],
)
def test_parameters_that_change_no_estimate_may_differ(tmp_path, saved, passed):
    est = estimator(learner=saved).fit(POINTS, sigma)
    loaded = again(est, tmp_path / "m.cmz", learner=passed)
    # A forest on two threads adds its trees up in whichever order they finish: the last bit may differ.
    np.testing.assert_allclose(loaded.predict(A, B), est.predict(A, B), rtol=1e-12)


def test_what_a_foreign_learner_must_be_is_told(tmp_path):
    path = tmp_path / "m.cmz"
    estimator(learner=FOREST).fit(POINTS, sigma).save(path)
    with pytest.raises(InvalidInput, match=r"RandomForestRegressor, .*pass it again.*load\(path, learner=RandomForest"):
        cm.load(path)
    for wrong, message in (
        (Ridge(), "learnt with RandomForestRegressor.*got learner=Ridge"),
        ("gp", "learnt with RandomForestRegressor.*got learner='gp'"),
        (RandomForestRegressor, "an instance, not a class"),
        (
            RandomForestRegressor(n_estimators=6),
            "with n_estimators=5.0, got n_estimators=6.0: it may learn something else",
        ),
        (7, "learner must be"),
    ):
        with pytest.raises(InvalidParameter, match=message):
            cm.load(path, learner=wrong)


def test_a_learner_for_a_model_that_needs_none_is_an_error(tmp_path):
    for est in (estimator(), cm.NaiveSimilarity(epsilon=0.1, delta=0.2)):
        with pytest.raises(InvalidInput, match="learner=Ridge.* is not needed"):
            again(est.fit(POINTS, sigma), tmp_path / "m.cmz", learner=Ridge())


def test_what_a_foreign_learner_raises_is_not_blamed_on_the_file(tmp_path):
    class Ridge:
        def fit(self, features, answers):
            raise RuntimeError("out of order")

        def predict(self, features):
            return features[:, 0]

        def get_params(self, deep=True):
            return {}

        def set_params(self, **parameters):
            return self

    estimator(learner=globals()["Ridge"]()).fit(POINTS, sigma).save(tmp_path / "m.cmz")
    with pytest.raises(RuntimeError, match="out of order"):
        cm.load(tmp_path / "m.cmz", learner=Ridge())


def test_a_learner_that_was_set_since_does_not_change_the_models(tmp_path):
    own = estimator().fit(POINTS, sigma)
    own.set_params(learner=Ridge())
    assert_same(again(own, tmp_path / "m.cmz"), own)
    foreign = estimator(learner=Ridge()).fit(POINTS, sigma)
    foreign.set_params(learner="gp")
    assert_same(again(foreign, tmp_path / "m.cmz", learner=Ridge()), foreign)


def test_an_interrupted_study_with_a_foreign_learner_goes_on(tmp_path):
    est, whole = (estimator(learner=Ridge(), symmetric=False) for _ in range(2))
    with pytest.raises(KeyboardInterrupt):
        est.fit(POINTS, GoesHome())
    loaded = again(est, tmp_path / "m.cmz", learner=Ridge())
    assert not loaded.models_
    assert_same(loaded.resume(sigma), whole.fit(POINTS, sigma), between=("b", "a"))


def test_custom_metrics_are_passed_again(tmp_path):
    matrix = cdist(POINTS["a"], POINTS["a"])
    groups = [cm.Group("a", matrix, metric="precomputed"), cm.Group("b", POINTS["b"], metric=cdist)]
    est = estimator().fit(groups, lambda x, y, between: np.abs(POINTS["a"][x, 0] - y[:, 0]))
    path = tmp_path / "m.cmz"
    assert_same(again(est, path, metrics={"a": matrix, "b": cdist}), est, np.arange(20), B)
    for metrics, message in (
        (None, "'a' was fitted with a precomputed metric.*pass it again"),
        ({"a": matrix + 1.0, "b": cdist}, "not the one"),
        ({"a": matrix, "b": lambda x, y: -cdist(x, y)}, "finite, non-negative distances"),
    ):
        with pytest.raises(InvalidMetric, match=message):
            cm.load(path, metrics=metrics)
    manifest, arrays = read_model_file(path)
    arrays["group0.points"][0, 0] = 1e6
    write_model_file(path, manifest, arrays)
    with pytest.raises(CorruptModelFile, match="row number"):
        cm.load(path, metrics={"a": matrix, "b": cdist})
