"""The learning curve of the owner's page: what is drawn where, and that it is harmless, well-formed SVG."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from commensurate.errors import InvalidInput
from commensurate.learning.forecasting.learning_curve import ErrorForecast
from commensurate.report.svg.chart_axes import LEFT, RIGHT, WIDTH, Frame, round_numbers
from commensurate.report.svg.live_curve import live_curve

AHEAD = [
    ErrorForecast(50, 0.1, 0.08, 0.13),
    ErrorForecast(100, 0.08, 0.06, 0.11),
    ErrorForecast(300, 0.06, 0.04, 0.09),
]
OBSERVED = [(50.0, 0.11), (100.0, 0.07)]
SVG = "{http://www.w3.org/2000/svg}"


def drawn(**changes):
    chosen = {"tolerance": 0.05, "planned": 200, "looks": [(50, False), (100, True)], **changes}
    svg = live_curve(OBSERVED, AHEAD, **chosen)
    return ElementTree.fromstring(str(svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def of_class(root, name):
    return [one for one in root.iter() if one.get("class") == name]


def test_the_picture_says_in_words_what_it_shows():
    root = drawn()
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    assert "0.07 after 100" in root[0].text
    assert "0.06 expected after 300, from 0.04 to 0.09" in root[0].text


def test_nothing_carries_a_style_or_a_script():
    root = drawn()
    assert not [one for one in root.iter() if one.get("style") or one.tag.endswith("script")]


def test_everything_lies_within_the_frame():
    root = drawn(tolerance=0.5, planned=1000, looks=[(2000, False)])
    numbers = [float(one.get(name)) for one in root.iter() for name in ("x1", "x2", "cx") if one.get(name)]
    points = [pair.split(",") for one in root.iter() for pair in (one.get("points") or "").split()]
    across, down = (numbers + [float(x) for x, _ in points], [float(y) for _, y in points])
    assert min(across) >= LEFT
    assert max(across) <= WIDTH - RIGHT
    assert min(down) >= 0.0


def test_a_smaller_error_is_drawn_lower_and_more_answers_further_right():
    first, second = of_class(drawn(), "observed")
    assert float(first.get("cx")) < float(second.get("cx"))
    assert float(first.get("cy")) < float(second.get("cy"))


def test_what_was_observed_is_drawn_whole_and_what_is_forecast_dashed_and_the_two_meet():
    root = drawn()
    (known,), (beyond,) = of_class(root, "known"), of_class(root, "beyond")
    assert known.get("points").split()[-1] == beyond.get("points").split()[0]
    assert len(known.get("points").split()) == len(beyond.get("points").split()) == 2
    assert beyond.get("stroke-dasharray")
    assert known.get("stroke-dasharray") is None


def test_a_look_that_said_stop_is_told_from_others():
    root = drawn()
    assert (len(of_class(root, "look")), len(of_class(root, "look stop"))) == (1, 1)


def test_the_tolerance_is_named():
    assert [one.text for one in of_class(drawn(tolerance=0.05), "target-label")] == ["within 0.05"]


def test_without_an_observation_there_is_no_curve_to_draw():
    with pytest.raises(InvalidInput, match="got 0 and 3"):
        live_curve([], AHEAD, tolerance=0.05, planned=200)


@pytest.mark.parametrize("end", [1e-9, 0.0042, 0.13, 1.0, 3.0, 7.7, 600.0, 12_345.0, 1e9])
def test_an_axis_has_a_few_round_numbers_that_start_at_0(end):
    ticks = round_numbers(end)
    assert 3 <= len(ticks) <= 6
    assert ticks[0] == 0.0
    assert ticks[-1] <= end * 1.000001


def test_0_of_both_axes_is_the_lower_left_corner():
    frame = Frame(10.0, 5.0)
    assert (frame.x(0.0), frame.y(0.0)) == (LEFT, frame.floor)
    assert (frame.x(10.0), frame.y(5.0)) == (WIDTH - RIGHT, frame.top)
