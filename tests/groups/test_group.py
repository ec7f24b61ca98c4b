import dataclasses

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.errors import InvalidInput, InvalidMetric, InvalidParameter, InvalidPoints, InvalidTable
from commensurate.geometry.metrics import mahalanobis
from commensurate.groups.encoding import Encoding
from commensurate.groups.group import elements_of

A, B = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[0.5], [0.25], [1.0]])


def test_a_dict_of_arrays_may_have_different_widths():
    first, second = elements_of({"a": A, "b": B})
    assert (first.name, second.name) == ("a", "b")
    assert first.space.columns == ("x0", "x1")
    assert second.ids.tolist() == ["0", "1", "2"]


def test_names_are_text():
    first, second = elements_of({1: A, 2: A})
    assert (first.name, second.name) == ("1", "2")
    assert cm.Group(3, A).name == "3"


def test_group_objects_in_a_list_or_a_dict():
    group = cm.Group("a", A, metric="manhattan", ids=["p", "q"], columns=["u", "v"])
    for groups in ([group, cm.Group("b", B)], {"a": group, "b": B}):
        first, _ = elements_of(groups)
        assert first.space.metric.name == "manhattan"
        assert first.ids.tolist() == ["p", "q"]
        assert first.space.columns == ("u", "v")


def test_a_group_says_briefly_what_it_is():
    assert repr(cm.Group("a", A)) == "Group('a', 2 elements, metric='euclidean')"


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        ({"a": A}, InvalidInput, "at least two groups"),
        ([cm.Group("a", A), cm.Group("a", B)], InvalidInput, "names must differ"),
        ({1: A, "1": B}, InvalidInput, "names must differ"),
        (A, InvalidInput, "dict of name to points"),
        (pd.DataFrame({"x": [1]}), InvalidInput, "groups_from_table"),
        ([A, B], InvalidInput, "Group objects only"),
        ({"a": A, "b": [1.0, 2.0]}, InvalidPoints, "one row per element"),
        ({"a": A, "b": [["x"]]}, InvalidPoints, "pass a DataFrame"),
        ({"a": A, "b": [[np.nan]]}, InvalidPoints, "finite.*row 0, column 0"),
        ({"a": A, "b": [[np.inf]]}, InvalidPoints, "finite"),
        ({"a": A, "b": np.empty((0, 2))}, InvalidPoints, "at least one row"),
        ({"a": A, "b": cm.Group("b", B, ids=["p"])}, InvalidInput, "3 elements but 1 ids"),
        ({"a": A, "b": cm.Group("b", B, ids=["p", "p", "q"])}, InvalidInput, "'p' appears twice"),
        ({"a": A, "b": cm.Group("b", B, columns=["u", "v"])}, InvalidPoints, "1 different names"),
        ({"a": A, "b": cm.Group("b", A, columns=["u", "u"])}, InvalidPoints, "2 different names"),
        ({"a": A, "b": cm.Group("b", B, metric="cosine")}, InvalidMetric, "unknown metric 'cosine'"),
        ({"a": A, "b": cm.Group("b", B, metric=7)}, InvalidMetric, "got int"),
        ({"a": A, "b": cm.Group("b", B, metric="gower")}, InvalidMetric, "gower is for tables"),
        ({"a": A, "b": cm.Group("b", B, metric="minkowski(0.5)")}, InvalidParameter, "p from 1 to 100"),
        ({"a": A, "b": cm.Group("b", B, metric=mahalanobis(np.eye(2)))}, InvalidMetric, "2 columns.*have 1"),
        ({"a": A, "b": cm.Group("b", B, metric="precomputed")}, InvalidMetric, "square"),
        ({"a": A, "b": cm.Group("b", [[0.0, -1.0], [-1.0, 0.0]], metric="precomputed")}, InvalidMetric, "negative"),
        (
            {"a": A, "b": cm.Group("b", pd.DataFrame({"x": [1]}), columns=["u"])},
            InvalidInput,
            "names its own columns",
        ),
        ({"a": A, "b": cm.Group("b", A, encoding=Encoding(()))}, InvalidInput, "for a DataFrame"),
        ({"a": A, "b": A + 1j}, InvalidPoints, "matrix of numbers"),
        ({"a": A, "b": np.array([["2020-01-01"]], dtype="datetime64[s]")}, InvalidPoints, "matrix of numbers"),
        ({"a": A, "b": cm.Group("b", [[0.0, 0.0]], metric="angular")}, InvalidMetric, "row 0 is the zero vector"),
    ],
)
def test_bad_groups_get_one_clear_error(groups, error, message):
    with pytest.raises(error, match=message):
        elements_of(groups)


def test_a_dataframe_is_encoded_and_keeps_its_records_and_index():
    tables = {
        "a": pd.DataFrame({"age": [20, 40], "job": ["x", "y"]}, index=["p", "q"]),
        "b": pd.DataFrame({"age": [30]}, index=["r"]),
    }
    first, second = elements_of(tables)
    assert first.points.tolist() == [[0.0, 0.0], [1.0, 1.0]]
    assert second.points.tolist() == [[0.5]]
    assert first.shown() == [{"age": 20, "job": "x"}, {"age": 40, "job": "y"}]
    assert first.take(np.array([1])).ids.tolist() == ["q"]


def test_gower_is_the_mean_over_columns_of_scaled_differences():
    tables = {
        "a": pd.DataFrame({"age": [20, 40, 30], "job": ["x", "y", "x"], "size": [0, 1, 1]}),
        "b": pd.DataFrame({"age": [30], "job": ["z"], "size": [0]}),
    }
    first, _ = elements_of(cm.groups_from_tables(tables, metric="gower"))
    distances = first.space.metric.pairwise(first.points, first.points)
    expected = [[0.0, 3.0, 1.5], [3.0, 0.0, 1.5], [1.5, 1.5, 0.0]]
    np.testing.assert_allclose(distances, np.array(expected) / 3.0, atol=1e-15)


def test_gower_does_not_clip_what_lies_outside_the_seen_range():
    tables = {"a": pd.DataFrame({"age": [20, 40]}), "b": pd.DataFrame({"age": [30]})}
    first, _ = elements_of(cm.groups_from_tables(tables, metric="gower"))
    far = first.space.points_of(pd.DataFrame({"age": [100]}))
    assert first.space.metric.pairwise(far, first.points)[0].tolist() == [4.0, 3.0]


def test_groups_from_table_splits_by_a_column():
    people = pd.DataFrame({"who": ["p", "q", "r"], "married": [1, 0, 1], "age": [20, 30, 40], "note": list("abc")})
    groups = cm.groups_from_table(people, group="married", features=["age"], ids="who")
    assert [g.name for g in groups] == ["1", "0"]
    first, _ = elements_of(groups)
    assert first.ids.tolist() == ["p", "r"]
    assert first.points.tolist() == [[0.0], [1.0]]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"group": "wed"}, InvalidTable, "no column 'wed'"),
        ({"group": "married", "features": ["married"]}, InvalidParameter, "cannot be a feature"),
        ({"group": "married", "ids": "nr"}, InvalidTable, "no column 'nr'"),
        ({"group": "gap"}, InvalidTable, "missing values"),
        ({"group": "married", "metric": {"0": "euclidean"}}, InvalidParameter, "there is also a group '1'"),
        ({"group": "married", "metric": "gower", "scale": "none"}, InvalidParameter, "minmax"),
    ],
)
def test_a_table_that_cannot_be_split_says_why(options, error, message):
    people = pd.DataFrame({"married": [1, 0], "age": [20, 30], "gap": ["x", None]})
    with pytest.raises(error, match=message):
        cm.groups_from_table(people, **options)


def test_a_metric_per_group():
    people = pd.DataFrame({"married": ["yes", "no"], "age": [20, 30]})
    groups = cm.groups_from_table(people, group="married", metric={"yes": "manhattan", "no": "minkowski(p=3)"})
    assert [e.space.metric.name for e in elements_of(groups)] == ["manhattan", "minkowski(3)"]


def test_set_aside_takes_rows_by_number_before_anything_looks_at_them():
    from commensurate.groups.tables import set_aside

    table = pd.DataFrame({"x": range(10)})
    rest, held_out = set_aside({"a": table}, share=0.3, seed=1)
    assert len(held_out["a"]) == 3
    assert sorted([*rest["a"]["x"], *held_out["a"]["x"]]) == list(range(10))
    with pytest.raises(InvalidParameter, match="less than 1"):
        set_aside({"a": table}, share=1.0, seed=0)


def test_columns_may_be_any_sequence_of_names():
    for columns in (np.array(["u", "v"]), pd.Index(["u", "v"]), ("u", "v")):
        first, _ = elements_of({"a": cm.Group("a", A, columns=columns), "b": B})
        assert first.space.columns == ("u", "v")


def test_groups_made_apart_that_scale_a_shared_column_differently_are_an_error():
    narrow, wide = pd.DataFrame({"age": [20, 40]}), pd.DataFrame({"age": [20, 80]})
    (a,), (b,) = cm.groups_from_tables({"a": narrow}), cm.groups_from_tables({"b": wide})
    for groups in ([a, b], {"a": a, "b": wide}):
        with pytest.raises(InvalidTable, match="'age'.*'a' and 'b'.*scaled alike.*one call of groups_from_tables"):
            elements_of(groups)


def test_groups_may_share_a_column_that_only_one_of_them_has_one_hot():
    tables = {name: pd.DataFrame({"job": ["x", "y"]}) for name in "ab"}
    first, second = elements_of(cm.groups_from_tables(tables, metric={"a": "gower", "b": "euclidean"}))
    assert (first.space.columns, second.space.columns) == (("job=x", "job=y"), ("job",))


def test_a_model_does_not_see_what_becomes_of_an_array_or_a_table_later():
    points, table = A.copy(), pd.DataFrame({"age": [20, 40]})
    distances = 1.0 - np.eye(2)
    first, second, third = elements_of(
        {"a": points, "b": table, "c": cm.Group("c", distances, metric="precomputed")},
    )
    points[:], table.loc[0, "age"], distances[:] = 9.0, 99, 9.0
    assert first.points.tolist() == A.tolist()
    assert second.shown()[0] == {"age": 20}
    assert third.space.metric.matrix.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert not third.space.metric.matrix.flags.writeable


def test_points_to_predict_are_copied_only_if_kernels_need_it():
    first, _ = elements_of({"a": A, "b": B})
    points, locked = A.copy(), A.copy()
    locked.flags.writeable = False
    assert first.space.points_of(points) is points
    assert first.space.points_of(locked).flags.writeable


def test_gower_refuses_a_group_that_was_made_with_categories_as_integers():
    tables = {name: pd.DataFrame({"job": ["x", "y"], "age": [1, 2]}) for name in "ab"}
    a, b = cm.groups_from_tables(tables)
    with pytest.raises(InvalidMetric, match="'a'.*'job' as integers; make the group with metric='gower'"):
        elements_of([dataclasses.replace(a, metric="gower"), b])
    a, b = cm.groups_from_tables(tables, orders={"job": ["x", "y"]})
    assert elements_of([dataclasses.replace(a, metric="gower"), b])[0].space.metric.name == "gower"


def test_a_precomputed_dataframe_gives_its_values_and_its_index_as_ids():
    distances = pd.DataFrame([[0, 2], [2, 0]], index=["p", "q"], columns=["age", "q"])
    table = pd.DataFrame({"age": ["young", "old"]})
    for groups in (
        {"a": cm.Group("a", distances, metric="precomputed"), "b": table},
        cm.groups_from_tables(
            {"a": distances, "b": table}, metric={"a": "precomputed", "b": "euclidean"}, missing="drop"
        ),
    ):
        first, _ = elements_of(groups)
        assert first.ids.tolist() == ["p", "q"]
        assert first.space.metric.matrix.tolist() == [[0.0, 2.0], [2.0, 0.0]]
        assert first.space.points_of([1, 0]).tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize(("row", "column", "message"), [(150, 150, "row 150.*itself"), (299, 7, r"symmetric.*299")])
def test_the_whole_precomputed_matrix_is_checked_for_symmetry_and_zeros(row, column, message):
    distances = 1.0 - np.eye(300)
    distances[row, column] = 1.5
    with pytest.raises(InvalidMetric, match=message):
        elements_of({"a": A, "b": cm.Group("b", distances, metric="precomputed")})
