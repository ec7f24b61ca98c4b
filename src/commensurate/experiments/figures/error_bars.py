"""Figures 2–4: for each algorithm, the share of test pairs whose error is at most the value under the bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from commensurate.errors import InvalidInput
from commensurate.report.style import INK, WIDTH, colours_of, head, legend_below, our_style
from commensurate.wording import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GROUP_WIDTH = 0.84


@dataclass(frozen=True, slots=True)
class CdfPanel:
    """Shares in [0, 1] per algorithm, one per threshold: the median over the draws, the lowest and the highest."""

    title: str
    thresholds: Sequence[float]
    shares: Mapping[str, Sequence[float]]
    lowest: Mapping[str, Sequence[float]]
    highest: Mapping[str, Sequence[float]]

    def __post_init__(self) -> None:
        for what, given in (("shares", self.shares), ("lowest", self.lowest), ("highest", self.highest)):
            if set(given) != set(self.shares):
                raise InvalidInput(f"{what} of {self.title!r} must name {list(self.shares)}, got {list(given)}")
            for name, values in given.items():
                if len(values) != len(self.thresholds):
                    raise InvalidInput(
                        f"{what} of {name!r} in {self.title!r} must have one value per threshold, "
                        f"{len(self.thresholds)}, got {len(values)}"
                    )


def draw_error_bars(panels: Sequence[CdfPanel]) -> Figure:
    """Draw the panels side by side as grouped bars, with thin whiskers for the range over the draws.

    >>> shares, low, high = {"NAIVE": (0.6, 0.9)}, {"NAIVE": (0.5, 0.9)}, {"NAIVE": (0.7, 1.0)}
    >>> panel = CdfPanel("Relative error %", (1, 5), shares, low, high)
    >>> [float(bar.get_height()) for bar in draw_error_bars([panel]).axes[0].patches]
    [0.6, 0.9]
    """
    names = list(dict.fromkeys(name for panel in panels for name in panel.shares))
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, 3.5), layout="constrained")
        figure.set_label(
            f"Share of test pairs whose error is at most a given value, for {', '.join(names)}; "
            f"panels: {'; '.join(panel.title for panel in panels)}"
        )
        for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False, sharey=True)[0], panels):
            _draw(axes, panel)
        legend_below(figure, names)
    return figure


def _draw(axes: Any, panel: CdfPanel) -> None:
    colours = colours_of(list(panel.shares))
    width = GROUP_WIDTH / len(panel.shares)
    places = np.arange(len(panel.thresholds), dtype=np.float64)
    for number, (name, shares) in enumerate(panel.shares.items()):
        at = places - GROUP_WIDTH / 2 + width * (number + 0.5)
        axes.bar(at, shares, width * 0.92, color=colours[name], label=name)
        axes.vlines(at, panel.lowest[name], panel.highest[name], color=INK, linewidth=0.8)
    axes.set_xticks(places, [f"{threshold:g}" for threshold in panel.thresholds])
    axes.tick_params(axis="x", length=0.0)
    # sharey hides the right panel's figures, and the eye would have to travel
    axes.tick_params(axis="y", labelleft=True)
    axes.set(ylim=(0.0, 1.0), xlabel="error at most")
    axes.yaxis.set_major_formatter(lambda share, _: percent(share))
    axes.grid(axis="y")
    head(axes, panel.title, "share of test pairs")
