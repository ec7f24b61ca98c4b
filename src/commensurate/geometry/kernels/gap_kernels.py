"""Finding gaps in columns that no hop crosses, and sorting rows by the segments between them, compiled.

Values are put into buckets at least as wide as a hop; a gap wider than a hop lies between two buckets, and the extreme
values of the buckets tell exactly how wide it is.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from commensurate.geometry.kernels.norm_kernels import finish
from commensurate.geometry.kernels.tree_kernels import separates, tight_box

MOST_BUCKETS = 4096
TILE = 512  # rows that the cache holds beside the buckets of one column


@njit(cache=True)
def bucket_scale(code: int, p: float, reach: float, span: float, most: int) -> float:
    """Return the factor that maps values in [0, span] to at most ``most`` buckets; 0 if there cannot be a gap."""
    if not (separates(code, p, span, reach) and np.isfinite(span)):
        return 0.0
    scale = 1.0 / max(finish(code, p, 1, reach), span / (most - 1))
    return scale if np.isfinite(scale) else 0.0


@njit(cache=True)
def bucket_of(value: float, low: float, scale: float) -> int:
    """Return the bucket of a value; larger values never get a lower bucket."""
    return int((value - low) * scale)


@njit(cache=True)
def number_segments(code: int, p: float, reach: float, low: np.ndarray, high: np.ndarray, segment: np.ndarray) -> int:
    """Number the runs of buckets between gaps; return how many there are."""
    count = 0
    highest = low[0]
    for b in range(segment.shape[0]):
        if low[b] <= high[b]:
            if separates(code, p, low[b] - highest, reach):
                count += 1
            highest = high[b]
        segment[b] = count
    return count + 1


@njit(cache=True)
def counts_to_begins(counts: np.ndarray) -> None:
    """Turn the sizes of consecutive segments into their first places, in place."""
    place = 0
    for s in range(counts.shape[0]):
        size = counts[s]
        counts[s] = place
        place += size


@njit(cache=True)
def cut_column(
    code: int,
    p: float,
    reach: float,
    least: float,
    most: float,
    column: np.ndarray,
    members: np.ndarray,
    segment: np.ndarray,
    spare: np.ndarray,
    ends: np.ndarray,
) -> int:
    """Sort ``members`` stably by the segments of ``column``; return their number, where they end is in ``ends``."""
    n = members.shape[0]
    scale = bucket_scale(code, p, reach, most - least, min(MOST_BUCKETS, 2 * n))
    if scale == 0.0:
        return 1
    n_buckets = bucket_of(most, least, scale) + 1
    low, high = np.full(n_buckets, np.inf), np.full(n_buckets, -np.inf)
    for i in range(n):
        value = column[members[i]]
        b = bucket_of(value, least, scale)
        segment[i] = b
        low[b] = min(low[b], value)
        high[b] = max(high[b], value)
    of_bucket = np.empty(n_buckets, np.int64)
    count = number_segments(code, p, reach, low, high, of_bucket)
    if count == 1:
        return 1
    ends[:count] = 0
    for i in range(n):
        segment[i] = of_bucket[segment[i]]
        ends[segment[i]] += 1
    counts_to_begins(ends[:count])
    for i in range(n):
        spare[ends[segment[i]]] = members[i]
        ends[segment[i]] += 1
    for i in range(n):
        members[i] = spare[i]
    return count


@njit(cache=True)
def box_of_members(rows: np.ndarray, members: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """Fill ``low`` and ``high`` with the smallest and largest value of each column among the rows ``members``."""
    for k in range(rows.shape[1]):
        low[k] = rows[members[0], k]
        high[k] = low[k]
    for i in members:
        for k in range(rows.shape[1]):
            low[k] = min(low[k], rows[i, k])
            high[k] = max(high[k], rows[i, k])


@njit(cache=True, nogil=True)
def box_of_rows(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and the largest value of each column."""
    low, high = np.empty(points.shape[1]), np.empty(points.shape[1])
    tight_box(points, low, high)
    return low, high


@njit(cache=True, nogil=True)
def fill_buckets(points: np.ndarray, least: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the smallest and largest value (inf and -inf if none) and the number of rows in each column's buckets."""
    d = points.shape[1]
    low, high = np.full((d, MOST_BUCKETS), np.inf), np.full((d, MOST_BUCKETS), -np.inf)
    sizes = np.zeros((d, MOST_BUCKETS), np.int64)
    for begin in range(0, points.shape[0], TILE):
        tile = points[begin : begin + TILE]
        for k in range(d):
            for i in range(tile.shape[0]):
                value = tile[i, k]
                b = bucket_of(value, least[k], scale[k])
                low[k, b] = min(low[k, b], value)
                high[k, b] = max(high[k, b], value)
                sizes[k, b] += 1
    return low, high, sizes


@njit(cache=True, nogil=True)
def segment_keys(
    points: np.ndarray,
    columns: np.ndarray,
    least: np.ndarray,
    scale: np.ndarray,
    segment: np.ndarray,
    counts: np.ndarray,
    keys: np.ndarray,
) -> None:
    """Fill in, for each row, the number of its combination of segments in the given columns."""
    for i in range(points.shape[0]):
        key = 0
        for k in columns:
            key = key * counts[k] + segment[k, bucket_of(points[i, k], least[k], scale[k])]
        keys[i] = key


@njit(cache=True, nogil=True)
def sort_by_key(keys: np.ndarray, n_keys: int, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sort the rows of ``order`` stably by key; return them and where each key's rows end."""
    ends = np.zeros(n_keys, np.int64)
    for i in range(keys.shape[0]):
        ends[keys[i]] += 1
    counts_to_begins(ends)
    members = np.empty(order.shape[0], np.int64)
    for row in order:
        members[ends[keys[row]]] = row
        ends[keys[row]] += 1
    return members, ends
