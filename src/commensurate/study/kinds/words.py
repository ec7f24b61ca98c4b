"""What can be asked for, the words of grades, and the dissimilarities between one grade and the next."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from numbers import Real
from typing import Literal

from commensurate.errors import InvalidParameter

AnswerKind = Literal["grades", "numbers", "comparisons"]
QuestionKind = Literal["number", "grade", "comparison"]
# which of two pairs is more alike: the one in question, the one of known distance, or neither
COMPARED = ("first", "second", "same")

GRADES = ("hardly different", "a little different", "clearly different", "very different", "utterly different")
FEWEST_GRADES, MOST_GRADES, LONGEST_GRADE = 2, 9, 60
# what a sheet or the terminal would take for something else
RESERVED = {"first", "second", "same", "unsure", "open", "answered", "nan", "inf", "infinity", "none"} | {
    "skip",
    "back",
    "comment",
    "help",
    "quit",
    "exit",
    "yes",
}


def checked_grades(words: object) -> tuple[str, ...]:
    """Return the words of grades, from alike to different, or say what is wrong with them.

    >>> checked_grades(["alike ", "similar", "different"])
    ('alike', 'similar', 'different')
    """
    given = list(words) if isinstance(words, Sequence) and not isinstance(words, str) else [words]
    found = tuple(unicodedata.normalize("NFC", one).strip() if isinstance(one, str) else "" for one in given)
    if not FEWEST_GRADES <= len(found) <= MOST_GRADES:
        raise InvalidParameter(
            f"grades must be {FEWEST_GRADES} to {MOST_GRADES} words, got {len(found)}: {words!r:.80}"
        )
    for one, word in zip(given, found):
        # letters first: a number, a range or a formula would be read as such
        if not (0 < len(word) <= LONGEST_GRADE and word.isprintable() and word[0].isalpha()):
            raise InvalidParameter(
                f"a grade must be one line of at most {LONGEST_GRADE} characters that begins with a letter, got {one!r:.80}"
            )
        if len(word) == 1 or word.casefold() in RESERVED:
            raise InvalidParameter(f"a grade cannot be called {word!r}, which means something else; use another word")
    if len({word.casefold() for word in found}) < len(found):
        raise InvalidParameter(f"grades must differ from each other, got {list(found)}")
    return found


def checked_boundaries(numbers: object, grades: Sequence[str]) -> tuple[float, ...]:
    """Return the dissimilarities between grades, one fewer than there are grades, or say what is wrong with them.

    >>> checked_boundaries([0.2, 1], ["alike", "similar", "different"])
    (0.2, 1.0)
    """
    given = list(numbers) if isinstance(numbers, Sequence) and not isinstance(numbers, str) else [numbers]
    found = [float(one) if isinstance(one, Real) and not isinstance(one, bool) else math.nan for one in given]
    in_order = all(lower < upper for lower, upper in zip([0.0, *found], found))
    if len(found) != len(grades) - 1 or not in_order or not all(map(math.isfinite, found)):
        raise InvalidParameter(
            f"boundaries must be {len(grades) - 1} increasing numbers above 0, one between each of the {len(grades)} grades "
            f"and the next, got {numbers!r:.80}"
        )
    return tuple(found)
