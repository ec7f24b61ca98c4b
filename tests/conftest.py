"""What all tests share: where the real tables are, and a quiet Hypothesis."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# compiling a kernel takes longer than any deadline; the seed is fixed so that a failure stays a failure
settings.register_profile("commensurate", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("commensurate")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests on the public tables where nobody said where they are."""
    if os.environ.get("COMMENSURATE_DATA"):
        return
    skip = pytest.mark.skip(reason="COMMENSURATE_DATA does not name the folder of the public tables")
    for item in items:
        if item.get_closest_marker("real_data"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    return Path(os.environ["COMMENSURATE_DATA"])
