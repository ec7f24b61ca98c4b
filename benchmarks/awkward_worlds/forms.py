"""Worlds of exact answers, or nearly so, in which σ or the columns are awkward; most come from earlier reviews."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.awkward_worlds.answering import Answering, beside_spread, by, exactly, heavy_tailed_by
from benchmarks.awkward_worlds.world import SIZES, Population, Sigma, World
from commensurate.arrays import FloatArray

Draw = Callable[[np.random.Generator, int], FloatArray]

COLUMNS, SIGMA, SCALES, WEAK = "columns", "σ that breaks M1 or M2", "forms of σ", "much noise on simple forms"


def uniform(width: int, scale: float = 1.0) -> Draw:
    """Draw columns from [0, scale]."""
    return lambda rng, n: scale * rng.random((n, width))


def lognormal(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw amounts: a few are far larger than all others."""
    return np.exp(2.0 * rng.normal(size=(n, 4)))


def cauchy(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw columns without a mean."""
    return rng.standard_cauchy((n, 4))


def correlated(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw ten columns that say nearly the same."""
    return rng.normal(size=(n, 1)) + 0.05 * rng.normal(size=(n, 10))


def binary(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw ten columns of zeros and ones."""
    return rng.integers(0, 2, (n, 10)).astype(np.float64)


def with_outliers(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw columns in which one row in fifty is fifty times as large."""
    return np.where(rng.random((n, 1)) < 0.02, 50.0, 1.0) * rng.random((n, 3))


def of(left: Draw, right: Draw, sigma: Sigma) -> Callable[[np.random.Generator, int], Population]:
    """Return a population in which learners see all that σ depends on."""

    def population(rng: np.random.Generator, n: int) -> Population:
        both = left(rng, n), right(rng, n)
        return Population(both, both, sigma)

    return population


def plain(
    name: str,
    kind: str,
    draw: Draw,
    sigma: Sigma,
    answering: Answering = exactly,
    answers: tuple[int, ...] = SIZES,
    right: Draw | None = None,
) -> World:
    """Return a world whose groups are points, both drawn alike unless ``right`` says otherwise."""
    return World(name, kind, of(draw, right or draw, sigma), answering, answers=answers)


def gap(left: FloatArray, right: FloatArray, one: int = 0, other: int = 0) -> FloatArray:
    """Return how far one column is from another."""
    return np.abs(left[:, one] - right[:, other])


def two_gaps(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return how far two columns are from two others; the first counts five times as much."""
    return gap(left, right) + 0.2 * gap(left, right, 1, 2)


def awkward_columns() -> Iterator[World]:
    """Yield worlds with a simple σ and columns of all scales, numbers and distributions."""
    yield plain("tiny scale", COLUMNS, uniform(3, 1e-9), two_gaps)
    yield plain("huge scale", COLUMNS, uniform(3, 1e9), two_gaps)
    yield plain("tiny sigma", COLUMNS, uniform(3), lambda x, y: 1e-9 * two_gaps(x, y))
    yield plain("200 columns, 2 matter", COLUMNS, uniform(200), lambda x, y: gap(x, y) + 0.5 * gap(x, y, 1, 1))
    yield plain("200 columns, all matter", COLUMNS, uniform(200), lambda x, y: 5.0 * np.abs(x - y).mean(axis=1))
    yield plain("1 column", COLUMNS, uniform(1), gap)
    yield plain("lognormal columns", COLUMNS, lognormal, gap)
    yield plain("lognormal columns, logs", COLUMNS, lognormal, lambda x, y: gap(np.log(x), np.log(y)))
    yield plain("cauchy columns", COLUMNS, cauchy, lambda x, y: np.minimum(gap(x, y, 0, 1), 10.0))
    few = (15, 20, *SIZES)
    yield plain("correlated columns", COLUMNS, correlated, lambda x, y: np.abs(x.mean(1) - y.mean(1)), answers=few)
    yield plain("binary columns", COLUMNS, binary, lambda x, y: np.abs(x - y).sum(axis=1) / 10.0)
    yield plain("outlying rows", COLUMNS, with_outliers, gap, right=uniform(3))


def forms_of_sigma() -> Iterator[World]:
    """Yield worlds with uniform columns and forms of σ that obey M1 and M2, or nearly so."""
    yield plain(
        "smooth, 2 and 3 columns",
        SCALES,
        uniform(2),
        lambda x, y: np.abs(x[:, 0] - y[:, 1:].mean(axis=1)),
        right=uniform(3),
    )
    yield plain("constant sigma", SCALES, uniform(3), lambda x, y: np.full(len(x), 0.7))
    yield plain("zero sigma", SCALES, uniform(3), lambda x, y: np.zeros(len(x)))
    yield plain("linear, noise", SCALES, uniform(5), lambda x, y: 1.0 + x[:, 0] + 0.5 * y[:, 1], by(0.3))
    yield plain("product", SCALES, uniform(3), lambda x, y: 0.7 * x[:, 0] * y[:, 0])
    yield plain("largest gap", SCALES, uniform(6), lambda x, y: np.abs(x - y).max(axis=1))
    yield plain("many zeros", SCALES, uniform(4), lambda x, y: np.maximum(0.0, gap(x, y) - 0.5))
    tails = heavy_tailed_by(1.5, 0.05)
    yield plain("gap, tails of 1.5 degrees", SCALES, uniform(3), lambda x, y: gap(x, y) + 0.3, tails)


def breaking_sigma() -> Iterator[World]:
    """Yield worlds in which σ jumps, or changes faster than the metrics allow."""
    yield plain(
        "steps of 1 column each",
        SIGMA,
        uniform(1),
        lambda x, y: np.where(x[:, 0] > 0.5, 1.0, 0.2) * np.where(y[:, 0] > 0.3, 1.0, 0.5),
    )
    yield plain("step of a sum", SIGMA, uniform(3), lambda x, y: np.where(x[:, 0] + y[:, 0] > 1.0, 1.0, 0.2))
    yield plain("step of a gap", SIGMA, uniform(3), lambda x, y: np.where(gap(x, y) > 0.3, 1.0, 0.2))
    yield plain("five levels of a gap", SIGMA, uniform(4), lambda x, y: np.floor(5.0 * gap(x, y)) / 5.0)
    yield plain("same third or not", SIGMA, uniform(3), lambda x, y: (_third(x) != _third(y)).astype(np.float64))
    yield plain("squared gaps", SIGMA, uniform(4), lambda x, y: 4.0 * ((x[:, :2] - y[:, :2]) ** 2).sum(axis=1))
    yield plain("waves", SIGMA, uniform(2), lambda x, y: 1.0 + np.sin(15.0 * x[:, 0]) * np.cos(15.0 * y[:, 1]))
    yield plain("ratio", SIGMA, uniform(3), lambda x, y: np.abs(np.log((x[:, 0] + 0.05) / (y[:, 0] + 0.05))))


def _third(points: FloatArray) -> FloatArray:
    return np.floor(3.0 * points[:, 0])


SIMPLE: dict[str, Sigma] = {
    "gap": gap,
    "product": lambda x, y: 1.0 + x[:, 0] * y[:, 0],
    "bump": lambda x, y: 1.0 + 0.5 * np.exp(-8.0 * ((x[:, 0] - 0.5) ** 2 + (y[:, 1] - 0.5) ** 2)),
    "linear": lambda x, y: 1.0 + 0.5 * x[:, 0] - 0.5 * y[:, 1],
}
RATIOS = (0.5, 1.0, 2.0)
SIZES_OF_WEAK = (60, 100, 400)


def weak_signals() -> Iterator[World]:
    """Yield worlds with simple forms of σ, and noise from half to twice the spread of σ."""
    for form, sigma in SIMPLE.items():
        for ratio in RATIOS:
            name = f"{form}, noise of {ratio:g} spreads"
            yield plain(name, WEAK, uniform(4), sigma, beside_spread(ratio), SIZES_OF_WEAK)
    yield plain("slight slope, noise", WEAK, uniform(5), lambda x, y: 1.0 + 0.3 * (x[:, 0] - 0.5), by(0.3))
