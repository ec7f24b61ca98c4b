"""The value of a record, however it was stored or typed: a number, a code, or nothing.

Values from CSV files are stored as text, others as JSON numbers: "1", 1 and 1.0 are one code. "007" and "1,234" are
not numbers.
"""

from __future__ import annotations

import math
import re
from numbers import Real

# as programs write numbers; leading zeros make a code
PLAIN_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]{1,3})?", re.IGNORECASE)
LONGEST_NUMBER = 40


def plain_number(value: object) -> int | float | None:
    """Return the finite number that a value is, None if it is none.

    >>> [plain_number(value) for value in (35, "35", " 0.5 ", "007", True, "1e999", None)]
    [35, 35, 0.5, None, None, None, None]
    """
    if isinstance(value, str):
        return _number_in(value)
    # the plain types first, because asking for Real takes long and columns are long
    if (not isinstance(value, (float, int)) and not isinstance(value, Real)) or isinstance(value, bool):
        return None
    try:
        return value if math.isfinite(value) else None  # type: ignore[return-value]  # only int and float are stored
    except OverflowError:  # a whole number beyond every float
        return None


def code_of(value: object) -> str | None:
    """Return the text that equal values share, None for what is missing.

    >>> [code_of(value) for value in (1, 1.0, "1", "1.0", "007", " cook ", "", None)]
    ['1', '1', '1', '1', '007', 'cook', None, None]
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    number = plain_number(value)
    return str(value).strip() or None if number is None else code_of_number(number)


def code_of_number(number: float) -> str:
    """Return the text that equal numbers share."""
    return str(int(number)) if number == int(number) else repr(float(number))


def _number_in(text: str) -> int | float | None:
    text = text.strip()
    if len(text) > LONGEST_NUMBER or not (match := PLAIN_NUMBER.fullmatch(text)):
        return None
    if match[2] is None and match[3] is None:
        return int(text)
    number = float(text)
    return number if math.isfinite(number) else None


# one decimal sign, comma or point; no sign, no underscores, no thousands
NUMBER = re.compile(r"(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


def read_number(text: str) -> float | None:
    """Return the number ≥ 0 that somebody typed, None if it is none.

    >>> read_number(" 0,25 "), read_number("-1"), read_number("1e999")
    (0.25, None, None)
    """
    text = text.strip()
    if not NUMBER.fullmatch(text):
        return None
    number = float(text.replace(",", "."))
    return number if math.isfinite(number) else None
