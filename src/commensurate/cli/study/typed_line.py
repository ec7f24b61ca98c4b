"""What an expert types in the terminal: an answer of the kind asked for, or a command of one letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from commensurate.asking.said import read_said
from commensurate.errors import InvalidAnswer
from commensurate.records.values import read_number
from commensurate.study.messages import AskedQuestion


class Command(Enum):
    """What can be typed besides an answer."""

    ANSWER = "an answer"
    SKIP = "s"
    UNSURE = "u"
    BACK = "b"
    COMMENT = "c"
    HELP = "?"
    QUIT = "q"
    YES = "y"
    NOTHING = ""
    UNKNOWN = "anything else"


WORDS = {
    **{one.value: one for one in Command if len(one.value) <= 1},
    **{"skip": Command.SKIP, "unsure": Command.UNSURE, "back": Command.BACK, "comment": Command.COMMENT},
    **{"help": Command.HELP, "quit": Command.QUIT, "exit": Command.QUIT, "yes": Command.YES},
}
# of a grade, so many letters are enough if no other grade begins with them
FEWEST_LETTERS = 3


@dataclass(frozen=True, slots=True)
class TypedLine:
    """One line, understood; ``answer`` is what the study records,
    ``text`` is what follows a ``c``, or what was not understood.
    """

    command: Command
    answer: float | str | None = None
    text: str = ""


def read_typed(line: str, question: AskedQuestion | None = None, grades: Sequence[str] = ()) -> TypedLine:
    """Understand a line that was typed to a question; to none, as one that asks for a number.

    >>> read_typed("0,25").answer, read_typed("<=0.5").answer
    (0.25, '<=0.5')
    >>> asked = AskedQuestion("q", ("a", "b"), "1", "2", {}, {}, kind="grade")
    >>> read_typed("2", asked, ["alike", "different"]).answer, read_typed("diff", asked, ["alike", "different"]).answer
    ('different', 'different')
    >>> read_typed("c the ages are guessed")
    TypedLine(command=<Command.COMMENT: 'c'>, answer=None, text='the ages are guessed')
    >>> read_typed("-1").command
    <Command.UNKNOWN: 'anything else'>
    """
    line = line.strip()
    if (answer := _answer(line, question, grades)) is not None:
        return TypedLine(Command.ANSWER, answer)
    word, _, rest = line.partition(" ")
    command = WORDS.get(word.lower(), Command.UNKNOWN)
    if command is Command.UNKNOWN or (rest and command is not Command.COMMENT):
        return TypedLine(Command.UNKNOWN, text=line)
    return TypedLine(command, text=rest.strip())


def pairs_in_order(question: AskedQuestion) -> tuple[str, str]:
    """Return what the study calls the pairs of a comparison that are shown as pair 1 and as pair 2."""
    return ("second", "first") if question.other_first else ("first", "second")


def _answer(line: str, question: AskedQuestion | None, grades: Sequence[str]) -> float | str | None:
    if question is not None and question.kind == "grade":
        return _grade(line, grades)
    if question is not None and question.kind == "comparison":
        one, two = pairs_in_order(question)
        return {"1": one, "2": two, "=": "same", "same": "same"}.get(line.lower())
    if (number := read_number(line)) is not None:
        return number
    return line.replace(",", ".") if _is_range(line.replace(",", ".")) else None


def _grade(line: str, grades: Sequence[str]) -> str | None:
    by_number = {str(number): word for number, word in enumerate(grades, start=1)}
    if line in by_number:
        return by_number[line]
    meant = [word for word in grades if len(line) >= FEWEST_LETTERS and word.casefold().startswith(line.casefold())]
    exact = [word for word in meant if word.casefold() == line.casefold()]
    return exact[0] if exact else meant[0] if len(meant) == 1 else None


def _is_range(line: str) -> bool:
    if not line.startswith(("<", ">", "≤", "≥")) and ".." not in line:
        return False
    try:
        read_said(line, "the answer")
    except InvalidAnswer:
        return False
    return True
