"""The kinds of arrays that functions take and return."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
# lower and upper ends, one each for every pair
Bounds = tuple[FloatArray, FloatArray]
