"""A comparison as the page shows it: one record beside two others, A and B, or two pairs, A and B.

Which of the two is the pair of the question is drawn for each expert, and nothing on the page tells it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from commensurate.study.messages import AskedQuestion, Record, RulerPair
from commensurate.study.profiles import Profiles
from commensurate.study.shown.columns import ColumnStyle
from commensurate.web.questions.question_view import HasRecords, RecordsView, RowView, ValueView, record_view

LETTERS = ("A", "B")


@dataclass(frozen=True, slots=True)
class Sides:
    """Two records of a comparison."""

    between: tuple[str, str]
    left_record: Record
    right_record: Record


@dataclass(frozen=True, slots=True)
class Card:
    """One of the two that an expert chooses from; ``choice`` is what choosing it says."""

    letter: str
    choice: str
    group: str
    rows: RecordsView


@dataclass(frozen=True, slots=True)
class ThreeRow:
    """One column of the record that both pairs share, and of A and B."""

    label: str
    shared: ValueView | None
    cards: tuple[RowView | None, ...]


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """The two cards, and if both pairs share a record, its group and the three records row by row."""

    cards: tuple[Card, ...]
    shared_group: str | None
    rows: list[ThreeRow]


def comparison_view(
    question: AskedQuestion, profiles: Profiles, styles: Mapping[str, ColumnStyle]
) -> ComparisonView | None:
    """Return what is shown of a comparison; None for another question."""
    if question.other is None:
        return None
    own: HasRecords = question
    if question.shared == "right":
        # the shared record comes first on both cards
        own = Sides(question.between[::-1], question.right_record, question.left_record)
    chosen = [("first", own), ("second", question.other)]
    if question.other_first:
        chosen.reverse()
    cards = tuple(
        Card(letter, choice, pair.between[1], record_view(pair, profiles, styles))
        for letter, (choice, pair) in zip(LETTERS, chosen)
    )
    if question.shared is None:
        return ComparisonView(cards, None, [])
    return ComparisonView(cards, own.between[0], _three_rows(cards))


def two_pairs(
    first: RulerPair, second: RulerPair, profiles: Profiles, styles: Mapping[str, ColumnStyle]
) -> ComparisonView:
    """Return two pairs to choose from."""
    chosen = zip(LETTERS, ("first", "second"), (first, second))
    cards = tuple(
        Card(letter, choice, pair.between[1], record_view(pair, profiles, styles)) for letter, choice, pair in chosen
    )
    return ComparisonView(cards, None, [])


def _three_rows(cards: tuple[Card, ...]) -> list[ThreeRow]:
    found = [
        {row.column: row for row in (*card.rows.shared, *card.rows.left_only, *card.rows.right_only)} for card in cards
    ]
    columns = dict.fromkeys(column for rows in found for column in rows)
    three = []
    for column in columns:
        both = tuple(rows.get(column) for rows in found)
        known = [row for row in both if row is not None]
        three.append(ThreeRow(known[0].label, next((row.left for row in known if row.left), None), both))
    return three
