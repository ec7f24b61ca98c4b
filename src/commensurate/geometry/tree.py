"""The kd-tree that the neighbour search, the counting and the cover share: what it is and how to get one.

Rows are stored leaf by leaf, and inside a leaf column by column, so that a scan of a leaf runs along contiguous memory
and is vectorised without changing the order in which the columns of one distance are added up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAF_SIZE = 16


class Tree(NamedTuple):
    """A kd-tree as plain arrays; nodes are numbered in preorder, so that a left child follows its parent.

    ``columns[stop * d]`` is the end of a leaf's block of d columns; ``order`` names the row at each place; ``right`` is
    0 for a leaf; ``low`` and ``high`` are the tight box of each node.
    """

    columns: NDArray[np.float64]
    order: NDArray[np.int64]
    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    right: NDArray[np.int64]
    parent: NDArray[np.int64]
    axis: NDArray[np.int64]
    cut: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    depth: int
    widest_leaf: int


def build_tree(points: NDArray[np.float64], members: NDArray[np.int64] | None = None) -> Tree:
    """Build the tree of the rows ``members`` of ``points`` (all rows unless told).

    >>> tree = build_tree(np.arange(100.0).reshape(50, 2))
    >>> tree.low[0], tree.high[0]
    (array([0., 1.]), array([98., 99.]))
    """
    from commensurate.geometry.kernels.tree_kernels import grow_tree

    if members is None:
        members = np.arange(len(points), dtype=np.int64)
    return Tree(*grow_tree(np.ascontiguousarray(points), members))
