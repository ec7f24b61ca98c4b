"""Cards of pairs as HTML: everything escaped, nothing that only a picture tells."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from commensurate.report.interval_strip import interval_strip, known_in_words
from commensurate.report.pair_cards import CardPerson, PairCard
from commensurate.report.tables import readable
from commensurate.report.visible_text import visible_text


def cards_html(cards: Sequence[PairCard]) -> str:
    """Return the cards as a numbered list."""
    return f'<ol class="pair-cards">{"".join(_card(card) for card in cards)}</ol>'


def _card(card: PairCard) -> str:
    remark = f'<p class="remark">{escape(card.remark)}</p>' if card.remark else ""
    return (
        f'<li><p class="finding">Scores differ by <strong>{readable(card.gap)}</strong>; '
        f"{'by the estimate, ' if card.by_estimate else ''}{readable(card.allowed)} is allowed.</p>"
        f'<div class="two">{_person("treated worse", card.worse)}{_person("treated better", card.better)}</div>{remark}'
        f'{interval_strip(card)}<p class="known-words">{escape(known_in_words(card))} '
        f"For this gap it would have to be at least {readable(card.needed)}.</p></li>\n"
    )


def _person(role: str, person: CardPerson) -> str:
    fields = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in person.fields)
    return (
        f'<div class="person"><p class="role">{escape(role)}</p>'
        f'<p class="who"><strong>{_text(person.id)}</strong> <span>{_text(person.group)}</span></p>'
        f'<p class="score"><span class="label">score</span> {readable(person.score)}</p>'
        f"{f'<dl>{fields}</dl>' if fields else ''}</div>"
    )


def _text(text: str) -> str:
    return escape(visible_text(text))
