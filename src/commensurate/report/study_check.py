"""What a check of a study's answers found, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.text import Text

from commensurate.report.visible_text import one_line
from commensurate.study.check import StudyCheck


def check_view(found: StudyCheck) -> RenderableType:
    """Return what does not fit together, part by part."""
    contradictions = [found.not_compared] if found.not_compared else [one.words for one in found.contradictions]
    agreement = (
        [str(found.agreement)] if found.agreement else ["No two experts have answered enough of the same questions."]
    )
    repeats = [str(one) for one in found.repeats] or ["No hidden repeat has been answered yet."]
    again = [f"{one.question_id} ({one.left_id} and {one.right_id}): {one.why}" for one in found.ask_again] or ["none"]
    return Group(
        *_part("Contradictions of M1 and M2", contradictions),
        *_part(
            "Agreement between experts", [*agreement, *(str(one) for one in found.shifts), found.left_out_words or ""]
        ),
        *_part("Questions that experts differ most about", [str(one) for one in found.disagreements] or ["none"]),
        *_part("Experts with themselves, on hidden repeats", repeats),
        *_part("Ask again", again),
    )


def _part(heading: str, lines: Iterable[str]) -> list[Text]:
    shown = [Text(one_line(line)) for text in lines for line in text.splitlines()]
    return [Text(heading, style="bold"), *shown, Text()]
