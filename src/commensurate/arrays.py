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

# Pairs that a learnt function is computed for at once; it bounds memory at answers × this. Sums over other parts are
# rounded otherwise, so whoever cuts pairs into parts cuts them at multiples of this: then the parts get the numbers of
# one call, to the bit.
PAIRS_COMPUTED_AT_ONCE = 1_000
