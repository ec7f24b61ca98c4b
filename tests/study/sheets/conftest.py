"""A study and a sheet."""

import pytest

from worlds.answered_study import Clock, people_study


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(tmp_path, clock):
    with people_study(tmp_path / "people.db", clock=clock, questions=20) as opened:
        yield opened


@pytest.fixture
def sheet(tmp_path):
    return tmp_path / "sheet.csv"
