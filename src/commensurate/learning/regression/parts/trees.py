"""Forests on the features of pairs, kept as plain arrays of nodes: one of extremely randomised trees, whose estimates
are smooth, and one of trees that are split where it helps most, which finds steps.

scikit-learn grows them. What they learnt is copied into arrays, so that a model file holds numbers alone, and
predictions take no detour.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray, IntArray
from commensurate.learning.regression.pair_view import PairView
from commensurate.learning.regression.parts.part import Answered

EXTRA_TREES, RANDOM_FOREST = "extra trees", "random forest"
N_TREES = 100
# answers a leaf: what one noisy answer says is never an estimate
LEAST_IN_LEAF = {EXTRA_TREES: 5, RANDOM_FOREST: 2}


@dataclass(frozen=True, eq=False)
class Nodes:
    """All trees, node after node; the two children of a node stand side by side.

    Attributes
    ----------
    roots
        Where each tree begins.
    split_on
        Which feature a node looks at; -1 for a leaf.
    threshold
        Rows that are not above it go to the first child.
    child
        Where the first child is; -1 for a leaf.
    value
        The mean of the answers in a node.
    """

    roots: IntArray
    split_on: NDArray[np.int32]
    threshold: FloatArray
    child: NDArray[np.int32]
    value: FloatArray

    @cached_property
    def packed(self) -> tuple[NDArray[np.uint64], IntArray, NDArray[np.uint64], NDArray[np.float32]]:
        """What the compiled walk reads: roots, how deep each tree is, nodes as one number each, and thresholds."""
        from commensurate.learning.regression.parts.tree_kernels import CHILD_BITS

        inner = self.split_on >= 0
        # a leaf sends all rows to itself
        child = np.where(inner, self.child, np.arange(len(inner))).astype(np.uint64)
        nodes = (child << np.uint64(CHILD_BITS)) | np.where(inner, self.split_on, 0).astype(np.uint64)
        # a float32 is above a threshold where it is above the next float32 below it
        threshold = self.threshold.astype(np.float32)
        rounded_up = threshold > self.threshold
        threshold[rounded_up] = np.nextafter(threshold[rounded_up], np.float32(-np.inf))
        threshold[~inner] = np.inf
        return self.roots.astype(np.uint64), self._depths(), nodes, threshold

    def _depths(self) -> IntArray:
        """Return how many steps it takes at most from each root to a leaf."""
        depths = np.zeros(len(self.roots), dtype=np.int64)
        level, trees, depth = self.roots, np.arange(len(self.roots)), 0
        while len(level):
            depths[trees] = depth
            inner = self.split_on[level] >= 0
            children = self.child[level[inner]].astype(np.int64)
            level, trees, depth = np.concatenate([children, children + 1]), np.tile(trees[inner], 2), depth + 1
        return depths


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """A grown forest; its name is what users read."""

    name: str
    nodes: Nodes
    n_pairs: int

    @classmethod
    def learn(cls, name: str, answered: Answered, seed: int, n_trees: int = N_TREES) -> Trees:
        """Grow a forest of this name."""
        from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

        grow = {EXTRA_TREES: ExtraTreesRegressor, RANDOM_FOREST: RandomForestRegressor}[name]
        forest = grow(n_trees, min_samples_leaf=LEAST_IN_LEAF[name], random_state=seed, n_jobs=1)
        forest.fit(answered.features, answered.targets, sample_weight=answered.counts)
        return cls(name, _nodes_of([one.tree_ for one in forest.estimators_]), len(answered.answers))

    @property
    def noise(self) -> float:
        """A forest cannot tell noise from what it has not learnt."""
        return float("nan")

    def estimate(self, view: PairView) -> FloatArray:
        """Return the mean over all trees for each pair."""
        return self.estimate_with_uncertainty(view)[0]

    def estimate_with_uncertainty(self, view: PairView) -> tuple[FloatArray, FloatArray]:
        """Return the mean over all trees, and how far they disagree."""
        from commensurate.learning.regression.parts.tree_kernels import forest_sums

        n_trees = len(self.nodes.roots)
        # trees were grown on features rounded to float32
        features = np.ascontiguousarray(view.features, dtype=np.float32)
        sums, squares = forest_sums(features, *self.nodes.packed, self.nodes.value)
        means = sums / n_trees
        return means, np.sqrt(np.maximum(squares / n_trees - means**2, 0.0))

    def pulls(self, view: PairView) -> FloatArray:
        """A forest does not tell which answers moved an estimate."""
        return np.zeros(self.n_pairs)


def _nodes_of(trees: list[Any]) -> Nodes:
    """Lay all trees out so that siblings are neighbours."""
    layers: list[tuple[NDArray[Any], ...]] = []
    total = 0
    for tree in trees:
        n = tree.node_count
        left, right = tree.children_left, tree.children_right
        inner = np.flatnonzero(left >= 0)
        # the root comes first, then the children of every inner node, two by two
        place = np.zeros(n, dtype=np.int64)
        firsts = 1 + 2 * np.arange(len(inner))
        place[left[inner]], place[right[inner]] = firsts, firsts + 1
        on, at, down, values = np.full(n, -1), np.zeros(n), np.full(n, -1), np.empty(n)
        on[place[inner]], at[place[inner]], down[place[inner]] = (
            tree.feature[inner],
            tree.threshold[inner],
            firsts + total,
        )
        values[place] = tree.value[:, 0, 0]
        layers.append((np.array([total]), on, at, down, values))
        total += n
    roots, split_on, threshold, child, value = (np.concatenate(each) for each in zip(*layers))
    return Nodes(
        roots.astype(np.int64), split_on.astype(np.int32), threshold, child.astype(np.int32), value.astype(np.float64)
    )
