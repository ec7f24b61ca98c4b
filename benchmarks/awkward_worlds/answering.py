"""Experts who err: each turns σ of some pairs into answers; what falls below 0 is said to be 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from commensurate.arrays import FloatArray

Answering = Callable[[FloatArray, np.random.Generator], FloatArray]


def exactly(sigma: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Answer σ."""
    return sigma


def in_proportion(share: float) -> Answering:
    """Err by a share of σ.

    >>> in_proportion(0.2)(np.array([0.0, 1.0]), np.random.default_rng(0)).round(3)
    array([0.   , 0.974])
    """
    return lambda sigma, rng: sigma * (1.0 + share * rng.standard_normal(len(sigma)))


def by(deviation: float) -> Answering:
    """Err by as much everywhere."""
    return lambda sigma, rng: sigma + deviation * rng.standard_normal(len(sigma))


def beside_spread(ratio: float) -> Answering:
    """Err by a share of the spread of σ."""
    return lambda sigma, rng: sigma + ratio * sigma.std() * rng.standard_normal(len(sigma))


def heavy_tailed(freedom: float, ratio: float) -> Answering:
    """Err as Student's t says, mostly by a share of the spread of σ and now and then by far more."""
    return lambda sigma, rng: sigma + ratio * sigma.std() * rng.standard_t(freedom, len(sigma))


def heavy_tailed_by(freedom: float, size: float) -> Answering:
    """Err as Student's t says, as much everywhere."""
    return lambda sigma, rng: sigma + size * rng.standard_t(freedom, len(sigma))


def several_experts(n: int, shift: float, scale: float) -> Answering:
    """Let several experts answer some pairs each, with a shift (beside the spread of σ) and a scale of their own.

    Together they are right: shifts have the mean 0, and scales the mean 1.
    """

    def answer(sigma: FloatArray, rng: np.random.Generator) -> FloatArray:
        shifts, scales = shift * sigma.std() * rng.standard_normal(n), np.exp(scale * rng.standard_normal(n))
        who = rng.integers(n, size=len(sigma))
        answers: FloatArray = (shifts - shifts.mean())[who] + (scales / scales.mean())[who] * sigma
        return answers

    return answer


def a_level_off(share: float, levels: FloatArray) -> Answering:
    """Choose among levels, for this share of pairs the one above or below.

    >>> a_level_off(1.0, np.arange(5.0))(np.array([0.0, 2.0]), np.random.default_rng(1))
    array([1., 1.])
    """

    def answer(sigma: FloatArray, rng: np.random.Generator) -> FloatArray:
        place = np.abs(sigma[:, None] - levels).argmin(axis=1)
        step = np.where(rng.random(len(sigma)) < share, rng.choice([-1, 1], size=len(sigma)), 0)
        # nothing is beyond the last level: the step goes the other way
        inside = (place + step >= 0) & (place + step < len(levels))
        chosen: FloatArray = levels[np.where(inside, place + step, place - step)]
        return chosen

    return answer
