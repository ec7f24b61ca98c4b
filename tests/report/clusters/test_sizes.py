"""The bars of the sizes of clusters are as long as the shares of their groups."""

import matplotlib
import numpy as np
import pytest

from commensurate.report.clusters.sizes import draw_sizes
from commensurate.report.svg.figure_files import svg_of

LABELS = {"a": np.array([0, 0, 0, 1]), "b": np.array([1, 2])}
CERTAIN = {"a": np.array([True, True, False, True]), "b": np.array([True, False])}


def bars(axes):
    return [(round(float(bar.get_x()), 6), round(float(bar.get_width()), 6), bar.get_hatch()) for bar in axes.patches]


def test_a_bar_is_as_long_as_the_share_of_the_group_and_its_uncertain_part_is_hatched():
    first, second = draw_sizes(LABELS, CERTAIN, 3).axes
    assert bars(first) == [(0.0, 0.5, None), (0.5, 0.25, "////"), (0.0, 0.25, None), (0.0, 0.0, None)]
    assert bars(second) == [(0.0, 0.0, None), (0.0, 0.5, None), (0.0, 0.0, None), (0.0, 0.5, "////")]


def test_without_certainty_nothing_is_hatched():
    assert not [bar for axes in draw_sizes(LABELS, None, 3).axes for bar in bars(axes) if bar[2]]


def test_every_bar_has_its_count_and_share():
    words = [text.get_text() for text in draw_sizes(LABELS, CERTAIN, 3).axes[0].texts]
    assert words == ["3 (75.0 %)", "1 (25.0 %)", "0 (0 %)"]


def test_the_text_alternative_has_the_counts():
    assert "a: 3 in cluster 0, 1 in cluster 1, 0 in cluster 2; b: 0 in cluster 0" in svg_of(draw_sizes(LABELS, None, 3))


@pytest.mark.parametrize("n_groups", [1, 3, 4, 7])
def test_titles_of_many_groups_with_long_names_stay_inside_their_panels(n_groups):
    labels = {f"a group with a name that is much too long, number {k}": np.array([0, 1]) for k in range(n_groups)}
    figure = draw_sizes(labels, None, 2)
    figure.draw_without_rendering()
    assert len(figure.axes) == n_groups
    for axes in figure.axes:
        (title,) = (text for text in axes.findobj(matplotlib.text.Text) if "records" in text.get_text())
        assert title.get_window_extent().x1 <= axes.get_window_extent().x1 + 1.0
