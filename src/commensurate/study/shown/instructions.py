"""What experts read before their first question, in the owner's words, or in ours if the owner has written none."""

from __future__ import annotations

from pathlib import Path

from commensurate.errors import InvalidInput, InvalidParameter

# what a form can carry in every script
LONGEST_INSTRUCTIONS = 6_000

DEFAULT = """
## What this is for

You will see two records at a time, one from each of two groups. Nobody has a formula that compares them across these
groups, so we ask people who know such records. From your answers, the software learns to compare others.

## What “alike” means here

Two records are **alike** if, for the decision that this study is about, it should make no difference which of the two
you have in front of you. Look at each record as a whole: one large difference may matter more than three small ones.

- There are no trick questions. Your honest judgement is the right answer.
- Trust your first impression; half a minute a question is plenty.
- If you cannot tell, say so. That is an answer too.
- You can undo an answer, and stop and come back at any time: your link keeps working.
"""


def checked_instructions(text: object) -> str:
    """Return the owner's text, or say what is wrong with it; an empty one stands for the default.

    >>> checked_instructions("Alike means: *equally likely to pay back*. ")
    'Alike means: *equally likely to pay back*.'
    """
    if not isinstance(text, str):
        raise InvalidParameter(f"instructions must be text, got {text!r}")
    # browsers end lines as in the days of teleprinters; half a character is no text, and no database keeps it
    text = text.replace("\r\n", "\n").strip()
    if len(text) > LONGEST_INSTRUCTIONS or any("\ud800" <= one <= "\udfff" or one == "\0" for one in text):
        raise InvalidParameter(
            f"instructions must be text of at most {LONGEST_INSTRUCTIONS:,} characters, got {len(text):,}: {text[:50]!r}"
        )
    return text


def instructions_shown(text: str) -> str:
    """Return what experts read: the owner's words, or ours."""
    return text or DEFAULT.strip()


def read_instructions(path: Path) -> str:
    """Return what a Markdown file says."""
    try:
        # some editors put a mark of their own in front of UTF-8
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not a text in UTF-8: {error}") from error
    try:
        return checked_instructions(text)
    except InvalidParameter as error:
        raise InvalidInput(f"{path}: {error}") from None
