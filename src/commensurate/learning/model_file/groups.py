"""The groups of a model to and from a model file: spaces and elements, and what proxies need beside them.

Samples, and how well they cover a group's rows, belong to NAIVE and CLUSTER; all else is the same for every estimator.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from itertools import combinations, permutations
from typing import Any

import numpy as np

from commensurate.asking.questions import Between
from commensurate.errors import CorruptModelFile
from commensurate.geometry.metrics import CoordinateMetric, Metric
from commensurate.groups.elements import Elements, Space
from commensurate.groups.encoding import Column, Encoding
from commensurate.guarantees.rare_mass import RareMass
from commensurate.learning.model_file.checked_values import (
    all_below,
    array,
    arrays_under,
    demand,
    finite_array,
    flag,
    number,
    text,
    texts,
    whole_number,
)
from commensurate.learning.model_file.container import Arrays
from commensurate.learning.model_file.metrics import PassedAgain, metric_arrays, metric_json, read_metric
from commensurate.learning.proxies.sample import Coverage, Sample

# --- saving ---


def elements_json(elements: Elements) -> dict[str, object]:
    """Return what the manifest says of a group's space, and the ids of its elements."""
    space = elements.space
    return {
        "name": space.name,
        "columns": list(space.columns),
        "metric": metric_json(space.metric),
        "encoding": None if space.encoding is None else [asdict(column) for column in space.encoding.columns],
        "ids": list(elements.ids),
    }


def elements_arrays(elements: Elements) -> Arrays:
    """Return the arrays of a group's elements and metric."""
    return {"points": elements.points, **metric_arrays(elements.space.metric)}


def sample_json(sample: Sample, coverage: Coverage) -> dict[str, object]:
    """Return what the manifest says of a group's samples."""
    rare = coverage.rare_mass
    return {
        **elements_json(sample.elements),
        "n_drawn": sample.n_drawn,
        "fresh": coverage.fresh,
        # JSON has no NaN, and of a single row the population's rare mass is just that
        "rare_mass": {**asdict(rare), "estimate": None if math.isnan(rare.estimate) else rare.estimate},
    }


def sample_arrays(sample: Sample, coverage: Coverage) -> Arrays:
    """Return the arrays of a group's samples."""
    return {
        **elements_arrays(sample.elements),
        "representatives": sample.representatives,
        "representative_of": sample.representative_of,
        "distances": coverage.distances,
        "row_drawn": coverage.drawn,
    }


def group_key(k: int) -> str:
    """Return what the names of the k-th group's arrays begin with."""
    return f"group{k}."


# --- loading ---


def read_metrics(groups: list[Mapping[str, Any]], arrays: Arrays) -> dict[str, CoordinateMetric | PassedAgain]:
    """Return each group's metric by name, in the order of the groups."""
    metrics = {
        text(group["name"], "a group's name"): read_metric(
            group["metric"], arrays_under(arrays, group_key(k)), width=len(group["columns"])
        )
        for k, group in enumerate(groups)
    }
    demand(len(metrics) == len(groups) >= 2, "a model needs at least two groups, each with its own name")
    return metrics


def read_between(stored: list[object], groups: Iterable[str], symmetric: bool) -> list[Between]:
    """Return the pairs of groups that are asked about, if the stored ones are these and in this order."""
    pairs = list((combinations if symmetric else permutations)(groups, 2))
    demand(stored == [list(pair) for pair in pairs], "there must be answers for just the pairs of groups that fit asks")
    return pairs


def read_elements(stored: Mapping[str, Any], arrays: Arrays, metric: Metric) -> Elements:
    """Return the elements of a group that are stored, if they fit their space."""
    encoding = _encoding(stored["encoding"])
    space = Space(text(stored["name"], "a group's name"), metric, texts(stored["columns"], "column names"), encoding)
    # the gate that new points pass: finite, as wide as there are columns, and row numbers where distances are precomputed
    points = space.points_of(finite_array(arrays, "points", ndim=2))
    ids = texts(stored["ids"], f"ids of group {space.name!r}")
    width = points.shape[1]
    demand(points.size > 0 and len(ids) == len(points), f"group {space.name!r} needs elements, and one id for each")
    demand(width == len(space.columns), f"group {space.name!r} has {width} columns, but {len(space.columns)} names")
    demand(
        encoding is None or len(encoding.point_columns) == width,
        f"the encoding of group {space.name!r} makes other than {width} columns",
    )
    if isinstance(metric, CoordinateMetric):
        metric.embed(points)  # a metric that cannot embed some point says so here
    return Elements(space, points, np.array(ids, dtype=object))


def read_sample(stored: Mapping[str, Any], arrays: Arrays, metric: Metric) -> Sample:
    """Return the samples of a group, if they fit together."""
    elements = read_elements(stored, arrays, metric)
    row_drawn = array(arrays, "row_drawn", np.bool_)
    representatives = array(arrays, "representatives", np.int64)
    representative_of = array(arrays, "representative_of", np.int64)
    n_drawn = whole_number(stored["n_drawn"], "the number of samples drawn", 1)
    n_rows_drawn = int(np.count_nonzero(row_drawn))
    demand(
        len(representative_of) == len(elements) <= n_rows_drawn <= n_drawn
        and all_below(representatives, len(elements))
        and all_below(representative_of, len(representatives)),
        f"the samples of group {elements.name!r} do not fit together",
    )
    return Sample(elements, n_drawn, np.flatnonzero(row_drawn), representatives, representative_of)


def read_coverage(stored: Mapping[str, Any], arrays: Arrays) -> Coverage:
    """Return how well the samples of a group cover its rows."""
    distances, row_drawn = finite_array(arrays, "distances"), array(arrays, "row_drawn", np.bool_)
    demand(
        len(distances) == len(row_drawn) and (distances >= 0.0).all(),
        f"the distances to proxies of group {stored['name']!r} must be one number per row, at least 0",
    )
    rare = _rare_mass(stored["rare_mass"], n_rows=len(distances))
    return Coverage(distances, row_drawn, flag(stored["fresh"], "fresh"), rare)


def _encoding(stored: object) -> Encoding | None:
    if stored is None:
        return None
    if not isinstance(stored, list):
        raise CorruptModelFile("an encoding must be a list of columns")
    return Encoding(tuple(_column(column) for column in stored))


def _column(stored: Mapping[str, Any]) -> Column:
    name = text(stored["name"], "a column's name")
    categories = None if stored["categories"] is None else texts(stored["categories"], f"categories of {name!r}")
    fill = stored["fill"]
    if fill is not None:
        fill = number(fill, "fill") if categories is None else text(fill, "fill")
    checked = {
        "name": name,
        "categories": categories,
        "ordered": flag(stored["ordered"], "ordered"),
        "one_hot": flag(stored["one_hot"], "one_hot"),
        "low": number(stored["low"], "low"),
        "high": number(stored["high"], "high"),
        "fill": fill,
    }
    demand(categories is not None or not checked["one_hot"], f"column {name!r} is one-hot but has no categories")
    return Column(**{**stored, **checked})


def _rare_mass(stored: Mapping[str, Any], n_rows: int) -> RareMass:
    estimate = stored["estimate"]
    checked = {
        "estimate": math.nan if estimate is None else number(estimate, "estimate", 0.0, 1.0),
        "epsilon": number(stored["epsilon"], "epsilon", 0.0),
        "n_points": whole_number(stored["n_points"], "n_points", n_rows, n_rows),
    }
    for name in ("table", "lower", "upper", "confidence_level", "delta"):
        checked[name] = number(stored[name], name, 0.0, 1.0)
    return RareMass(**{**stored, **checked})
