"""Where a public table is looked for, and what is said when it is not there or not usable."""

import dataclasses
import gzip
import http.client
from urllib.error import URLError

import pandas as pd
import pytest

from commensurate.datasets.canonical import content_digest
from commensurate.datasets.public_table import PublicTable
from commensurate.datasets.sources import read_public_table
from commensurate.errors import CommensurateError, DatasetNotFound, InvalidParameter, InvalidTable

TABLE = pd.DataFrame({"legs": [2.0, 4.0], "weight": [0.5, 10.1]})
PETS = PublicTable("pets", "Pets", ("legs", "weight"), n_rows=2, digest=content_digest(TABLE), openml_id=7)


@pytest.fixture
def folders(nowhere, monkeypatch, tmp_path):
    """A folder to pass, and the folder that the environment names."""
    passed, environment = tmp_path / "passed", tmp_path / "environment"
    passed.mkdir()
    environment.mkdir()
    monkeypatch.setenv("COMMENSURATE_DATA", str(environment))
    return passed, environment


def test_data_home_comes_before_the_environment(folders):
    passed, environment = folders
    TABLE.to_csv(passed / "pets.csv.gz", index=False)
    (environment / "pets.csv.gz").write_bytes(b"never read")
    pd.testing.assert_frame_equal(read_public_table(PETS, passed), TABLE)


def test_the_environment_is_next_where_data_home_lacks_the_file(folders):
    passed, environment = folders
    TABLE.to_csv(environment / "pets.csv.gz", index=False)
    pd.testing.assert_frame_equal(read_public_table(PETS, passed), TABLE)
    pd.testing.assert_frame_equal(read_public_table(PETS, None), TABLE)


def test_a_plain_csv_file_is_read_too(folders):
    passed, _ = folders
    TABLE.to_csv(passed / "pets.csv", index=False)
    pd.testing.assert_frame_equal(read_public_table(PETS, str(passed)), TABLE)


def test_a_tilde_is_the_home_folder(folders, monkeypatch):
    passed, _ = folders
    monkeypatch.setenv("HOME", str(passed))
    monkeypatch.setenv("USERPROFILE", str(passed))
    TABLE.to_csv(passed / "pets.csv", index=False)
    pd.testing.assert_frame_equal(read_public_table(PETS, "~"), TABLE)


def test_openml_is_asked_last(openml, tmp_path):
    asked = openml(TABLE.iloc[::-1])
    pd.testing.assert_frame_equal(read_public_table(PETS, tmp_path), TABLE)
    assert asked == [{"data_id": 7, "as_frame": True, "parser": "auto"}]
    TABLE.to_csv(tmp_path / "pets.csv", index=False)
    read_public_table(PETS, tmp_path)
    assert len(asked) == 1


@pytest.mark.parametrize(
    "error",
    [
        URLError("no route to host"),
        TimeoutError("timed out"),
        http.client.IncompleteRead(b""),
        ValueError("md5 checksum of the file does not match"),
    ],
)
def test_a_table_that_is_nowhere_is_named_with_its_columns_and_the_places_looked_at(folders, monkeypatch, error):
    def fails(**_):
        raise error

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fails)
    with pytest.raises(DatasetNotFound) as refused:
        read_public_table(PETS, folders[0])
    message = str(refused.value)
    for part in ("pets.csv.gz", "pets.csv in", *map(str, folders), "['legs', 'weight']", "data set 7", str(error)):
        assert part in message
    assert isinstance(refused.value, CommensurateError)
    assert isinstance(refused.value, FileNotFoundError)


@pytest.mark.parametrize("value", [None, ""])
def test_without_any_folder_the_variable_to_set_is_named(nowhere, monkeypatch, value):
    if value is not None:
        monkeypatch.setenv("COMMENSURATE_DATA", value)
    with pytest.raises(
        DatasetNotFound, match=r"in no folder \(COMMENSURATE_DATA is not set\).*as data_home= or in COMMENSURATE_DATA"
    ):
        read_public_table(PETS, None)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pets.csv.gz", b"legs,weight\n2,0.5\n4,10.1\n"),
        ("pets.csv.gz", gzip.compress(b"legs,weight\n" + 999 * b"2,0.5\n")[:-20]),
        ("pets.csv.gz", gzip.compress(b"legs,weight\n" + 999 * b"2,0.5\n")[:20] + b"\xff" * 30),
        ("pets.csv", b""),
        ("pets.csv", b"\xff\xfe\x00\x80"),
        ("pets.csv", b"legs,weight\n2,0.5\n2,3,4,5\n"),
    ],
    ids=["not gzip", "truncated", "garbled", "empty", "not text", "ragged"],
)
def test_a_damaged_file_is_refused_even_if_another_place_has_the_table(folders, name, content):
    passed, environment = folders
    (passed / name).write_bytes(content)
    TABLE.to_csv(environment / "pets.csv.gz", index=False)
    with pytest.raises(
        InvalidTable, match=f"passed.{name}' cannot be read as the Pets table.*replace it with the original"
    ):
        read_public_table(PETS, passed)


def test_wrong_columns_are_told_before_wrong_content(folders):
    TABLE.rename(columns={"legs": "feet"}).to_csv(folders[0] / "pets.csv", index=False)
    with pytest.raises(InvalidTable, match=r"pets.csv' does not have the columns of Pets.*missing \['legs'\]"):
        read_public_table(PETS, folders[0])


def test_altered_content_is_refused(folders):
    TABLE.assign(legs=[2, 3]).to_csv(folders[0] / "pets.csv", index=False)
    with pytest.raises(InvalidTable, match=rf"pets.csv' is not the published Pets table.*{PETS.digest}"):
        read_public_table(PETS, folders[0])


def test_altered_content_on_openml_is_refused(openml):
    openml(TABLE)
    # nobody can replace what OpenML has: the way out is a file of one's own
    with pytest.raises(DatasetNotFound, match=r"OpenML data set 7 is not the published Pets table.*put pets\.csv\.gz"):
        read_public_table(dataclasses.replace(PETS, digest="0" * 64), None)


@pytest.mark.parametrize("data_home", [3, "no such folder"])
def test_a_data_home_that_is_no_folder_is_refused_rather_than_passed_over(data_home):
    with pytest.raises(
        InvalidParameter, match=f"data_home must be the path of a folder that exists.*got {data_home!r}"
    ):
        read_public_table(PETS, data_home)
