"""What all tests share: marks, where the real tables are, and a quiet Hypothesis."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from worlds.compiled_kernels import compile_kernels

TESTS = Path(__file__).parent
LONG = ("slow", "browser", "validity")

# compiling a kernel takes longer than any deadline; the seed is fixed so that a failure stays a failure
settings.register_profile("commensurate", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("commensurate")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by what they need, skip those on the public tables where nobody said
    where they are, and order them.
    """
    skip = pytest.mark.skip(reason="COMMENSURATE_DATA does not name the folder of the public tables")
    for item in items:
        for folder in ("validity", "soak"):
            if item.path.is_relative_to(TESTS / folder):
                item.add_marker(folder)
        # doctests use no fixtures
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
        # the inner loop has one kind of database
        if "postgresql" in item.name:
            item.add_marker("slow")
        if item.get_closest_marker("real_data") and not os.environ.get("COMMENSURATE_DATA"):
            item.add_marker(skip)
    if hasattr(config, "workerinput"):
        # of several processes each takes the next file: one with long tests must not be the last
        long = {item.path for item in items if any(item.get_closest_marker(mark) for mark in LONG)}
        items.sort(key=lambda item: item.path not in long)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Compile the kernels once, before the processes start that would each compile them."""
    compile_kernels()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    return Path(os.environ["COMMENSURATE_DATA"])
