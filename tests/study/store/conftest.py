"""A small study and its clock."""

import pytest

from worlds.small_study import Clock, small_study


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(tmp_path, clock):
    with small_study(tmp_path, clock=clock) as made:
        yield made
