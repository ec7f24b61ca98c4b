"""The histogram of the owner's page: bars, the ruler's distances, and names that stay text."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from commensurate.errors import InvalidInput
from commensurate.report.svg.answer_histogram import answer_histogram

EDGES, COUNTS = [0.0, 0.5, 1.0, 1.5], [30, 60, 0]


def drawn(ruler=()):
    svg = answer_histogram(EDGES, COUNTS, ruler)
    return ElementTree.fromstring(str(svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def of_class(root, name):
    return [one for one in root.iter() if one.get("class") == name]


def test_a_bar_is_as_high_as_its_count():
    heights = [float(bar.get("height")) for bar in of_class(drawn(), "bar")]
    assert heights[1] == pytest.approx(2.0 * heights[0], abs=0.2)
    assert heights[2] == 0.0


def test_the_ruler_has_a_row_for_each_group_at_the_height_of_its_own():
    root = drawn([("married", 0.2), ("single", 0.3), ("single", 0.9)])
    assert [one.text for one in of_class(root, "row-label")] == ["married", "single"]
    heights = [one.get("cy") for one in of_class(root, "known-distance")]
    assert heights[0] != heights[1] == heights[2]


def test_a_distance_beyond_the_scale_is_left_out():
    assert len(of_class(drawn([("single", 1.4), ("single", 1.6)]), "known-distance")) == 1


def test_a_hostile_group_name_stays_text_of_one_short_line():
    (label,) = of_class(drawn([("</text><script>\u202e alert(1)\n</script>", 0.2)]), "row-label")
    assert label.text == "</text><script>\\u…"
    assert len(label) == 0


def test_the_picture_says_in_words_where_most_answers_are():
    assert drawn()[0].text == "Histogram of 90 answers from 0 to 1.5; most, 60, are between 0.5 and 1."


def test_a_histogram_without_answers_is_drawn_and_says_so():
    svg = answer_histogram([0.0, 1.0, 2.0], [0, 0])
    assert "No answers yet." in svg
    assert "nan" not in svg


def test_edges_and_counts_must_belong_together():
    with pytest.raises(InvalidInput, match="got 2 edges for 2 counts"):
        answer_histogram([0.0, 1.0], [1, 2])
