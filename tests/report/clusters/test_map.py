"""The map of a clustering shows each element where and as what it is, and says how far it can be trusted."""

import matplotlib
import numpy as np

from commensurate.report.clusters.map import MEDOID_SIZE, RING_SIZE, cluster_map, lay_out, map_caption
from commensurate.report.style import CLUSTER_COLOURS, GROUP_MARKERS, cluster_colour
from commensurate.report.svg.figure_files import svg_of
from worlds.small_clusters import blurred, several_groups, small_clustering


def marks(figure, **wanted):
    """Return the places of the marks with a certain look."""
    lines = [
        line
        for line in figure.axes[0].lines
        if all(getattr(line, f"get_{name}")() == value for name, value in wanted.items())
    ]
    return [tuple(place) for line in lines for place in line.get_xydata()]


def places_of(layout, chosen):
    return [tuple(place) for place in layout.flat.places[chosen.to_numpy()]]


def words_in(figure):
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text)]


def test_the_colour_tells_the_cluster_and_the_shape_the_group():
    layout = lay_out(small_clustering())
    figure, table = cluster_map(layout), layout.table
    for number, group in enumerate("ab"):
        for cluster in (0, 1):
            drawn = marks(figure, color=cluster_colour(cluster), marker=GROUP_MARKERS[number])
            chosen = (table["group"] == group) & (table["cluster"] == cluster)
            assert sorted(drawn) == sorted(places_of(layout, chosen))


def test_medoids_are_large_and_have_the_number_of_their_cluster():
    layout = lay_out(small_clustering())
    figure = cluster_map(layout)
    assert marks(figure, markersize=MEDOID_SIZE) == places_of(layout, layout.table["medoid"])
    numbers = {text.get_text(): tuple(text.xy) for text in figure.axes[0].texts if text.get_text() in "01"}
    assert numbers == dict(zip("01", places_of(layout, layout.table["medoid"])))


def test_uncertain_elements_are_ringed_and_no_others():
    layout = lay_out(blurred())
    assert not layout.table["certain"].all()
    assert marks(cluster_map(layout), markersize=RING_SIZE) == places_of(layout, ~layout.table["certain"])
    assert marks(cluster_map(lay_out(small_clustering())), markersize=RING_SIZE) == []


def test_where_estimates_are_taken_for_the_truth_nothing_is_said_about_rings():
    layout = lay_out(small_clustering(interval="estimate"))
    assert "ring" not in map_caption(layout)
    assert "another cluster is possible" not in words_in(cluster_map(layout))


def test_the_caption_tells_the_distortion_and_that_the_dissimilarity_need_not_be_a_metric():
    layout = lay_out(small_clustering())
    caption = map_caption(layout)
    assert f"Kruskal's stress {layout.flat.stress:.2f}" in caption
    assert "hardly distorts" in caption
    assert "need not be a metric" in caption
    assert "All 9 records are drawn." in caption


def test_the_caption_counts_elements_that_the_plane_puts_nearer_to_another_medoid():
    layout = lay_out(small_clustering())
    assert layout.n_misplaced == 0
    assert "In the plane, no record is nearer to another medoid than to the medoid of its cluster." in map_caption(
        layout
    )
    # as if the picture were turned over: each element lies where the other cluster's medoid is
    layout.flat.places[~layout.table["medoid"].to_numpy()] *= -1.0
    assert layout.n_misplaced == (~layout.table["medoid"]).sum()
    assert "In the plane, 7 records are nearer to another medoid than to the medoid of their cluster." in map_caption(
        layout
    )


def test_the_caption_says_how_many_elements_were_left_out():
    rng = np.random.default_rng(0)
    layout = lay_out(small_clustering({"a": rng.random((400, 1)), "b": rng.random((200, 1))}))
    assert "Of 600 records, 300 are drawn" in map_caption(layout)


def test_more_clusters_than_colours_are_told_apart_by_numbers_and_the_caption_says_so():
    layout = lay_out(several_groups("ab", n_clusters=10))
    assert "Colours repeat" in map_caption(layout)
    assert {str(k) for k in range(10)} <= set(words_in(cluster_map(layout)))
    assert "Colours repeat" not in map_caption(lay_out(several_groups("ab", n_clusters=len(CLUSTER_COLOURS))))


def test_a_bar_as_long_as_a_round_dissimilarity_gives_the_scale():
    figure = cluster_map(lay_out(small_clustering()))
    (bar,) = (line for line in figure.axes[0].lines if line.get_marker() == "|")
    length = float(np.ptp(bar.get_xdata()))
    assert f"a dissimilarity of {length:.4g}" in words_in(figure)


def test_a_clustering_whose_elements_all_coincide_can_be_drawn():
    layout = lay_out(small_clustering({"a": [[0.0], [0.0]], "b": [[0.0]]}))
    assert svg_of(cluster_map(layout)).startswith("<svg")


def test_two_medoids_at_one_place_keep_their_own_numbers():
    layout = lay_out(small_clustering({"a": [[0.0]], "b": [[0.0]]}))
    assert layout.table["cluster"].tolist() == [0, 1]
    assert {"0", "1"} <= set(words_in(cluster_map(layout)))


def test_long_names_and_many_groups_fit_into_the_legend():
    names = ["a very long name of a group that nobody would read", "$x$", "c", "d", "e", "f", "g"]
    figure = cluster_map(lay_out(several_groups(names, n=6)))
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0.0
    assert box.x1 <= figure.bbox.x1
    assert "a very long name of a group…" in words_in(figure)


def test_the_text_alternative_has_the_counts():
    assert "9 records of 2 clusters in a plane, by cluster 0: 5, 1: 4; 1 are ringed" in svg_of(
        cluster_map(lay_out(blurred()))
    )
