"""The gate for answers: real numbers, and nothing that could merely be cast to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.errors import InvalidAnswer

FloatArray = NDArray[np.float64]
NUMBER_KINDS = "biufO"


def as_answers(given: object, what: str) -> FloatArray:
    """Return answers as float64, or say that they are no real numbers; their values are checked where they are used.

    >>> as_answers([0.5, 1], "the answers")
    array([0.5, 1. ])
    """
    try:
        raw: NDArray[Any] = np.asanyarray(given)
        if raw.dtype.kind not in NUMBER_KINDS or np.ma.is_masked(raw):
            raise TypeError
        return np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidAnswer(
            f"{what} must be real numbers, got {type(given).__name__} with something else in it"
        ) from None
