"""The same file is understood the same way by a study, a prediction, an audit and a forecast:
above all what is missing in it.
"""

import gzip

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications.predict_pairs import predict_pairs
from commensurate.errors import InvalidTable
from commensurate.records.group_files import RecordColumns, read_grouped_file
from commensurate.records.sampling.table_source import whole_table
from commensurate.study.study import Study

MISSING = ["", "NA", " ", "nan", "NaN", " null ", "NAN"]
N = 40


def people(number="0.5", job="cook"):
    """Return the text of a file, in whose fourth line stand these two cells."""
    rows = [f"{'ab'[k % 2]},{k / N},{'cook' if k % 3 else 'nurse'}" for k in range(N)]
    rows[2] = f"a,{number},{job}"
    return "\n".join(["g,age,job", *rows]) + "\n"


@pytest.fixture
def read_by_all(tmp_path):
    """Return what reads a file as each of the commands does; a dictionary of what came of it, errors included."""

    def ages_apart(left, right, between=None):
        return np.abs(left[:, 0] - right[:, 0])

    def reading(text):
        path = tmp_path / "people.csv"
        path.write_text(text)
        table = pd.DataFrame([line.split(",") for line in people().splitlines()[1:]], columns=["g", "age", "job"])
        groups = cm.groups_from_table(table.astype({"age": float}), group="g")
        model = cm.NaiveSimilarity(epsilon=0.3, delta=0.3, random_state=0).fit(groups, ages_apart)
        readers = {
            "create": lambda: Study.create(
                tmp_path / "s.db", path, group="g", questions=8, answer_kind="numbers"
            ).close(),
            "predict": lambda: list(predict_pairs(model, path, path).tables),
            "audit": lambda: read_grouped_file(model.spaces_, path, "g", RecordColumns()),
        }
        found = {}
        for name, read in readers.items():
            try:
                found[name] = read() and None
            except InvalidTable as error:
                found[name] = str(error)
        return found, whole_table(path)

    return reading


@pytest.mark.parametrize("spelling", MISSING)
@pytest.mark.parametrize("column", ["age", "job"])
def test_a_missing_value_is_missing_to_every_command_however_it_is_spelt(read_by_all, column, spelling):
    found, table = read_by_all(people(**{"number" if column == "age" else "job": spelling}))
    for said in found.values():
        assert said is not None
        assert f"column {column!r}" in said
        assert "missing value" in said
        assert "line 4" in said
    assert table[column].isna().to_numpy().nonzero()[0].tolist() == [2]


def test_a_question_mark_is_a_value_to_every_command(read_by_all):
    found, table = read_by_all(people(job="?"))
    assert found["create"] is None, "it is a category like any other"
    for name in ("predict", "audit"):
        assert "'?'" in found[name], "the model has never seen it"
        assert "line 4" in found[name]
        assert "missing" not in found[name]
    assert table["job"][2] == "?"


def test_a_complete_file_is_read_by_every_command(read_by_all):
    found, table = read_by_all(people())
    assert set(found.values()) == {None}
    assert (table["age"].dtype, len(table)) == (np.float64, N)


def test_blank_lines_are_no_rows_and_packed_files_are_files(tmp_path):
    path = tmp_path / "people.csv.gz"
    with gzip.open(path, "wt") as file:
        file.write("\ufeffg,x\n\na,1\n   \nb,\n")
    table = whole_table(path)
    assert (table["g"].tolist(), table["x"].isna().tolist()) == (["a", "b"], [False, True])


def test_a_column_without_a_name_is_called_as_pandas_calls_it(tmp_path):
    path = tmp_path / "people.csv"
    pd.DataFrame({"x": [1, 2]}).to_csv(path)
    pd.testing.assert_frame_equal(whole_table(path), pd.read_csv(path))
