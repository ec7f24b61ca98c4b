"""Which mean functions are tried for two groups."""

from __future__ import annotations

from collections.abc import Mapping

from commensurate.geometry.metrics import CoordinateMetric
from commensurate.groups.elements import Space
from commensurate.learning.regression.means.embedding import EmbeddingMean
from commensurate.learning.regression.means.forms import MeanForm
from commensurate.learning.regression.means.minkowski import MinkowskiMean
from commensurate.learning.regression.means.prototypes import PrototypeMean
from commensurate.learning.regression.pair_features import Coordinates, shared_columns


def mean_catalogue(coordinates: Coordinates) -> Mapping[str, MeanForm]:
    """Return every form that fits the two groups, by name."""
    widths = coordinates.widths
    on_left, on_right = shared_columns(coordinates.features.spaces)
    forms: list[MeanForm] = [
        EmbeddingMean.between(*widths, kind="linear", rank=1),
        EmbeddingMean.between(*widths, kind="linear", rank=2),
        EmbeddingMean.between(*widths, kind="linear", rank=4),
        EmbeddingMean.between(*widths, kind="largest", rank=1, units=4),
        EmbeddingMean.between(*widths, kind="folded", rank=3, units=6),
        PrototypeMean(*widths),
    ]
    if len(on_left) and all(_keeps_columns(space) for space in coordinates.features.spaces):
        forms.append(MinkowskiMean(on_left, on_right))
    return {form.name: form for form in forms}


def _keeps_columns(space: Space) -> bool:
    """Tell whether the coordinates of a group's metric are its columns, each on its own."""
    return isinstance(space.metric, CoordinateMetric) and space.metric.rotation is None and not space.metric.angular
