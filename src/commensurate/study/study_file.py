"""What a study is made of and how, in a study.toml or on the command line; each option under one name."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.study.design import StudyDesign

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
