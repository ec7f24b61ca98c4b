"""How clusters and groups look, in every picture of a clustering: a colour for each cluster, a shape for each group."""

from __future__ import annotations

from collections.abc import Sequence

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
