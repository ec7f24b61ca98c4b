"""Estimators to and from model files: which parts are stored, and how they are put together again.

What a file holds is doubted throughout (``stored_values.py``). What the caller passes along with it is checked apart from
that, so that a wrong argument is never blamed on the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from itertools import combinations, permutations
from numbers import Integral
from typing import Any

import numpy as np

from commensurate.elicitation.oracle import Oracle, check_oracle
from commensurate.elicitation.question_blocks import QuestionGrid
from commensurate.elicitation.questions import Between
from commensurate.errors import ModelFileError
from commensurate.geometry.metrics import CoordinateMetric
from commensurate.learning.answer_table import AnswerTable, TableValues
from commensurate.learning.cluster import ClusterSimilarity
from commensurate.learning.model_file import Arrays, read_model_file, write_model_file
from commensurate.learning.naive import NaiveSimilarity
from commensurate.learning.proxy import ProxySimilarity
from commensurate.learning.sample import Sample
from commensurate.learning.stored_group import group_arrays, group_json, read_coverage, read_sample
from commensurate.learning.stored_metric import GivenMetric, PassedAgain, metrics_in_use, read_metric
from commensurate.learning.stored_values import demand, refusing_nonsense, text

ESTIMATORS: dict[str, type[ProxySimilarity]] = {c.__name__: c for c in (NaiveSimilarity, ClusterSimilarity)}


# --- saving ---


def save_model(estimator: ProxySimilarity, path: str | os.PathLike[str]) -> None:
    """Write an estimator to a model file: samples, answers and what guarantees need; no raw records, no oracle."""
    kind = type(estimator)
    if ESTIMATORS.get(kind.__name__) is not kind:
        raise ModelFileError(f"a model file holds one of {', '.join(ESTIMATORS)}, got {kind.__qualname__}")
    estimator._check_parameters()  # they may have been set to anything since fit
    coverage = estimator.measured_coverage()
    arrays: Arrays = {}
    for k, (name, sample) in enumerate(estimator.samples_.items()):
        arrays |= {f"{_group_key(k)}{part}": values for part, values in group_arrays(sample, coverage[name]).items()}
    for k, table in enumerate(estimator.tables_.values()):
        arrays[_answers_key(k)] = table.values
    manifest = {
        "estimator": kind.__name__,
        "parameters": _parameters_json(estimator),
        "groups": [group_json(sample, coverage[name]) for name, sample in estimator.samples_.items()],
        "tables": [list(between) for between in estimator.tables_],
    }
    write_model_file(path, manifest, arrays)


def _group_key(k: int) -> str:
    return f"group{k}."


def _answers_key(k: int) -> str:
    return f"answers{k}"


def _parameters_json(estimator: ProxySimilarity) -> dict[str, object]:
    parameters = estimator.get_params(deep=False)
    # samples and guarantees rest on the settings at the time of fit, whatever has been set since
    fitted = {name: value for name, value in asdict(estimator.settings_).items() if name in parameters}
    return {**parameters, **fitted, "random_state": _seed_json(parameters["random_state"])}


def _seed_json(seed: object) -> object:
    if isinstance(seed, np.ndarray):
        return seed.tolist()
    # a generator's state says nothing about a model that is already fitted
    return seed if isinstance(seed, Integral | list | tuple) else None


# --- loading ---


def load(
    path: str | os.PathLike[str],
    metrics: Mapping[str, GivenMetric] | None = None,
    *,
    oracle: Oracle | None = None,
) -> ProxySimilarity:
    """Read an estimator from a model file.

    Parameters
    ----------
    path
        A file that ``save`` wrote.
    metrics
        For each group that was fitted with a callable or a precomputed matrix, that callable or matrix again.
    oracle
        Whom to ask what has not been answered yet: a model with ``ask="on_demand"`` goes on asking when a prediction
        needs it, any other at `resume`.

    Examples
    --------
    >>> import tempfile
    >>> est = NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0)
    >>> est = est.fit({"a": [[0.0], [1.0]], "b": [[0.0], [1.0]]}, lambda left, right, between: abs(left - right)[:, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     est.save(f"{folder}/model.cmz")
    ...     load(f"{folder}/model.cmz").predict([[0.1]], [[0.9]])
    array([1.])
    """
    if oracle is not None:
        check_oracle(oracle)
    manifest, arrays = read_model_file(path)
    with refusing_nonsense(path):
        estimator = _read_estimator(manifest)
        stored_metrics = _read_metrics(manifest["groups"], arrays)
    own_metrics = metrics_in_use(stored_metrics, metrics)
    with refusing_nonsense(path):
        samples, coverage = {}, {}
        for k, (group, (name, metric)) in enumerate(zip(manifest["groups"], own_metrics.items())):
            own_arrays = _arrays_of_group(arrays, k)
            samples[name] = read_sample(group, own_arrays, metric)
            coverage[name] = read_coverage(group, own_arrays)
        tables = _read_tables(manifest["tables"], arrays, samples, estimator.symmetric)
    estimator.restore(samples, tables, coverage, oracle=oracle)
    return estimator


def _read_estimator(manifest: Mapping[str, Any]) -> ProxySimilarity:
    name = text(manifest["estimator"], "the estimator")
    demand(name in ESTIMATORS, f"this version has no estimator {name!r:.80}")
    kind = ESTIMATORS[name]
    parameters = manifest["parameters"]
    demand(set(parameters) == set(kind().get_params()), f"{name} has other parameters than {list(parameters)}")
    estimator = kind(**parameters)
    estimator._check_parameters()
    if (seed := estimator.random_state) is not None:
        demand(isinstance(seed, int | list), f"random_state must be a seed, got {seed!r:.80}")
        np.random.default_rng(seed)  # what cannot be a seed says so here
    return estimator


def _read_metrics(groups: list[Mapping[str, Any]], arrays: Arrays) -> dict[str, CoordinateMetric | PassedAgain]:
    """Return each group's metric by name, in the order of the groups."""
    metrics = {
        text(group["name"], "a group's name"): read_metric(
            group["metric"], _arrays_of_group(arrays, k), width=len(group["columns"])
        )
        for k, group in enumerate(groups)
    }
    demand(len(metrics) == len(groups) >= 2, "a model needs two groups or more, each with a name of its own")
    return metrics


def _arrays_of_group(arrays: Arrays, k: int) -> Arrays:
    key = _group_key(k)
    return {name.removeprefix(key): values for name, values in arrays.items() if name.startswith(key)}


def _read_tables(
    stored: list[list[str]], arrays: Arrays, samples: Mapping[str, Sample], symmetric: bool
) -> dict[Between, AnswerTable]:
    pairs = list((combinations if symmetric else permutations)(samples, 2))
    demand(stored == [list(pair) for pair in pairs], "there must be answers for just the pairs of groups that fit asks")
    tables = {}
    for k, (left, right) in enumerate(pairs):
        grid = QuestionGrid(samples[left].asked, samples[right].asked)
        tables[left, right] = AnswerTable(grid, _read_answers(arrays[_answers_key(k)], grid))
    return tables


def _read_answers(answers: TableValues, grid: QuestionGrid) -> TableValues:
    demand(
        answers.shape == grid.shape and answers.dtype in (np.float32, np.float64),
        f"the answers between {grid.between} do not fit the representatives",
    )
    # fmin and fmax pass over NaN, which marks what has not been answered, and need no memory of the table's size
    least, most = (fold(answers.ravel(), initial=0.0) for fold in (np.fmin.reduce, np.fmax.reduce))
    demand(least >= 0.0 and most < np.inf, f"the answers between {grid.between} are no dissimilarities")
    return answers
