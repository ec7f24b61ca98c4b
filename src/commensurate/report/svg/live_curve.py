"""How the error falls while answers come in, as a small inline SVG for a page."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from commensurate.errors import InvalidInput
from commensurate.learning.forecasting.learning_curve import ErrorForecast
from commensurate.report.svg.chart_axes import LEFT, RIGHT, WIDTH, Frame
from commensurate.report.svg.element import element, joined
from commensurate.wording import axis_number

ROOM_ABOVE = 1.08


def live_curve(
    observed: Sequence[tuple[float, float]],
    forecast: Sequence[ErrorForecast],
    *,
    tolerance: float,
    planned: int,
    looks: Sequence[tuple[int, bool]] = (),
) -> Markup:
    """Return an inline SVG: mean error against answered questions, with its band.

    Parameters
    ----------
    observed
        (answered questions, mean error): dots.
    forecast
        The curve and its band, by answered questions; dashed beyond what was observed.
    tolerance
        The stopping rule's tolerance: a line across.
    planned
        How many questions are planned: a line upwards.
    looks
        (answered questions, whether the rule said stop): marks on the lower edge.

    Examples
    --------
    >>> ahead = [ErrorForecast(50, 0.1, 0.08, 0.12), ErrorForecast(200, 0.06, 0.04, 0.09)]
    >>> svg = live_curve([(50, 0.1), (100, 0.08)], ahead, tolerance=0.05, planned=100, looks=[(50, False)])
    >>> svg.count("<circle"), svg.count('class="look"')
    (2, 1)
    """
    if not observed or len(forecast) < 2:
        raise InvalidInput(
            f"a curve needs an observed error and 2 forecasts or more, got {len(observed)} and {len(forecast)}; "
            "draw it once there are some"
        )
    highest = max(tolerance, *(one.high for one in forecast), *(error for _, error in observed))
    furthest = max(float(planned), *(one.answers for one in forecast), *(float(n) for n, _ in looks))
    frame = Frame(furthest, ROOM_ABOVE * highest, top=24.0)
    parts = [
        frame.axes("answered questions", "mean error"),
        _band(frame, forecast),
        _planned(frame, planned),
        _tolerance_line(frame, tolerance),
        _line(frame, forecast, max(n for n, _ in observed)),
        *(element("circle", class_="observed", cx=frame.x(n), cy=frame.y(error), r=4) for n, error in observed),
        *(_look(frame, n, stop) for n, stop in looks),
    ]
    n, error = max(observed)
    last = forecast[-1]
    title = (
        f"Mean error against answered questions: {error:.2g} after {n:,.0f}; {last.expected:.2g} expected after "
        f"{last.answers:,.0f}, from {last.low:.2g} to {last.high:.2g}. The tolerance is {tolerance:g}."
    )
    return frame.picture("curve", title, *parts)


def _band(frame: Frame, forecast: Sequence[ErrorForecast]) -> Markup:
    there = [(one.answers, one.high) for one in forecast]
    back = [(one.answers, one.low) for one in reversed(forecast)]
    return element("polygon", class_="band", points=_points(frame, [*there, *back]))


def _line(frame: Frame, forecast: Sequence[ErrorForecast], known_until: float) -> Markup:
    """Return the curve, whole as far as errors were observed and dashed beyond; the two parts meet."""
    points = [(one.answers, one.expected) for one in forecast]
    known = [point for point in points if point[0] <= known_until]
    beyond = points[max(0, len(known) - 1) :]
    return joined(
        element("polyline", class_="known", points=_points(frame, known)),
        element("polyline", class_="beyond", stroke_dasharray="5 4", points=_points(frame, beyond)),
    )


def _tolerance_line(frame: Frame, tolerance: float) -> Markup:
    y = frame.y(tolerance)
    words = f"within {axis_number(tolerance)}"
    return joined(
        element("line", class_="target", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y),
        element("text", words, class_="target-label", x=WIDTH - RIGHT, y=y - 5, text_anchor="end"),
    )


def _planned(frame: Frame, planned: int) -> Markup:
    x = frame.x(planned)
    return joined(
        element("line", class_="planned", x1=x, x2=x, y1=frame.top, y2=frame.floor),
        element("text", "planned", class_="tick", x=x - 5, y=frame.top + 10, text_anchor="end"),
    )


def _look(frame: Frame, n: int, stop: bool) -> Markup:
    """Return a triangle that stands on the lower edge; a filled one where the rule said stop."""
    x, floor = frame.x(n), frame.floor
    return element("path", class_="look stop" if stop else "look", d=f"M{x:.1f} {floor - 10:.1f}l6 10h-12z")


def _points(frame: Frame, points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{frame.x(n):.1f},{frame.y(error):.1f}" for n, error in points)
