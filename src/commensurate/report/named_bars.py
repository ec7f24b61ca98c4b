"""Bars of named shares, the largest on top."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from commensurate.report.style import ALGORITHM_COLOURS, INK, WIDTH, our_style
from commensurate.report.visible_text import short_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 12
ROW_HEIGHT, FRAME_HEIGHT = 0.3, 0.3
LONGEST_NAME = 40
# room for the figures right of the longest bar
ROOM = 1.12


def draw_shares(shares: Mapping[str, float], what: str) -> Figure:
    """Draw the largest of some shares, which sum to 1; ``what`` says of what they are.

    >>> figure = draw_shares({"age": 0.7, "income": 0.3}, "Columns that matter")
    >>> figure.get_label(), [text.get_text() for text in figure.axes[0].texts]
    ('Columns that matter: age 70 %, income 30 %', ['70 %', '30 %'])
    """
    largest = sorted(shares.items(), key=lambda each: -each[1])[:MOST]
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, ROW_HEIGHT * len(largest) + FRAME_HEIGHT), layout="constrained")
        figure.set_label(f"{what}: {', '.join(f'{name} {_percent(share)}' for name, share in largest)}")
        axes = figure.subplots()
        axes.barh(range(len(largest)), [share for _, share in largest], color=ALGORITHM_COLOURS["NAIVE"])
        for place, (_, share) in enumerate(largest):
            axes.annotate(
                _percent(share),
                (share, place),
                xytext=(5.0, 0.0),
                textcoords="offset points",
                va="center",
                color=INK,
            )
        axes.set_yticks(range(len(largest)), [short_name(name, LONGEST_NAME) for name, _ in largest])
        axes.tick_params(length=0.0)
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        axes.set(xlim=(0.0, ROOM * max((share for _, share in largest), default=1.0) or 1.0))
        axes.invert_yaxis()
    return figure


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
