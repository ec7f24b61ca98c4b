"""Worlds in which experts err: in proportion to σ, with heavy tails, each with a scale of their own, by levels, and
where there is nothing to learn, or hardly more than effects of elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from benchmarks.awkward_worlds.answering import (
    Answering,
    a_level_off,
    by,
    exactly,
    heavy_tailed,
    heavy_tailed_by,
    in_proportion,
    several_experts,
)
from benchmarks.awkward_worlds.forms import of, plain, uniform
from benchmarks.awkward_worlds.world import Population, Rows, Sigma, World
from commensurate.arrays import FloatArray
from commensurate.groups.group import Group, GroupsInput

NOISY, ONLY, EFFECTS, LEVELS = "experts who err", "noise only", "effects of elements", "levels and zeros"
N_LEVELS = 5
LEVEL_VALUES = np.arange(N_LEVELS, dtype=np.float64)
# so few elements that most are asked about several times
FEW = (24, 30)
# what thresholds are learnt from
MANY = 4_000


def kinked(rng: np.random.Generator) -> Sigma:
    """Draw a σ of columns that both groups have: a weighted sum of gaps."""
    weights = rng.dirichlet(np.ones(4))
    return lambda x, y: 0.2 + 2.0 * np.abs(x - y) @ weights


def smooth(rng: np.random.Generator) -> Sigma:
    """Draw a σ of columns that the groups do not share: how far apart they are where both are mapped to."""
    one, other = rng.normal(size=(3, 2)), rng.normal(size=(4, 2))
    return lambda x, y: np.sqrt(0.01 + (((x - 0.5) @ one - (y - 0.5) @ other) ** 2).sum(axis=1))


def _own_columns(left: Rows, right: Rows) -> GroupsInput:
    return [
        Group(name, points, columns=[f"{name}{k}" for k in range(points.shape[1])])
        for name, points in zip("ab", (left, right))
    ]


FORMS = {"kinked": (kinked, 4, 4), "smooth": (smooth, 3, 4)}


def _world(form: str, name: str, kind: str, answering: Answering, shaped: str = "") -> World:
    draw_sigma, n_left, n_right = FORMS[form]

    def population(rng: np.random.Generator, n: int) -> Population:
        sigma = SHAPED[shaped](draw_sigma(rng), rng.random((MANY, n_left)), rng.random((MANY, n_right)))
        return of(uniform(n_left), uniform(n_right), sigma)(rng, n)

    if form == "kinked":
        return World(f"{form}, {name}", kind, population, answering)
    return World(f"{form}, {name}", kind, population, answering, _own_columns)


def _levelled(sigma: Sigma, x: FloatArray, y: FloatArray) -> Sigma:
    """Return which of five levels σ is in; as many pairs in each."""
    limits = np.quantile(sigma(x, y), np.arange(1, N_LEVELS) / N_LEVELS)
    return lambda left, right: np.searchsorted(limits, sigma(left, right)).astype(np.float64)


def _half_zero(sigma: Sigma, x: FloatArray, y: FloatArray) -> Sigma:
    """Return what is above the median; half of all pairs are equal as far as experts can tell."""
    middle = float(np.median(sigma(x, y)))
    return lambda left, right: np.maximum(sigma(left, right) - middle, 0.0)


SHAPED = {"": lambda sigma, x, y: sigma, "levels": _levelled, "zeros": _half_zero}
ERRING: Mapping[str, Answering] = {
    "5 % noise": in_proportion(0.05),
    "20 % noise": in_proportion(0.2),
    "tails of 3 degrees": heavy_tailed(3.0, 0.25),
    "tails of 1.5 degrees": heavy_tailed(1.5, 0.25),
    "four experts": several_experts(4, 0.5, 0.3),
}


def experts_who_err() -> Iterator[World]:
    """Yield worlds with errors of all kinds about a kinked and a smooth σ."""
    for form in FORMS:
        for name, answering in ERRING.items():
            yield _world(form, name, NOISY, answering)
        yield _world(form, "five levels", LEVELS, exactly, "levels")
        yield _world(form, "five levels, a third one off", LEVELS, a_level_off(1.0 / 3.0, LEVEL_VALUES), "levels")
        yield _world(form, "half zeros", LEVELS, exactly, "zeros")
        yield _world(form, "half zeros, 20 % noise", LEVELS, in_proportion(0.2), "zeros")


def noise_only() -> Iterator[World]:
    """Yield worlds in which σ is 1 everywhere, and answers are not."""
    for width, noise in ((2, 0.3), (5, 0.3), (5, 0.05), (10, 0.1), (40, 0.3)):
        yield _nothing(f"noise only, {width} columns, {100 * noise:g} %", width, by(noise))
    yield _nothing("noise only, tails of 1.5 degrees", 4, heavy_tailed_by(1.5, 0.1))
    yield _nothing("noise only, few elements", 4, by(0.3), FEW)


def _nothing(name: str, width: int, answering: Answering, table_rows: tuple[int, int] | None = None) -> World:
    made = plain(name, ONLY, uniform(width), _one, answering)
    rows = table_rows or made.table_rows
    return World(name, ONLY, made.population, answering, answers=made.answers, table_rows=rows, noise_only=True)


def _one(x: FloatArray, y: FloatArray) -> FloatArray:
    return np.ones(len(x))


def effects_of_elements() -> Iterator[World]:
    """Yield worlds in which some elements score high or low with everybody, which no column shows."""
    for name, signal, noise in (
        ("effects only", 0.0, 0.0),
        ("effects, 10 % noise", 0.0, 0.1),
        ("effects and gaps", 1.0, 0.0),
        ("effects and gaps, 10 % noise", 1.0, 0.1),
    ):
        yield World(name, EFFECTS, _with_effects(signal), in_proportion(noise), table_rows=FEW)


def _with_effects(signal: float) -> Callable[[np.random.Generator, int], Population]:
    def population(rng: np.random.Generator, n: int) -> Population:
        left, right = rng.random((n, 4)), rng.random((n, 4))
        effects = 0.3 * rng.normal(size=(2, n, 1))
        true = np.hstack([left, effects[0]]), np.hstack([right, effects[1]])
        gaps = kinked(rng)
        return Population(
            (left, right),
            true,
            lambda x, y: np.maximum(1.5 + signal * gaps(x[:, :4], y[:, :4]) + x[:, 4] + y[:, 4], 0.0),
        )

    return population
