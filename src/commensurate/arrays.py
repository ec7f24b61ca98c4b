"""The kinds of arrays that functions take and return, and in which parts pairs are computed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
# lower and upper ends, one each for every pair
Bounds = tuple[FloatArray, FloatArray]
# the points of pairs, one row a pair: of the left side and of the right
PointPairs = tuple[FloatArray, FloatArray]

# Pairs are filled up to a multiple of this before a learnt function is computed for them: sums are rounded by the shape
# of what is multiplied, and what is estimated for a pair must not depend on how many others come with it.
PAIRS_FILLED_UP_TO = 256
# Pairs that a learnt function is computed for at once, by one core; it bounds memory at answers × this.
PAIRS_COMPUTED_AT_ONCE = 4 * PAIRS_FILLED_UP_TO
