"""Clusters are told apart by everybody, in the pictures and by their names."""

from itertools import combinations

import numpy as np

from commensurate.report.style import CLUSTER_COLOURS, GROUP_MARKERS, group_markers
from report.test_style import EYES, contrast_with_white, lab, linear_rgb


def test_colours_are_seen_on_white():
    # numbers written on them in white are large and bold
    assert min(contrast_with_white(colour) for colour in CLUSTER_COLOURS) > 2.95


def test_colours_are_told_apart_by_eyes_that_lack_one_kind_of_cone():
    for eyes in EYES.values():
        seen = [lab(eyes @ linear_rgb(colour)) for colour in CLUSTER_COLOURS]
        assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 20.0


def test_groups_differ_in_shape_up_to_eight_of_them():
    assert len(set(group_markers([f"g{k}" for k in range(8)]).values())) == len(GROUP_MARKERS) == 8
