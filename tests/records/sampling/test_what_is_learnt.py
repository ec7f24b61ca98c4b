"""What is learnt from sample and witnesses is what the whole table gives."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.errors import InvalidTable
from commensurate.groups.learn_columns import learn_columns
from commensurate.groups.tables import split_table
from commensurate.records.sampling import distinct_cells
from commensurate.records.sampling.sampled_table import SamplePlan, sample_csv, sample_frame
from worlds.small_tables import learnt, learnt_from_whole, sampled, sampled_frame, written


@pytest.mark.parametrize(
    ("cells", "cell_type"),
    [
        (["5", "3", "9", "-2", "4", "7", "3", "12"], "int64"),
        (["5", "3.25", "9", "-2", "4", "7", "3", "1e2"], "float64"),
        (["5", "", "9", "-2", "NA", "7", "3", "12"], "float64"),
        (["5", "3", "9", "-2", "4", "7", "3", "unknown"], "text"),
        (["unknown", "3", "9", "-2", "4", "7", "3", "5"], "text"),
        (["5", "3", "9", "-2", "0.5", "7", "3", "5"], "float64"),
        (["1", "False", "False", "True", "True", "True", "False", "True"], "text"),
        (["b", "a", "c", "a", "007", "7", "1.50", "b"], "text"),
        (["True", "False", "true", "TRUE", "False", "True", "True", "True"], "bool"),
        (["True", "", "true", "TRUE", "False", "True", "True", "True"], "object"),
        (["True", "False", "true", "TRUE", "False", "True", "True", "1"], "text"),
        (["1", "0", "1", "1", "0", "1", "0", "True"], "text"),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_columns_learnt_from_sample_and_witnesses_are_those_of_the_whole_table(tmp_path, cells, cell_type, seed):
    path = written(tmp_path, "g,x\n" + "".join(f"{'ab'[i % 2]},{cell}\n" for i, cell in enumerate(cells)))
    tables = sampled(path, seed=seed, missing="median")
    assert {table.types["x"] for table in tables.values()} == {cell_type}
    assert learnt(tables) == learnt_from_whole(path)


CELLS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    st.sampled_from(["", "NA", "a", "b", "True", "false", "007", "1.50", " 8", "1e3", '"', "x,y", "two\nlines", "é"]),
)
COLUMNS = st.one_of(
    st.lists(CELLS, min_size=12, max_size=12),
    st.lists(st.integers(-(10**6), 10**6).map(str), min_size=12, max_size=12),
    st.lists(st.sampled_from(["True", "False", ""]), min_size=12, max_size=12),
    st.lists(st.sampled_from(["1", "2.5", "", "30"]), min_size=12, max_size=12),
)


@pytest.mark.slow
@given(
    COLUMNS,
    COLUMNS,
    st.lists(st.sampled_from("ab"), min_size=12, max_size=12),
    st.sampled_from(["drop", "median"]),
    st.integers(1, 4),
    st.integers(0, 3),
)
def test_whatever_is_in_the_cells_the_learnt_columns_are_those_of_the_whole_table(x, y, groups, missing, records, seed):
    text = io.StringIO()
    csv.writer(text).writerows([["g", "x", "y"], *zip(groups, x, y, strict=True)])
    with TemporaryDirectory() as folder:
        path = written(Path(folder), text.getvalue())
        whole = split_table(pd.read_csv(path, low_memory=False), "g")
        if missing == "drop":
            whole = {name: table.dropna() for name, table in whole.items()}
        if not all(table.notna().any().all() for table in whole.values()):
            return  # a group or a column without values is refused; other tests look at that
        assert learnt(sampled(path, records, seed, missing=missing)) == learn_columns(whole)


# pandas before 3 reads some numbers a last digit off, unless it is told not to
EXACTLY = {"float_precision": "round_trip"} if pd.__version__ < "3" else {}


@given(st.lists(CELLS, min_size=1, max_size=6))
def test_text_is_understood_as_pandas_understands_it(cells):
    text = io.StringIO()
    csv.writer(text).writerows([["x", "more"], *((cell, "k") for cell in cells)])
    expected = pd.read_csv(io.StringIO(text.getvalue()), **EXACTLY)["x"]
    as_text = pd.read_csv(io.StringIO(text.getvalue()), dtype=str)["x"]
    found = distinct_cells.distinct_texts(as_text)
    cell_type = distinct_cells.with_gaps(found.cell_type) if as_text.isna().any() else found.cell_type
    assert cell_type is not None
    understood = distinct_cells.typed(as_text.to_frame(), {"x": cell_type})["x"]
    assert (understood.dtype == expected.dtype) == (cell_type != "text" or expected.dtype == as_text.dtype)
    assert understood.dropna().tolist() == expected.dropna().tolist()


def test_numbers_beyond_64_bits_are_numbers(tmp_path):
    for others in ("-1", "-1.0"):
        path = written(tmp_path, f"g,x\na,18446744073709551616\nb,{others}\na,1\n")
        column = learnt(sampled(path))["x"]
        assert (column.low, column.high) == (-1.0, 2.0**64)
    path = written(tmp_path, f"g,x\na,{'9' * 400}\na,1\n")
    with pytest.raises(InvalidTable, match="must be finite"):
        learnt(sampled(path))


def test_a_column_that_is_text_in_one_group_is_text_in_all(tmp_path):
    path = written(tmp_path, "g,x\n" + "a,1\na,2\na,10\n" * 4 + "b,none of these\n")
    tables = sampled(path)
    assert tables["a"].seen()["x"].isin(["1", "2", "10"]).all()
    assert learnt(tables)["x"].categories == ("1", "10", "2", "none of these")


def test_numbers_with_an_order_have_a_witness_of_every_category(tmp_path):
    path = written(tmp_path, "g,x\n" + "".join(f"a,{1 + i % 5}\nb,{1 + i % 3}\n" for i in range(20)))
    orders = {"x": [3, 1, 5, 2, 4]}
    tables = sampled(path, records=1, ordered=["x"])
    assert learnt(tables, orders=orders) == learnt_from_whole(path, orders=orders)
    assert set(tables["a"].seen()["x"]) == {1, 2, 3, 4, 5}


def test_a_sample_of_everything_has_no_witnesses(tmp_path):
    path = written(tmp_path, "g,x,y\n" + "".join(f"a,{i},{i % 4}u\n" for i in range(20)))
    table = sampled(path, records=20)["a"]
    assert len(table.sample) == table.n_rows == 20
    assert table.witnesses.empty


def test_only_rows_that_widen_the_sample_are_witnesses(tmp_path):
    path = written(tmp_path, "g,x\n" + "".join(f"a,{i % 10}\n" for i in range(200)))
    table = sampled(path, records=3)["a"]
    assert len(table.witnesses) <= 2
    assert table.seen()["x"].agg(["min", "max"]).tolist() == [0, 9]


FRAMES = {
    "numbers": [4, 1, 5, 1, 3, 2, 9, 0],
    "numbers with gaps": pd.array([4, None, 5, 1, 3, 2, 9, 0], dtype="Int64"),
    "decimals": [Decimal(i) / 7 for i in (4, 1, 5, 1, 3, 2, 9, 0)],
    "booleans": [True, False, True, True, False, True, True, True],
    "digits as text": pd.array(["10", "2", "1", "2", "3", "2", "10", "0"], dtype="string"),
    "numbers and text": [1, "1", 10, 2.0, "a", 2, "b", 1],
    "numbers and their text": [1, 1, 10, 2, 3, 2, 4, "1"],
    "numeric categories": pd.Categorical([10, 2, 1, 2, 3, 2, 10, 0]),
    "ordered categories": pd.Categorical(list("cabcabcd"), categories=list("dbca"), ordered=True),
}


@pytest.mark.parametrize("values", FRAMES.values(), ids=FRAMES.keys())
@pytest.mark.parametrize("seed", range(3))
def test_columns_learnt_from_a_sampled_frame_are_those_of_the_whole(values, seed):
    # the values once for each group, so that both have all of them
    table = pd.DataFrame({"g": ["a"] * 8, "x": pd.Series(values)})
    table = pd.concat([table, table.assign(g="b")], ignore_index=True)
    tables = sampled_frame(table, seed=seed, missing="median")
    assert learnt(tables) == learn_columns(split_table(table, "g"))
    assert tables["a"].sample["x"].dtype == table["x"].dtype


def test_a_frame_has_its_index_for_ids():
    table = pd.DataFrame({"g": ["a", "b", "a"], "x": [1, 2, 3]}, index=["ann", "bob", "cid"])
    assert sampled_frame(table)["a"].sample.index.tolist() == ["ann", "cid"]
    with pytest.raises(InvalidTable, match="'ann' appears in row 'ann' of the table and again"):
        sampled_frame(table.set_axis(["ann", "bob", "ann"]))


def test_a_category_without_rows_is_no_group():
    groups = pd.Categorical(["a", "b", "a", "b"], categories=["c", "b", "a"])
    table = pd.DataFrame({"g": groups, "x": [1.0, None, 3.0, 4.0]})
    tables = sampled_frame(table, missing="drop")
    assert {name: (kept.n_rows, kept.n_dropped) for name, kept in tables.items()} == {"a": (2, 0), "b": (1, 1)}


def test_frames_and_files_of_the_same_rows_give_the_same_sample(tmp_path):
    table = pd.DataFrame({"g": list("abba") * 50, "x": range(200)}, index=range(1, 201))
    path = tmp_path / "same.csv"
    table.to_csv(path, index=False)
    plan = SamplePlan(records=7)
    from_file = sample_csv(path, "g", plan, np.random.default_rng(5))
    from_frame = sample_frame(table, "g", plan, np.random.default_rng(5))
    for name in "ab":
        assert from_file[name].sample.index.tolist() == from_frame[name].sample.index.tolist()
        assert from_file[name].seen()["x"].tolist() == from_frame[name].seen()["x"].tolist()
