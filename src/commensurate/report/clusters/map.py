"""The map of a clustering: medoids and some of the elements in a plane,
as far apart as they are dissimilar, as far as that goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from commensurate.applications.clustering.map_elements import MapElements, elements_for_map, share_of_broken_triangles
from commensurate.report.clusters.embedding import FlatEmbedding, embed_flat, stress_in_words
from commensurate.report.style import CLUSTER_COLOURS, GREY, INK, WIDTH, cluster_colour, group_markers, our_style
from commensurate.report.svg.chart_axes import round_numbers
from commensurate.wording import axis_number, counted, is_or_are, share_in_words, short_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids

MOST_DRAWN = 300
# as high as the layout is, within these limits
LEAST_HEIGHT, MOST_HEIGHT, LEGEND_HEIGHT = 3.2, 7.0, 0.6
ELEMENT_SIZE, RING_SIZE, MEDOID_SIZE = 5.2, 9.5, 16.0
# shapes with little room inside are larger, and the number is where the room is, in points above the middle
MEDOID_STRETCH = {"^": 1.4, "v": 1.4, "P": 1.15, "X": 1.15}
NUMBER_SHIFT = {"^": -2.5, "v": 2.5}
# how wide the sign and a letter of a legend are about, in inches
SIGN_WIDTH, LETTER_WIDTH = 0.6, 0.068
NARROW_LEGEND = 3


@dataclass(frozen=True, slots=True, eq=False)
class ClusterLayout:
    """What is drawn, and where; ``n_clusters`` are all there are."""

    elements: MapElements
    flat: FlatEmbedding
    n_clusters: int
    kind: str

    @property
    def table(self) -> pd.DataFrame:
        """The elements that are drawn."""
        return self.elements.table

    @property
    def ringed(self) -> bool:
        """Whether an element without a ring is known to be certain; estimates taken for the truth know nothing."""
        return self.kind != "estimate"

    @property
    def n_misplaced(self) -> int:
        """How many elements are nearer to another cluster's medoid in the picture than to their own."""
        at_medoids = np.flatnonzero(self.table["medoid"].to_numpy())
        places, clusters = self.flat.places, self.table["cluster"].to_numpy()
        gaps = np.linalg.norm(places[:, None] - places[None, at_medoids], axis=2)
        others = clusters[:, None] != np.arange(len(at_medoids))
        own = np.where(others, np.inf, gaps).min(axis=1)
        return int((np.where(others, gaps, np.inf).min(axis=1, initial=np.inf) < own).sum())


def lay_out(clustering: CrossGroupKMedoids, *, seed: int = 0) -> ClusterLayout:
    """Choose elements of a clustering and find them places in a plane."""
    elements = elements_for_map(clustering, most=MOST_DRAWN, seed=seed)
    flat = embed_flat(elements.dissimilarity, seed=seed)
    return ClusterLayout(elements, flat, len(clustering.medoids_), clustering.interval_)


def cluster_map(layout: ClusterLayout) -> Figure:
    """Draw elements as marks: the colour is the cluster's, the shape the group's,
    a ring says that the cluster is uncertain.

    A medoid is large and has the number of its cluster; a thin line leads from each element to its medoid.

    >>> import commensurate as cm
    >>> from commensurate.applications import CrossGroupKMedoids
    >>> points = {"a": [[0.0], [0.1], [1.0]], "b": [[0.2], [1.1], [1.2]]}
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    >>> est = est.fit(points, lambda left, right, between: abs(left - right)[:, 0])
    >>> layout = lay_out(CrossGroupKMedoids(2, random_state=0).fit(est, points))
    >>> [text.get_text() for text in cluster_map(layout).axes[0].texts if text.get_text() in "01"]
    ['0', '1']
    """
    with our_style():
        from matplotlib.figure import Figure

        wide, high = np.ptp(layout.flat.places, axis=0)
        height = min(max(LEAST_HEIGHT, WIDTH * high / wide if wide else 0.0), MOST_HEIGHT) + LEGEND_HEIGHT
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        figure.set_label(_in_words(layout))
        axes = figure.subplots()
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_axis_off()
        axes.margins(0.04)
        _draw_elements(axes, layout)
        _draw_medoids(axes, layout)
        _draw_scale(axes, layout)
        _legend(figure, layout)
    return figure


def map_caption(layout: ClusterLayout) -> str:
    """Say what the map shows, what was left out, and how far it can be trusted."""
    drawn, total = len(layout.table), layout.elements.n_elements
    parts = [
        "The map places records as far apart as they are dissimilar, as well as a plane can show it. The colour and the thin "
        "line to a medoid show the cluster; the shape shows the group"
        + (", and a ring says that another cluster is possible." if layout.ringed else "."),
    ]
    if layout.n_clusters > len(CLUSTER_COLOURS):
        parts.append("Colours repeat; lines and numbers show which cluster is meant.")
    parts.append(
        f"All {counted(total, 'record')} are drawn."
        if drawn == total
        else f"Of {counted(total, 'record')}, {drawn:,} are drawn: the medoids and a random choice from each group, about in "
        "proportion to its size."
    )
    parts.append(distortion_in_words(layout))
    return " ".join(parts)


def distortion_in_words(layout: ClusterLayout) -> str:
    """Say how much the flat picture distorts, and why it has to."""
    flat, misplaced = layout.flat, layout.n_misplaced
    nearer = "no record is" if not misplaced else f"{counted(misplaced, 'record')} {is_or_are(misplaced)}"
    whose = "their" if misplaced > 1 else "its"
    broken = share_of_broken_triangles(layout.elements.dissimilarity)
    triangles = (
        f"{_per_cent(broken)} of all triples of these records break the triangle inequality"
        if broken
        else "nothing guarantees that no triple of these records breaks the triangle inequality"
    )
    return (
        f"The plane {stress_in_words(flat.stress)} distorts the dissimilarities: its distances are off by "
        f"{_per_cent(flat.mean_error)} on average (Kruskal's stress {flat.stress:.2f}; 0 is perfect). In the plane, {nearer} "
        f"nearer to another medoid than to the medoid of {whose} cluster. The dissimilarity σ need not be a metric, "
        f"but distances in a plane are one: {triangles}."
    )


def _per_cent(share: float) -> str:
    # a share of very many: no count is at hand, and none is needed
    return share_in_words(round(1e6 * share), 10**6)


def _draw_elements(axes: Any, layout: ClusterLayout) -> None:
    table, places = layout.table, layout.flat.places
    clusters, groups = table["cluster"].to_numpy(), table["group"].to_numpy()
    centres = _medoid_places(layout)
    for cluster in range(layout.n_clusters):
        _draw_lines(axes, places[clusters == cluster], centres[cluster], cluster_colour(cluster))
    plain = ~table["medoid"].to_numpy()
    for group, marker in group_markers(_groups(layout)).items():
        for cluster in range(layout.n_clusters):
            chosen = plain & (groups == group) & (clusters == cluster)
            if chosen.any():
                axes.plot(*places[chosen].T, marker, **_look(cluster, ELEMENT_SIZE, 0.5), alpha=0.85, zorder=2.0)
    if layout.ringed:
        doubtful = ~table["certain"].to_numpy()
        # where most are ringed, the rings step back
        many = bool(doubtful.mean() > 0.5)
        small, large = doubtful & plain, doubtful & ~plain
        for chosen, size in ((small, RING_SIZE), (large, MEDOID_SIZE + RING_SIZE - ELEMENT_SIZE)):
            if chosen.any():
                axes.plot(*places[chosen].T, "o", **_ring(size, many), zorder=2.5)


def _draw_lines(axes: Any, ends: Any, centre: Any, colour: str) -> None:
    """Draw the lines of a cluster as one path: hundreds of elements would make a heavy page."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    if len(ends):
        corners = np.stack([np.broadcast_to(centre, ends.shape), ends], axis=1).reshape(-1, 2)
        codes = np.tile([Outline.MOVETO, Outline.LINETO], len(ends))
        axes.add_patch(PathPatch(Outline(corners, codes), fill=False, edgecolor=colour, linewidth=0.6, alpha=0.3))


def _draw_medoids(axes: Any, layout: ClusterLayout) -> None:
    markers = group_markers(_groups(layout))
    groups = layout.table["group"][layout.table["medoid"]]
    for cluster, (place, group) in enumerate(zip(_medoid_places(layout), groups)):
        marker = markers[group]
        axes.plot(*place, marker, **_look(cluster, MEDOID_STRETCH.get(marker, 1.0) * MEDOID_SIZE, 1.5), zorder=3.0)
        axes.annotate(
            str(cluster),
            place,
            xytext=(0.0, NUMBER_SHIFT.get(marker, 0.0)),
            textcoords="offset points",
            color="white",
            fontweight="bold",
            fontsize=9.0,
            ha="center",
            va="center_baseline",
            zorder=4.0,
        )


def _draw_scale(axes: Any, layout: ClusterLayout) -> None:
    """Draw a bar as long as some round dissimilarity, since the axes have no numbers."""
    wide = float(np.ptp(layout.flat.places, axis=0).max())
    if not wide:
        return
    length = round_numbers(wide / 4.0, most=2)[-1] or wide / 4.0
    left, low = layout.flat.places.min(axis=0)
    below = low - 0.05 * wide
    axes.plot([left, left + length], [below, below], color=GREY, linewidth=1.5, marker="|", markersize=6.0)
    axes.annotate(
        f"a dissimilarity of {axis_number(length)}",
        (left + length, below),
        xytext=(7.0, 0.0),
        textcoords="offset points",
        color=GREY,
        va="center",
    )


def _legend(figure: Any, layout: ClusterLayout) -> None:
    from matplotlib.lines import Line2D

    neutral: dict[str, Any] = {"linestyle": "none", "color": GREY}
    handles = [
        Line2D([], [], marker=marker, markersize=6.5, label=short_name(group), **neutral)
        for group, marker in group_markers(_groups(layout)).items()
    ]
    handles.append(Line2D([], [], marker="o", markersize=11.0, label="medoid, with its cluster's number", **neutral))
    if layout.ringed:
        handles.append(Line2D([], [], marker="o", label="another cluster is possible", **_ring(RING_SIZE)))
    width = sum(SIGN_WIDTH + LETTER_WIDTH * len(str(handle.get_label())) for handle in handles)
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles) if width <= WIDTH else NARROW_LEGEND)


def _medoid_places(layout: ClusterLayout) -> Any:
    """Return where the medoids are, in the order of their clusters: both are in the order of groups and rows."""
    return layout.flat.places[layout.table["medoid"].to_numpy()]


def _groups(layout: ClusterLayout) -> list[str]:
    return list(dict.fromkeys(layout.table["group"]))


def _look(cluster: int, size: float, edge: float) -> dict[str, Any]:
    return {"color": cluster_colour(cluster), "markersize": size, "markeredgecolor": "white", "markeredgewidth": edge}


def _ring(size: float, faint: bool = False) -> dict[str, Any]:
    return {
        "linestyle": "none",
        "markersize": size,
        "markerfacecolor": "none",
        "markeredgecolor": GREY if faint else INK,
        "markeredgewidth": 0.6 if faint else 0.9,
    }


def _in_words(layout: ClusterLayout) -> str:
    sizes = layout.table["cluster"].value_counts().sort_index()
    counts = ", ".join(f"{cluster}: {size}" for cluster, size in sizes.items())
    words = f"{counted(len(layout.table), 'record')} of {counted(layout.n_clusters, 'cluster')} in a plane, by cluster {counts}"
    doubtful = int((~layout.table["certain"]).sum())
    return f"{words}; {doubtful:,} are ringed" if layout.ringed else words
