"""The map of an audit: how far scores differ against how dissimilar people are,
and the line that must not be crossed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.applications.fairness.words import by_new_answer
from commensurate.arrays import FloatArray
from commensurate.report.style import (
    ALARM,
    GREY,
    INK,
    VERDICT_COLOURS,
    VERDICT_ORDER,
    VERDICT_SIGNS,
    WIDTH,
    head,
    our_style,
)
from commensurate.wording import share_in_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from commensurate.applications.fairness.audit import FairnessAudit

MarkStyle = dict[str, Any]

HEIGHT = 4.3
DOTS_PER_INCH = 160
# of each verdict at most so many pairs a panel: rare ones are seen, and the long lines of undecided ones hide nothing
MOST_SHOWN = {"violated": 400, "undecided": 120, "satisfied": 400}
# the map reaches at least this many times as far right as the line needs to reach the largest gap, and at most so many
NEAREST_EDGE, FARTHEST_EDGE = 1.7, 4.0
# the lines of satisfied pairs are long and close together at the bottom, and matter least
LINE_OPACITY = {"violated": 0.7, "undecided": 0.45, "satisfied": 0.15}
MARK_OPACITY = {"violated": 0.75, "undecided": 0.45, "satisfied": 0.5}
KINDS = {"across": "Across groups", "same_group": "Within groups"}


@dataclass(frozen=True, slots=True, eq=False)
class MapPanel:
    """The pairs of one panel: how many have which verdict, and those of them that are drawn."""

    kind: str
    counts: dict[str, int]
    drawn: pd.DataFrame

    @property
    def total(self) -> int:
        """How many pairs were looked at."""
        return sum(self.counts.values())


def audit_map(audit: FairnessAudit, *, seed: int = 0) -> Figure:
    """Draw a line from the lower to the upper bound of each pair, at the height of its gap, across and within groups.

    Of many pairs some are drawn, chosen with ``seed`` (see ``map_caption``). Within a group the dissimilarity is known,
    so that there is a point, not a line. Labels name the regions: above the Lipschitz line pairs are violated, below it
    satisfied, and a pair whose line crosses it is undecided.

    >>> import commensurate as cm
    >>> from commensurate.applications import audit_fairness
    >>> points = {"a": [[0.0], [0.5], [1.0]], "b": [[0.0], [0.5], [1.0]]}
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    >>> est = est.fit(points, lambda left, right, between: abs(left - right)[:, 0])
    >>> audit = audit_fairness(est, points, scores={"a": [0.2, 0.5, 0.9], "b": [0.1, 0.9, 0.9]}, pairs="all")
    >>> [axes.get_title(loc="left") for axes in audit_map(audit).axes]
    ['Across groups: 33.3 % violated', 'Within groups: 16.7 % violated']
    """
    panels = map_panels(audit.verdicts, seed)
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        figure.set_label(_in_words(panels, audit.lipschitz))
        row = figure.subplots(1, max(1, len(panels)), squeeze=False)[0]
        for axes, panel in zip(row, panels):
            _draw(axes, panel, audit)
    return figure


def draw_audit_map(audit: FairnessAudit, path: Path | str, *, seed: int = 0) -> None:
    """Write the map of an audit to a file, whose suffix chooses the format: .svg, .png or .pdf."""
    figure = audit_map(audit, seed=seed)
    with our_style():
        figure.savefig(path, dpi=DOTS_PER_INCH)


def map_caption(audit: FairnessAudit, *, seed: int = 0) -> str:
    """Say what the map shows, and which pairs were left out."""
    panels = map_panels(audit.verdicts, seed)
    drawn = sum(len(panel.drawn) for panel in panels)
    total = sum(panel.total for panel in panels)
    text = (
        "Each pair of people is drawn at the height of the gap between their scores, with a line over the dissimilarities "
        f"that the pair may have{by_new_answer(audit)}; an arrow continues beyond the picture. "
    )
    if drawn == total:
        return f"{text}All {total:,} pairs that were compared are drawn."
    return (
        f"{text}Of {total:,} pairs, {drawn:,} are drawn: all pairs of a verdict, or a random choice where there are many "
        f"({_most_in_words()} per panel). So how crowded a region looks says nothing; its number does."
    )


def map_panels(verdicts: pd.DataFrame, seed: int) -> list[MapPanel]:
    """Split pairs into those across and within groups, and choose which to draw; no panel is empty."""
    across = (verdicts["left_group"] != verdicts["right_group"]).to_numpy()
    rng = np.random.default_rng(seed)
    return [
        MapPanel(kind, _counts(pairs), pairs.iloc[_chosen(pairs, rng)])
        for kind, pairs in (("across", verdicts[across]), ("same_group", verdicts[~across]))
        if len(pairs)
    ]


def _chosen(pairs: pd.DataFrame, rng: np.random.Generator) -> NDArray[np.int64]:
    rows = [np.flatnonzero((pairs["verdict"] == verdict).to_numpy()) for verdict in MOST_SHOWN]
    kept = [rng.choice(all_, min(most, len(all_)), replace=False) for all_, most in zip(rows, MOST_SHOWN.values())]
    return np.sort(np.concatenate(kept))


def _most_in_words() -> str:
    return ", ".join(f"at most {most} {verdict}" for verdict, most in MOST_SHOWN.items())


def _counts(pairs: pd.DataFrame) -> dict[str, int]:
    return {verdict: int((pairs["verdict"] == verdict).sum()) for verdict in VERDICT_ORDER}


def _draw(axes: Any, panel: MapPanel, audit: FairnessAudit) -> None:
    lipschitz = audit.lipschitz
    right, top = _edges(panel.drawn, lipschitz)
    axes.set(xlim=(0.0, right), ylim=(0.0, top))
    _draw_line(axes, lipschitz, right, top)
    for verdict in reversed(VERDICT_ORDER):
        _draw_pairs(axes, panel.drawn[panel.drawn["verdict"] == verdict], verdict, right)
    _label_regions(axes, panel)
    known = panel.kind == "same_group"
    axes.set_xlabel("distance d(x, y), known" if known else _measured_across(audit))
    title = f"{KINDS[panel.kind]}: {share_in_words(panel.counts['violated'], panel.total)} violated"
    if panel.counts["undecided"]:
        title += f", {share_in_words(panel.counts['undecided'], panel.total)} undecided"
    head(axes, title, "gap: how far the two scores differ")


def _measured_across(audit: FairnessAudit) -> str:
    if audit.by_new_answer:
        return "a new answer about x and y, as far as it is foreseen"
    return "dissimilarity σ(x, y), as far as it is known"


def _edges(drawn: pd.DataFrame, lipschitz: float) -> tuple[float, float]:
    """Return how far the panel reaches, so that the line crosses much of it and few pairs lie beyond."""
    gaps, lower, upper = (drawn[name].to_numpy(dtype=np.float64) for name in ("gap", "lower", "upper"))
    top = 1.12 * float(gaps.max(initial=0.0)) or 1.0
    farthest = float(np.quantile(np.concatenate([lower, upper[np.isfinite(upper)]]), 0.98)) if len(drawn) else 0.0
    if lipschitz > 0.0:
        farthest = min(max(farthest, NEAREST_EDGE * top / lipschitz), FARTHEST_EDGE * top / lipschitz)
    return farthest or 1.0, top


def _draw_line(axes: Any, lipschitz: float, right: float, top: float) -> None:
    axes.fill_between([0.0, right], [0.0, lipschitz * right], [top, max(top, lipschitz * right)], color=ALARM, lw=0.0)
    axes.plot([0.0, right], [0.0, lipschitz * right], color=INK, linewidth=1.4)
    end = min(right, top / lipschitz) if lipschitz > 0.0 else right
    label = axes.text(
        0.97 * end,
        0.97 * lipschitz * end,
        "largest gap allowed",
        rotation=np.degrees(np.arctan(lipschitz)),
        rotation_mode="anchor",
        transform_rotates_text=True,
        ha="right",
        va="bottom",
        fontsize=8.0,
        color=INK,
        bbox={"facecolor": ALARM, "edgecolor": "none", "alpha": 0.8, "pad": 0.6},
        zorder=4.0,
    )
    # it lies inside; the room that its turned box would take must not squeeze the axes
    label.set_in_layout(False)


def _draw_pairs(axes: Any, pairs: pd.DataFrame, verdict: str, right: float) -> None:
    if pairs.empty:
        return
    gaps, lower, upper = (pairs[name].to_numpy(dtype=np.float64) for name in ("gap", "lower", "upper"))
    colour = VERDICT_COLOURS[verdict]
    line_look: MarkStyle = {"color": colour, "alpha": LINE_OPACITY[verdict]}
    _draw_intervals(axes, np.clip(lower, 0.0, right), np.minimum(upper, right), gaps, line_look)
    look: MarkStyle = {"color": colour, "alpha": MARK_OPACITY[verdict]}
    for marker, places, size in _marks(verdict, lower, upper):
        axes.plot(places, gaps, marker, markersize=size, markeredgewidth=1.1, **look)
    # the mark of a line that goes on
    beyond = gaps[upper > right]
    if len(beyond):
        axes.plot(np.full(len(beyond), right), beyond, ">", markersize=3.0, markeredgewidth=0.0, clip_on=False, **look)


def _draw_intervals(axes: Any, lower: FloatArray, upper: FloatArray, gaps: FloatArray, look: MarkStyle) -> None:
    """Draw every line as a part of one path: two thousand elements would make a heavy page."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    long = upper > lower
    if not long.any():
        return
    ends = np.stack([lower[long], gaps[long], upper[long], gaps[long]], axis=1).reshape(-1, 2)
    codes = np.tile([Outline.MOVETO, Outline.LINETO], int(long.sum()))
    axes.add_patch(PathPatch(Outline(ends, codes), fill=False, linewidth=0.7, **look))


def _marks(verdict: str, lower: FloatArray, upper: FloatArray) -> list[tuple[str, FloatArray, float]]:
    """Return marks and where they stand: at the end of the interval that decides, or at both where neither does."""
    if verdict == "violated":
        return [("x", upper, 4.5)]
    if verdict == "satisfied":
        return [("o", lower, 2.2)]
    return [("|", lower, 4.5), ("|", upper, 4.5)]


def _label_regions(axes: Any, panel: MapPanel) -> None:
    places = {"violated": (0.03, 0.97), "undecided": (0.985, 0.97), "satisfied": (0.985, 0.04)}
    for verdict, (across, up) in places.items():
        count = panel.counts[verdict]
        if count or verdict != "undecided":
            axes.text(
                across,
                up,
                f"{VERDICT_SIGNS[verdict]} {verdict}: {count:,}"
                + ("\ncrosses the line" if verdict == "undecided" else ""),
                transform=axes.transAxes,
                ha="left" if across < 0.5 else "right",
                va="bottom" if up < 0.5 else "top",
                color=VERDICT_COLOURS[verdict],
                fontweight="bold",
                fontsize=9.5,
                bbox={"facecolor": "white", "edgecolor": GREY, "linewidth": 0.4, "alpha": 0.9, "pad": 2.5},
                zorder=5.0,
            )


def _in_words(panels: list[MapPanel], lipschitz: float) -> str:
    parts = [
        f"{KINDS[panel.kind].lower()} {panel.counts['violated']:,} of {panel.total:,} pairs are violated, "
        f"{panel.counts['undecided']:,} undecided and {panel.counts['satisfied']:,} satisfied"
        for panel in panels
    ]
    return f"Difference of scores against dissimilarity, with the line of {lipschitz:g} times it: " + "; ".join(parts)
