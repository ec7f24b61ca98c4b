"""Estimators to and from model files: which parts are stored, and how each is put together again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from commensurate.elicitation.plan import QuestionGrid
from commensurate.errors import CorruptModelFile, InvalidInput, InvalidMetric
from commensurate.geometry.metrics import CoordinateMetric, FunctionMetric, Metric, MetricFunction, PrecomputedMetric
from commensurate.geometry.norms import Norm
from commensurate.groups.elements import Elements, Space
from commensurate.groups.encoding import Column, Encoding
from commensurate.guarantees.rare_mass import RareMass
from commensurate.learning.answer_table import AnswerTable
from commensurate.learning.cluster import ClusterSimilarity
from commensurate.learning.coverage import Coverage
from commensurate.learning.model_file import Arrays, read_model_file, write_model_file
from commensurate.learning.naive import NaiveSimilarity
from commensurate.learning.proxy import ProxySimilarity
from commensurate.learning.sample import Sample

ESTIMATORS: dict[str, type[ProxySimilarity]] = {c.__name__: c for c in (NaiveSimilarity, ClusterSimilarity)}


def save_model(estimator: ProxySimilarity, path: str | os.PathLike[str]) -> None:
    """Write an estimator to a model file: samples, answers and what guarantees need; no raw records, no oracle."""
    arrays: Arrays = {}
    parameters = estimator.get_params(deep=False)
    if not isinstance(parameters["random_state"], int | None):
        parameters["random_state"] = None  # a generator's state says nothing about a model that is already fitted
    coverage = estimator.measured_coverage()
    groups = []
    for number, (name, sample) in enumerate(estimator.samples_.items()):
        key = f"group{number}"
        covered = coverage[name]
        arrays |= {
            f"{key}.points": sample.elements.points,
            f"{key}.drawn": sample.drawn,
            f"{key}.representatives": sample.representatives,
            f"{key}.representative_of": sample.representative_of,
            f"{key}.distances": covered.distances,
            f"{key}.row_drawn": covered.drawn,
        }
        groups.append(
            {
                "space": _space_json(sample.elements.space),
                "ids": list(sample.elements.ids),
                "n_drawn": sample.n_drawn,
                "fresh": covered.fresh,
                "rare_mass": asdict(covered.rare_mass),
            }
        )
    for number, table in enumerate(estimator.tables_.values()):
        arrays[f"answers{number}"] = table.values
    manifest = {
        "estimator": type(estimator).__name__,
        "parameters": parameters,
        "groups": groups,
        "tables": [list(between) for between in estimator.tables_],
    }
    write_model_file(path, manifest, arrays)


def load(
    path: str | os.PathLike[str], metrics: Mapping[str, MetricFunction | ArrayLike] | None = None
) -> ProxySimilarity:
    """Read an estimator from a model file.

    Parameters
    ----------
    path
        A file that ``save`` wrote.
    metrics
        For each group that was fitted with a callable or a precomputed matrix, that callable or matrix again.
    """
    manifest, arrays = read_model_file(path)
    custom = {str(name): metric for name, metric in (metrics or {}).items()}
    try:
        estimator = ESTIMATORS[manifest["estimator"]](**manifest["parameters"])
        samples, coverage = {}, {}
        for number, group in enumerate(manifest["groups"]):
            sample, covered = _sample(group, arrays, f"group{number}", custom)
            samples[sample.elements.name], coverage[sample.elements.name] = sample, covered
        tables = {}
        for number, (left, right) in enumerate(manifest["tables"]):
            grid = QuestionGrid(samples[left].asked, samples[right].asked)
            tables[left, right] = _table(grid, arrays[f"answers{number}"])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise CorruptModelFile(f"{path} is not a model that this version can read ({error!r})") from error
    if unused := sorted(
        set(custom) - {name for name, s in samples.items() if not isinstance(s.elements.space.metric, CoordinateMetric)}
    ):
        raise InvalidInput(
            f"metrics names {unused}, but the model's own metric of that group is stored with it, or there is no such group"
        )
    estimator.restore(samples, tables, coverage)
    return estimator


def _sample(
    group: Mapping[str, Any], arrays: Arrays, key: str, custom: Mapping[str, MetricFunction | ArrayLike]
) -> tuple[Sample, Coverage]:
    elements = Elements(
        _space(group["space"], custom),
        np.asarray(arrays[f"{key}.points"], dtype=np.float64),
        np.array(group["ids"], dtype=object),
    )
    sample = Sample(
        elements,
        int(group["n_drawn"]),
        arrays[f"{key}.drawn"],
        arrays[f"{key}.representatives"],
        arrays[f"{key}.representative_of"],
    )
    coverage = Coverage(
        arrays[f"{key}.distances"], arrays[f"{key}.row_drawn"], bool(group["fresh"]), RareMass(**group["rare_mass"])
    )
    n, m = len(elements), len(sample.representatives)
    fits = (
        elements.points.ndim == 2
        and n == len(elements.ids) == len(sample.representative_of)
        and _all_below(sample.representatives, n)
        and _all_below(sample.representative_of, m)
    )
    if not fits:
        raise CorruptModelFile(f"the samples of group {elements.name!r} do not fit together; the file was altered")
    return sample, coverage


def _all_below(numbers: Any, limit: int) -> bool:
    return bool(numbers.dtype.kind == "i" and ((numbers >= 0) & (numbers < limit)).all())


def _table(grid: QuestionGrid, values: Any) -> AnswerTable:
    fits = values.shape == grid.shape and values.dtype in (np.float32, np.float64)
    if not fits or not (np.isnan(values) | ((values >= 0.0) & np.isfinite(values))).all():
        raise CorruptModelFile(
            f"the answers between {grid.between} are no dissimilarities of the representatives; the file was altered"
        )
    return AnswerTable(grid, values)


def _space_json(space: Space) -> dict[str, Any]:
    return {
        "name": space.name,
        "columns": list(space.columns),
        "metric": _metric_json(space.metric),
        "encoding": [asdict(column) for column in space.encoding.columns] if space.encoding else None,
    }


def _space(stored: Mapping[str, Any], custom: Mapping[str, MetricFunction | ArrayLike]) -> Space:
    encoding = stored["encoding"]
    return Space(
        stored["name"],
        _metric(stored["metric"], stored["name"], custom),
        tuple(stored["columns"]),
        None if encoding is None else Encoding(tuple(_column(column) for column in encoding)),
    )


def _column(stored: Mapping[str, Any]) -> Column:
    categories = stored["categories"]
    return Column(**{**stored, "categories": None if categories is None else tuple(categories)})


def _metric_json(metric: Metric) -> dict[str, Any]:
    if isinstance(metric, CoordinateMetric):
        return {
            "kind": "coordinate",
            "name": metric.name,
            "code": metric.norm.code,
            "p": metric.norm.p,
            "weights": None if metric.weights is None else metric.weights.tolist(),
            "rotation": None if metric.rotation is None else metric.rotation.tolist(),
            "angular": metric.angular,
            "learnt": metric.learnt,
        }
    if isinstance(metric, PrecomputedMetric):
        return {"kind": "precomputed", "digest": metric.digest}
    return {"kind": "callable"}


def _metric(stored: Mapping[str, Any], group: str, custom: Mapping[str, MetricFunction | ArrayLike]) -> Metric:
    if stored["kind"] == "coordinate":
        return CoordinateMetric(
            stored["name"],
            Norm(int(stored["code"]), float(stored["p"])),
            None if stored["weights"] is None else np.array(stored["weights"], dtype=np.float64),
            None if stored["rotation"] is None else np.array(stored["rotation"], dtype=np.float64),
            bool(stored["angular"]),
            bool(stored["learnt"]),
        )
    again = custom.get(group)
    if again is None:
        raise InvalidMetric(
            f"group {group!r} was fitted with a {stored['kind']} metric, which a model file does not hold; "
            f"pass it again: load(path, metrics={{{group!r}: …}})"
        )
    if stored["kind"] == "callable":
        if not callable(again):
            raise InvalidMetric(f"group {group!r} was fitted with a callable metric, got {type(again).__name__}")
        return FunctionMetric(again)
    metric = PrecomputedMetric(np.ascontiguousarray(again, dtype=np.float64))
    if metric.digest != stored["digest"]:
        raise InvalidMetric(f"the matrix passed for group {group!r} is not the one that the model was fitted with")
    return metric
