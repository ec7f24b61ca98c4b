"""The groups of a model to and from a model file:
spaces with their metrics, elements, and what proxies need beside them.

Samples, and how well they cover a group's rows, belong to NAIVE and CLUSTER; all else is the same for every estimator.

A coordinate metric is stored whole. A callable could run code and a precomputed matrix may be huge: these are passed
again to `load`, and the file only knows which kind it was.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from commensurate.asking.questions import Between
from commensurate.errors import CorruptModelFile, InvalidInput, InvalidMetric, InvalidParameter
from commensurate.geometry.metrics import CoordinateMetric, FunctionMetric, Metric, MetricFunction, PrecomputedMetric
from commensurate.geometry.norms import CHEBYSHEV, EUCLIDEAN, HAMMING, MANHATTAN, MINKOWSKI, Norm
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
from commensurate.learning.proxies.sample import Coverage, Sample

NORM_CODES = (EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI, HAMMING)

GivenMetric = Metric | MetricFunction | ArrayLike


@dataclass(frozen=True, slots=True)
class PassedAgain:
    """A metric that the file does not hold; ``digest`` identifies a precomputed matrix, and is None for a callable."""

    digest: str | None

    @property
    def kind(self) -> str:
        """What the group was fitted with, in words."""
        return "callable" if self.digest is None else "precomputed"


# --- saving ---


def metric_json(metric: Metric) -> dict[str, object]:
    """Return what the manifest says of a metric."""
    if isinstance(metric, CoordinateMetric):
        return {
            "kind": "coordinate",
            "name": metric.name,
            "code": metric.norm.code,
            "p": metric.norm.p,
            "angular": metric.angular,
            "learnt": metric.learnt,
        }
    if isinstance(metric, PrecomputedMetric):
        return {"kind": "precomputed", "digest": metric.digest}
    return {"kind": "callable"}


def metric_arrays(metric: Metric) -> Arrays:
    """Return the arrays of a metric."""
    if not isinstance(metric, CoordinateMetric):
        return {}
    parts = {"weights": metric.weights, "rotation": metric.rotation}
    return {name: np.asarray(part, dtype=np.float64) for name, part in parts.items() if part is not None}


# --- loading ---


def read_metric(stored: Mapping[str, Any], arrays: Arrays, width: int) -> CoordinateMetric | PassedAgain:
    """Return the stored metric for points with ``width`` columns, or what kind must be passed again."""
    kind = stored["kind"]
    demand(kind in ("coordinate", "precomputed", "callable"), f"there is no kind of metric {kind!r:.80}")
    if kind == "callable":
        return PassedAgain(digest=None)
    if kind == "precomputed":
        return PassedAgain(digest=text(stored["digest"], "the digest of a matrix"))
    weights = finite_array(arrays, "weights") if "weights" in arrays else None
    rotation = finite_array(arrays, "rotation", ndim=2) if "rotation" in arrays else None
    for part in (weights, rotation):
        demand(part is None or len(part) == width, f"a metric for other than {width} columns")
    return CoordinateMetric(
        text(stored["name"], "the name of a metric"),
        Norm(
            whole_number(stored["code"], "the code of a norm", min(NORM_CODES), max(NORM_CODES)),
            number(stored["p"], "the exponent of a norm", 1.0, 100.0),
        ),
        weights,
        rotation,
        flag(stored["angular"], "angular"),
        flag(stored["learnt"], "learnt"),
    )


def metrics_in_use(
    stored: Mapping[str, CoordinateMetric | PassedAgain], given: Mapping[str, GivenMetric] | None
) -> dict[str, Metric]:
    """Put the metrics that the caller passes again in their places; what is wrong here is wrong with the argument."""
    if given is not None and not isinstance(given, Mapping):
        raise InvalidParameter(f"metrics must be a dict from group name to metric, got {type(given).__name__}")
    again = {str(name): metric for name, metric in (given or {}).items()}
    needed = {name for name, metric in stored.items() if isinstance(metric, PassedAgain)}
    if unused := sorted(set(again) - needed):
        raise InvalidInput(
            f"metrics names {unused}, but the model's own metric of that group is stored with it, or there is no such group"
        )
    return {
        name: _passed_again(name, metric, again.get(name)) if isinstance(metric, PassedAgain) else metric
        for name, metric in stored.items()
    }


def _passed_again(group: str, stored: PassedAgain, given: GivenMetric | None) -> Metric:
    if given is None:
        raise InvalidMetric(
            f"group {group!r} was fitted with a {stored.kind} metric, which a model file does not hold; "
            f"pass it again: load(path, metrics={{{group!r}: …}})"
        )
    return _callable_metric(group, given) if stored.digest is None else _matrix_metric(group, given, stored.digest)


def _callable_metric(group: str, given: GivenMetric) -> Metric:
    if isinstance(given, Metric) and not isinstance(given, PrecomputedMetric):
        return given
    if not callable(given):
        raise InvalidMetric(
            f"group {group!r} was fitted with a callable metric, got {type(given).__name__}; pass the same callable"
        )
    return FunctionMetric(given)


def _matrix_metric(group: str, given: GivenMetric, digest: str) -> PrecomputedMetric:
    wanted = f"group {group!r} was fitted with a precomputed metric"
    matrix = given.matrix if isinstance(given, PrecomputedMetric) else given
    try:
        distances = np.array(matrix, dtype=np.float64, order="C")
        distances.flags.writeable = False  # as in fit: a model does not change with its user's arrays
    except (TypeError, ValueError):
        raise InvalidMetric(f"{wanted}, got {type(given).__name__}; pass the same matrix of distances") from None
    # the digest sees the numbers only: a matrix of another shape may have the same
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1]:
        raise InvalidMetric(f"{wanted}, got shape {distances.shape}; pass the same square matrix")
    metric = PrecomputedMetric(distances)
    if metric.digest != digest:
        raise InvalidMetric(f"the matrix passed for group {group!r} is not the one that the model was fitted with")
    return metric


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
        **({} if sample.n_rows is None else {"n_rows": sample.n_rows}),
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
    # the gate that new points pass: finite, as wide as there are columns,
    # and row numbers where distances are precomputed
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
    # files of earlier versions do not say how many rows are equal to each
    n_rows = array(arrays, "n_rows", np.int64) if "n_rows" in arrays else None
    demand(
        n_rows is None
        or (len(n_rows) == len(elements) and bool((n_rows >= 1).all()) and int(n_rows.sum()) == n_rows_drawn),
        f"the rows drawn of group {elements.name!r} must each be equal to one of its samples",
    )
    return Sample(elements, n_drawn, np.flatnonzero(row_drawn), representatives, representative_of, n_rows)


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
