"""Searches for the parameters of a mean function: one good start among many is enough."""

from dataclasses import dataclass

import numpy as np
import pytest

from commensurate.learning.regression.auto import learn_auto, learn_each_alone
from commensurate.learning.regression.means.cross_fit import FOLDS, CrossFitting, folds_of
from commensurate.learning.regression.means.families import mean_catalogue
from commensurate.learning.regression.means.forms import MeanTask, Stage, fit_form
from commensurate.learning.regression.pair_features import Coordinates, PairFeatures

STAGE = Stage(0.0, 0.0, 50)
GOOD = -1.0


@dataclass
class TwoValleys:
    """One parameter a: the value of every pair is (a² − 1)² + 0.3 (a + 1), which is 0 in the good valley alone."""

    all_starts: list
    name = "two valleys"
    size = 1
    penalty = np.ones(1)

    @property
    def starts(self):
        return len(self.all_starts)

    def stages(self, spread):
        return STAGE, STAGE

    def start(self, rng, slope):
        return np.array([self.all_starts.pop(0)])

    def evaluate(self, parameters, left, right, softness=0.0):
        (a,) = parameters
        value, slope = (a * a - 1.0) ** 2 + 0.3 * (a + 1.0), 4.0 * a * (a * a - 1.0) + 0.3
        return np.full(len(left), value), lambda slopes: np.array([slope * slopes.sum()])


def flat_task():
    return MeanTask(np.zeros((9, 1)), np.zeros((9, 1)), np.zeros(9), np.ones(9), 1.0)


@pytest.mark.parametrize("place", [0, 4, 7])
def test_one_good_start_among_many_is_found(place):
    starts = [1.3, 0.9, 1.1, 1.2, 0.8, 1.0, 1.05]
    starts.insert(place, -1.8)
    (found,) = fit_form(TwoValleys(starts), flat_task(), (STAGE, STAGE), np.random.default_rng(0))
    assert found[0] == pytest.approx(GOOD, abs=0.02)


@pytest.mark.slow
def test_what_is_found_for_a_form_does_not_depend_on_the_others(answered):
    pairs = answered(lambda x, y: np.abs(x @ [0.5, 0.2, 0.1] - y @ [0.1, 0.3, 0.4]), 60)
    mixes = [learn_auto(pairs, np.random.default_rng(3), minkowski=minkowski) for minkowski in (True, False)]
    alone = learn_each_alone(pairs, np.random.default_rng(3))
    for mix in mixes:
        assert mix.forms
        for part in mix.parts:
            (other,) = alone[part.name].parts
            view = mix.describe(pairs.right, pairs.left)
            np.testing.assert_array_equal(part.estimate(view), other.estimate(view))


@pytest.mark.parametrize(("noise", "fits"), [(0.0, 1), (0.3, FOLDS)])
def test_a_form_that_is_right_is_fitted_to_all_answers_in_the_end_and_another_averages_its_folds(answered, noise, fits):
    rng = np.random.default_rng(1)
    pairs = answered(lambda x, y: np.abs(x - y) @ [0.5, 0.2, 0.1] + noise * rng.random(len(x)), 60)
    coordinates = Coordinates.learn(PairFeatures.learn(pairs, rng), pairs)
    sides, folds = coordinates(pairs.left, pairs.right), folds_of(60, rng)
    fitting = CrossFitting(sides, pairs.answers, pairs.repeats, folds, coordinates.unit)
    form = mean_catalogue(coordinates)["minkowski"]
    mean, left_out, _ = fitting.complete(form, fitting.begin(form, rng)[0], rng)
    assert len(mean.parameters) == fits
    if fits == 1:
        assert np.abs(mean(sides) - pairs.answers).mean() < np.abs(left_out - pairs.answers).mean()
