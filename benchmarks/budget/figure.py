"""Error against answers: one small panel a world, one curve a method, NAIVE with all its questions as a level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.budget.catalogue import PARTS, all_worlds
from benchmarks.budget.draw import ALL_QUESTIONS, CLUSTER, NAIVE
from benchmarks.budget.ours import GP_ALONE, OURS, WITHOUT_MINKOWSKI
from benchmarks.budget.regressions import EXTRA_TREES, EXTRA_TREES_WITH_GAPS, FOREST, XGB
from benchmarks.budget.summary import DECIDING, Cell, OverDraws
from commensurate.report.style import ALGORITHM_COLOURS, BOUND_COLOUR, INK, WIDTH, our_style
from commensurate.wording import short_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# ours are dark and strong, the paper's algorithms keep their colours, regression is muted
LOOKS: dict[str, dict[str, Any]] = {
    OURS: {"color": INK, "marker": "o", "linewidth": 2.2},
    WITHOUT_MINKOWSKI: {"color": "#b0447e", "marker": "P", "linewidth": 1.8},
    GP_ALONE: {"color": "#3f7f3a", "marker": "X", "linewidth": 1.4},
    NAIVE: {"color": ALGORITHM_COLOURS["NAIVE"], "marker": "o", "linewidth": 1.4},
    CLUSTER: {"color": ALGORITHM_COLOURS["CLUSTER"], "marker": "s", "linewidth": 1.4},
    XGB: {"color": ALGORITHM_COLOURS["XGB"], "marker": "D", "linewidth": 1.1},
    FOREST: {"color": ALGORITHM_COLOURS["RF"], "marker": "v", "linewidth": 1.1},
    EXTRA_TREES: {"color": "#a8916d", "marker": "^", "linewidth": 1.1},
    EXTRA_TREES_WITH_GAPS: {"color": "#7b5b3a", "marker": "*", "linewidth": 1.1},
}
PANELS_IN_A_ROW = 3
# the longest names are whole sentences
LEGEND_COLUMNS = 3
PANEL_HEIGHT = 2.3
# the longest name of a world is as wide as a panel
TITLE_SIZE = 8.5


def budget_figures(cells: Sequence[Cell]) -> dict[str, Figure]:
    """Return one figure for each part of the experiment that something was measured in, by the name of its file."""
    figures = {}
    for number, part in enumerate(PARTS, start=1):
        worlds = [world.name for world in all_worlds() if world.part == part]
        measured = [cell for cell in cells if cell.world in worlds]
        if measured:
            figures[f"few-answers-{number}"] = draw_budget(part, measured)
    return figures


def draw_budget(title: str, cells: Sequence[Cell]) -> Figure:
    """Draw the worlds of some cells, each on a scale of its own; bars are standard errors over the draws.

    >>> error = {DECIDING: OverDraws(draws=2, mean=1.5, standard_error=0.1, sd=0.14)}
    >>> figure = draw_budget("synthetic", [Cell("merit", 100, OURS, error), Cell("merit", 400, OURS, error)])
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['merit']
    """
    worlds = list(dict.fromkeys(cell.world for cell in cells))
    columns = min(len(worlds), PANELS_IN_A_ROW)
    rows = math.ceil(len(worlds) / columns)
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, PANEL_HEIGHT * rows + 0.9), layout="constrained")
        figure.set_label(f"Mean error in ε against the number of answers; {title}; panels: {', '.join(worlds)}")
        for place, world in enumerate(worlds):
            axes = figure.add_subplot(rows, columns, place + 1)
            _draw_world(axes, [cell for cell in cells if cell.world == world])
            axes.set_title(world, fontsize=TITLE_SIZE)
            axes.set_xlabel("answers")
        figure.supylabel("mean error / ε")
        _add_legend(figure)
    return figure


def _add_legend(figure: Any) -> None:
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        handles.update(zip(*reversed(axes.get_legend_handles_labels())))
    names = [name for name in (*LOOKS, ALL_QUESTIONS) if name in handles]
    figure.legend([handles[name] for name in names], names, loc="outside lower center", ncols=LEGEND_COLUMNS)


def _draw_world(axes: Any, cells: Sequence[Cell]) -> None:
    answers_shown = sorted({cell.answers for cell in cells if cell.answers is not None})
    axes.set(xscale="log", yscale="log")
    if answers_shown:
        # room on both sides; a single number of answers has no extent of its own
        axes.set_xlim(answers_shown[0] / 1.3, answers_shown[-1] * 1.3)
    for method, look in LOOKS.items():
        points = sorted(
            (cell.answers, cell.measures[DECIDING])
            for cell in cells
            if cell.method == method and cell.answers is not None
        )
        if points:
            answers, errors = zip(*points)
            axes.errorbar(
                answers,
                [error.mean for error in errors],
                yerr=[_bar(error) for error in errors],
                markersize=3.5,
                elinewidth=0.8,
                label=method,
                **look,
            )
    for cell in cells:
        if cell.method == ALL_QUESTIONS:
            level = cell.measures[DECIDING].mean
            axes.axhline(level, color=BOUND_COLOUR, linewidth=1.2, linestyle="--", label=ALL_QUESTIONS)
    _name_ticks(axes, answers_shown)
    axes.grid(axis="y")


def _bar(error: OverDraws) -> float:
    return error.standard_error or 0.0


def _name_ticks(axes: Any, answers: Sequence[int]) -> None:
    from matplotlib.ticker import LogLocator, NullLocator

    axes.set_xticks(answers, [short_count(count) for count in answers])
    axes.xaxis.set_minor_locator(NullLocator())
    low, high = axes.get_ylim()
    # 1, 2 and 5 of every decade where there is room for them; else every decade, or every second or third
    within = (1.0, 2.0, 5.0) if high < 300.0 * low else (1.0,)
    axes.yaxis.set_major_locator(LogLocator(subs=within, numticks=9))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_locator(NullLocator())
