"""A value in the distribution of its group, as a picture no higher than a line of text."""

from __future__ import annotations

from functools import lru_cache

from markupsafe import Markup

from commensurate.report.svg.element import element, joined
from commensurate.study.profiles import Place

WIDTH, HEIGHT = 96.0, 20.0
# above the bars there is room for the mark
TOP = 6.0
# values that are there at all can be seen
LEAST_HEIGHT = 1.0
WIDEST_BAR = 12.0


def value_strip(place: Place) -> Markup:
    """Return an inline SVG with a bar for each part of the group, or nothing where there is nothing to draw.

    The bar that holds the value is marked by a triangle above it, not by colour alone. The words of the place stand
    beside the picture, which is therefore hidden from those who listen.

    >>> value_strip(Place("12 % of married", "12 %", bins=(0.5, 1.0), here=1)).count("<path")
    2
    """
    return _drawn(place.bins, place.here) if place.bins else joined()


# every question shows the same few columns, and an expert waits for it
@lru_cache(maxsize=2_000)
def _drawn(shares: tuple[float, ...], here: int | None) -> Markup:
    step, width = _widths(len(shares))
    bars = [_bar(k * step, width, share) for k, share in enumerate(shares)]
    others = "".join(bar for k, bar in enumerate(bars) if k != here)
    drawn = []
    # without a style sheet the bars are faint and the mark is not
    if others:
        drawn.append(element("path", class_="strip-bar", fill="currentColor", fill_opacity="0.4", d=others))
    if here is not None:
        marked = bars[here] + _triangle(here * step + width / 2)
        drawn.append(element("path", class_="strip-here", fill="currentColor", d=marked))
    return element(
        "svg",
        *drawn,
        class_="strip",
        viewBox=f"-3 0 {WIDTH + 6:g} {HEIGHT:g}",
        width=WIDTH + 6,
        height=HEIGHT,
        aria_hidden="true",
        focusable="false",
    )


def _widths(n: int) -> tuple[float, float]:
    """Return how far it is from one bar to the next, and how wide bars are: with a gap, if there is room for one."""
    step = min(WIDTH / n, WIDEST_BAR)
    return step, step - 1.0 if step >= 3.0 else step


def _bar(x: float, width: float, share: float) -> str:
    if share <= 0.0:
        return ""
    height = max(share * (HEIGHT - TOP), LEAST_HEIGHT)
    return f"M{x:.1f} {HEIGHT:g}v-{height:.1f}h{width:.1f}v{height:.1f}z"


def _triangle(middle: float) -> str:
    return f"M{middle:.1f} {TOP - 1:g}l-3 -5h6z"
