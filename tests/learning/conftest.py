"""The file of a small model, and a study that was learnt with a mean function."""

import pytest

from commensurate.learning.regression import auto
from commensurate.learning.regression.means.families import mean_catalogue
from worlds.stored_models import POINTS, estimator, sigma, small_model


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.cmz"
    small_model().save(path)
    return path


@pytest.fixture(scope="session")
def stacked():
    """Return a model with a mean function; to try all of them takes long, and two will do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auto, "mean_catalogue", lambda coordinates: dict([*mean_catalogue(coordinates).items()][:2]))
        est = estimator(budget=44, learner="auto").fit(POINTS, sigma)
    assert set(est.models_["a", "b"].forms) != {"none"}
    return est
