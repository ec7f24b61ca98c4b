"""The fields of everybody in a file, as a report describes clusters by them."""

import numpy as np
import pandas as pd

import commensurate as cm
from commensurate.records.group_files import RecordColumns, read_group_files, read_grouped_file, tables_of

RNG = np.random.default_rng(2)
PEOPLE = pd.DataFrame(
    {"married": RNG.choice(["yes", "no"], 40), "age": RNG.random(40), "job": RNG.choice(["cook", "7"], 40)}
)


def ages_apart(left, right, between=None):
    return np.abs(left[:, 0] - right[:, 0])


def test_columns_of_numbers_are_numbers_and_categories_are_texts_whatever_they_look_like(tmp_path):
    groups = cm.groups_from_table(PEOPLE, group="married", features=["age", "job"])
    est = cm.NaiveSimilarity(epsilon=0.2, delta=0.2, random_state=0).fit(groups, ages_apart)
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    people = read_grouped_file(est.spaces_, tmp_path / "people.csv", "married", RecordColumns())
    assert (people.scores, people.outcomes) == ({}, None)
    for name, table in tables_of(est.spaces_, people).items():
        rows = PEOPLE[PEOPLE["married"] == name]
        assert table["age"].dtype == np.float64
        np.testing.assert_allclose(table["age"], rows["age"], rtol=1e-15)
        assert table["job"].tolist() == rows["job"].tolist()
        assert table.columns.tolist() == ["age", "job"]


def test_points_that_were_fitted_as_numbers_are_read_as_numbers(tmp_path):
    points = {"a": [[0.0], [1.0]], "b": [[0.5, 2.0], [1.0, 3.0]]}
    est = cm.NaiveSimilarity(epsilon=0.2, delta=0.2, random_state=0).fit(points, ages_apart)
    for name, rows in points.items():
        pd.DataFrame(rows).add_prefix("x").to_csv(tmp_path / f"{name}.csv", index=False)
    people = read_group_files(est.spaces_, {name: tmp_path / f"{name}.csv" for name in points}, RecordColumns())
    tables = tables_of(est.spaces_, people)
    assert {name: table.to_numpy().tolist() for name, table in tables.items()} == points
    assert tables["b"].columns.tolist() == ["x0", "x1"]
