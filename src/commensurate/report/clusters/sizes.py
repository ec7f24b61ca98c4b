"""How many elements of each group are in which cluster, and of how many of them that is uncertain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from commensurate.report.style import GREY, INK, WIDTH, cluster_colour, group_markers, our_style, paler
from commensurate.wording import counted, share_in_words, short_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ClusterLabels = Mapping[str, NDArray[np.int64]]
Flags = Mapping[str, NDArray[np.bool_]]

ROW_HEIGHT, FRAME_HEIGHT = 0.34, 1.0
BAR_HEIGHT = 0.68
PANELS_IN_A_ROW = 3
# letters that the titles of a row have room for, and that a name always has
ROW_OF_LETTERS, LEAST_LETTERS = 75, 6
# the shape before a title is so many points above the axes, and the title by this share of the row to its right
TITLE_MIDDLE, TITLE_INDENT = 10.0, 0.025
# room for the words right of the longest bar
ROOM = 1.55


def draw_sizes(labels: ClusterLabels, certain: Flags | None, n_clusters: int) -> Figure:
    """Draw a panel for each group, with a bar for each cluster: which share of the group it has.

    The part of a bar that is pale and hatched stands for records that may belong to another cluster; without
    ``certain`` nothing is said about that.

    >>> figure = draw_sizes({"a": np.array([0, 0, 1]), "b": np.array([1, 1])}, None, 2)
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['a: 3 records', 'b: 2 records']
    """
    # four are two by two
    columns = 2 if len(labels) == 4 else min(len(labels), PANELS_IN_A_ROW)
    rows = -(-len(labels) // columns)
    counts = {group: np.bincount(own, minlength=n_clusters) for group, own in labels.items()}
    end = max(float(each.max() / each.sum()) for each in counts.values())
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, rows * (n_clusters * ROW_HEIGHT + FRAME_HEIGHT)), layout="constrained")
        figure.set_label(_in_words(counts))
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
        for axes, group in zip(panels, labels):
            sure = None if certain is None else np.bincount(labels[group][certain[group]], minlength=n_clusters)
            _draw(axes, counts[group], sure)
            size = f": {counted(len(labels[group]), 'record')}"
            name = short_name(group, max(LEAST_LETTERS, ROW_OF_LETTERS // columns - len(size)))
            _head(axes, name + size, group_markers(list(labels))[group], TITLE_INDENT * columns)
        for axes in panels[len(labels) :]:
            axes.remove()
        panels[0].set(xlim=(0.0, ROOM * end), ylim=(n_clusters - 0.4, -0.6))
        panels[0].set_yticks(range(n_clusters), [f"cluster {cluster}" for cluster in range(n_clusters)])
    return figure


def _draw(axes: Any, counts: NDArray[np.int64], sure: NDArray[np.int64] | None) -> None:
    total = int(counts.sum())
    for cluster, count in enumerate(counts.tolist()):
        colour = cluster_colour(cluster)
        firm = count if sure is None else int(sure[cluster])
        axes.barh(cluster, firm / total, BAR_HEIGHT, color=colour)
        if firm < count:
            # hatched: without colour too it differs from what is certain
            axes.barh(
                cluster,
                (count - firm) / total,
                BAR_HEIGHT,
                firm / total,
                facecolor=paler(colour),
                edgecolor=colour,
                hatch="////",
                linewidth=0.0,
            )
        axes.annotate(
            f"{count:,} ({share_in_words(count, total)})",
            (count / total, cluster),
            xytext=(5.0, 0.0),
            textcoords="offset points",
            va="center",
            color=INK if count else GREY,
        )
    axes.tick_params(length=0.0)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)


def _head(axes: Any, title: str, marker: str, indent: float) -> None:
    """Write a title, and before it the shape that the group has on the map."""
    from matplotlib.transforms import ScaledTranslation

    axes.set_title(title, x=indent)
    place = axes.transAxes + ScaledTranslation(5.0 / 72.0, TITLE_MIDDLE / 72.0, axes.figure.dpi_scale_trans)
    axes.plot([0.0], [1.0], marker, transform=place, color=GREY, clip_on=False)


def _in_words(counts: Mapping[str, NDArray[np.int64]]) -> str:
    parts = [
        f"{group}: " + ", ".join(f"{count:,} in cluster {cluster}" for cluster, count in enumerate(own.tolist()))
        for group, own in counts.items()
    ]
    return "Records by group and cluster. " + "; ".join(parts)
