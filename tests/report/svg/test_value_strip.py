"""The picture of a value in its group: bars, a mark, and nothing that a record could have written."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.report.svg.value_strip import HEIGHT, WIDTH, value_strip
from commensurate.study.profiles import Place

HOSTILE = '</svg><script>alert("x")</script>'


def drawn(place: Place) -> dict[str, str]:
    """Return what each class draws."""
    svg = ElementTree.fromstring(value_strip(place))
    return {str(path.get("class")): str(path.get("d")) for path in svg.iter("path")}


def test_where_there_is_nothing_to_draw_nothing_is_drawn():
    assert value_strip(Place("12 % of married", "12 %")) == ""


def test_the_bar_that_holds_the_value_is_marked_by_a_shape():
    paths = drawn(Place("", "", (0.5, 1.0, 0.25), here=2))
    assert paths["strip-bar"].count("M") == 2
    bar, triangle = re.findall(r"M[^M]+", paths["strip-here"])
    assert bar.startswith("M24.0 20")
    assert triangle.endswith("l-3 -5h6z")
    # the triangle points at the middle of the bar
    assert triangle.startswith("M29.5 ")


def test_an_empty_bar_that_holds_the_value_still_has_its_mark():
    assert drawn(Place("", "", (1.0, 0.0), here=1))["strip-here"].count("M") == 1


def test_the_tallest_bar_is_as_high_as_there_is_room_and_the_least_can_be_seen():
    heights = [
        float(v) for v in re.findall(r"v-([0-9.]+)", drawn(Place("", "", (1.0, 1e-9, 0.5), here=None))["strip-bar"])
    ]
    assert heights == [14.0, 1.0, 7.0]


def test_it_is_hidden_from_those_who_listen_and_has_no_style_of_its_own():
    svg = value_strip(Place("words", "", (1.0,), 0))
    assert 'aria-hidden="true"' in svg
    assert "style" not in svg


def test_words_of_a_record_never_get_into_the_picture():
    assert "script" not in value_strip(Place(HOSTILE, "", (1.0, 0.5), 0))


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=48), st.data())
def test_every_bar_lies_within_the_picture(shares, data):
    here = data.draw(st.none() | st.integers(0, len(shares) - 1))
    svg = ElementTree.fromstring(value_strip(Place("", "", tuple(shares), here)))
    for path in svg.iter("path"):
        for x, y in re.findall(r"M(-?[0-9.]+) ([0-9.]+)", path.get("d", "")):
            assert 0.0 <= float(x) <= WIDTH
            assert 0.0 <= float(y) <= HEIGHT


@pytest.mark.parametrize("n", [1, 24, 48])
def test_a_strip_is_small(n):
    assert len(value_strip(Place("", "", (1.0,) * n, 0))) < 1_800
