"""Worlds of tables: categories only, mixed columns with gaps, and groups that have distances only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.awkward_worlds.answering import in_proportion
from benchmarks.awkward_worlds.world import Population, Rows, World
from commensurate.arrays import FloatArray
from commensurate.groups.group import GroupsInput
from commensurate.groups.tables import groups_from_tables

CATEGORIES, MIXED, DISTANCES = "categories only", "mixed columns with gaps", "distances only"
LEVELS = list("vwxyz")
MISMATCHES = np.array([0.5, 0.3, 0.15, 0.05])
MISSING = 0.1


def from_tables(**options: Any) -> Callable[[Rows, Rows], GroupsInput]:
    """Return how groups are made from two tables."""

    def groups(left: Rows, right: Rows) -> GroupsInput:
        assert isinstance(left, pd.DataFrame)
        assert isinstance(right, pd.DataFrame)
        return groups_from_tables({"a": left, "b": right}, **options)

    return groups


def categories_only() -> Iterator[World]:
    """Yield worlds whose σ counts in how many categories two rows differ, in every encoding."""
    for metric, categories in (
        ("gower", "integer"),
        ("hamming", "integer"),
        ("euclidean", "one_hot"),
        ("euclidean", "integer"),
    ):
        groups = from_tables(metric=metric, categories=categories)
        yield World(f"categories, {metric} {categories}", CATEGORIES, _of_categories, groups=groups)
    noisy = from_tables(metric="hamming")
    yield World("categories, 20 % noise", CATEGORIES, _of_categories, in_proportion(0.2), noisy)


def _of_categories(rng: np.random.Generator, n: int) -> Population:
    both = tuple(pd.DataFrame({f"c{k}": rng.choice(LEVELS, n) for k in range(4)}) for _ in range(2))
    return Population((both[0], both[1]), (both[0], both[1]), _mismatch)


def _mismatch(x: pd.DataFrame, y: pd.DataFrame) -> FloatArray:
    differ = x.to_numpy() != y.to_numpy()
    found: FloatArray = 0.25 * (differ @ MISMATCHES)
    return found


JOBS = ["clerk", "cook", "driver", "nurse", "teacher"]
PLACES = ["coast", "hills", "town"]


def mixed_columns() -> Iterator[World]:
    """Yield worlds of numbers, amounts and categories, of which one value in ten is missing."""
    for metric in ("gower", "euclidean"):
        groups = from_tables(metric=metric, missing="median")
        yield World(f"mixed, {metric}", MIXED, _people, groups=groups)
        yield World(f"mixed, {metric}, 20 % noise", MIXED, _people, in_proportion(0.2), groups)
    yield World("mixed, columns differ", MIXED, _people_and_offers, groups=from_tables(missing="median"))


def _people(rng: np.random.Generator, n: int) -> Population:
    left, right = _some_people(rng, n), _some_people(rng, n)

    def sigma(x: Any, y: Any) -> FloatArray:
        age = (x["age"] - y["age"]).abs().to_numpy() / 50.0
        income = np.abs(np.log(x["income"].to_numpy()) - np.log(y["income"].to_numpy())) / 4.0
        job, place = ((x[name] != y[name]).to_numpy().astype(np.float64) for name in ("job", "place"))
        found: FloatArray = 0.3 * age + 0.4 * income + 0.4 * job + 0.1 * place
        return found

    return Population((with_gaps(left, rng), with_gaps(right, rng)), (left, right), sigma)


def _some_people(rng: np.random.Generator, n: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": rng.integers(20, 70, n).astype(np.float64),
            "income": np.exp(10.0 + rng.normal(size=n)),
            "children": rng.poisson(1.0, n).astype(np.float64),
            "job": rng.choice(JOBS, n),
            "place": rng.choice(PLACES, n),
        }
    )


def _people_and_offers(rng: np.random.Generator, n: int) -> Population:
    people = _some_people(rng, n)
    offers = pd.DataFrame(
        {
            "rooms": rng.integers(1, 7, n).astype(np.float64),
            "rent": np.exp(7.0 + 0.8 * rng.normal(size=n)),
            "region": rng.choice(PLACES, n),
            "kind": rng.choice(["flat", "house", "shared"], n),
        }
    )

    def sigma(x: Any, y: Any) -> FloatArray:
        burden = np.abs(np.log(x["income"].to_numpy()) - np.log(y["rent"].to_numpy()) - 3.0) / 2.0
        room = np.abs(x["children"].to_numpy() + 2.0 - y["rooms"].to_numpy()) / 4.0
        elsewhere = (x["place"].to_numpy() != y["region"].to_numpy()).astype(np.float64)
        found: FloatArray = 0.4 * burden + 0.3 * room + 0.3 * elsewhere
        return found

    return Population((with_gaps(people, rng), with_gaps(offers, rng)), (people, offers), sigma)


def with_gaps(table: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return the table with some of its values missing."""
    return table.mask(rng.random(table.shape) < MISSING)


def distances_only() -> Iterator[World]:
    """Yield the world in which nobody sees the columns that σ depends on."""
    yield World("distances only", DISTANCES, _measured, distances_only=True)


def _measured(rng: np.random.Generator, n: int) -> Population:
    left, right = rng.random((n, 3)), rng.random((n, 3))
    return Population(
        (_all_distances(left), _all_distances(right)), (left, right), lambda x, y: np.abs(x[:, 0] - y[:, 1])
    )


def _all_distances(points: FloatArray) -> FloatArray:
    squares = sum((column[:, None] - column) ** 2 for column in points.T)
    distances: FloatArray = np.sqrt(squares)
    return distances
