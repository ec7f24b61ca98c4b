"""How a value becomes a cell of a CSV file and comes back: no text can become a formula, numbers stay numbers.

A spreadsheet runs a cell that begins like a formula, and other people's texts (ids, names, comments) are in these
files. Such a text therefore gets an apostrophe in front, and so does one that begins with an apostrophe; reading takes
exactly that one away. A spreadsheet may show the apostrophe, or drop it when somebody edits the cell. A text that lost
it reads as the same text, because nothing else begins with a formula's sign; only a text that itself begins with an
apostrophe may come back without it.

A text is guarded where a cell begins. A program that splits cells at another character than the file's delimiter makes
cells of its own; it has to be told the right delimiter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from datetime import datetime
from numbers import Real

from commensurate.errors import InvalidAnswer, InvalidInput

# the csv module reads no longer cell than this, and would refuse the whole file
LONGEST_CELL = 131_072

APOSTROPHE = "'"
_GUARDED = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", APOSTROPHE)

# what float() also takes is no number in a spreadsheet: 1_000, infinity, digits of other scripts
_NUMBER = re.compile(r"[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(?:inf|infinity)|[+-]nan", re.IGNORECASE)


def neutralised(text: str) -> str:
    """Return the text as a cell that no spreadsheet runs.

    >>> neutralised("=1+1"), neutralised("-5"), neutralised("a=b"), neutralised("'tis")
    ("'=1+1", "'-5", 'a=b', "''tis")
    """
    return APOSTROPHE + text if text.startswith(_GUARDED) else text


def restored(cell: str) -> str:
    """Return the text that :func:`neutralised` made the cell of.

    >>> restored("'=1+1"), restored("=1+1"), restored("'quoted'")
    ('=1+1', '=1+1', "'quoted'")
    """
    return cell[1:] if cell.startswith(APOSTROPHE) and cell[1:].startswith(_GUARDED) else cell


def shown(value: str | float | None) -> str:
    """Return a value as a cell to look at: nothing for None, a number as it is, a text neutralised.

    >>> shown(None), shown(-5), shown("-5")
    ('', '-5', "'-5")
    """
    if value is None:
        return ""
    # str of a number has all its digits, and also for NumPy's numbers no type around them
    return str(value) if isinstance(value, Real) else neutralised(str(value))


def number_cell(value: float | None) -> str:
    """Return a number that is not negative as a cell that reads back to the last bit; None is an empty one.

    >>> number_cell(0.1 + 0.2), number_cell(None)
    ('0.30000000000000004', '')
    """
    if value is None:
        return ""
    value = float(value)
    if not math.isfinite(value) or value < 0:
        raise InvalidInput(f"{value} cannot be written; pass a finite number, at least 0, or None")
    return repr(value)


def number_in(cell: str, *, decimal_comma: bool = False) -> float | None:
    """Return the number that a cell holds, None if it is empty or NaN, as programs write what is missing.

    A point is always read as the decimal point, also beside decimal commas; there are no thousands separators.

    >>> number_in(" 0.5 "), number_in("0,5", decimal_comma=True), number_in(""), number_in("NaN")
    (0.5, 0.5, None, None)
    """
    text = cell.strip()
    if not text or text.lower() == "nan":
        return None
    if _NOT_FINITE.fullmatch(text):
        raise InvalidInput("is not finite; write a number such as 0.5")
    if not _NUMBER.fullmatch(text):
        raise InvalidInput("is not a number; write one such as 0.5")
    if "," in text and not decimal_comma:
        raise InvalidInput("has a decimal comma in a file separated by commas; write a number such as 0.5")
    value = float(text.replace(",", "."))
    if math.isinf(value):
        raise InvalidInput("is not finite; write a smaller number")
    if value < 0:
        raise InvalidInput("is negative; write 0 or a larger number")
    return value


def answer_cell(answer: float | str | None) -> str:
    """Return an answer as a cell: a number, a word or a range as text, nothing where there is none.

    >>> answer_cell(0.5), answer_cell("0.2..0.5"), answer_cell("first")
    ('0.5', '0.2..0.5', 'first')
    """
    return neutralised(answer) if isinstance(answer, str) else number_cell(answer)


def answer_in(cell: str, *, decimal_comma: bool = False, words: Collection[str] = ()) -> float | str | None:
    """Return the answer that a cell holds, a number, a range as text, or one of the words; None if it is empty.

    >>> answer_in("0,2..0,5", decimal_comma=True), answer_in("First", words=["first"]), answer_in("0.5")
    ('0.2..0.5', 'First', 0.5)
    """
    text = restored(cell).strip()
    if text.casefold() in {word.casefold() for word in words}:
        return text
    if ".." in text or text.startswith(("<", ">", "≤", "≥")):
        # not above: most sheets hold no ranges, and reading those needs no pandas
        from commensurate.asking.said import read_said

        text = text.replace(",", ".") if decimal_comma else text
        try:
            said = read_said(text, "the cell")
        except InvalidAnswer as error:
            raise InvalidInput(f"is not a range; write one such as 0.2..0.5, <=0.5 or >=0.2 ({error})") from None
        return None if said is None else str(said)
    try:
        return number_in(cell, decimal_comma=decimal_comma)
    except InvalidInput as error:
        if not words:
            raise
        listed = ", ".join(words)
        raise InvalidInput(
            f"{error}, a range such as 0.2..0.5, or one of the words that the question allows: {listed}"
        ) from None


def moment_in(cell: str) -> str | None:
    """Return the date or time that a cell holds, in its own words; None if it is empty.

    >>> moment_in("2025-03-01T14:05:00Z ")
    '2025-03-01T14:05:00Z'
    """
    text = restored(cell).strip()
    try:
        if text:
            datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput("is not an ISO 8601 date; write it like 2025-03-01T14:05:00+00:00, or remove it") from None
    return text or None
