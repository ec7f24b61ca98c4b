"""Records in files: points as the model makes them, groups by name, whatever is wrong with its line."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.errors import InvalidInput, InvalidParameter, InvalidTable, UnknownGroup
from commensurate.records import group_files
from commensurate.records.group_files import RecordColumns, fields_of, read_group_files

RNG = np.random.default_rng(7)
N = 90
FEATURES = ["age", "job", "code"]
PEOPLE = pd.DataFrame(
    {
        "who": [f"ß{k}" for k in range(N)],
        "married": RNG.choice(["yes", "no"], N),
        "p": RNG.random(N),
        "y": RNG.integers(0, 2, N),
        "age": RNG.random(N),
        "job": RNG.choice(["cook", "nurse, night"], N),
        "code": RNG.choice(["1", "2", "NA"], N),
    }
)
ALL = RecordColumns("p", "who", "y")


def ages_apart(left, right, between=None):
    return np.abs(left[:, 0] - right[:, 0])


def fitted(table=PEOPLE, group="married"):
    groups = cm.groups_from_table(table, group=group, features=FEATURES)
    return cm.ClusterSimilarity(epsilon=0.1, delta=0.2, dilation=2.0, random_state=0).fit(groups, ages_apart)


@pytest.fixture(scope="module")
def model():
    return fitted()


def written(folder, table=PEOPLE, name="people.csv", **options):
    path = folder / name
    table.to_csv(path, index=False, **options)
    return path


def read(model, path, columns=ALL, group="married", **options):
    return group_files.read_grouped_file(model.spaces_, path, group, columns, **options)


@pytest.mark.parametrize("at_once", [1, 7, N, 1000])
def test_points_are_those_of_the_model_however_the_file_is_cut(model, tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(group_files, "ROWS_AT_ONCE", at_once)
    people = read(model, written(tmp_path))
    assert list(people.by_group) == list(model.groups_)
    for name, listed in people.by_group.items():
        rows = PEOPLE[PEOPLE["married"] == name]
        np.testing.assert_array_equal(listed.points, model.spaces_[name].points_of(rows[FEATURES]))
        np.testing.assert_array_equal(listed.scores, rows["p"])
        np.testing.assert_array_equal(people.outcomes[name], rows["y"])
        np.testing.assert_array_equal(listed.rows, rows.index + 1)
        np.testing.assert_array_equal(listed.lines, rows.index + 2)
        assert people.ids[name] == rows["who"].tolist()
    assert people.left_out == {}


def test_without_an_id_column_records_are_called_by_their_row_in_the_file(model, tmp_path):
    people = read(model, written(tmp_path), RecordColumns("p"))
    rows = np.flatnonzero(PEOPLE["married"] == "no") + 1
    assert people.ids["no"] == [str(row) for row in rows]
    assert people.outcomes is None


def test_a_byte_order_mark_empty_lines_and_other_columns_change_nothing(model, tmp_path):
    plain = read(model, written(tmp_path))
    path = written(tmp_path, PEOPLE[PEOPLE.columns[::-1]].assign(note="a\nb"), "other.csv", encoding="utf-8-sig")
    path.write_text(path.read_text(encoding="utf-8").replace('b"\n', 'b"\n\n'), encoding="utf-8")
    other = read(model, path)
    assert other.ids == plain.ids
    for name in model.groups_:
        np.testing.assert_array_equal(other.points[name], plain.points[name])
        # a header, then three lines each: the note has two, and one is empty
        np.testing.assert_array_equal(other.by_group[name].lines, 2 + 3 * (plain.by_group[name].rows - 1))


@pytest.mark.parametrize(
    ("groups", "in_file", "found"),
    [([0, 1], ["0.0", "1.0"], ["0", "1"]), ([0.0, 1.0], ["0", "1"], ["0.0", "1.0"]), ([0, 1], ["0", "1"], ["0", "1"])],
)
def test_groups_named_by_numbers_are_found_with_and_without_a_point(tmp_path, groups, in_file, found):
    numbered = np.arange(N) % 2
    est = fitted(PEOPLE.assign(g=[groups[k] for k in numbered]), "g")
    path = written(tmp_path, PEOPLE.assign(g=[in_file[k] for k in numbered]))
    people = read(est, path, group="g")
    assert {name: len(listed) for name, listed in people.by_group.items()} == dict.fromkeys(found, N // 2)


def test_a_group_may_be_called_like_a_missing_value(tmp_path):
    table = PEOPLE.assign(married=PEOPLE["married"].replace("no", "NA"))
    assert set(read(fitted(table), written(tmp_path, table)).by_group) == {"yes", "NA"}


def test_a_column_may_be_a_feature_and_the_score_at_once(model, tmp_path):
    people = read(model, written(tmp_path), RecordColumns("age"))
    np.testing.assert_array_equal(people.scores["no"], PEOPLE["age"][PEOPLE["married"] == "no"])


def test_a_fitted_group_without_records_is_left_out(model, tmp_path):
    people = read(model, written(tmp_path, PEOPLE[PEOPLE["married"] == "no"]))
    assert list(people.by_group) == ["no"]


# --- groups that were not fitted ---


def test_records_of_other_groups_are_refused_by_name(model, tmp_path):
    path = written(tmp_path, PEOPLE.assign(married=["divorced"] * 3 + ["wid\tow"] + ["no"] * (N - 4)))
    with pytest.raises(UnknownGroup, match=r"does not know: 'divorced', 'wid\\tow' .* 4 in all; .*drop_others=True"):
        read(model, path)


def test_records_of_other_groups_are_dropped_on_demand_whatever_stands_in_their_rows(model, tmp_path):
    table = PEOPLE.astype(object)
    table.loc[5, ["married", "p", "age"]] = "divorced", "none", "old"
    people = read(model, written(tmp_path, table), drop_others=True)
    assert people.left_out == {"divorced": 1}
    assert sum(map(len, people.by_group.values())) == N - 1
    assert "ß5" not in people.ids["yes"] + people.ids["no"]


# --- what is refused, with its line ---


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("p", "high", "line 12: the column 'p' must hold numbers, got 'high'"),
        ("p", "", "line 12: the column 'p' must hold finite numbers, got a missing value; give everyone a score"),
        ("p", "inf", "line 12: the column 'p' must hold finite numbers, got inf"),
        ("p", "1_000", "line 12: the column 'p' must hold numbers, got '1_000'"),
        ("y", "2", "line 12: the outcome column 'y' must hold 0 or 1, got '2'"),
        ("y", "", "line 12: the outcome column 'y' must hold 0 or 1, got ''"),
        ("who", "", "line 12: the id column 'who' has a missing value"),
        ("who", "ß3", "'ß3' of group 'no' appears twice in "),
        ("married", "", "line 12: the column 'married' is empty"),
        ("age", "old", "line 12: the column 'age' must hold numbers, got 'old'"),
        ("job", "pilot", r"the category 'pilot' at row 11 \(line 12\)"),
    ],
)
def test_what_is_wrong_in_a_row_is_told_with_its_line(model, tmp_path, column, value, message):
    table = PEOPLE.assign(married="no").astype(object)
    table.loc[10, column] = value
    with pytest.raises(InvalidInput, match=message):
        read(model, written(tmp_path, table))


def test_the_same_id_may_stand_in_two_groups(model, tmp_path):
    table = PEOPLE.assign(married=["yes", "no"] * (N // 2), who=[f"{k // 2}" for k in range(N)])
    assert read(model, written(tmp_path, table)).ids["yes"] == read(model, written(tmp_path, table)).ids["no"]


def test_an_absent_column_is_named(model, tmp_path):
    with pytest.raises(InvalidTable, match=r"for records of the model's groups .*; missing: \['p'\]"):
        read(model, written(tmp_path, PEOPLE.drop(columns="p")))


def test_a_file_without_records_says_so(model, tmp_path):
    with pytest.raises(InvalidInput, match="has no records of the model's groups"):
        read(model, written(tmp_path, PEOPLE[:0]))


def test_precomputed_distances_are_refused_clearly(tmp_path):
    groups = [cm.Group("yes", [[0.0, 1.0], [1.0, 0.0]], "precomputed"), cm.Group("no", [[0.0], [1.0]])]
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0).fit(groups, lambda u, v, b: np.zeros(len(u)))
    expected = (
        r"group 'yes' has precomputed distances, so its elements are row numbers, which a file of records does not have; "
        r"use Python instead: commensurate\.applications\.audit_fairness or commensurate\.applications\.CrossGroupKMedoids$"
    )
    with pytest.raises(InvalidInput, match=expected):
        read(est, written(tmp_path))


# --- one file per group ---


@pytest.fixture(scope="module")
def of_sources():
    points = {"1": RNG.random((30, 2)), "b": RNG.random((30, 3))}
    return cm.ClusterSimilarity(epsilon=0.3, delta=0.2, dilation=1.0, random_state=0).fit(points, ages_apart)


def source_files(folder):
    tables = {"1": RNG.random((5, 2)), "b": RNG.random((4, 3))}
    frames = {name: pd.DataFrame(points).add_prefix("x").assign(p=0.5) for name, points in tables.items()}
    return tables, {name: written(folder, table, f"{name}.csv") for name, table in frames.items()}


def test_sources_may_have_different_columns_and_come_in_any_order(of_sources, tmp_path):
    tables, files = source_files(tmp_path)
    people = read_group_files(of_sources.spaces_, {"b": files["b"], "1.0": files["1"]}, RecordColumns("p"))
    assert list(people.by_group) == ["1", "b"]
    for name, points in tables.items():
        np.testing.assert_array_equal(people.points[name], points)
        assert people.ids[name] == [str(k + 1) for k in range(len(points))]


def test_sources_of_unknown_groups_twice_the_same_group_and_empty_ones_are_refused(of_sources, tmp_path):
    _, files = source_files(tmp_path)
    with pytest.raises(UnknownGroup, match="unknown group 'z'"):
        read_group_files(of_sources.spaces_, {"z": files["b"]}, RecordColumns("p"))
    with pytest.raises(InvalidParameter, match="two sources name the group '1'"):
        read_group_files(of_sources.spaces_, {"1": files["1"], "1.0": files["1"]}, RecordColumns("p"))
    files["b"].write_text("x0,x1,x2,p\n")
    with pytest.raises(InvalidInput, match="b.csv has no records"):
        read_group_files(of_sources.spaces_, files, RecordColumns("p"))


# --- reading again ---


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_records_are_the_fields_as_they_stand_in_the_file(model, tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(group_files, "ROWS_AT_ONCE", at_once)
    people = read(model, written(tmp_path))
    records = fields_of(model.spaces_, people, {"no": [4, 0], "yes": [2]})
    of_no = PEOPLE[PEOPLE["married"] == "no"].reset_index(drop=True)
    assert records["no"].index.tolist() == [4, 0]
    pd.testing.assert_frame_equal(records["no"], of_no.loc[[4, 0], FEATURES].astype(str).astype(object))
    assert records["yes"].index.tolist() == [2]


def test_records_of_different_files_have_the_columns_of_their_groups(of_sources, tmp_path):
    tables, files = source_files(tmp_path)
    people = read_group_files(of_sources.spaces_, files, RecordColumns("p"))
    records = fields_of(of_sources.spaces_, people, {"1": [1], "b": [3]})
    assert [len(records[name].columns) for name in ("1", "b")] == [2, 3]
    assert float(records["b"].loc[3, "x2"]) == tables["b"][3, 2]
