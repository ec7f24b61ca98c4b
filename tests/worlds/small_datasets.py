"""A small world in the place of the paper's data sets, so that its experiments run in seconds and without data."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from commensurate.datasets import Dataset
from commensurate.experiments.paper import variants, world


def small_dataset(name: str, **variant: object) -> Dataset:
    """Two groups with three columns and some equal rows, in the place of a public table;
    whatever the variant, the same.
    """
    rng = np.random.default_rng(len(name))
    variant.pop("data_home", None)
    tables = {
        group: pd.DataFrame(
            {"age": rng.integers(20, 60, n), "job": rng.choice(list("abc"), n), "income": rng.random(n).round(2)}
        )
        for group, n in (("these", 20_000), ("those", 21_000))
    }
    return Dataset(name, name.title(), tables, digest=f"digest of {name}", variant=variant)


@contextmanager
def small_datasets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let every loader return a small data set, and let there be two readings of each."""
    for name in world.LOADERS:
        monkeypatch.setitem(variants.CHOICES, name, {"label": (True, False)})
        monkeypatch.setitem(world.LOADERS, name, lambda name=name, **variant: small_dataset(name, **variant))
    world.load_dataset.cache_clear()
    world.paper_world.cache_clear()
    yield
    world.load_dataset.cache_clear()
    world.paper_world.cache_clear()
