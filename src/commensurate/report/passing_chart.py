"""Which L passes: a scale with the part that fails, the part of which nothing can be told, and the part that passes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from commensurate.report.style import ALARM, INK, WIDTH, our_style
from commensurate.report.verdict_style import VERDICT_COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from commensurate.applications.fairness.lipschitz import LipschitzRange

HEIGHT = 1.15
UNDECIDED_GROUND, PASSING_GROUND = "#ececec", "#d9e8ef"
# a part must be as wide as this share of the scale to bear its name
LABEL_WIDTH = 0.12
ROOM = 1.35


def draw_passing(passing: LipschitzRange, lipschitz: float, words: str) -> Figure:
    """Draw the scale of L, with a mark at the audited one; ``words`` say the same to those who cannot see it.

    >>> from commensurate.applications.fairness.lipschitz import LipschitzRange
    >>> figure = draw_passing(LipschitzRange(0.5, 2.0, True), 1.0, "From L = 2 on, all pairs are satisfied.")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['fails', 'cannot be told', 'passes', 'audited: L = 1']
    """
    known = [value for value in (passing.fails_below, passing.passes_from, lipschitz) if math.isfinite(value)]
    end = ROOM * max(known)
    fails, passes = min(passing.fails_below, end), min(passing.passes_from, end)
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        figure.set_label(words)
        axes = figure.subplots()
        _part(axes, 0.0, fails, end, "fails", ALARM, VERDICT_COLOURS["violated"])
        _part(axes, fails, passes, end, "cannot be told", UNDECIDED_GROUND, VERDICT_COLOURS["undecided"])
        _part(axes, passes, end, end, "passes", PASSING_GROUND, VERDICT_COLOURS["satisfied"])
        axes.axvline(lipschitz, color=INK, linewidth=2.0)
        axes.annotate(
            f"audited: L = {lipschitz:g}",
            (lipschitz, 1.0),
            xytext=(0.0, 3.0),
            textcoords="offset points",
            ha="left" if lipschitz < 0.1 * end else "center",
            fontweight="bold",
            color=INK,
        )
        axes.set(xlim=(0.0, end), ylim=(0.0, 1.0), xlabel="L: how much scores may differ per unit of dissimilarity")
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
    return figure


def _part(axes: Any, start: float, stop: float, end: float, name: str, ground: str, colour: str) -> None:
    if stop <= start:
        return
    axes.axvspan(start, stop, color=ground, linewidth=0.0)
    if stop - start >= LABEL_WIDTH * end:
        axes.text((start + stop) / 2, 0.5, name, ha="center", va="center", color=colour, fontweight="bold")
