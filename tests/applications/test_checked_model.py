"""Whatever a model is used for, one that is none, or not fitted, is refused in the same way."""

import pytest

import commensurate as cm
from commensurate.applications import CrossGroupKMedoids, audit_fairness, match_one_to_one, neighbors
from commensurate.errors import InvalidParameter, NotFittedError

POINTS = {"a": [[0.0], [1.0]], "b": [[0.0], [1.0]]}
USES = {
    "cluster": lambda model: CrossGroupKMedoids(2).fit(model, POINTS),
    "neighbors": lambda model: neighbors(model, POINTS["a"], POINTS["b"], k=1),
    "match": lambda model: match_one_to_one(model, POINTS["a"], POINTS["b"]),
    "audit": lambda model: audit_fairness(model, POINTS, scores={"a": [0.0, 1.0], "b": [0.0, 1.0]}),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("model", [None, {}, "model.cmz"])
def test_what_is_no_model_is_refused(use, model):
    with pytest.raises(
        InvalidParameter, match=f"model must be a fitted or loaded NaiveSimilarity.*, got {type(model).__name__}"
    ):
        USES[use](model)


@pytest.mark.parametrize("use", USES)
def test_a_model_that_is_not_fitted_says_so(use):
    with pytest.raises(NotFittedError, match="NaiveSimilarity is not fitted yet"):
        USES[use](cm.NaiveSimilarity(epsilon=0.1, delta=0.2))
