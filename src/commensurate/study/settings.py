"""What is decided when a study is made, and stays: in Python, in a study.toml or on the command line."""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_type_hints

from commensurate.errors import CorruptStudy, InvalidInput, InvalidParameter
from commensurate.study.gate import LONGEST_MINUTES
from commensurate.study.labels import Labels, checked_labels

LEARNERS = ("auto", "auto-free", "gp")


@dataclass(frozen=True, slots=True)
class StudySettings:
    """The settings of a study.

    Attributes
    ----------
    title
        What experts read above the questions.
    seed
        Of every random choice.
    plan_seed
        What learning starts its random choices from.
    questions
        How many different pairs are asked about.
    calibration
        The share of them whose answers are held out from learning, and judge it.
    learner
        "auto", "auto-free" or "gp", as in `BudgetedSimilarity`.
    answer_error
        "noise" if experts err at random, else how far an answer may be from the truth.
    answers_per_question
        How many experts answer each question.
    repeats
        The share of questions that an expert is asked again, without being told.
    lease_minutes
        How long a question that was shown to one expert is kept from the others.
    scale_end
        Where the slider ends.
    within, share, confidence_level
        When enough has been asked: a share of pairs is within so much of the answer, with this confidence.
    labels
        What experts read instead of a value, by column and the value's code (see `code_of`).
    """

    seed: int
    plan_seed: int
    scale_end: float
    within: float
    title: str = ""
    questions: int = 400
    calibration: float = 0.2
    learner: str = "auto"
    answer_error: float | Literal["noise"] = "noise"
    answers_per_question: int = 1
    repeats: float = 0.05
    lease_minutes: float = 30.0
    share: float = 0.9
    confidence_level: float = 0.95
    labels: Labels = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, least in (("questions", 4), ("answers_per_question", 1), ("seed", 0)):
            count = getattr(self, name)
            if not isinstance(count, int) or isinstance(count, bool) or count < least:
                raise InvalidParameter(f"{name} must be a whole number, at least {least}, got {count!r}")
        for name in ("scale_end", "within"):
            value = getattr(self, name)
            if not (_is_number(value) and math.isfinite(value) and value > 0.0):
                raise InvalidParameter(f"{name} must be a finite number above 0, got {value!r}")
        if not (_is_number(self.lease_minutes) and 0.0 < self.lease_minutes <= LONGEST_MINUTES):
            raise InvalidParameter(
                f"lease_minutes must be a number above 0, and a year ({LONGEST_MINUTES:,.0f}) at most, got {self.lease_minutes!r}"
            )
        if not (_is_number(self.repeats) and 0.0 <= self.repeats <= 1.0):
            raise InvalidParameter(f"repeats must be a share from 0 to 1, got {self.repeats!r}")
        for name in ("share", "confidence_level"):
            share = getattr(self, name)
            if not (_is_number(share) and 0.0 < share < 1.0):
                raise InvalidParameter(f"{name} must lie strictly between 0 and 1, got {share!r}; write 95 % as 0.95")
        if not isinstance(self.title, str):
            raise InvalidParameter(f"title must be text, got {self.title!r}")
        if self.learner not in LEARNERS:
            raise InvalidParameter(f"learner must be one of {', '.join(LEARNERS)}, got {self.learner!r}")
        if checked_labels(self.labels) != self.labels:
            raise InvalidParameter(f"labels must be by code, got {self.labels!r}; pass what checked_labels() returns")

    def to_json(self) -> str:
        """Return the settings as text."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> StudySettings:
        """Read settings; what a later version has added is left out."""
        known = {field.name for field in fields(cls)}
        try:
            stored: dict[str, Any] = json.loads(text)
            return cls(**{name: value for name, value in stored.items() if name in known})
        except (AttributeError, TypeError, ValueError) as error:
            raise CorruptStudy(f"the study's settings cannot be read: {error}") from error


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


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


TABLE_KEYS = ("data", "group", "id", "features", "show", "sources")


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """Where the records are, and what was decided; None means not said."""

    data: Path | None = None
    group: str | None = None
    sources: Mapping[str, Path] | None = None
    id: str | None = None
    features: list[str] | None = None
    show: list[str] | None = None
    design: Mapping[str, Any] = field(default_factory=dict)

    def tables(self) -> Path | dict[str, Path]:
        """Return one file with a group column, or one file per group."""
        if (self.data is None) == (not self.sources) or (self.data is None) != (self.group is None):
            raise InvalidParameter(
                "give either a CSV file with its group column (--data FILE.csv --group COLUMN), or one file per group "
                "(--source NAME=FILE.csv, once per group)"
            )
        return dict(self.sources) if self.sources else Path(str(self.data))

    def chosen(self) -> dict[str, Any]:
        """Return what was decided; the rest keeps its default."""
        return {name: value for name, value in self.design.items() if value is not None}


def merged(first: StudyOptions, second: StudyOptions) -> StudyOptions:
    """Return what the first says, and where it says nothing what the second says."""
    # one table or several is one decision: --data or --group is not mixed with sources of a study.toml, nor the other way round
    if first.sources is not None:
        second = replace(second, data=None, group=None)
    elif first.data is not None or first.group is not None:
        second = replace(second, sources=None)
    said = {
        name: getattr(second, name) if getattr(first, name) is None else getattr(first, name) for name in TABLE_KEYS
    }
    return StudyOptions(**said, design={**second.chosen(), **first.chosen()})


def read_study_file(path: str | os.PathLike[str]) -> StudyOptions:
    """Read a study.toml; paths in it are meant from its own folder.

    Keys are those of the command line with underscores, ``sources`` a table of files by group, ``metric`` a name or a table of
    names by group, ``labels`` a table by column of what experts read by value.
    """
    path = Path(path)
    try:
        # some editors put a mark of their own in front of UTF-8
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is no TOML file: {error}") from error
    known = (*TABLE_KEYS, *(one.name for one in fields(StudyDesign)))
    if unknown := [name for name in content if name not in known]:
        raise InvalidInput(f"{path} has the key {unknown[0]!r}, which is not known; known: {', '.join(known)}")
    for name, value in content.items():
        _check_kind(path, name, value)
    sources = content.get("sources")
    return StudyOptions(
        data=None if "data" not in content else path.parent / content["data"],
        group=content.get("group"),
        sources=None if sources is None else {name: path.parent / file for name, file in sources.items()},
        id=content.get("id"),
        features=content.get("features"),
        show=content.get("show"),
        design={name: value for name, value in content.items() if name not in TABLE_KEYS},
    )


def _check_kind(path: Path, name: str, value: object) -> None:
    """Raise if a value cannot be what its key stands for; ranges are checked where they are used."""
    expected, fits = _expected(name, value)
    if not fits:
        raise InvalidInput(f"{path}: {name} must be {expected}, got {value!r}")


def _expected(name: str, value: object) -> tuple[str, bool]:
    def texts(values: object) -> bool:
        return isinstance(values, list) and all(isinstance(one, str) for one in values)

    def texts_by_name(values: object) -> bool:
        return isinstance(values, dict) and all(isinstance(one, str) for one in values.values())

    def texts_by_column(values: object) -> bool:
        return isinstance(values, dict) and all(texts_by_name(one) for one in values.values())

    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if name in ("features", "show"):
        return 'a list of column names such as ["age", "income"]', texts(value)
    if name == "sources":
        return 'a table of files such as {bureau = "a.csv", vendor = "b.csv"}', texts_by_name(value)
    if name == "metric":
        return "the name of a metric, or a table of names by group", isinstance(value, str) or texts_by_name(value)
    if name == "labels":
        # without quotes 1.5 = "x" is TOML for 1 = {5 = "x"}
        example = 'a table by column such as {education = {1 = "graduate school", "1.5" = "other"}}'
        return example, texts_by_column(value)
    if name == "answer_error":
        return '"noise" or a number', value == "noise" or number
    hint = get_type_hints(StudyDesign).get(name, str)
    if hint in (int, int | None):
        return "a whole number", isinstance(value, int) and number
    if hint in (float, float | None):
        return "a number", number
    return "text in quotes", isinstance(value, str)
