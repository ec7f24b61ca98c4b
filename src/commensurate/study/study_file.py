"""What a study.toml and the command line say: options by name, and where the records are."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.study.settings import OPTIONS, by_present_names, check_known, is_number, type_of_option
from commensurate.study.shown.columns import EXAMPLE as COLUMNS_EXAMPLE

TABLE_KEYS = ("data", "group", "id", "features", "show", "sources", "known_answers")


def read_study_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a study.toml; paths in it are meant from its own folder.

    Keys are those of the command line with underscores, ``sources`` a table of files by group, ``metric`` a name or a
    table of names by group, ``labels`` a table by column of what experts read by value.
    """
    path = Path(path)
    try:
        # some editors put a mark of their own in front of UTF-8
        said = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not a TOML file: {error}") from error
    try:
        said = by_present_names(said)
        check_known(said, [*TABLE_KEYS, *OPTIONS])
    except InvalidParameter as error:
        raise InvalidInput(f"{path}: {error}") from None
    for name, value in said.items():
        expected, fits = _expected(name, value)
        if not fits:
            raise InvalidInput(f"{path}: {name} must be {expected}, got {value!r}")
    for name in ("data", "known_answers"):
        if name in said:
            said[name] = path.parent / said[name]
    if "sources" in said:
        said["sources"] = {name: path.parent / file for name, file in said["sources"].items()}
    return said


def merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the first says, and where it says nothing what the second says; None says nothing."""
    said = {name: value for name, value in first.items() if value is not None}
    # one table or several is one decision: data or group of the command line is not mixed with
    # sources of a study.toml, nor the other way round
    mixed = ("data", "group") if "sources" in said else ("sources",) if {"data", "group"} & set(said) else ()
    return {**{name: value for name, value in second.items() if name not in mixed}, **said}


def creation_arguments(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said as arguments of `Study.create`: one file with a group column, or one file per group."""
    rest = {name: value for name, value in said.items() if name not in ("data", "sources", "id")}
    data, sources = said.get("data"), said.get("sources")
    if (data is None) == (not sources) or (data is None) != ("group" not in said):
        raise InvalidParameter(
            "pass either a CSV file with its group column, data='FILE.csv' and group='COLUMN', or one file per group, "
            "source='NAME=FILE.csv' once per group"
        )
    return {"data": sources or data, "ids": said.get("id"), **rest}


def _expected(name: str, value: object) -> tuple[str, bool]:
    """Return what a key stands for, in words, and whether a value can be that;
    ranges are checked where they are used.
    """

    def texts(values: object) -> bool:
        return isinstance(values, list) and all(isinstance(one, str) for one in values)

    def texts_by_name(values: object) -> bool:
        return isinstance(values, dict) and all(isinstance(one, str) for one in values.values())

    def texts_by_column(values: object) -> bool:
        return isinstance(values, dict) and all(texts_by_name(one) for one in values.values())

    if name == "grades":
        return 'a list of words such as ["alike", "similar", "different"]', texts(value)
    if name == "boundaries":
        return "a list of numbers such as [0.2, 0.5]", isinstance(value, list) and all(map(is_number, value))
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
    if name == "columns":
        tables = isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())
        return f"a table by column such as {COLUMNS_EXAMPLE}", tables
    if name == "answer_error":
        return '"auto", "noise" or a number', value in ("auto", "noise") or is_number(value)
    kind = type_of_option(name) if name in OPTIONS else str
    if kind is int:
        return "a whole number", isinstance(value, int) and is_number(value)
    if kind is float:
        return "a number", is_number(value)
    return "text in quotes", isinstance(value, str)
