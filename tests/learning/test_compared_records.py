"""Are records of the kind that a model rests on? Asked of every model, fitted or read from a file."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.errors import InvalidInput, InvalidPoints, UnknownGroup
from commensurate.learning.compared_records import MOST_COMPARED
from commensurate.learning.model_file.container import read_model_file, write_model_file
from worlds import few_answers
from worlds.stored_models import again

RNG = np.random.default_rng(8)
TABLES = {
    "a": pd.DataFrame({"income": RNG.lognormal(size=150), "job": RNG.choice(["x", "y", "z"], 150)}),
    "b": pd.DataFrame({"age": RNG.integers(20, 60, 100)}),
}
MODELS = {
    "naive": lambda: cm.NaiveSimilarity(epsilon=0.1, delta=0.05, random_state=0),
    "cluster": lambda: cm.ClusterSimilarity(epsilon=0.1, delta=0.05, random_state=0),
    "given": lambda: cm.NaiveSimilarity(epsilon=0.1, samples="given", random_state=0),
    "few answers": lambda: few_answers.budgeted(budget=100, answer_error="auto"),
}


def faint(left, right, between):
    return 0.01 * np.abs(left[:, 0] - right[:, 0])


def like_a(n, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"income": rng.lognormal(shift, size=n), "job": rng.choice(["x", "y", "z"], n)})


@pytest.fixture(params=MODELS, scope="module")
def fitted(request):
    return MODELS[request.param]().fit(TABLES, faint)


def test_records_of_the_same_kind_do_not_differ(fitted):
    found = fitted.compare_records(like_a(80, 1), "a")
    assert not found.differs
    assert found.moved == ()
    assert "no difference was found between the records of group 'a' and those that" in str(found)


def test_records_of_another_kind_differ_and_the_column_is_named(fitted):
    found = fitted.compare_records(like_a(80, 2, shift=1.5), "a")
    assert found.differs
    assert found.moved == ("income",)
    assert "income has moved" in str(found)
    assert "differ from those that" in str(found)


def test_a_model_read_from_a_file_says_the_same(fitted, tmp_path):
    rows = like_a(80, 2, shift=0.4)
    assert again(fitted, tmp_path / "model.cmz").compare_records(rows, "a") == fitted.compare_records(rows, "a")


def test_the_answer_is_the_same_again_and_nothing_is_asked(fitted):
    rows, asked = like_a(80, 3), fitted.n_questions_
    assert fitted.compare_records(rows, "a") == fitted.compare_records(rows, "a")
    assert fitted.n_questions_ == asked


def test_too_few_records_to_tell_are_called_so(fitted):
    found = fitted.compare_records(like_a(1, 4, shift=9.0), "a", false_alarms=0.001)
    assert not found.can_tell
    assert "too few to tell" in str(found)


def test_rows_that_were_fitted_themselves_do_not_differ(fitted):
    assert fitted.compare_records(TABLES["a"], "a").p_value > 0.05


@pytest.mark.parametrize(
    ("rows", "group", "error"),
    [(like_a(3, 1), "c", UnknownGroup), (like_a(0, 1), "a", InvalidInput), ([[1.0]], "a", InvalidPoints)],
)
def test_what_cannot_be_compared_is_refused(fitted, rows, group, error):
    with pytest.raises(error):
        fitted.compare_records(rows, group)


def test_a_large_table_is_compared_by_a_part_of_it(fitted):
    assert fitted.compare_records(like_a(10 * MOST_COMPARED, 5), "a").n_new == 10 * MOST_COMPARED


def test_equal_rows_count_as_often_as_they_were_drawn(tmp_path):
    # NAIVE keeps equal rows once: as they are kept, half of them would be 1
    rare = {"a": np.array([[0.0]] * 90 + [[1.0]] * 10), "b": np.arange(10.0)[:, None]}
    est = MODELS["given"]().fit(rare, faint)
    assert len(est.samples_["a"].elements) == 2
    for model in (est, again(est, tmp_path / "model.cmz")):
        assert not model.compare_records(rare["a"], "a").differs
        assert model.compare_records(1.0 - rare["a"], "a").differs


def test_a_file_that_does_not_tell_how_often_rows_were_drawn_says_that_nobody_can_tell(tmp_path):
    rare = {"a": np.array([[0.0]] * 9 + [[1.0]]), "b": np.arange(10.0)[:, None]}
    MODELS["given"]().fit(rare, faint).save(tmp_path / "model.cmz")
    manifest, arrays = read_model_file(tmp_path / "model.cmz")
    del manifest["arrays"]
    write_model_file(
        tmp_path / "old.cmz", manifest, {name: array for name, array in arrays.items() if "n_rows" not in name}
    )
    est = cm.load(tmp_path / "old.cmz")
    found = est.compare_records(rare["a"], "a")
    assert np.isnan(found.p_value)
    assert not found.differs
    assert found.worth_telling
    assert "nobody can tell" in str(found)
    # where no two rows are equal, it does not matter
    assert est.compare_records(rare["b"], "b").can_tell


def test_groups_of_which_only_distances_are_known_are_compared_by_these():
    points = np.concatenate([RNG.random((60, 2)), RNG.random((60, 2)) + 1.0])
    matrix = np.linalg.norm(points[:, None] - points, axis=2)
    groups = [cm.Group("a", matrix, "precomputed"), cm.Group("b", RNG.random((60, 1)))]
    asked = [{"left_id": str(k), "right_id": str(k), "answer": 0.1} for k in range(60)]
    est = few_answers.budgeted(answer_error="auto").fit(groups, pairs=pd.DataFrame(asked))
    found = est.compare_records(np.arange(60, 120), "a")
    assert found.differs
    assert found.columns == ()
    assert "only their distances are known" in str(found)


def test_a_metric_of_ones_own_is_called():
    def by_size(left, right):
        return np.abs(left[:, :1] - right[:, :1].T)

    groups = [cm.Group("a", RNG.random((80, 2)), by_size), cm.Group("b", RNG.random((80, 2)))]
    est = few_answers.budgeted(answer_error="auto").fit(groups, faint)
    assert est.compare_records(RNG.random((40, 2)) + np.array([0.0, 1.0]), "a").moved == ("x1",)


def test_where_a_design_chose_the_questions_only_those_held_out_are_a_sample():
    est = few_answers.budgeted(budget=40, design="active", answer_error="auto")
    est.fit(few_answers.POINTS, few_answers.sigma)
    found = est.compare_records(few_answers.A, "a")
    assert found.n_known == sum(int(part.held_out.sum()) for part in est.plan_.by_pair.values())
    assert "in held-out questions" in str(found)


def test_where_chosen_questions_were_never_held_out_nobody_can_tell():
    est = few_answers.budgeted(budget=40, design="active", calibration=0.0, answer_error="auto")
    est.fit(few_answers.POINTS, few_answers.sigma)
    assert str(est.compare_records(few_answers.A, "a")) == (
        "nobody can tell whether the records of group 'a' are like those that experts were asked about in held-out "
        "questions: there are none"
    )
