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
from commensurate.learning.model_file.checked_values import all_below, array, demand, finite_array, texts, whole_number
from commensurate.learning.regression.gaussian_process import Kernel
from commensurate.learning.regression.means.cross_fit import CrossFittedMean
from commensurate.learning.regression.means.families import mean_catalogue
from commensurate.learning.regression.outliers import squares_beside
from commensurate.learning.regression.pair_features import LANDMARKS, PairFeatures
from commensurate.learning.regression.pair_view import PairDescription
from commensurate.learning.regression.parts.linear import LINEAR, Linear
from commensurate.learning.regression.parts.metric_process import METRICS, MetricProcess, Terms
from commensurate.learning.regression.parts.part import CONSTANT, Answered, Constant, Part
from commensurate.learning.regression.parts.process import TIED, Process
from commensurate.learning.regression.parts.trees import EXTRA_TREES, RANDOM_FOREST, Nodes, Trees
from commensurate.learning.regression.ranges.ranged_pairs import RangedPairs
from commensurate.learning.regression.regression import NO_FORM, AnsweredPairs, MergedPairs
from commensurate.learning.regression.stacked import CASES, StackedRegression

# how columns are seen: models that do not say so took the codes of categories for numbers
AS_THEY_ARE, BY_KIND = "as they are", "by kind"


def regression_parts(function: StackedRegression) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return what is needed, beside the answered pairs, to make a function again: values for JSON, and arrays."""
    parts = {
        "landmark_rows": [rows.tolist() for rows in function.describe.features.landmark_rows],
        "columns": AS_THEY_ARE if function.describe.features.plain else BY_KIND,
        "candidates": [part.name for part in function.parts],
    }
    arrays: dict[str, NDArray[Any]] = {"weights": function.weights}
    if np.isfinite(function.left_out_error):
        arrays["left_out"] = np.array([function.left_out_error, function.certainty])
    if (noise := function.merged.pairs.noise) is not None:
        given = function.merged.given
        arrays |= {"read_values": given.answers, "read_counts": given.repeats, "read_noise": np.array([noise])}
    if function.learnt_answers is not None:
        arrays["learnt_answers"] = function.learnt_answers
    for k, part in enumerate(function.parts):
        arrays |= {f"{name}_{k}": values for name, values in _arrays_of(part).items()}
    return parts, arrays


def _arrays_of(part: Part) -> dict[str, NDArray[Any]]:
    """Return the numbers that a part is made of, beside the answers."""
    if isinstance(part, MetricProcess):
        terms = part.terms
        return {"terms": np.array([*terms.variances, terms.noise, *terms.lengths, part.trust])}
    if isinstance(part, Linear):
        return {"held_back": np.array([part.held_back])}
    if isinstance(part, Trees):
        nodes = part.nodes
        return {
            "roots": nodes.roots,
            "split_on": nodes.split_on.astype(np.int64),
            "threshold": nodes.threshold,
            "child": nodes.child.astype(np.int64),
            "value": nodes.value,
        }
    if isinstance(part, Process):
        kernel = part.process.kernel
        # not their logarithms: predictions shall be the same to the bit
        arrays = {
            "kernel": np.concatenate([[kernel.signal], kernel.scales, [kernel.noise]]),
            "left_over": part.left_over,
        }
        if part.mean is not None:
            arrays |= {
                "scale": np.array([part.mean.unit, part.mean.softness]),
                "parameters": part.mean.parameters,
            }
        return arrays
    return {}


def read_regression(
    parts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], pairs: AnsweredPairs | RangedPairs
) -> StackedRegression:
    """Make a function again from what `regression_parts` gave and the pairs it was learnt from."""
    merged = MergedPairs.of(_as_they_were_read(pairs, arrays))
    names = texts(parts["candidates"], "candidates")
    weights = _read_weights(arrays, len(names))
    left_out = finite_array(arrays, "left_out") if "left_out" in arrays else np.full(2, np.nan)
    demand(left_out.shape == (2,), "answers left out need an error and a certainty")
    learnt = finite_array(arrays, "learnt_answers") if "learnt_answers" in arrays else None
    demand(learnt is None or len(learnt) == len(merged.pairs), "what was learnt from needs a number a pair")
    with threadpool_limits(1):
        describe = PairDescription.learn(merged.pairs, _read_features(parts, merged.pairs))
        answers = merged.pairs.answers if learnt is None else learnt
        answered = Answered(
            describe(merged.pairs.left, merged.pairs.right),
            np.arange(len(merged.pairs)),
            answers,
            merged.pairs.repeats,
            squares_beside(merged.pairs, answers),
            merged.pairs.noise,
        )
        made = tuple(_read_part(name, _of_part(arrays, k), answered) for k, name in enumerate(names))
    return StackedRegression(merged, describe, made, weights, float(left_out[0]), float(left_out[1]), learnt)


def _as_they_were_read(pairs: AnsweredPairs | RangedPairs, arrays: Mapping[str, NDArray[Any]]) -> AnsweredPairs:
    """Return answers as the numbers that stood for them when the function was learnt."""
    if isinstance(pairs, AnsweredPairs):
        return pairs
    values, counts = finite_array(arrays, "read_values"), finite_array(arrays, "read_counts")
    noise = finite_array(arrays, "read_noise")
    demand(len(values) == len(counts) == len(pairs) and (counts > 0.0).all(), "ranges must be read as a number each")
    demand(noise.shape == (1,) and noise[0] > 0.0, "ranges must be read with a noise above 0")
    return pairs.read_as(values, counts, float(noise[0]))


def _read_weights(arrays: Mapping[str, NDArray[Any]], n_parts: int) -> FloatArray:
    """Read a row of weights for pairs with none, one and two new elements; files of version 1 have one row for all."""
    stored = arrays.get("weights")
    one_row = isinstance(stored, np.ndarray) and stored.ndim == 1
    weights = finite_array(arrays, "weights", 1 if one_row else 2)
    rows = np.tile(weights, (CASES, 1)) if one_row else weights
    demand(n_parts > 0 and rows.shape == (CASES, n_parts), "every candidate needs a weight")
    demand((rows >= 0.0).all() and rows.any(axis=0).all(), "weights must not be negative, nor 0 for every pair")
    demand((np.abs(rows.sum(axis=1) - 1.0) < 1e-9).all(), "weights must have sum 1")
    return rows


def _read_features(parts: Mapping[str, Any], pairs: AnsweredPairs) -> PairFeatures:
    stored, columns = parts["landmark_rows"], parts.get("columns", AS_THEY_ARE)
    demand(columns in (AS_THEY_ARE, BY_KIND), f"columns must be seen {AS_THEY_ARE!r} or {BY_KIND!r}")
    demand(isinstance(stored, list) and len(stored) == 2, "landmark_rows must be given for two sides")
    rows = [
        np.array([whole_number(row, "a landmark's row", 0, len(pairs) - 1) for row in side], dtype=np.int64)
        for side in stored
    ]
    demand(
        all(0 < len(side) <= LANDMARKS and (np.diff(side) > 0).all() for side in rows),
        f"either side needs 1 to {LANDMARKS} landmarks, in ascending order",
    )
    return PairFeatures.at(pairs, (rows[0], rows[1]), plain=columns == AS_THEY_ARE)


def _of_part(arrays: Mapping[str, NDArray[Any]], k: int) -> dict[str, NDArray[Any]]:
    ending = f"_{k}"
    return {name.removesuffix(ending): array for name, array in arrays.items() if name.endswith(ending)}


def _read_part(name: str, arrays: Mapping[str, NDArray[Any]], answered: Answered) -> Part:
    if name == CONSTANT:
        return Constant.learn(answered)
    if name == METRICS:
        return _read_metric_process(arrays, answered)
    if name == LINEAR:
        held_back = finite_array(arrays, "held_back")
        demand(held_back.shape == (1,) and held_back[0] > 0.0, "straight lines need one positive number")
        return Linear.learn(answered, float(held_back[0]))
    if name in (EXTRA_TREES, RANDOM_FOREST):
        return _read_trees(name, arrays, answered)
    return _read_process(name, arrays, answered)


def _read_metric_process(arrays: Mapping[str, NDArray[Any]], answered: Answered) -> MetricProcess:
    values = finite_array(arrays, "terms")
    demand(values.shape == (9,) and (values[:8] > 0.0).all(), "a process on metrics needs eight positive numbers")
    demand(0.0 <= values[8] <= 1.0, "trust must be between 0 and 1")
    terms = Terms(values[:5], float(values[5]), (float(values[6]), float(values[7])))
    return MetricProcess.condition(terms, float(values[8]), answered)


def _read_trees(name: str, arrays: Mapping[str, NDArray[Any]], answered: Answered) -> Trees:
    threshold, value = finite_array(arrays, "threshold"), finite_array(arrays, "value")
    roots, split_on, child = (array(arrays, name, np.int64) for name in ("roots", "split_on", "child"))
    n, places = len(value), np.arange(len(value))
    demand(n > 0 and len(threshold) == len(split_on) == len(child) == n, "every node of a tree needs all its numbers")
    demand(len(roots) > 0 and all_below(roots, n), "trees must begin at a node")
    demand(((split_on >= -1) & (split_on < answered.features.shape[1])).all(), "a node must look at a feature")
    inner = split_on >= 0
    # children come after their parents: no row can go round in a circle
    demand(((child > places) & (child + 1 < n))[inner].all(), "a node's children must come after it")
    nodes = Nodes(roots, split_on.astype(np.int32), threshold, child.astype(np.int32), value)
    return Trees(name, nodes, len(answered.answers))


def _read_process(name: str, arrays: Mapping[str, NDArray[Any]], answered: Answered) -> Process:
    values, left_over = finite_array(arrays, "kernel"), finite_array(arrays, "left_over")
    n_features = answered.features.shape[1]
    demand(len(values) == n_features + 2 and (values > 0.0).all(), "a kernel needs a positive number a feature")
    demand(len(left_over) == len(answered), "a candidate needs a number for every pair that was answered")
    kernel = Kernel(float(values[0]), values[1:-1], float(values[-1]))
    if name in (NO_FORM, TIED):
        demand(
            np.array_equal(left_over, answered.answers),
            "a model was learnt from other answers than those stored with it",
        )
        return Process.condition(answered, kernel, tied=name == TIED)
    mean = _read_mean(name, arrays, answered)
    return Process.condition(answered, kernel, mean=mean, left_over=left_over)


def _read_mean(name: str, arrays: Mapping[str, NDArray[Any]], answered: Answered) -> CrossFittedMean:
    catalogue = mean_catalogue(answered.view.describe.coordinates)
    demand(name in catalogue, f"no mean function is called {name!r:.80}")
    form, parameters, scale = (
        catalogue[name],
        finite_array(arrays, "parameters", 2),
        finite_array(arrays, "scale"),
    )
    demand(
        parameters.shape[1] == form.size and len(parameters) > 0,
        f"the mean {name!r} needs {form.size} parameters a fold",
    )
    demand(scale.shape == (2,) and scale[0] > 0.0 <= scale[1], f"the mean {name!r} needs a unit and a softness")
    return CrossFittedMean(form, float(scale[0]), float(scale[1]), parameters)
