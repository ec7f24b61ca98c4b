"""Small data sets in the place of the paper's."""

import pytest

from worlds.small_datasets import small_datasets


@pytest.fixture
def small_worlds(monkeypatch):
    """Let every loader return a small data set."""
    with small_datasets(monkeypatch):
        yield
