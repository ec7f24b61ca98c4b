"""What one answer says about one pair, a number or a range that the dissimilarity is in, and the gate that reads it.

A text may say it too, as in a sheet: ``0.4``, ``0.2..0.5``, ``<=0.5``, ``>=0.2``.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import pandas as pd

from commensurate.errors import InvalidAnswer

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*")
AT_MOST = ("<=", "≤")
_END = re.compile(rf"\s*(<=|≤|>=|≥)\s*({_NUMBER})\s*")


class Said(NamedTuple):
    """lower ≤ σ ≤ upper; equal ends are a number.

    ``beside_ruler`` tells that the ends are distances of other pairs that the expert saw beside this one.
    """

    lower: float
    upper: float
    beside_ruler: bool = False

    @property
    def is_number(self) -> bool:
        """Whether one number was said."""
        return self.lower == self.upper

    @property
    def middle(self) -> float:
        """The number, the middle of a range, or the one end that it has."""
        return self.lower if math.isinf(self.upper) else 0.5 * (self.lower + self.upper)

    def narrowed_by(self, later: Said) -> Said | None:
        """Return what is left of a range when the same person, still looking at the pair, compares it with a ruler.

        None where there is nothing to narrow: ``later`` is then an answer of its own.

        >>> print(Said(0.2, 0.5).narrowed_by(Said(0.0, 0.4, beside_ruler=True)))
        0.2..0.4
        """
        lower, upper = max(self.lower, later.lower), min(self.upper, later.upper)
        if self.is_number or not later.beside_ruler or lower > upper or (lower, upper) == (self.lower, self.upper):
            return None
        return Said(lower, upper, self.beside_ruler)

    def __str__(self) -> str:
        """Return the text that `read_said` reads, to the last digit."""
        if self.is_number:
            return repr(float(self.lower))
        if self.upper == math.inf:
            return f">={float(self.lower)!r}"
        return f"<={float(self.upper)!r}" if self.lower == 0.0 else f"{float(self.lower)!r}..{float(self.upper)!r}"


def said(
    value: float, at_least: float | None, at_most: float | None, name: str, *, beside_ruler: bool = False
) -> Said | None:
    """Return what an answer says, by its parts; None where it says nothing at all.

    >>> print(said(float("nan"), 0.2, None, "q1"))
    >=0.2
    """
    place = f"the answer to question {name}"
    if at_least is None and at_most is None:
        if is_missing(value):
            return None
        number = _number(value, place)
        return Said(number, number, beside_ruler)
    if not is_missing(value):
        raise InvalidAnswer(f"{place} must be a number or a range, got both: {value!r}, and at_least or at_most")
    lower = 0.0 if at_least is None else _number(at_least, place)
    upper = math.inf if at_most is None else _end(at_most, place)
    return checked_range(lower, upper, place, beside_ruler=beside_ruler)


def read_said(raw: object, place: str) -> Said | None:
    """Read a number or a text; None where it is missing or empty. ``place`` says where it stands, for a message.

    >>> read_said("0.2..0.5", "the answer"), read_said(float("nan"), "the answer")
    (Said(lower=0.2, upper=0.5, beside_ruler=False), None)
    """
    if is_missing(raw):
        return None
    if isinstance(raw, Said):
        return checked_range(raw.lower, raw.upper, place, beside_ruler=raw.beside_ruler)
    if isinstance(raw, str):
        if not raw.strip():
            return None
        if found := _RANGE.fullmatch(raw):
            return checked_range(_number(found[1], place), _number(found[2], place), place)
        if found := _END.fullmatch(raw):
            end = _number(found[2], place)
            return checked_range(0.0, end, place) if found[1] in AT_MOST else checked_range(end, math.inf, place)
    number = _number(raw, place)
    return Said(number, number)


def checked_range(lower: float, upper: float, place: str, *, beside_ruler: bool = False) -> Said:
    """Return a range, or raise if it is empty or says nothing."""
    if not (0.0 <= lower <= upper and lower < math.inf):
        raise InvalidAnswer(
            f"{place} must be a range from a number of at least 0 to one that is not smaller, got {lower:g} to {upper:g}"
        )
    if lower == 0.0 and upper == math.inf:
        raise InvalidAnswer(f"{place} says nothing: every dissimilarity is from 0 to infinity; leave it unanswered")
    # no -0.0
    return Said(float(lower) + 0.0, float(upper) + 0.0, beside_ruler)


def number_of(said: Said | None, place: str) -> float:
    """Return the number that was said, where nothing else will do."""
    if said is None or not said.is_number:
        raise InvalidAnswer(f"{place} must be one number here, got {said}; BudgetedSimilarity.fit learns from ranges")
    return said.lower


def is_missing(raw: object) -> bool:
    """Tell whether a cell or value is no answer at all."""
    # of a list, pandas tells which of its parts are missing
    return pd.isna(raw) is True  # type: ignore[call-overload]  # whatever is given


def _number(raw: object, place: str) -> float:
    try:
        value = float(raw)  # type: ignore[arg-type]  # whatever float() takes is fine, the rest is told so
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value) or value < 0.0:
        raise InvalidAnswer(
            f"{place} must be a finite number, at least 0 (small means similar), or a range such as 0.2..0.5 or <=0.5, got "
            f"{raw!r:.80}; correct it, or leave it out if there is no answer"
        )
    return value


def _end(raw: object, place: str) -> float:
    """Return the upper end of a range, which may be infinite."""
    return math.inf if raw == math.inf else _number(raw, place)
