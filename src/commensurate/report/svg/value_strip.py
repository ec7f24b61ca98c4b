"""A value in the distribution of its group, as a picture no higher than a line of text."""

from __future__ import annotations

from functools import lru_cache

from commensurate.study.profiles import Place

WIDTH, HEIGHT = 96.0, 20.0
# above the bars there is room for the mark
TOP = 6.0
# values that are there at all can be seen
LEAST_HEIGHT = 1.0
WIDEST_BAR = 12.0


def value_strip(place: Place) -> str:
    """Return an inline SVG with a bar for each part of the group, or nothing where there is nothing to draw.

    The bar that holds the value is marked by a triangle above it, not by colour alone. The words of the place stand beside
    the picture, which is therefore hidden from those who listen.

    >>> value_strip(Place("12 % of married", bins=(0.5, 1.0), here=1)).count("<path")
    2
    """
    if not place.bins:
        return ""
    step, width = _widths(len(place.bins))
    bars = _bars(place.bins)
    here = (
        "" if place.here is None else _path("strip-here", bars[place.here] + _triangle(place.here * step + width / 2))
    )
    others = "".join(bar for k, bar in enumerate(bars) if k != place.here)
    return (
        f'<svg class="strip" viewBox="-3 0 {WIDTH + 6:g} {HEIGHT:g}" width="{WIDTH + 6:g}" height="{HEIGHT:g}" '
        f'aria-hidden="true" focusable="false">{_path("strip-bar", others)}{here}</svg>'
    )


def _widths(n: int) -> tuple[float, float]:
    """Return how far it is from one bar to the next, and how wide bars are: with a gap, if there is room for one."""
    step = min(WIDTH / n, WIDEST_BAR)
    return step, step - 1.0 if step >= 3.0 else step


# every question shows the same few columns
@lru_cache(maxsize=1_000)
def _bars(shares: tuple[float, ...]) -> tuple[str, ...]:
    step, width = _widths(len(shares))
    return tuple(_bar(k * step, width, share) for k, share in enumerate(shares))


def _path(name: str, drawn: str) -> str:
    # without a style sheet the bars are faint and the mark is not
    opacity = ' fill-opacity="0.4"' if name == "strip-bar" else ""
    return f'<path class="{name}" fill="currentColor"{opacity} d="{drawn}"/>' if drawn else ""


def _bar(x: float, width: float, share: float) -> str:
    if share <= 0.0:
        return ""
    height = max(share * (HEIGHT - TOP), LEAST_HEIGHT)
    return f"M{x:.1f} {HEIGHT:g}v-{height:.1f}h{width:.1f}v{height:.1f}z"


def _triangle(middle: float) -> str:
    return f"M{middle:.1f} {TOP - 1:g}l-3 -5h6z"
