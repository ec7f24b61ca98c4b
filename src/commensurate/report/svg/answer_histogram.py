"""How often which dissimilarity was answered, with the ruler's known distances above,
as a small inline SVG for a page.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from commensurate.errors import InvalidInput
from commensurate.report.svg.chart_axes import HEIGHT, LEFT, RIGHT, WIDTH, Frame
from commensurate.report.svg.element import element, joined
from commensurate.wording import axis_number, short_name

ROOM_ABOVE = 1.05
TOP, ROW = 24.0, 20.0
# a longer name would run into the marks
LONGEST_NAME = 18


def answer_histogram(edges: Sequence[float], counts: Sequence[int], ruler: Sequence[tuple[str, float]] = ()) -> Markup:
    """Return an inline SVG: a bar for each count between two edges, which start at 0.

    Parameters
    ----------
    ruler
        (group, distance): known distances within groups, a row of dots for each group.
        Those beyond the last edge are left out.

    Examples
    --------
    >>> svg = answer_histogram([0.0, 0.5, 1.0], [3, 4], ruler=[("married", 0.2), ("single", 0.4), ("single", 0.7)])
    >>> svg.count('class="bar"'), svg.count('class="known-distance"')
    (2, 3)
    """
    if len(edges) != len(counts) + 1 or not counts:
        raise InvalidInput(
            f"a histogram needs one edge more than counts, got {len(edges)} edges for {len(counts)} counts; pass what "
            "numpy.histogram returns"
        )
    rows = list(dict.fromkeys(group for group, _ in ruler))
    frame = Frame(edges[-1], ROOM_ABOVE * max(4, *counts), top=TOP + ROW * len(rows), height=HEIGHT + ROW * len(rows))
    parts = [frame.axes("dissimilarity (small = similar)", "answers")]
    parts += [_bar(frame, left, right, count) for left, right, count in zip(edges, edges[1:], counts)]
    for k, group in enumerate(rows):
        known = [distance for name, distance in ruler if name == group and distance <= edges[-1]]
        parts.append(_row(frame, TOP + ROW * (k + 0.5), group, known))
    return frame.picture("histogram", _in_words(edges, counts), *parts)


def _bar(frame: Frame, left: float, right: float, count: int) -> Markup:
    x, y = frame.x(left), frame.y(count)
    # a little less wide, so that neighbours can be told apart
    width = frame.x(right) - x - 1.0
    return element("rect", class_="bar", x=x + 0.5, y=y, width=width, height=frame.floor - y)


def _row(frame: Frame, y: float, group: str, known: Sequence[float]) -> Markup:
    name = short_name(group, LONGEST_NAME)
    return joined(
        element("line", class_="grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y),
        element("text", name, class_="row-label", x=WIDTH - RIGHT, y=y + 5, text_anchor="end"),
        *(element("circle", class_="known-distance", cx=frame.x(one), cy=y, r=4) for one in known),
    )


def _in_words(edges: Sequence[float], counts: Sequence[int]) -> str:
    if not any(counts):
        return "No answers yet."
    most = max(range(len(counts)), key=counts.__getitem__)
    return (
        f"Histogram of {sum(counts):,} answers from 0 to {axis_number(edges[-1])}; most, {counts[most]:,}, are between "
        f"{axis_number(edges[most])} and {axis_number(edges[most + 1])}."
    )
