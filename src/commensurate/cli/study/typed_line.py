"""What an expert typed at a question: an answer, or a command of one letter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from commensurate.study.typed_number import read_number


class Command(Enum):
    """What can be typed besides a number."""

    ANSWER = "a number"
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


@dataclass(frozen=True, slots=True)
class TypedLine:
    """One line, understood; ``number`` belongs to an answer, ``text`` is what follows a ``c``, or what was not understood."""

    command: Command
    number: float = math.nan
    text: str = ""


def read_typed(line: str) -> TypedLine:
    """Understand a line.

    >>> read_typed("0,25").number
    0.25
    >>> read_typed("c the ages are guessed")
    TypedLine(command=<Command.COMMENT: 'c'>, number=nan, text='the ages are guessed')
    >>> read_typed("-1").command
    <Command.UNKNOWN: 'anything else'>
    """
    line = line.strip()
    if (number := read_number(line)) is not None:
        return TypedLine(Command.ANSWER, number=number)
    word, _, rest = line.partition(" ")
    command = WORDS.get(word.lower(), Command.UNKNOWN)
    if command is Command.UNKNOWN or (rest and command is not Command.COMMENT):
        return TypedLine(Command.UNKNOWN, text=line)
    return TypedLine(command, text=rest.strip())
