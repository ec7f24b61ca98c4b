"""Two charts of a model: estimates beside held-out answers, each in its interval, and bars of named shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from commensurate.report.style import BLUE, BOUND_COLOUR, GREY, INK, ORANGE, WIDTH, head, our_style
from commensurate.wording import counted, percent, short_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure


HEIGHT = 4.2
INSIDE, OUTSIDE = BLUE, ORANGE


def draw_held_out_answers(held_out: pd.DataFrame) -> Figure:
    """Draw what ``held_out_answers`` returned: a mark for each answer, on the line where the estimate hits it.

    >>> found = pd.DataFrame({"answer": [0.1, 0.9], "estimate": [0.1, 0.5], "lower": [0.0, 0.4], "upper": [0.2, 0.6]})
    >>> draw_held_out_answers(found).get_label()
    '2 held-out answers beside their estimates; 1 of them lies in its interval.'
    """
    answers, estimates = held_out["answer"].to_numpy(), held_out["estimate"].to_numpy()
    lower, upper = held_out["lower"].to_numpy(), held_out["upper"].to_numpy()
    inside = (lower <= answers) & (answers <= upper)
    finite = np.isfinite(upper)
    end = 1.05 * max(float(np.concatenate([answers, estimates, upper[finite]]).max(initial=0.0)), 1e-12)
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        figure.set_label(in_words(held_out))
        axes = figure.subplots()
        axes.plot([0.0, end], [0.0, end], color=GREY, linewidth=1.0, label="estimate = answer")
        axes.vlines(answers[finite], lower[finite], upper[finite], color=BOUND_COLOUR, alpha=0.7, linewidth=1.2)
        # a shape of its own: it shows without colour too
        for these, colour, marker, name in (
            (inside, INSIDE, "o", "in its interval" if finite.any() else "held-out answer"),
            (~inside, OUTSIDE, "X", "outside"),
        ):
            if these.any():
                axes.plot(answers[these], estimates[these], marker, color=colour, markersize=5.0, label=name)
        axes.set(xlim=(0.0, end), ylim=(0.0, end), xlabel="the expert's answer (0 = alike)")
        axes.legend(loc="upper left", labelcolor=INK)
        head(
            axes, "Answers that were held out", "estimate, and its calibrated interval" if finite.any() else "estimate"
        )
    return figure


def in_words(held_out: pd.DataFrame) -> str:
    """Say how many answers lie in their intervals."""
    beside = f"{counted(len(held_out), 'held-out answer')} beside their estimates"
    if np.isinf(held_out["upper"]).all():
        return f"{beside}; too few for a calibrated interval."
    n_inside = int(held_out["answer"].between(held_out["lower"], held_out["upper"]).sum())
    verb = "lies" if n_inside == 1 else "lie"
    whose = "its interval" if n_inside == 1 else "their intervals"
    return f"{beside}; {n_inside:,} of them {verb} in {whose}."


MOST = 12
ROW_HEIGHT, FRAME_HEIGHT = 0.3, 0.3
LONGEST_NAME = 40
# room for the figures right of the longest bar
ROOM = 1.12


def draw_share_bars(shares: Mapping[str, float], what: str) -> Figure:
    """Draw the largest of some shares, which sum to 1; ``what`` says of what they are.

    >>> figure = draw_share_bars({"age": 0.7, "income": 0.3}, "Columns that matter")
    >>> figure.get_label(), [text.get_text() for text in figure.axes[0].texts]
    ('Columns that matter: age 70 %, income 30 %', ['70 %', '30 %'])
    """
    largest = sorted(shares.items(), key=lambda each: -each[1])[:MOST]
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, ROW_HEIGHT * len(largest) + FRAME_HEIGHT), layout="constrained")
        figure.set_label(f"{what}: {', '.join(f'{name} {percent(share)}' for name, share in largest)}")
        axes = figure.subplots()
        axes.barh(range(len(largest)), [share for _, share in largest], color=BLUE)
        for place, (_, share) in enumerate(largest):
            axes.annotate(
                percent(share),
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
