"""The colours of the figures can be seen, and told apart, by everybody."""

from itertools import combinations

import matplotlib.colors
import numpy as np

from commensurate.report.style import (
    ALGORITHM_COLOURS,
    CLUSTER_COLOURS,
    GROUP_MARKERS,
    colours_of,
    group_markers,
    markers_of,
)

ALGORITHMS = ("NAIVE", "CLUSTER", "MLP", "RF", "XGB")

# how colours look to eyes without one kind of cone (Machado, Oliveira and Fernandes 2009), in linear RGB
EYES = {
    "all cones": np.eye(3),
    "no long": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no middle": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "no short": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear_rgb(colour):
    channels = np.array(matplotlib.colors.to_rgb(colour))
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(linear):
    shares = TO_XYZ @ np.clip(linear, 0.0, 1.0) / [0.9505, 1.0, 1.089]
    x, y, z = np.where(shares > 0.008856, np.cbrt(shares), 7.787 * shares + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast_with_white(colour):
    return 1.05 / (linear_rgb(colour) @ TO_XYZ[1] + 0.05)


def test_colours_of_algorithms_are_seen_on_white():
    assert set(ALGORITHM_COLOURS) == set(ALGORITHMS)
    assert all(contrast_with_white(colour) >= 3.0 for colour in ALGORITHM_COLOURS.values())


def test_colours_of_algorithms_are_told_apart_by_eyes_that_lack_one_kind_of_cone():
    for eyes in EYES.values():
        seen = [lab(eyes @ linear_rgb(colour)) for colour in ALGORITHM_COLOURS.values()]
        # a distance of 2 or 3 is just noticeable side by side
        assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 15.0


def test_a_name_of_ones_own_gets_a_colour_that_no_algorithm_of_the_paper_has():
    names = [*ALGORITHMS, "mine", "yours", "mine"]
    assert len(set(colours_of(names).values())) == len(set(markers_of(names).values())) == 7


def test_colours_of_clusters_are_seen_on_white():
    # numbers written on them in white are large and bold
    assert min(contrast_with_white(colour) for colour in CLUSTER_COLOURS) > 2.95


def test_colours_of_clusters_are_told_apart_by_eyes_that_lack_one_kind_of_cone():
    for eyes in EYES.values():
        seen = [lab(eyes @ linear_rgb(colour)) for colour in CLUSTER_COLOURS]
        assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 20.0


def test_groups_differ_in_shape_up_to_eight_of_them():
    assert len(set(group_markers([f"g{k}" for k in range(8)]).values())) == len(GROUP_MARKERS) == 8
