"""How columns are written for experts: a label instead of a name, a unit after numbers, thousands kept apart or not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from commensurate.errors import InvalidParameter
from commensurate.records.values import plain_number
from commensurate.wording import visible_text

MISSING = "(missing)"
EMPTY = "(empty)"
# four digits are often a year: they are kept together where no unit says otherwise
LEAST_SEPARATED = 10_000
LEAST_SEPARATED_WITH_UNIT = 1_000
LARGEST_WHOLE = 1e15
# of a label or a unit; a longer one would push the values off the screen
LONGEST_LABEL, LONGEST_UNIT = 80, 20
# between a number and its unit no line ends
NARROW_SPACE = "\u202f"
EXAMPLE = '{"income": {"label": "Yearly income", "unit": "€"}}'

# by column: label, unit, separators
Columns = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ColumnStyle:
    """How one column is written; ``separators=False`` leaves numbers as they are: postal codes, years.

    >>> [ColumnStyle(unit="€").value(value) for value in (1200, "-0.5", None, "unknown")]
    ['1,200\\u202f€', '−0.5\\u202f€', '(missing)', 'unknown']
    >>> [ColumnStyle().value(value) for value in (1987, 190909489, True, "007", "")]
    ['1987', '190,909,489', 'True', '007', '(empty)']
    """

    label: str = ""
    unit: str = ""
    separators: bool = True

    def name(self, column: str) -> str:
        """Return what experts read for the column's name."""
        return self.label or column

    def value(self, value: object) -> str:
        """Return a value as experts read it; what would hide or reorder text is spelt out."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return MISSING
        number = plain_number(value)
        # spaces around a value cannot be seen, and must not count as a difference
        return visible_text(str(value).strip()) or EMPTY if number is None else self._with_unit(self._digits(value))

    def difference(self, left: float, right: float) -> str:
        """Return by how much the right number is larger, such as "(+5)"; nothing if no float can say it.

        >>> ColumnStyle(unit="€").difference(42000, 38500), ColumnStyle().difference(0.1, 0.35)
        ('(−3,500\\u202f€)', '(+0.25)')
        """
        try:
            apart = float(right - left)
        except OverflowError:  # of two whole numbers near the end of all floats
            return ""
        if not math.isfinite(apart):
            return ""
        # what decimals leave over is no difference; whole differences are written out
        text = f"{apart:.0f}" if apart.is_integer() and abs(apart) < LEAST_ROUNDED else f"{apart:.4g}"
        # a difference is no year: its thousands are set apart from 1,000 on
        digits = self._digits(text, LEAST_SEPARATED_WITH_UNIT)
        return f"({self._with_unit(digits if apart < 0.0 else f'+{digits}')})"

    def _digits(self, value: object, least: int | None = None) -> str:
        """Return a number with a proper minus sign, and its thousands apart."""
        text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
        if isinstance(value, float) and abs(value) >= LARGEST_WHOLE:
            text = str(value)
        whole, point, rest = text.removeprefix("-").partition(".")
        if least is None:
            least = LEAST_SEPARATED_WITH_UNIT if self.unit else LEAST_SEPARATED
        if self.separators and whole.isdigit() and int(whole) >= least:
            whole = f"{int(whole):,}"
        digits = f"{whole}{point}{rest}".replace("e-", "e−")
        return f"−{digits}" if text.startswith("-") else digits

    def _with_unit(self, digits: str) -> str:
        return f"{digits}{NARROW_SPACE}{visible_text(self.unit)}" if self.unit else digits


# whole differences up to this are written out, others rounded
LEAST_ROUNDED = 1_000_000_000.0
PLAIN = ColumnStyle()


def column_styles(columns: Columns) -> dict[str, ColumnStyle]:
    """Return how columns are written that a study's settings say something about."""
    return {name: ColumnStyle(**said) for name, said in columns.items()}


def checked_columns(columns: object) -> dict[str, dict[str, Any]]:
    """Return what is said about columns, or say what is wrong with it.

    >>> checked_columns({"income": {"label": " Yearly income ", "unit": "€"}})
    {'income': {'label': 'Yearly income', 'unit': '€'}}
    """
    if not isinstance(columns, Mapping):
        raise InvalidParameter(f"columns must be a dict by column, such as {EXAMPLE}, got {columns!r}")
    return {str(name): _checked_column(str(name), said) for name, said in columns.items()}


def check_described_columns(columns: Columns, shown: Mapping[str, Sequence[str]]) -> None:
    """Raise if a column is described that no expert would ever read."""
    seen = list(dict.fromkeys(name for names in shown.values() for name in names))
    for column in columns:
        if column not in seen:
            raise InvalidParameter(
                f"columns describes the column {column!r}, which experts do not see; they see "
                f"{', '.join(map(repr, seen))}: add it to show=, or leave out its description"
            )


def _checked_column(column: str, said: object) -> dict[str, Any]:
    if not isinstance(said, Mapping):
        raise InvalidParameter(f"columns: {column!r} must be described by a dict, such as {EXAMPLE}, got {said!r}")
    checked: dict[str, Any] = {}
    for key, value in said.items():
        if key == "separators":
            if not isinstance(value, bool):
                raise InvalidParameter(f"columns: separators of {column!r} must be true or false, got {value!r}")
            checked[key] = value
        elif key in ("label", "unit"):
            checked[key] = _checked_text(column, key, value)
        else:
            raise InvalidParameter(
                f"columns: {column!r} can have a label, a unit and separators (true or false), got {key!r}"
            )
    return checked


def _checked_text(column: str, key: str, value: object) -> str:
    longest = LONGEST_LABEL if key == "label" else LONGEST_UNIT
    text = value.strip() if isinstance(value, str) else ""
    # half a character (a lone surrogate) is no text, and no database keeps it
    if not 0 < len(text) <= longest or any("\ud800" <= one <= "\udfff" or one in "\0\n\r" for one in text):
        raise InvalidParameter(
            f"columns: the {key} of {column!r} must be one line of text of 1 to {longest} characters, got {value!r}"
        )
    return text
