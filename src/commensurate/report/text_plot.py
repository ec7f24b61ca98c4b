"""Pictures as text, for terminals without matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from commensurate.report.curves import Curve

FULL, WIDTH = "█", 40


def text_cdf(errors: Mapping[str, NDArray[np.float64]], n_steps: int = 8) -> str:
    """Draw, for each name, the share of errors that are at most t, for some t.

    >>> print(text_cdf({"a": np.array([0.0, 1.0])}, n_steps=2))
    off by at most 0.5
      a   50 % ████████████████████
    off by at most 1
      a  100 % ████████████████████████████████████████
    """
    largest = max(float(values.max()) for values in errors.values())
    width = max(len(name) for name in errors)
    lines = []
    for t in np.linspace(0.0, largest, n_steps + 1)[1:]:
        lines.append(f"off by at most {t:.3g}")
        for name, values in errors.items():
            share = float(np.mean(values <= t))
            lines.append(f"  {name:<{width}} {100 * share:4.0f} % {FULL * round(WIDTH * share)}")
    return "\n".join(lines)


def text_curves(curves: Sequence[Curve]) -> str:
    """Draw the error of each curve after so many answers, one bar a point.

    >>> print(text_curves([Curve("a", (10, 1000), (0.2, 0.05))]))
    a
         10 answers  0.2     ████████████████████████████████████████
      1,000 answers  0.05    ██████████
    """
    points = [
        (curve.name, f"{count:,}", error) for curve in curves for count, error in zip(curve.questions, curve.errors)
    ]
    largest = max(error for *_, error in points)
    width = max(len(count) for _, count, _ in points)
    lines: list[str] = []
    for name, count, error in points:
        if name not in lines:
            lines.append(name)
        lines.append(f"  {count:>{width}} answers  {error:<7.2g} {FULL * max(1, round(WIDTH * error / largest))}")
    return "\n".join(lines)
