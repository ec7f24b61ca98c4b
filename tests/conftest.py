"""What all tests share: marks, where the real tables are, and a quiet Hypothesis."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent

# compiling a kernel takes longer than any deadline; the seed is fixed so that a failure stays a failure
settings.register_profile("commensurate", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("commensurate")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by what they need, and skip those on the public tables where nobody said where they are."""
    skip = pytest.mark.skip(reason="COMMENSURATE_DATA does not name the folder of the public tables")
    for item in items:
        for folder in ("validity", "soak"):
            if item.path.is_relative_to(TESTS / folder):
                item.add_marker(folder)
        # doctests use no fixtures
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
        if item.get_closest_marker("real_data") and not os.environ.get("COMMENSURATE_DATA"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    return Path(os.environ["COMMENSURATE_DATA"])
