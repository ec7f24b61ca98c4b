"""What whoever makes a study may decide; the rest of the settings follows from the records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

MetricNames = str | Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDesign:
    """How a study asks; see `StudySettings` for what is not explained here.

    Attributes
    ----------
    metric
        Name of the metric within groups, or one name for each group.
    categories, missing
        How columns become points, as in `groups_from_tables`.
    scale_end
        Where the slider ends; twice the largest distance of the ruler if left out.
    within
        The tolerance of the stopping rule; a twentieth of ``scale_end`` if left out.
    records
        How many records of each group the study keeps at most: a random sample of larger tables.
    seed
        Of every random choice; drawn if left out, and kept in the study.
    labels
        What experts read instead of a value, by column and value: ``{"education": {1: "graduate school"}}``.
    """

    title: str = ""
    questions: int = 400
    metric: MetricNames = "euclidean"
    categories: Literal["integer", "one_hot"] = "integer"
    missing: Literal["error", "drop", "median"] = "error"
    calibration: float = 0.2
    learner: str = "auto"
    answer_error: float | Literal["noise"] = "noise"
    answers_per_question: int = 1
    repeats: float = 0.05
    lease_minutes: float = 30.0
    scale_end: float | None = None
    within: float | None = None
    share: float = 0.9
    confidence_level: float = 0.95
    records: int = 10_000
    seed: int | None = None
    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
