"""The ruler: a few pairs within groups whose distance is known, so that experts learn the scale.

Where there is no room for the ruler of many groups, some of its pairs are chosen to be shown.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from commensurate.study.kinds.random_pairs import RandomPairs
from commensurate.study.messages import RulerPair
from commensurate.study.store.making import NewRulerPair

CANDIDATES = 400
# near, middling and far of what random pairs are apart
QUANTILES = (0.05, 0.5, 0.95)
# the slider ends at so many times the largest distance of the ruler
ROOM_ABOVE = 2.0


def draw_ruler(pairs: Sequence[RandomPairs]) -> list[NewRulerPair]:
    """Choose, in each group, a near, a middling and a far pair among random ones."""
    return [
        one.pair(place)
        for one in pairs
        if len(one)
        for place in dict.fromkeys(round(share * (len(one) - 1)) for share in QUANTILES)
    ]


def end_of_scale(ruler: Sequence[NewRulerPair]) -> float:
    """Return where the slider ends by default, rounded up to two digits; 1 if all records of each group are alike.

    >>> end_of_scale([NewRulerPair(("a", "1"), ("a", "2"), 0.612)])
    1.3
    """
    largest = max((pair.distance for pair in ruler), default=0.0)
    if largest == 0.0:
        return 1.0
    end = ROOM_ABOVE * largest
    unit = 10.0 ** (np.floor(np.log10(end)) - 1.0)
    return float(f"{np.ceil(end / unit - 1e-9) * unit:.12g}")


def spread_pairs(pairs: Sequence[RulerPair], most: int) -> list[RulerPair]:
    """Return at most so many pairs at equal steps, the nearest and the farthest among them,
    in the order of their distance.

    >>> pairs = [RulerPair("married", "a", "b", {}, {}, distance) for distance in (0.3, 0.1, 0.2, 0.4)]
    >>> [pair.distance for pair in spread_pairs(pairs, 3)]
    [0.1, 0.3, 0.4]
    """
    ordered = sorted(pairs, key=lambda pair: pair.distance)
    if len(ordered) <= most:
        return ordered
    return [ordered[round(k * (len(ordered) - 1) / (most - 1))] for k in range(most)]
