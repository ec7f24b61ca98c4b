"""Searches for the parameters of a mean function: neither unlucky starts nor a poor valley decide the end."""

from dataclasses import dataclass

import numpy as np
import pytest

from commensurate.learning.regression.auto import learn_auto, learn_each_alone
from commensurate.learning.regression.means.forms import MeanTask, Stage, fit_form
from commensurate.learning.regression.stacked import out_of_poor_valleys

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


def test_a_fold_in_a_poor_valley_goes_on_from_another_and_the_others_stay_where_they_are():
    ends = [np.array([GOOD - 0.001]), np.array([GOOD - 0.001]), np.array([0.96])]
    found = out_of_poor_valleys(TwoValleys([]), [flat_task()] * 3, STAGE, ends)
    assert [end[0] for end in found] == pytest.approx([GOOD] * 3, abs=0.02)
    assert found[0] is ends[0]


@pytest.mark.slow
def test_what_is_found_for_a_form_does_not_depend_on_the_others(answered):
    pairs = answered(lambda x, y: np.abs(x @ [0.5, 0.2, 0.1] - y @ [0.1, 0.3, 0.4]), 60)
    mixes = [learn_auto(pairs, np.random.default_rng(3), minkowski=minkowski) for minkowski in (True, False)]
    alone = learn_each_alone(pairs, np.random.default_rng(3))
    for mix in mixes:
        assert mix.forms
        for name, candidate in zip(mix.forms, mix.candidates):
            (other,) = alone[name].candidates
            np.testing.assert_array_equal(candidate.left_over, other.left_over)
            np.testing.assert_array_equal(candidate.process.weights, other.process.weights)
