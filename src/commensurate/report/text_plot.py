"""Pictures as text, for terminals without matplotlib."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

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
