"""Save and load estimators of every kind, and put NAIVE and CLUSTER together from a file.

Everything a file holds is doubted (``checked_values.py``). What the caller passes along with it is checked
separately, so that a wrong argument is never blamed on the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from commensurate.asking.oracle import Oracle, check_oracle
from commensurate.asking.question_blocks import QuestionGrid
from commensurate.asking.questions import Between
from commensurate.errors import ModelFileError
from commensurate.geometry.metrics import Metric
from commensurate.guarantees.population import MISSES, NEW_ELEMENTS
from commensurate.learning.few_answers.estimator import BudgetedSimilarity
from commensurate.learning.model_file.checked_values import arrays_under, demand, keyed, refusing_nonsense, text
from commensurate.learning.model_file.container import Arrays, read_model_file, write_model_file
from commensurate.learning.model_file.few_answers import (
    budgeted_content,
    learner_in_use,
    learner_json,
    read_budgeted,
    read_learner,
)
from commensurate.learning.model_file.groups import (
    GivenMetric,
    group_key,
    metrics_in_use,
    read_between,
    read_coverage,
    read_metrics,
    read_sample,
    sample_arrays,
    sample_json,
)
from commensurate.learning.proxies.answer_table import AnswerTable
from commensurate.learning.proxies.cluster import ClusterSimilarity
from commensurate.learning.proxies.estimator import ProxySimilarity
from commensurate.learning.proxies.naive import NaiveSimilarity
from commensurate.learning.proxies.sample import Sample
from commensurate.learning.proxy_answers import TableValues
from commensurate.learning.similarity import Similarity

StoredEstimator = ProxySimilarity | BudgetedSimilarity

ESTIMATORS: dict[str, type[ProxySimilarity] | type[BudgetedSimilarity]] = {
    kind.__name__: kind for kind in (NaiveSimilarity, ClusterSimilarity, BudgetedSimilarity)
}


# --- saving ---


def save_model(estimator: Similarity, path: str | os.PathLike[str]) -> None:
    """Write an estimator to a model file: what was asked, what was answered and learnt; no raw records, no oracle."""
    kind = type(estimator)
    if ESTIMATORS.get(kind.__name__) is not kind or not isinstance(estimator, StoredEstimator):
        raise ModelFileError(f"a model file holds one of {', '.join(ESTIMATORS)}, got {kind.__qualname__}")
    budgeted = isinstance(estimator, BudgetedSimilarity)
    content, arrays = budgeted_content(estimator) if budgeted else _proxy_content(estimator)
    write_model_file(path, {"estimator": kind.__name__, "parameters": _parameters_json(estimator), **content}, arrays)


def _check_parameters(estimator: StoredEstimator) -> None:
    if isinstance(estimator, BudgetedSimilarity):
        estimator._checked_settings()
    else:
        estimator._check_parameters()


def _parameters_json(estimator: StoredEstimator) -> dict[str, object]:
    parameters = estimator.parameters_
    parameters["random_state"] = _seed_json(parameters["random_state"])
    if isinstance(estimator, BudgetedSimilarity):
        parameters["learner"] = learner_json(estimator.learner_)
    return parameters


def _seed_json(seed: object) -> object:
    if isinstance(seed, np.ndarray):
        return seed.tolist()
    # a generator's state says nothing about a model that is already fitted
    return seed if isinstance(seed, Integral | list | tuple) else None


def _proxy_content(estimator: ProxySimilarity) -> tuple[dict[str, object], Arrays]:
    """Return samples, answers and what guarantees need."""
    coverage = estimator._measured_coverage()
    arrays: Arrays = {}
    for k, (name, sample) in enumerate(estimator.samples_.items()):
        arrays |= keyed(sample_arrays(sample, coverage[name]), group_key(k))
    for k, table in enumerate(estimator.tables_.values()):
        arrays[_answers_key(k)] = table.values
    content = {
        "groups": [sample_json(sample, coverage[name]) for name, sample in estimator.samples_.items()],
        "tables": [list(between) for between in estimator.tables_],
    }
    return content, arrays


def _answers_key(k: int) -> str:
    return f"answers{k}"


# --- loading ---


def load(
    path: str | os.PathLike[str],
    metrics: Mapping[str, GivenMetric] | None = None,
    *,
    oracle: Oracle | None = None,
    learner: Any = None,
) -> StoredEstimator:
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
    learner
        For a model that learnt with a scikit-learn regressor, the same regressor again, not fitted: it learns anew from
        the stored answers.

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
        kind, parameters = _read_parameters(manifest)
        stored_learner = read_learner(parameters["learner"]) if kind is BudgetedSimilarity else None
        stored_metrics = read_metrics(manifest["groups"], arrays)
    own_metrics = metrics_in_use(stored_metrics, metrics)
    own_learner = learner_in_use(stored_learner, learner)
    with refusing_nonsense(path):
        estimator = _made(kind, parameters if own_learner is None else {**parameters, "learner": own_learner})
    if isinstance(estimator, BudgetedSimilarity):
        plan, logs, models, scales = read_budgeted(estimator, manifest, arrays, own_metrics, path)
        estimator._restore(plan, logs, models, oracle=oracle, scales=scales)
    else:
        with refusing_nonsense(path):
            _restore_proxy(estimator, manifest, arrays, own_metrics, oracle)
    return estimator


def _read_parameters(manifest: Mapping[str, Any]) -> tuple[type[StoredEstimator], dict[str, Any]]:
    name = text(manifest["estimator"], "the estimator")
    demand(name in ESTIMATORS, f"this version has no estimator {name!r:.80}")
    kind, parameters = ESTIMATORS[name], dict(manifest["parameters"])
    if kind is BudgetedSimilarity:
        # earlier versions knew no other claim
        parameters.setdefault("claim", NEW_ELEMENTS)
        # they left them out without a word: what is said must be true all the same
        parameters.setdefault("unanswered", MISSES)
    demand(
        set(parameters) == set(kind().get_params(deep=False)), f"{name} has other parameters than {list(parameters)}"
    )
    if (seed := parameters["random_state"]) is not None:
        demand(isinstance(seed, int | list), f"random_state must be a seed, got {seed!r:.80}")
        np.random.default_rng(seed)  # what cannot be a seed says so here
    return kind, parameters


def _made(kind: type[StoredEstimator], parameters: dict[str, Any]) -> StoredEstimator:
    estimator = kind(**parameters)
    _check_parameters(estimator)
    return estimator


def _restore_proxy(
    estimator: ProxySimilarity,
    manifest: Mapping[str, Any],
    arrays: Arrays,
    metrics: Mapping[str, Metric],
    oracle: Oracle | None,
) -> None:
    samples, coverage = {}, {}
    for k, (group, (name, metric)) in enumerate(zip(manifest["groups"], metrics.items())):
        own_arrays = arrays_under(arrays, group_key(k))
        samples[name] = read_sample(group, own_arrays, metric)
        coverage[name] = read_coverage(group, own_arrays)
    tables = _read_tables(manifest["tables"], arrays, samples, estimator.symmetric)
    estimator._restore(samples, tables, coverage, oracle=oracle)


def _read_tables(
    stored: list[object], arrays: Arrays, samples: Mapping[str, Sample], symmetric: bool
) -> dict[Between, AnswerTable]:
    tables = {}
    for k, (left, right) in enumerate(read_between(stored, samples, symmetric)):
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
    demand(least >= 0.0 and most < np.inf, f"the answers between {grid.between} must be finite and at least 0")
    return answers
