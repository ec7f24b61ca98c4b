"""The frame of a small inline SVG: where a value lies, round numbers along the axes, and their labels.

Colours and sizes come from the page's style sheet by class, since the page allows no inline style.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from markupsafe import Markup

from commensurate.report.svg.element import element, joined
from commensurate.wording import axis_number

# so narrow that its letters can still be read on a phone, where it is as wide as the screen
WIDTH, HEIGHT = 420.0, 270.0
LEFT, RIGHT, BOTTOM = 48.0, 14.0, 46.0
FONT_SIZE = 14.0


@dataclass(frozen=True, slots=True)
class Frame:
    """A drawing whose axes start at 0 and end at ``x_end`` and ``y_end``; ``top`` is what is kept free above."""

    x_end: float
    y_end: float
    top: float = 16.0
    height: float = HEIGHT

    def x(self, value: float) -> float:
        """Return where a value lies along the lower edge."""
        return LEFT + (WIDTH - LEFT - RIGHT) * value / self.x_end

    def y(self, value: float) -> float:
        """Return where a value lies along the left edge."""
        return self.floor - (self.floor - self.top) * value / self.y_end

    @property
    def floor(self) -> float:
        """Where 0 of the left edge lies."""
        return self.height - BOTTOM

    def axes(self, x_label: str, y_label: str) -> Markup:
        """Return grid, numbers and names of both axes."""
        parts: list[Markup] = []
        for tick in round_numbers(self.y_end):
            y = self.y(tick)
            parts.append(element("line", class_="grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y))
            parts.append(element("text", axis_number(tick), class_="tick", x=LEFT - 6, y=y + 5, text_anchor="end"))
        for tick in round_numbers(self.x_end):
            x = self.x(tick)
            parts.append(
                element("text", axis_number(tick), class_="tick", x=x, y=self.floor + 19, text_anchor="middle")
            )
        parts.append(element("text", x_label, class_="axis", x=WIDTH - RIGHT, y=self.height - 6, text_anchor="end"))
        parts.append(element("text", y_label, class_="axis", x=4, y=FONT_SIZE - 1))
        return joined(*parts)

    def picture(self, kind: str, title: str, *content: Markup) -> Markup:
        """Return the whole SVG; ``title`` says what it shows to those who cannot see it."""
        return element(
            "svg",
            element("title", title),
            *content,
            class_=f"chart {kind}",
            viewBox=f"0 0 {WIDTH:g} {self.height:g}",
            font_size=FONT_SIZE,
            role="img",
        )


def round_numbers(end: float, most: int = 5) -> list[float]:
    """Return a few round numbers from 0 to ``end``.

    >>> round_numbers(0.13), round_numbers(600)
    ([0.0, 0.05, 0.1], [0.0, 200.0, 400.0, 600.0])
    """
    unit = 10.0 ** math.floor(math.log10(end / most))
    step = next(unit * factor for factor in (1.0, 2.0, 5.0, 10.0, 20.0) if end / (unit * factor) < most)
    # rounded: multiples of 0.1 are not what they seem
    return [float(f"{k * step:.12g}") for k in range(math.floor(end / step * (1.0 + 1e-9)) + 1)]
