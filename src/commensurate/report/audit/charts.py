"""Two charts of an audit: the share of violated pairs for each pair of groups, and the range of L that passes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from commensurate.report.style import ALARM, GREY, INK, VERDICT_COLOURS, WIDTH, legend_below, our_style
from commensurate.report.tables import frame_rows
from commensurate.wording import limits_of_share, pair_of_groups, share_in_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from commensurate.applications.fairness.lipschitz import LipschitzRange


ROW_HEIGHT, FRAME_HEIGHT = 0.62, 0.95
BAR_HEIGHT = 0.3
VIOLATED, UNDECIDED, LIMITS = "violated, of the pairs compared", "undecided", "limits for all pairs"
UNDECIDED_COLOUR = "#cfcfcf"
# the scale ends a little beyond the largest limit, so that small shares can be seen
ROOM, SHORTEST_SCALE = 1.08, 0.002


def draw_violated_shares(shares: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw the shares of an audit, or of several below each other on one scale, such as before and after a repair.

    Each table is an audit's ``shares``; its name stands above it, unless it is empty.

    >>> table = pd.DataFrame({"left_group": ["a"], "right_group": ["b"], "n_pairs": [200], "n_all_pairs": [900],
    ...     "every": [False], "violated": [20], "satisfied": [170], "undecided": [10], "share_lower": [0.06],
    ...     "share_upper": [0.21]})
    >>> [round(float(bar.get_width()), 2) for bar in draw_violated_shares({"": table}).axes[0].patches]
    [0.1, 0.05]
    """
    end = min(1.0, max(SHORTEST_SCALE, ROOM * max(_largest(table) for table in shares.values())))
    heights = [max(1, len(table)) * ROW_HEIGHT for table in shares.values()]
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, sum(heights) + FRAME_HEIGHT * len(shares)), layout="constrained")
        figure.set_label("; ".join(_in_words(name, table) for name, table in shares.items()))
        rows = figure.subplots(len(shares), 1, squeeze=False, gridspec_kw={"height_ratios": heights, "hspace": 0.1})[
            :, 0
        ]
        for axes, (name, table) in zip(rows, shares.items()):
            _draw(axes, name, table, end)
        if any(len(table) for table in shares.values()):
            legend_below(figure, [VIOLATED, UNDECIDED, LIMITS])
    return figure


def share_words(row: Any) -> str:
    """Say what is known of the share of violations of one pair of groups: a row of an audit's ``shares``."""
    if not row.n_pairs:
        return "no pair was compared"
    limits = limits_of_share(row.share_lower, row.share_upper)
    of_all = "every pair was compared" if row.every else f"{limits} of all {row.n_all_pairs:,} pairs"
    return f"{share_in_words(row.violated, row.n_pairs)} violated, {share_in_words(row.undecided, row.n_pairs)} undecided; {of_all}"


def _draw(axes: Any, name: str, table: pd.DataFrame, end: float) -> None:
    for place, row in enumerate(frame_rows(table)):
        violated, undecided = (count / max(1, row.n_pairs) for count in (row.violated, row.undecided))
        axes.barh(place, violated, BAR_HEIGHT, color=VERDICT_COLOURS["violated"], label=VIOLATED)
        # hatched: without colour too it differs from what is certain
        axes.barh(
            place,
            undecided,
            BAR_HEIGHT,
            violated,
            color=UNDECIDED_COLOUR,
            hatch="////",
            edgecolor="white",
            linewidth=0.0,
            label=UNDECIDED,
        )
        limits = [row.share_lower, row.share_upper]
        axes.plot(
            limits,
            [place, place],
            color=INK,
            linewidth=1.3,
            marker="|",
            markersize=9.0,
            markeredgewidth=1.3,
            label=LIMITS,
        )
        _label(axes, place, row)
    axes.set(xlim=(0.0, end), ylim=(len(table) - 0.6, -0.75))
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_formatter(lambda value, _: f"{100.0 * value:g} %")
    if name:
        axes.set_title(name)


def _label(axes: Any, place: int, row: Any) -> None:
    words = pair_of_groups(row.left_group, row.right_group)
    named = axes.annotate(
        words,
        (0.0, place - BAR_HEIGHT / 2),
        xytext=(0.0, 3.0),
        textcoords="offset points",
        fontweight="bold",
        color=INK,
        va="bottom",
    )
    axes.annotate(
        share_words(row),
        (1.0, 0.0),
        xycoords=named,
        xytext=(8.0, 0.0),
        textcoords="offset points",
        color=GREY,
        va="bottom",
    )


def _largest(table: pd.DataFrame) -> float:
    return float(table["share_upper"].max()) if len(table) else 0.0


def _in_words(name: str, table: pd.DataFrame) -> str:
    rows = [f"{pair_of_groups(row.left_group, row.right_group)}: {share_words(row)}" for row in frame_rows(table)]
    return (f"{name}: " if name else "") + "; ".join(rows)


HEIGHT = 1.15
UNDECIDED_GROUND, PASSING_GROUND = "#ececec", "#d9e8ef"
# a part must be as wide as this share of the scale to bear its name
LABEL_WIDTH = 0.12
ROOM_FOR_NAMES = 1.35


def draw_passing(passing: LipschitzRange, lipschitz: float, words: str) -> Figure:
    """Draw the scale of L, with a mark at the audited one; ``words`` say the same to those who cannot see it.

    >>> from commensurate.applications.fairness.lipschitz import LipschitzRange
    >>> figure = draw_passing(LipschitzRange(0.5, 2.0, True), 1.0, "From L = 2 on, all pairs are satisfied.")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['fails', 'undecided', 'passes', 'audited: L = 1']
    """
    known = [value for value in (passing.fails_below, passing.passes_from, lipschitz) if math.isfinite(value)]
    end = ROOM_FOR_NAMES * max(known)
    fails, passes = min(passing.fails_below, end), min(passing.passes_from, end)
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        figure.set_label(words)
        axes = figure.subplots()
        _part(axes, 0.0, fails, end, "fails", ALARM, VERDICT_COLOURS["violated"])
        _part(axes, fails, passes, end, "undecided", UNDECIDED_GROUND, VERDICT_COLOURS["undecided"])
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
