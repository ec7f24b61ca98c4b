"""Metrics to and from model files.

A coordinate metric is stored whole. A callable could run code and a precomputed matrix may be huge: these are passed
again to `load`, and the file only knows which kind it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from commensurate.errors import InvalidInput, InvalidMetric, InvalidParameter
from commensurate.geometry.metrics import CoordinateMetric, FunctionMetric, Metric, MetricFunction, PrecomputedMetric
from commensurate.geometry.norms import CHEBYSHEV, EUCLIDEAN, HAMMING, MANHATTAN, MINKOWSKI, Norm
from commensurate.learning.model_file.checked_values import demand, finite_array, flag, number, text, whole_number
from commensurate.learning.model_file.container import Arrays

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
