"""Small models to be written to files and read again:
what makes two of them the same, and what an altered file says.
"""

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor

import commensurate as cm
from commensurate.errors import CorruptModelFile
from commensurate.learning.model_file.container import write_model_file

RNG = np.random.default_rng(0)
POINTS = {"a": RNG.random((90, 2)), "b": RNG.random((80, 2))}
THREE = {**POINTS, "c": RNG.random((70, 1))}
A, B = RNG.random((20, 2)), RNG.random((20, 2))
TABLES = {
    "a": pd.DataFrame({"age": RNG.integers(20, 60, 50), "job": RNG.choice(["x", "ÿ"], 50), "w": RNG.random(50)}),
    "b": pd.DataFrame({"job": RNG.choice(["z", "x"], 40), "v": RNG.random(40)}),
}
FOREST = RandomForestRegressor(n_estimators=5)


def sigma(left, right, between):
    return np.abs(left[:, 0] - right[:, 0])


def faint(left, right, between):
    # categories and ages count for little in the metrics of tables: M1 and M2 hold
    return 0.1 * sigma(left, right, between)


def noisy(left, right, between):
    # noise that depends on the pair alone: asked again elsewhere, it is the same
    return sigma(left, right, between) + 0.05 * np.abs(np.sin(1e4 * left[:, 0]))


def estimator(**parameters):
    return cm.BudgetedSimilarity(
        **{"budget": 40, "learner": "gp", "calibration": 0.5, "answer_error": 0.0, "random_state": 0} | parameters
    )


def small_model():
    """Return a fitted estimator whose model file is small enough to damage byte by byte."""
    points = {"a": [[0.0, 1.0], [0.5, 2.0], [3.0, 3.0]], "b": [[0.0, 1.0], [1.0, 2.0]]}
    return cm.NaiveSimilarity(epsilon=0.05, delta=0.5, random_state=0).fit(
        points, lambda left, right, between: np.abs(left[:, 0] - right[:, 1])
    )


def again(est, path, **arguments):
    est.save(path)
    return cm.load(path, **arguments)


class GoesHome:
    """An expert who answers what is asked at once, and is not there the next time."""

    asked = False

    def ask(self, questions):
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        return [sigma(q.left[None], q.right[None], q.between)[0] for q in questions]


def answers_to(plan, numbers, answer=sigma):
    questions = [plan.questions[k] for k in numbers]
    return {q.question_id: float(answer(q.left[None], q.right[None], q.between)[0]) for q in questions}


def assert_same(one, other, left=A, right=B, between=None):
    """Compare all that two models say, to the bit."""
    exact = other.answer_error_ is not None
    np.testing.assert_array_equal(one.predict(left, right, between), other.predict(left, right, between))
    for kind in ("calibrated", "certified")[: 2 if exact else 1]:
        mine, theirs = (
            e.predict_interval(left, right, between, interval=kind, confidence_level=0.8) for e in (one, other)
        )
        np.testing.assert_array_equal(mine, theirs)
        assert np.isfinite(mine).all()
    np.testing.assert_array_equal(one.held_out_errors(between), other.held_out_errors(between))
    assert str(one.check_answers(between)) == str(other.check_answers(between))
    assert str(one.guarantee(share=0.5, confidence_level=0.6)) == str(other.guarantee(share=0.5, confidence_level=0.6))
    np.testing.assert_equal(one.noise_, other.noise_)  # not known is the same as not known
    assert one.n_questions_by_pair_ == other.n_questions_by_pair_
    assert [q.question_id for q in one.plan_.questions] == [q.question_id for q in other.plan_.questions]


def refusal(sensible, tmp_path, change):
    """Write a model file with something changed, and return what loading it says."""
    manifest, arrays = copy.deepcopy(sensible)
    change(manifest, arrays)
    del manifest["arrays"]
    write_model_file(tmp_path / "m.cmz", manifest, arrays)
    with pytest.raises(CorruptModelFile) as raised:
        cm.load(tmp_path / "m.cmz")
    return str(raised.value)
