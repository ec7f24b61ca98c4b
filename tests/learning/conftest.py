"""The file of a tiny model."""

import pytest

from tiny_model import fitted


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.cmz"
    fitted().save(path)
    return path
