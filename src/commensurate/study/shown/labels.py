"""Names for coded values: experts read "graduate school" where the data says 1. Data and metric keep the code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from commensurate.errors import InvalidParameter
from commensurate.records.values import code_of

# what experts read, by column and code
Labels = Mapping[str, Mapping[str, str]]
Value = TypeVar("Value")


def checked_labels(labels: object) -> dict[str, dict[str, str]]:
    """Return labels by column and code, or say what is wrong with them.

    >>> checked_labels({"education": {1: "graduate school", 2.0: "university"}})
    {'education': {'1': 'graduate school', '2': 'university'}}
    """
    if not isinstance(labels, Mapping):
        raise InvalidParameter(f"labels must be a dict by column and value, such as {_EXAMPLE}, got {labels!r}")
    return {str(column): _checked_column(str(column), names) for column, names in labels.items()}


def check_labelled_columns(labels: Labels, shown: Mapping[str, Sequence[str]]) -> None:
    """Raise if a column has labels that no expert would ever read."""
    seen = list(dict.fromkeys(name for columns in shown.values() for name in columns))
    for column in labels:
        if column not in seen:
            raise InvalidParameter(
                f"labels are given for the column {column!r}, which experts do not see; they see "
                f"{', '.join(map(repr, seen))}: add it to show=, or leave out its labels"
            )


def labelled(value: Value, names: Mapping[str, str] | None) -> Value | str:
    """Return what experts read for a value: its label, or itself if it has none.

    >>> labelled(1.0, {"1": "graduate school"}), labelled(7, {"1": "graduate school"}), labelled(1, None)
    ('graduate school', 7, 1)
    """
    code = code_of(value) if names else None
    return value if not names or code is None else names.get(code, value)


_EXAMPLE = '{"education": {1: "graduate school"}}'


def _checked_column(column: str, names: object) -> dict[str, str]:
    if not isinstance(names, Mapping):
        raise InvalidParameter(f"labels of {column!r} must be a dict by value, such as {_EXAMPLE}, got {names!r}")
    checked: dict[str, str] = {}
    for value, label in names.items():
        code = code_of(value)
        if code is None:
            raise InvalidParameter(f"labels of {column!r}: {value!r} is not a value that can have the label {label!r}")
        if not _is_text(label):
            raise InvalidParameter(f"labels of {column!r}: the label of {value!r} must be text, got {label!r}")
        if checked.setdefault(code, label) != label:
            raise InvalidParameter(
                f"labels of {column!r}: {code!r} has two labels, {checked[code]!r} and {label!r}; 1, 1.0 and '1' are the "
                "same value"
            )
    return checked


def _is_text(label: object) -> bool:
    # half a character (a lone surrogate) is no text, and no database keeps it
    return isinstance(label, str) and bool(label.strip()) and not any("\ud800" <= one <= "\udfff" for one in label)
