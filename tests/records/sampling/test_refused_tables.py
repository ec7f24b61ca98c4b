"""Tables and plans that cannot be sampled are refused, with the line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from commensurate.errors import InvalidInput, InvalidParameter, InvalidTable
from worlds.small_tables import learnt, sampled, written


@pytest.mark.parametrize(
    ("text", "plan", "message"),
    [
        (
            "g,i,x\na,7,1\nb,7,1\n\na,8,2\na,7,3\n",
            {"ids": "i"},
            "group 'a'.*'7' appears in line 2 .* line 6 of people.csv",
        ),
        ("g,i,x\na,7,1\na,,1\n", {"ids": "i"}, "id column 'i' has missing values, the first in line 3"),
        ("g,x\na,1\n,2\n", {}, "group column 'g' has missing values, the first in line 3"),
        ('g,x,y\na,1,"two\nlines"\na,,z\n', {}, "column 'x' has a missing value in line 4 of people.csv"),
        ("g,x\na,1\nb,\n", {"missing": "drop"}, "no row of group 'b' is complete"),
        ("g,x\n", {}, "people.csv has no rows"),
        ("g,x\na,1\n", {"ids": "who"}, "people.csv has no column 'who'; its columns are"),
        ("g,x\na,1\n", {"features": ["z"]}, "people.csv has no column 'z'"),
        ("g,x\na,1\n", {"keep": ["z"]}, "people.csv has no column 'z'"),
        ("g,i\na,1\n", {"ids": "i"}, "none of the features"),
    ],
)
def test_a_table_that_cannot_be_sampled_is_refused_with_the_line(tmp_path, text, plan, message):
    with pytest.raises(InvalidTable, match=message):
        sampled(written(tmp_path, text), **plan)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"records": 0}, "records must be at least 1 per group"),
        ({"features": ["g", "x"]}, "group column 'g' cannot be a feature"),
        ({"features": "x"}, r"use \['x'\]"),
        ({"keep": ["x", "x"]}, "keep names the column 'x' twice"),
        ({"missing": "ignore"}, "missing must be one of"),
    ],
)
def test_a_plan_out_of_range_is_refused(tmp_path, plan, message):
    with pytest.raises(InvalidParameter, match=message):
        sampled(written(tmp_path, "g,x\na,1\n"), **plan)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty; its first line must name the columns"),
        (b"g,x\na,1,2\n", "line 2: the header has 2 fields, but this row has 3"),
        (b"g,x\na,1\na,1,2\n", "line 3: the header has 2 fields, but this row has 3"),
        (b"g,x\na,1\na\n", "line 3: the header has 2 fields, but this row has 1"),
        (b'g,x\na,"1\na,2\n', "line 3: this is not valid CSV: unexpected end of data"),
        (b"g,x,x\na,1,2\n", "has two columns named 'x'; rename one"),
        (b"g,x\na,\xff\n", "must be a CSV file in UTF-8"),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path, content, message):
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=message):
        sampled(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="cannot read .*people.csv: No such file"):
        sampled(tmp_path / "people.csv")


def test_equal_ids_in_different_groups_are_different_records(tmp_path):
    path = written(tmp_path, "g,i,x\n" + "".join(f"a,{i},1\nb,{i},2\n" for i in range(50)))
    assert {name: table.n_rows for name, table in sampled(path, ids="i").items()} == {"a": 50, "b": 50}


def test_an_id_that_only_shares_its_hash_with_another_is_no_duplicate(tmp_path, monkeypatch):
    path = written(tmp_path, "g,i,x\n" + "".join(f"a,{i},1\n" for i in range(9)))
    monkeypatch.setattr(
        "commensurate.records.sampling.checked_rows._hashed", lambda rows: np.zeros(len(rows.frame), dtype=np.uint64)
    )
    assert sampled(path, ids="i")["a"].n_rows == 9
    twice = written(tmp_path, path.read_text() + "a,4,1\n", "twice.csv")
    with pytest.raises(InvalidTable, match="'4' appears in line 6 .* line 11"):
        sampled(twice, ids="i")


def test_free_text_is_no_feature_but_may_be_shown(tmp_path):
    path = written(tmp_path, "g,x,name\n" + "".join(f"a,{i},person {i}\n" for i in range(1001)))
    with pytest.raises(InvalidTable, match=r"column 'name' .* more than 1,000 .* 'person 0' in line 2 .*features="):
        sampled(path, rows_per_chunk=100)
    assert sampled(path, rows_per_chunk=100, features=["x"], keep=["name"])["a"].n_rows == 1001


def test_a_thousand_categories_are_still_categories(tmp_path):
    path = written(tmp_path, "g,name\n" + "".join(f"a,person {i % 1000}\n" for i in range(1100)))
    assert len(learnt(sampled(path, rows_per_chunk=100))["name"].categories) == 1000


def test_one_slip_among_thousands_of_numbers_is_named(tmp_path):
    path = written(tmp_path, "g,x\n" + "".join(f"a,{i}\n" for i in range(2000)) + "a,12o\na,5\n")
    with pytest.raises(InvalidTable, match=r"column 'x' .*'12o' in line 2002 of people.csv \(correct it if so\)"):
        sampled(path, rows_per_chunk=100)


def test_numbers_of_thousands_of_values_cannot_be_given_an_order(tmp_path):
    path = written(tmp_path, "g,x\n" + "".join(f"a,{i}\n" for i in range(2000)))
    with pytest.raises(InvalidTable, match="too many for an order"):
        sampled(path, rows_per_chunk=100, ordered=["x"])


def test_a_column_of_ids_names_no_groups(tmp_path):
    path = written(tmp_path, "g,x\n" + "".join(f"{i},1\n" for i in range(1001)))
    with pytest.raises(InvalidTable, match="'g' of people.csv names more than 1,000 groups"):
        sampled(path, rows_per_chunk=1000)


def test_typing_other_cells_than_those_sampled_says_which(tmp_path):
    table = sampled(written(tmp_path, "g,x\na,1\na,2\n"))["a"]
    assert table.typed(pd.DataFrame({"x": ["3", "1.5"]}))["x"].tolist() == [3.0, 1.5]
    assert table.typed(pd.DataFrame({"x": ["3", None]}))["x"].isna().tolist() == [False, True]
    with pytest.raises(
        InvalidTable, match="column 'x' held numbers when it was sampled, but now has cells such as 'q'"
    ):
        table.typed(pd.DataFrame({"x": ["q"]}))
