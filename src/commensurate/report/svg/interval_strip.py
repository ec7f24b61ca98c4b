"""What is known of the dissimilarity of two people, on a few lines, with the mark that it falls short of."""

from __future__ import annotations

import math

from markupsafe import Markup

from commensurate.report.html.pair_cards import NamedInterval, PairCard
from commensurate.report.svg.element import element
from commensurate.wording import readable

WIDTH, MARGIN_LEFT, MARGIN_RIGHT = 340.0, 72.0, 14.0
LINE_HEIGHT, HEAD, FOOT = 18.0, 18.0, 16.0
# of bold letters of 11 pixels, rather too much than too little
LETTER_WIDTH = 7.0
# the scale ends a little beyond the largest number on it
ROOM = 1.12


def interval_strip(card: PairCard) -> Markup:
    """Return an inline SVG: the estimate and each interval on a line, and where the dissimilarity would have to begin.

    A model that asks on demand may have no estimate (NaN): then none is drawn. Left of that mark, on the tinted ground,
    the gap of the two scores is too large for how alike the two are. An infinite interval ends in an arrow.
    """
    end = _end(card)
    names = [*_name_of_estimate(card), *(each.name for each in card.intervals)]
    height = HEAD + LINE_HEIGHT * len(names) + FOOT
    bottom = height - FOOT
    mark = _place(card.needed, end)
    label = f"needed: {readable(card.needed)}"
    n_points = len(names) - len(card.intervals)
    lines = [_point(card.estimate, end, _middle(0))] * n_points
    lines += [_bar(each, end, _middle(k)) for k, each in enumerate(card.intervals, start=n_points)]
    return element(
        "svg",
        element("rect", class_="short", x=MARGIN_LEFT, y=HEAD, width=mark - MARGIN_LEFT, height=bottom - HEAD),
        element("path", class_="scale", d=f"M{MARGIN_LEFT:g} {bottom:g}H{WIDTH - MARGIN_RIGHT:g}"),
        element("path", class_="needed", d=f"M{mark:.1f} {HEAD - 3:g}V{bottom:g}"),
        element("text", label, class_="needed-name", x=_label_place(mark, label), y=HEAD - 7, text_anchor="middle"),
        *(
            element("text", name, class_="name", x=MARGIN_LEFT - 8, y=_middle(k) + 4, text_anchor="end")
            for k, name in enumerate(names)
        ),
        *lines,
        element("text", "0", x=MARGIN_LEFT, y=height - 3, text_anchor="middle"),
        element("text", readable(end), x=WIDTH - MARGIN_RIGHT, y=height - 3, text_anchor="end"),
        class_="intervals",
        viewBox=f"0 0 {WIDTH:g} {height:g}",
        role="img",
        aria_label=known_in_words(card),
    )


def known_in_words(card: PairCard) -> str:
    """Say what is known of how dissimilar the two are.

    >>> from commensurate.report.html.pair_cards import CardPerson
    >>> anna, bert = CardPerson("1", "a", 0.2), CardPerson("2", "b", 0.9)
    >>> known_in_words(PairCard(anna, bert, 0.7, 0.4, 0.7, 0.3, (NamedInterval("certified", 0.1, 0.4),)))
    'Dissimilarity: estimate 0.3; certified 0.1 to 0.4.'
    """
    if not card.intervals and card.worse.group == card.better.group:
        return f"Distance within the group: {readable(card.estimate)}."
    parts = [f"{name} {readable(card.estimate)}" for name in _name_of_estimate(card)]
    parts += [f"{each.name} {readable(each.lower)} to {readable(each.upper)}" for each in card.intervals]
    return f"Dissimilarity: {'; '.join(parts)}."


def _name_of_estimate(card: PairCard) -> tuple[str, ...]:
    """Return how the estimate is called, or nothing where there is none."""
    if math.isnan(card.estimate):
        return ()
    return ("estimate",) if card.intervals else ("distance",)


def _end(card: PairCard) -> float:
    numbers = [card.needed, card.estimate, *(end for each in card.intervals for end in (each.lower, each.upper))]
    return ROOM * max((number for number in numbers if math.isfinite(number)), default=1.0) or 1.0


def _place(value: float, end: float) -> float:
    share = min(max(value / end, 0.0), 1.0)
    return MARGIN_LEFT + share * (WIDTH - MARGIN_LEFT - MARGIN_RIGHT)


def _middle(line: int) -> float:
    return HEAD + LINE_HEIGHT * (line + 0.5)


def _label_place(mark: float, label: str) -> float:
    """Return where the middle of the mark's label is, so that none of it is cut off."""
    half = LETTER_WIDTH * len(label) / 2
    return min(max(mark, half), WIDTH - half)


def _point(value: float, end: float, y: float) -> Markup:
    return element("circle", class_="estimate", cx=_place(value, end), cy=y, r=4.5)


def _bar(interval: NamedInterval, end: float, y: float) -> Markup:
    low, high = _place(interval.lower, end), _place(interval.upper, end)
    arrow, stop = f"M{high - 5:.1f} {y - 5:g}l5 5l-5 5", f"M{high:.1f} {y - 5:g}v10"
    line = f"M{low:.1f} {y:g}H{high:.1f}M{low:.1f} {y - 5:g}v10"
    return element("path", class_="known", d=line + (arrow if math.isinf(interval.upper) else stop))
