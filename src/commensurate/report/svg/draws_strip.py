"""A cell's draws on a line as wide as a word, with the paper's figure among or beside them."""

from __future__ import annotations

from markupsafe import Markup

from commensurate.report.html.comparison import Comparison
from commensurate.report.svg.element import element, joined

WIDTH, HEIGHT, MARGIN = 132.0, 20.0, 8.0
MIDDLE = HEIGHT / 2


def strip(cell: Comparison, decimals: int) -> Markup:
    """Return an inline SVG: a dot a draw, a bar at our median, a diamond at the paper's figure.

    Each strip has its own scale, which always reaches to the paper's figure, so that the diamond is never cut off.

    >>> 'aria-label="paper 3.000, above all 2 draws"' in strip(Comparison(3.0, (1.0, 2.0)), 3)
    True
    """
    median = _place(cell.median, cell)
    return element(
        "svg",
        element("line", class_="scale", x1=MARGIN, x2=WIDTH - MARGIN, y1=MIDDLE, y2=MIDDLE),
        *(element("circle", class_="draw", cx=_place(draw, cell), cy=MIDDLE, r=2.6) for draw in cell.draws),
        element("line", class_="median", x1=median, x2=median, y1=2, y2=HEIGHT - 2),
        _diamond(cell),
        class_="strip",
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        width=WIDTH,
        height=HEIGHT,
        role="img",
        aria_label=in_words(cell, decimals),
    )


def in_words(cell: Comparison, decimals: int) -> str:
    """Return what the strip shows, for those who cannot see it.

    >>> in_words(Comparison(1.5584, (1.0, 2.0)), 3)
    'paper 1.558, above 1 of 2 draws'
    """
    return cell.place if cell.paper is None else f"paper {cell.paper:.{decimals}f}, {cell.place}"


def _diamond(cell: Comparison) -> Markup:
    if cell.paper is None:
        return joined()
    x, size = _place(cell.paper, cell), 5.5
    corners = f"M{x:.1f} {MIDDLE - size:g}l{size:g} {size:g}l-{size:g} {size:g}l-{size:g} -{size:g}z"
    return element("path", class_="paper", d=corners)


def _place(value: float, cell: Comparison) -> float:
    """Where ``value`` lies on the strip: the line runs from the smallest to the largest of
    the draws and the paper's figure.
    """
    ends = cell.draws if cell.paper is None else (*cell.draws, cell.paper)
    low, high = min(ends), max(ends)
    # halves, because the difference of two huge numbers of opposite sign would overflow
    length = high / 2 - low / 2
    share = 0.5 if length == 0 else (value / 2 - low / 2) / length
    return MARGIN + share * (WIDTH - 2 * MARGIN)
