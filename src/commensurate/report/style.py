"""How every picture looks: one colour per algorithm, cluster and verdict, a shape for each group, quiet axes.

The ground is white, whatever the reader's settings are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from commensurate.extras import require

# told apart by nearly all eyes
BLUE, ORANGE = "#0b6e99", "#c8553d"
# the paper's two algorithms are strong, its baselines muted; lightness differs too, for eyes that see fewer colours
ALGORITHM_COLOURS = {"NAIVE": BLUE, "CLUSTER": ORANGE, "MLP": "#a8916d", "RF": "#8397ad", "XGB": "#5a5d60"}
ALGORITHM_MARKERS = {"NAIVE": "o", "CLUSTER": "s", "MLP": "^", "RF": "v", "XGB": "D"}
SPARE_COLOURS = ("#1a1a1a", "#b0447e", "#3f7f3a", "#7b5b3a")
SPARE_MARKERS = ("X", "P", "*", "h")
BOUND_COLOUR = "#8a8a8a"
INK, GREY, PALE, ALARM, PAPER = "#1a1a1a", "#5c5c5c", "#e4e4e4", "#f6e3de", "#7a1fa2"

# the figures are laid out for a column of 900 pixels
WIDTH = 9.0
LEGEND_COLUMNS = 6

SETTINGS: dict[str, Any] = {
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.edgecolor": GREY,
    "axes.labelcolor": GREY,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "font.size": 9.0,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "grid.color": PALE,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 9.0,
    # a dollar sign in a name is a dollar sign
    "text.parse_math": False,
    # text stays text: small files that can be searched; the salt makes the ids the same in every run
    "svg.fonttype": "none",
    "svg.hashsalt": "commensurate",
}


@contextmanager
def our_style() -> Iterator[None]:
    """Draw and save inside this block, so that a reader's own matplotlib settings change nothing."""
    style = require("matplotlib.style", extra="plots", purpose="drawing pictures")
    with style.context(["default", SETTINGS]):
        yield


def colours_of(names: Sequence[str]) -> dict[str, str]:
    """Return one colour per name: an algorithm of the paper always has its own.

    >>> colours_of(["CLUSTER", "mine"])
    {'CLUSTER': '#c8553d', 'mine': '#1a1a1a'}
    """
    return _assigned(names, ALGORITHM_COLOURS, SPARE_COLOURS)


def markers_of(names: Sequence[str]) -> dict[str, str]:
    """Return one marker per name, so that curves can be distinguished without colour."""
    return _assigned(names, ALGORITHM_MARKERS, SPARE_MARKERS)


def quiet(axes: Any) -> None:
    """Take away the lines that carry no information."""
    axes.spines[["top", "right"]].set_visible(False)


def head(axes: Any, title: str, measure: str) -> None:
    """Write the title and, below it, what the height measures: easier to read than a label turned on its side."""
    axes.set_title(title, pad=22.0)
    below = axes.annotate(
        measure, (0.0, 1.0), xytext=(0.0, 8.0), xycoords="axes fraction", textcoords="offset points", color=GREY
    )
    # the title's pad leaves its height free; a long measure must not squeeze the axes
    below.set_in_layout(False)


def legend_below(figure: Any, names: Sequence[str]) -> None:
    """Put one legend under all panels, with the given names in the given order."""
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        handles.update(zip(*reversed(axes.get_legend_handles_labels())))
    shown = [handles[name] for name in names]
    figure.legend(shown, names, loc="outside lower center", ncols=min(len(names), LEGEND_COLUMNS))


def _assigned(names: Sequence[str], known: dict[str, str], spare: tuple[str, ...]) -> dict[str, str]:
    others = [name for name in dict.fromkeys(names) if name not in known]
    return {name: known[name] if name in known else spare[others.index(name) % len(spare)] for name in names}


# near those of Okabe and Ito, moved apart for eyes that lack one kind of cone, and dark enough to be seen on white
CLUSTER_COLOURS = ("#2250cd", "#d58100", "#0dab5a", "#671c6e", "#b7411c", "#7292e9", "#aa849f", "#1b281b")
GROUP_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")


def cluster_colour(cluster: int) -> str:
    """Return the colour of a cluster; beyond eight they repeat, and the numbers in the picture tell them apart.

    >>> cluster_colour(0) == cluster_colour(8)
    True
    """
    return CLUSTER_COLOURS[cluster % len(CLUSTER_COLOURS)]


def group_markers(groups: Sequence[str]) -> dict[str, str]:
    """Return a shape for each group.

    >>> group_markers(["shop", "web"])
    {'shop': 'o', 'web': 's'}
    """
    return {group: GROUP_MARKERS[place % len(GROUP_MARKERS)] for place, group in enumerate(groups)}


def paler(colour: str, share: float = 0.75) -> str:
    """Return a colour mixed with a share of white; unlike a transparent one, it leaves a pattern on it as it is.

    >>> paler("#000000", 0.5)
    '#808080'
    """
    channels = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 * share + channel * (1.0 - share)):02x}" for channel in channels)


# in the order of their urgency
VERDICT_ORDER = ("violated", "undecided", "satisfied")
# grey lies between the other two
VERDICT_COLOURS = {"violated": ORANGE, "undecided": GREY, "satisfied": BLUE}
# in words of a picture, the same shapes as the marks that it draws
VERDICT_SIGNS = {"violated": "✕", "undecided": "├┤", "satisfied": "●"}
