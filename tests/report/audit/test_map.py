"""The map of an audit shows each verdict where it belongs, and rare ones always."""

import matplotlib
import numpy as np
import pytest

from commensurate.report.audit.map import MOST_SHOWN, audit_map, draw_audit_map, map_caption, map_panels
from commensurate.report.style import VERDICT_COLOURS
from commensurate.report.svg.figure_files import svg_of
from worlds.small_audit import VERDICTS, small_audit


def many(n_violated, n_undecided, n_satisfied):
    counts = {"violated": (0.9, 0.1, 0.2), "undecided": (0.5, 0.1, 0.9), "satisfied": (0.1, 0.5, 0.9)}
    numbers = dict(zip(counts, (n_violated, n_undecided, n_satisfied)))
    return [("a", k, "b", k, *counts[verdict], verdict) for verdict, n in numbers.items() for k in range(n)]


def lines_of(axes, verdict, marker):
    """Return the places of the marks of one verdict."""
    colour = VERDICT_COLOURS[verdict]
    return [line for line in axes.lines if line.get_color() == colour and line.get_marker() == marker]


def words_in(axes):
    return {text.get_text() for text in axes.findobj(matplotlib.text.Text)}


def test_pairs_across_and_within_groups_have_a_panel_each():
    across, within = audit_map(small_audit()).axes
    assert "Across groups: 33.3 % violated, 33.3 % undecided" in words_in(across)
    assert "Within groups: 50.0 % violated" in words_in(within)


def test_the_regions_are_named_with_their_counts():
    words = words_in(audit_map(small_audit()).axes[0])
    assert {"✕ violated: 1", "├┤ undecided: 1\ncrosses the line", "● satisfied: 1"} <= words


def test_the_mark_of_a_decided_pair_stands_at_the_end_that_decides():
    axes = audit_map(small_audit()).axes[0]
    (violated,) = lines_of(axes, "violated", "x")
    (satisfied,) = lines_of(axes, "satisfied", "o")
    assert (violated.get_xdata().tolist(), violated.get_ydata().tolist()) == ([0.3], [0.5])
    assert (satisfied.get_xdata().tolist(), satisfied.get_ydata().tolist()) == ([0.2], [0.1])


def test_verdicts_differ_in_shape_too():
    axes = audit_map(small_audit()).axes[0]
    shapes = {
        verdict: {line.get_marker() for line in axes.lines if line.get_color() == colour}
        for verdict, colour in VERDICT_COLOURS.items()
    }
    assert shapes["violated"] - {">"} == {"x"}
    assert shapes["undecided"] - {">"} == {"|"}
    assert shapes["satisfied"] - {">"} == {"o"}


def test_an_infinite_interval_ends_in_an_arrow_at_the_edge():
    axes = audit_map(small_audit()).axes[0]
    (arrow,) = lines_of(axes, "undecided", ">")
    assert arrow.get_xdata().tolist() == [axes.get_xlim()[1]]
    assert arrow.get_ydata().tolist() == [0.2]


def test_every_interval_is_drawn_from_its_lower_to_its_upper_bound():
    axes = audit_map(small_audit()).axes[0]
    ends = {tuple(np.round(patch.get_path().vertices.ravel(), 6)) for patch in axes.patches}
    assert (0.1, 0.5, 0.3, 0.5) in ends
    assert (0.2, 0.1, 0.4, 0.1) in ends


@pytest.mark.parametrize("lipschitz", [0.01, 0.5, 1.0, 40.0])
def test_the_line_is_l_times_the_dissimilarity_and_crosses_the_panel(lipschitz):
    axes = audit_map(small_audit(lipschitz=lipschitz)).axes[0]
    line = axes.lines[0]
    right, top = axes.get_xlim()[1], axes.get_ylim()[1]
    np.testing.assert_allclose(line.get_ydata(), lipschitz * np.asarray(line.get_xdata()))
    assert line.get_xdata()[1] == right
    assert lipschitz * right >= top


def test_rare_violations_are_all_drawn_among_many_pairs():
    (panel,) = map_panels(small_audit(many(7, 5_000, 50_000)).verdicts, seed=0)
    assert panel.counts == {"violated": 7, "undecided": 5_000, "satisfied": 50_000}
    assert panel.drawn["verdict"].value_counts().to_dict() == MOST_SHOWN | {"violated": 7}


def test_the_caption_says_how_many_pairs_were_left_out():
    assert "Of 5,507 pairs, 527 are drawn" in map_caption(small_audit(many(7, 500, 5_000)))
    assert "All 5 pairs that were compared are drawn." in map_caption(small_audit())


def test_the_same_seed_draws_the_same_pairs_and_another_one_others():
    audit = small_audit(many(7, 5_000, 50_000))
    first, again, other = (map_panels(audit.verdicts, seed)[0].drawn.index.tolist() for seed in (0, 0, 1))
    assert first == again != other


@pytest.mark.parametrize(
    "verdicts",
    [
        VERDICTS[3:],
        VERDICTS[:1],
        [("a", 0, "b", 0, 0.0, 0.0, 0.0, "satisfied")],
        [("a", 0, "b", 0, 0.5, 0.0, 0.0, "violated")],
        [("a", 0, "b", 0, 0.5, 0.0, np.inf, "undecided")],
    ],
)
def test_an_audit_with_few_kinds_of_pairs_can_be_drawn(verdicts):
    audit = small_audit(verdicts)
    assert len(audit_map(audit).axes) == 1
    assert svg_of(audit_map(audit)).startswith("<svg")


def test_the_text_alternative_has_the_counts():
    assert "across groups 1 of 3 pairs are violated, 1 undecided and 1 satisfied" in svg_of(audit_map(small_audit()))


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_the_suffix_of_the_file_chooses_its_format(tmp_path, suffix, start):
    path = tmp_path / f"map{suffix}"
    draw_audit_map(small_audit(), path)
    assert path.read_bytes().startswith(start)
