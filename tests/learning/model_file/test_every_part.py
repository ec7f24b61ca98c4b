"""Every part that a function may be mixed from comes back from a model file as it was, to the bit."""

import numpy as np
import pytest

from commensurate.errors import CorruptModelFile
from commensurate.geometry.metrics import metric_named
from commensurate.groups.elements import Space
from commensurate.learning.model_file.regression import read_regression, regression_parts
from commensurate.learning.regression.auto import learn_each_alone
from commensurate.learning.regression.parts.trees import EXTRA_TREES, RANDOM_FOREST
from commensurate.learning.regression.regression import AnsweredPairs


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(0)
    left, right = rng.random((2, 30, 2))
    spaces = tuple(Space(name, metric_named("euclidean", left), ("x0", "x1")) for name in "ab")
    return AnsweredPairs(spaces, left, right, np.abs(left - right)[:, 0], np.ones(30))


@pytest.fixture(scope="module")
def alone(pairs):
    return learn_each_alone(pairs, np.random.default_rng(0))


def test_every_part_estimates_the_same_after_it_was_stored(pairs, alone):
    new = np.random.default_rng(1).random((2, 40, 2))
    assert {EXTRA_TREES, RANDOM_FOREST} < set(alone)
    for name, function in alone.items():
        again = read_regression(*regression_parts(function), pairs)
        assert again.forms.keys() == function.forms.keys()
        for stored, learnt in zip(again.estimate_with_uncertainty(*new), function.estimate_with_uncertainty(*new)):
            np.testing.assert_array_equal(stored, learnt, err_msg=name)


@pytest.mark.parametrize("change", [{"roots": -1}, {"split_on": 99}, {"child": 0}])
def test_a_forest_that_was_altered_is_refused(pairs, alone, change):
    parts, arrays = regression_parts(alone[RANDOM_FOREST])
    ((name, value),) = change.items()
    altered = arrays[f"{name}_0"].copy()
    altered[0] = value
    with pytest.raises(CorruptModelFile):
        read_regression(parts, arrays | {f"{name}_0": altered}, pairs)
