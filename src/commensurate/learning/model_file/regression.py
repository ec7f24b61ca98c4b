"""A learnt function of pairs to and from model files;
the answered pairs that it was learnt from are stored beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from commensurate.arrays import FloatArray
from commensurate.learning.model_file.checked_values import demand, finite_array, texts, whole_number
from commensurate.learning.regression.gaussian_process import Kernel
from commensurate.learning.regression.means.families import mean_catalogue
from commensurate.learning.regression.pair_features import LANDMARKS, Coordinates, PairFeatures
from commensurate.learning.regression.regression import NO_FORM, AnsweredPairs, MergedPairs
from commensurate.learning.regression.stacked import Candidate, CrossFittedMean, StackedRegression


def regression_parts(function: StackedRegression) -> tuple[dict[str, Any], dict[str, FloatArray]]:
    """Return what is needed, beside the answered pairs, to make a function again: values for JSON, and arrays."""
    parts = {
        "landmark_rows": [rows.tolist() for rows in function.features.landmark_rows],
        "candidates": list(function.forms),
    }
    arrays = {"weights": function.weights}
    for k, candidate in enumerate(function.candidates):
        kernel = candidate.process.kernel
        # not their logarithms: predictions shall be the same to the bit
        arrays[f"kernel_{k}"] = np.concatenate([[kernel.signal], kernel.scales, [kernel.noise]])
        arrays[f"left_over_{k}"] = candidate.left_over
        if candidate.mean is not None:
            arrays[f"scale_{k}"] = np.array([candidate.mean.unit, candidate.mean.softness])
            arrays[f"parameters_{k}"] = candidate.mean.parameters
    return parts, arrays


def read_regression(
    parts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], pairs: AnsweredPairs
) -> StackedRegression:
    """Make a function again from what `regression_parts` gave and the pairs it was learnt from."""
    merged = MergedPairs.of(pairs)
    features = _read_features(parts["landmark_rows"], merged.pairs)
    coordinates = Coordinates.learn(features, merged.pairs)
    names, weights = texts(parts["candidates"], "candidates"), finite_array(arrays, "weights")
    demand(len(names) == len(weights) > 0, "every candidate needs a weight")
    demand((weights > 0.0).all() and abs(weights.sum() - 1.0) < 1e-9, "weights must be positive with sum 1")
    with threadpool_limits(1):
        plain = features(merged.pairs.left, merged.pairs.right)
        candidates = tuple(
            _read_candidate(k, name, arrays, coordinates, plain, merged.pairs.repeats) for k, name in enumerate(names)
        )
    return StackedRegression(merged, features, coordinates, candidates, weights)


def _read_features(stored: Any, pairs: AnsweredPairs) -> PairFeatures:
    demand(isinstance(stored, list) and len(stored) == 2, "landmark_rows must be given for two sides")
    rows = [
        np.array([whole_number(row, "a landmark's row", 0, len(pairs) - 1) for row in side], dtype=np.int64)
        for side in stored
    ]
    demand(
        all(0 < len(side) <= LANDMARKS and (np.diff(side) > 0).all() for side in rows),
        f"either side needs 1 to {LANDMARKS} landmarks, in ascending order",
    )
    return PairFeatures.at(pairs, (rows[0], rows[1]))


def _read_candidate(
    k: int,
    name: str,
    arrays: Mapping[str, NDArray[Any]],
    coordinates: Coordinates,
    features: FloatArray,
    repeats: FloatArray,
) -> Candidate:
    values, left_over = finite_array(arrays, f"kernel_{k}"), finite_array(arrays, f"left_over_{k}")
    demand(len(values) == features.shape[1] + 2 and (values > 0.0).all(), "a kernel needs a positive number a feature")
    demand(len(left_over) == len(features), "a candidate needs a number for every pair that was answered")
    mean = None if name == NO_FORM else _read_mean(k, name, arrays, coordinates)
    kernel = Kernel(float(values[0]), values[1:-1], float(values[-1]))
    return Candidate.condition(mean, left_over, kernel, features, repeats)


def _read_mean(k: int, name: str, arrays: Mapping[str, NDArray[Any]], coordinates: Coordinates) -> CrossFittedMean:
    catalogue = mean_catalogue(coordinates)
    demand(name in catalogue, f"no mean function is called {name!r:.80}")
    form, parameters, scale = (
        catalogue[name],
        finite_array(arrays, f"parameters_{k}", 2),
        finite_array(arrays, f"scale_{k}"),
    )
    demand(
        parameters.shape[1] == form.size and len(parameters) > 0,
        f"the mean {name!r} needs {form.size} parameters a fold",
    )
    demand(scale.shape == (2,) and scale[0] > 0.0 <= scale[1], f"the mean {name!r} needs a unit and a softness")
    return CrossFittedMean(form, float(scale[0]), float(scale[1]), parameters)
