"""The gate that answers pass on their way into a study, whichever way they come."""

from __future__ import annotations

import operator
import unicodedata
from numbers import Real

from commensurate.errors import InvalidInput, InvalidParameter, UnknownQuestion
from commensurate.study.settings import LONGEST_MINUTES

LONGEST_NAME = 200
LONGEST_KEY = 128
LONGEST_COMMENT = 10_000
LONGEST_SECONDS = 60.0 * LONGEST_MINUTES
MOST_AT_ONCE = 100_000
# control characters, halves of characters, and what breaks a line; joiners and marks of direction are part of names
NO_NAME = frozenset({"Cc", "Cs", "Zl", "Zp"})


def checked_expert(name: object) -> str:
    """Return an expert's name, or say what is wrong with it.

    >>> checked_expert(" Ana ")
    'Ana'
    """
    # an é is the same é, however a keyboard spells it
    text = unicodedata.normalize("NFC", name).strip() if isinstance(name, str) else ""
    if not 0 < len(text) <= LONGEST_NAME or any(unicodedata.category(one) in NO_NAME for one in text):
        raise InvalidParameter(
            f"an expert's name must be one line of text of 1 to {LONGEST_NAME} characters, got {str(name)[:50]!r}"
        )
    return text


def checked_comment(comment: str | None) -> str | None:
    """Return a comment, None if it is empty, or say what is wrong with it."""
    if not comment:
        return None
    if not isinstance(comment, str):
        raise InvalidInput(f"a comment must be text, got {comment!r}")
    # no database keeps NUL or half a character
    if len(comment) > LONGEST_COMMENT or any(one == "\0" or unicodedata.category(one) == "Cs" for one in comment):
        raise InvalidInput(
            f"a comment must be text of at most {LONGEST_COMMENT:,} characters, got {len(comment):,}: {comment[:50]!r}"
        )
    return comment


def checked_seconds(seconds: float | None) -> float | None:
    """Return how long an answer took, if it is known."""
    if seconds is None:
        return None
    if not (isinstance(seconds, Real) and 0.0 <= seconds <= LONGEST_SECONDS):
        raise InvalidParameter(f"seconds must be a number from 0 to one year, got {seconds!r}")
    return float(seconds)


def checked_key(key: str | None) -> str | None:
    """Return the name under which an answer is known to its sender, if it has one."""
    if key is not None and not (isinstance(key, str) and 0 < len(key) <= LONGEST_KEY and key.isprintable()):
        raise InvalidParameter(f"a key must be printable text of 1 to {LONGEST_KEY} characters, got {str(key)[:50]!r}")
    return key


def checked_question_id(question_id: object) -> str:
    """Return what may be the id of a question."""
    if not isinstance(question_id, str) or not question_id.isascii() or "\0" in question_id:
        raise UnknownQuestion(
            f"a question_id must be text such as 7199e25f66cc2c0deefca50f9cdebe37, got {question_id!r}"
        )
    return question_id


def checked_number_of_questions(n: int) -> int:
    """Return how many questions are wanted."""
    try:
        whole = operator.index(n)
    except TypeError:
        whole = 0
    if not 1 <= whole <= MOST_AT_ONCE:
        raise InvalidParameter(f"n must be a whole number from 1 to {MOST_AT_ONCE:,}, got {n!r}")
    return whole


def checked_minutes(minutes: float) -> float:
    """Return how long a question is kept for one expert."""
    if not (isinstance(minutes, Real) and 0.0 < minutes <= LONGEST_MINUTES):
        raise InvalidParameter(f"minutes must be a number above 0 and at most one year, got {minutes!r}")
    return float(minutes)
