"""Compiled: the covariances of pairs with those answered about, and their sums weighed by answers, in one pass.

An exponential of our own is why these loops are fast: the compiler works on several at once, as it cannot with that of
the machine's library. Only sums may be taken in another order; that of one row never depends on the other rows.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.geometry.kernels.norm_kernels import add_column, finish
from commensurate.geometry.norms import EUCLIDEAN, MINKOWSKI

LOG2_E = 1.0 / math.log(2.0)
# log 2 in two parts: multiples of the first are exact
LOG2_HIGH, LOG2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
# added to a small number, it leaves its rounded value in the lowest bits
ROUNDER = 1.5 * 2.0**52
EXPONENT_BITS = 52
# beyond this the exponential is 0 for every practical purpose, and not normal
FAR = 708.0
# of the series of the exponential, the last first: up to half of log 2, what is left out is below rounding
SERIES = tuple(1.0 / math.factorial(k) for k in range(12, -1, -1))
S12, S11, S10, S9, S8, S7, S6, S5, S4, S3, S2, S1, S0 = SERIES


@njit(cache=True, nogil=True, fastmath={"contract", "nnan", "ninf", "nsz"})
def falling(x: float) -> float:
    """Return exp(−x) for x ≥ 0, to the last digit or two.

    −x = n log 2 + rest; the series gives exp(rest), and n goes to the bits that hold the exponent.
    """
    x = min(x, FAR)
    shifted = ROUNDER - x * LOG2_E
    n = shifted - ROUNDER
    rest = (-x - n * LOG2_HIGH) - n * LOG2_LOW
    value = S12 * rest + S11
    value = value * rest + S10
    value = value * rest + S9
    value = value * rest + S8
    value = value * rest + S7
    value = value * rest + S6
    value = value * rest + S5
    value = value * rest + S4
    value = value * rest + S3
    value = value * rest + S2
    value = value * rest + S1
    value = value * rest + S0
    raised = np.float64(value).view(np.int64) + (np.float64(shifted).view(np.int64) << np.int64(EXPONENT_BITS))
    return np.int64(raised).view(np.float64)


@njit(cache=True, nogil=True, fastmath=True)
def matern_sums(
    products: FloatArray, squares: FloatArray, other_squares: FloatArray, signal: float, weights: FloatArray
) -> FloatArray:
    """Turn scalar products into Matérn 5/2 covariances, in place; return those of each row, weighed and summed.

    ``squares`` are the squared lengths of rows, ``other_squares`` those of columns.
    """
    sums = np.empty(products.shape[0])
    for i in range(products.shape[0]):
        row, square, total = products[i], squares[i], 0.0
        for j in range(row.shape[0]):
            squared = max(square + other_squares[j] - 2.0 * row[j], 0.0)
            scaled = math.sqrt(5.0 * squared)
            covariance = signal * (1.0 + scaled + (5.0 / 3.0) * squared) * falling(scaled)
            row[j] = covariance
            total += weights[j] * covariance
        sums[i] = total
    return sums


@njit(cache=True, nogil=True, fastmath=True)
def fall_off(
    distances: FloatArray, length: float, variance: float, same: float, shape: FloatArray, own: FloatArray
) -> None:
    """Fill ``shape`` with exp(−d/ℓ), and ``own`` with variance · exp(−d/ℓ) + same · [d = 0]."""
    inverse = 1.0 / length
    for k in range(distances.shape[0]):
        shape[k] = falling(distances[k] * inverse)
        own[k] = variance * shape[k] + (same if distances[k] == 0.0 else 0.0)


# what stands for the code of a norm where distances are given
GIVEN = -1
# how one side is measured: the code of a norm and its exponent, points, and the known elements column by column; or
# `GIVEN`, 1, distances, and room for as many elements
Measured = tuple[int, float, FloatArray, FloatArray]


@njit(cache=True, nogil=True)
def measure_row(code: int, p: float, point: FloatArray, columns: FloatArray, distances: FloatArray) -> None:
    """Fill in the distances of one point to all known elements."""
    if code == GIVEN:
        distances[:] = point
        return
    distances[:] = 0.0
    for k in range(columns.shape[0]):
        add_column(code, p, point[k], columns[k], distances)
    for j in range(distances.shape[0]):
        distances[j] = finish(code, p, columns.shape[0], distances[j])


@njit(cache=True, nogil=True)
def are_known(code: int, p: float, points: FloatArray, known: FloatArray) -> BoolArray:
    """Tell which points have distance 0 to any of those known; most differ in the first column."""
    found = np.zeros(points.shape[0], dtype=np.bool_)
    for i in range(points.shape[0]):
        for j in range(known.shape[0]):
            k = 0
            while k < points.shape[1]:
                gap = abs(points[i, k] - known[j, k])
                # as distances are accumulated: what is too small to be squared counts as nothing
                if code == EUCLIDEAN:
                    gap *= gap
                elif code == MINKOWSKI:
                    gap = gap**p
                if gap != 0.0:
                    break
                k += 1
            if k == points.shape[1]:
                found[i] = True
                break
    return found


@njit(cache=True, nogil=True, fastmath=True)
def term_sums(
    left: Measured,
    right: Measured,
    variances: FloatArray,
    lengths: tuple[float, float],
    on_left: IntArray,
    on_right: IntArray,
    weights: FloatArray,
    left_weights: FloatArray,
    right_weights: FloatArray,
) -> FloatArray:
    """Return, of each row, the covariances by the metrics with all answers, weighed and summed; but for the mean's.

    ``on_left`` and ``on_right`` tell which two of the known elements an answer is about. ``left_weights`` and
    ``right_weights`` are the weights summed over the answers about an element.
    """
    code, p, points, columns = left
    other_code, other_p, other_points, other_columns = right
    apart, one, own_one = _room(columns)
    other_apart, other, own_other = _room(other_columns)
    sums = np.empty(points.shape[0])
    for i in range(points.shape[0]):
        measure_row(code, p, points[i], columns, apart)
        measure_row(other_code, other_p, other_points[i], other_columns, other_apart)
        fall_off(apart, lengths[0], variances[0], variances[3], one, own_one)
        fall_off(other_apart, lengths[1], variances[1], variances[4], other, own_other)
        both = 0.0
        for j in range(weights.shape[0]):
            both += weights[j] * one[on_left[j]] * other[on_right[j]]
        total = variances[2] * both
        for k in range(left_weights.shape[0]):
            total += left_weights[k] * own_one[k]
        for k in range(right_weights.shape[0]):
            total += right_weights[k] * own_other[k]
        sums[i] = total
    return sums


@njit(cache=True, nogil=True, fastmath=True)
def term_covariances(
    left: Measured,
    right: Measured,
    variances: FloatArray,
    lengths: tuple[float, float],
    on_left: IntArray,
    on_right: IntArray,
    of_mean: float,
) -> FloatArray:
    """Return the covariances by the metrics of each row with all answers; ``of_mean`` is that of the mean."""
    code, p, points, columns = left
    other_code, other_p, other_points, other_columns = right
    apart, one, own_one = _room(columns)
    other_apart, other, own_other = _room(other_columns)
    covariances = np.empty((points.shape[0], on_left.shape[0]))
    for i in range(points.shape[0]):
        measure_row(code, p, points[i], columns, apart)
        measure_row(other_code, other_p, other_points[i], other_columns, other_apart)
        fall_off(apart, lengths[0], variances[0], variances[3], one, own_one)
        fall_off(other_apart, lengths[1], variances[1], variances[4], other, own_other)
        row = covariances[i]
        for j in range(row.shape[0]):
            a, b = on_left[j], on_right[j]
            row[j] = variances[2] * one[a] * other[b] + own_one[a] + own_other[b] + of_mean
    return covariances


@njit(cache=True, nogil=True)
def _room(columns: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    n = columns.shape[1]
    return np.empty(n), np.empty(n), np.empty(n)
