"""Figure 1: how often σ takes which value, where its minimum lies, and how small ε is beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from commensurate.errors import InvalidInput
from commensurate.report.style import BLUE, INK, PAPER, WIDTH, head, our_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BAR_COLOUR = "#c3d3dc"
# the marked lines end at different heights above the bars, so that labels of close values do not collide
HEADROOM, STEP = 1.42, 0.12


@dataclass(frozen=True, slots=True)
class HistogramPanel:
    """Counts of σ between ``edges`` (one more than counts), the smallest value seen, the paper's, and ε."""

    title: str
    edges: Sequence[float]
    counts: Sequence[float]
    minimum: float
    paper_minimum: float | None
    epsilon: float

    def __post_init__(self) -> None:
        if len(self.edges) != len(self.counts) + 1:
            raise InvalidInput(
                f"the histogram {self.title!r} needs one edge more than counts, got {len(self.edges)} edges for "
                f"{len(self.counts)} counts; pass what numpy.histogram returns"
            )


def draw_histograms(panels: Sequence[HistogramPanel]) -> Figure:
    """Draw one histogram of σ a panel, with lines for ε, our minimum and the paper's.

    >>> figure = draw_histograms([HistogramPanel("Adult", (0.0, 1.0, 2.0), (30, 70), 0.12, 0.1155, 0.01)])
    >>> [float(bar.get_height()) for bar in figure.axes[0].patches]
    [30.0, 70.0]
    """
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, 3.1), layout="constrained")
        figure.set_label("Histograms of σ: " + "; ".join(_in_words(panel) for panel in panels))
        for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels):
            _draw(axes, panel)
    return figure


def _draw(axes: Any, panel: HistogramPanel) -> None:
    widths = [after - before for before, after in zip(panel.edges, panel.edges[1:])]
    axes.bar(panel.edges[:-1], panel.counts, widths, align="edge", color=BAR_COLOUR, edgecolor="white", linewidth=0.4)
    top = max([1.0, *panel.counts])
    # the smaller the value, the taller its line:
    # no line then runs through a label, which stands to the right of its own
    for step, (label, value, colour) in enumerate(sorted(_marks(panel), key=itemgetter(1))):
        height = top * (HEADROOM - 0.04 - STEP * step)
        axes.vlines(value, 0.0, height, color=colour, linewidth=1.3, linestyle="--" if colour == PAPER else "-")
        axes.annotate(
            label, (value, height), xytext=(4.0, 0.0), textcoords="offset points", color=colour, va="top", fontsize=8.5
        )
    # a little room on the left, or ε would be drawn on top of the axis
    axes.set(xlim=(-0.02 * panel.edges[-1], 1.02 * panel.edges[-1]), ylim=(0.0, top * HEADROOM))
    axes.set_yticks([tick for tick in axes.get_yticks() if tick <= 1.02 * top])
    axes.set_xlabel("σ(x, y); small means similar")
    head(axes, panel.title, "number of pairs")
    axes.yaxis.set_major_formatter("{x:,.0f}")


def _marks(panel: HistogramPanel) -> list[tuple[str, float, str]]:
    marks = [
        (f"ε = {panel.epsilon:g}", panel.epsilon, INK),
        (f"our minimum {panel.minimum:.4g}", panel.minimum, BLUE),
    ]
    if panel.paper_minimum is not None:
        marks.append((f"paper's minimum {panel.paper_minimum:.4g}", panel.paper_minimum, PAPER))
    return marks


def _in_words(panel: HistogramPanel) -> str:
    return f"{panel.title}: " + ", ".join(label for label, _, _ in _marks(panel))
