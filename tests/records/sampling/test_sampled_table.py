"""Samples of long tables: uniform, as written, and small in memory."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from commensurate.errors import InvalidInput, InvalidTable
from commensurate.groups.learn_columns import learn_columns
from commensurate.records.sampling.sampled_table import SamplePlan, sample_frames, sample_sources
from worlds.small_tables import learnt, sampled, written


def test_cells_ids_and_groups_are_text_as_written(tmp_path):
    path = written(tmp_path, "g,who,x,note\n01,007,1.50,NA\n01,008,2.0, spaced \n1,007,3,x\n")
    tables = sampled(path, ids="who", features=["x"], keep=["note", "g"])
    assert list(tables) == ["01", "1"]
    assert tables["01"].sample.index.tolist() == ["007", "008"]
    assert tables["01"].sample["x"].tolist() == ["1.50", "2.0"]
    assert tables["01"].sample["note"].isna().tolist() == [True, False]
    assert tables["01"].sample["note"].iloc[1] == " spaced "
    assert tables["1"].sample[["x", "note", "g"]].iloc[0].tolist() == ["3", "x", "1"]
    assert tables["1"].witnesses.columns.tolist() == ["x"]


def test_without_an_id_column_rows_are_counted_from_one(tmp_path):
    path = written(tmp_path, "g,x\na,1\nb,2\n\na,3\nb,4\n")
    tables = sampled(path)
    assert tables["a"].sample.index.tolist() == ["1", "3"]
    assert tables["b"].sample.index.tolist() == ["2", "4"]


def test_every_record_is_equally_likely_to_be_sampled(tmp_path):
    # 300 groups are 300 draws; each has its 20 rows spread over all the chunks
    path = written(tmp_path, "g,x\n" + "".join(f"group {g},{x}\n" for x in range(20) for g in range(300)))
    tables = sampled(path, records=4, rows_per_chunk=1500)
    drawn = Counter(x for table in tables.values() for x in table.sample["x"])
    pairs = Counter(pair for table in tables.values() for pair in combinations(table.sample["x"], 2))
    assert all(len(table.sample) == 4 for table in tables.values())
    assert chi_squared(drawn, 20) < 43.8  # one in a thousand is larger, with 19 degrees of freedom
    assert chi_squared(pairs, 190) < 254.0  # with 189


def chi_squared(counts: Counter, n_possible: int) -> float:
    expected = counts.total() / n_possible
    return sum((n - expected) ** 2 / expected for n in counts.values()) + expected * (n_possible - len(counts))


def test_the_sample_depends_on_the_seed_but_not_on_the_size_of_chunks(tmp_path):
    path = written(tmp_path, "g,x\n" + "".join(f"{'ab'[i % 2]},{i}\n" for i in range(100)))
    ids = [
        sampled(path, records=5, seed=seed, rows_per_chunk=size)["a"].sample.index.tolist()
        for seed, size in [(1, 3), (1, 7), (1, 1000), (2, 3)]
    ]
    assert ids[0] == ids[1] == ids[2] != ids[3]
    assert ids[0] == sorted(ids[0], key=int)


def test_incomplete_rows_are_dropped_before_sampling_and_counted(tmp_path):
    path = written(tmp_path, "g,x,note\n" + "a,,k\na,5,\nb,1,k\n" * 10)
    tables = sampled(path, records=4, features=["x"], keep=["note"], missing="drop")
    assert (tables["a"].n_rows, tables["a"].n_dropped) == (10, 10)
    assert (tables["b"].n_rows, tables["b"].n_dropped) == (10, 0)
    assert tables["a"].sample["x"].tolist() == ["5"] * 4
    assert tables["a"].types["x"] == "float64"  # as pandas reads whole numbers with gaps


def test_a_text_in_a_row_that_is_dropped_makes_its_column_text_as_when_all_is_read_at_once(tmp_path):
    path = written(tmp_path, "g,x,y\na,unknown,\na,10,1\na,2,1\nb,2,1\n")
    tables = sampled(path, missing="drop")
    assert (tables["a"].types, tables["a"].n_dropped) == ({"x": "text", "y": "float64"}, 1)
    assert learnt(tables)["x"].categories == ("10", "2")


def test_equal_ids_of_rows_that_are_dropped_do_no_harm(tmp_path):
    path = written(tmp_path, "g,i,x\na,1,\na,1,5\na,2,6\n")
    assert sampled(path, ids="i", missing="drop")["a"].sample.index.tolist() == ["1", "2"]


def test_with_median_incomplete_rows_stay(tmp_path):
    path = written(tmp_path, "g,x\na,\na,5\nb,1\n")
    table = sampled(path, missing="median")["a"]
    assert table.n_rows == 2
    assert table.seen()["x"].isna().tolist() == [True, False]


def test_files_that_are_packed_are_unpacked(tmp_path):
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(b"g,x\na,1\nb,2\na,\n"))
    assert list(sampled(path, missing="drop")) == ["a", "b"]
    with pytest.raises(InvalidTable, match="line 4 of people.csv.gz"):
        sampled(path)
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(InvalidInput, match="cannot unpack|cannot read"):
        sampled(path)


def test_each_source_gives_the_columns_that_it_has(tmp_path):
    one = written(tmp_path, "who,age,income,name\n1,30,5,A\n2,40,6,B\n", "one.csv")
    two = written(tmp_path, "who,age,debts\n1,50,7\n", "two.csv")
    plan = SamplePlan(records=5, ids="who", features=["age", "income", "debts"], keep=["name"])
    tables = sample_sources({"v1": one, "v2": two}, plan, np.random.default_rng(0))
    assert tables["v1"].features == ("age", "income")
    assert tables["v1"].sample.columns.tolist() == ["age", "income", "name"]
    assert tables["v2"].sample.columns.tolist() == ["age", "debts"]
    assert (learnt(tables)["age"].low, learnt(tables)["age"].high) == (30.0, 50.0)
    with pytest.raises(InvalidTable, match="no table has a column 'wage'"):
        sample_sources({"v1": one, "v2": two}, SamplePlan(5, features=["wage"]), np.random.default_rng(0))
    with pytest.raises(InvalidTable, match="two.csv has none of the features"):
        sample_sources({"v1": one, "v2": two}, SamplePlan(5, features=["income"]), np.random.default_rng(0))


def test_frames_are_sampled_one_per_group():
    tables = {"v1": pd.DataFrame({"x": range(50)}), "v2": pd.DataFrame({"y": list("abc")})}
    samples = sample_frames(tables, SamplePlan(records=5), np.random.default_rng(0))
    assert learnt(samples) == learn_columns(tables)
    assert samples["v1"].n_rows == 50


MEASURE = """
import resource, sys
import numpy as np
from pathlib import Path
from commensurate.records.sampling.sampled_table import SamplePlan, sample_csv
assert not {"numba", "sklearn"} & set(sys.modules)
plan = SamplePlan(records=500, ids="who", features=["age", "income", "job"], keep=["name"])
tables = sample_csv(Path(sys.argv[1]), "g", plan, np.random.default_rng(0))
print(sum(table.n_rows for table in tables.values()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_megabytes(path: Path, n_rows: int) -> float:
    with path.open("w") as file:
        file.write("g,who,age,income,job,name,unused\n")
        for i in range(n_rows):
            file.write(f"{'abc'[i % 3]},p{i},{i % 90},{i * 7919 % 100003 / 7},job {i % 40},person number {i},{i}\n")
    done = subprocess.run([sys.executable, "-c", MEASURE, path], capture_output=True, text=True, check=True)
    n_read, peak = done.stdout.split()
    assert int(n_read) == n_rows
    return int(peak) / (1024 if sys.platform != "darwin" else 1024**2)


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [200_000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_a_long_file_takes_little_more_memory_than_a_short_one(tmp_path, n_rows):
    short = peak_megabytes(tmp_path / "short.csv", 50_000)
    assert peak_megabytes(tmp_path / "long.csv", n_rows) < short + 150


@pytest.mark.parametrize("records", [1, 3, 6])
def test_records_that_are_needed_are_kept_and_the_rest_is_drawn(tmp_path, records):
    path = written(tmp_path, "g,x\n" + "".join(f"{'ab'[i % 2]},{i}\n" for i in range(40)))
    drawn = Counter()
    for seed in range(60):
        tables = sampled(path, records=records, seed=seed, always={"a": {"1", "39"}, 1: {"4"}, 0: {"3"}})
        ids = {name: set(table.sample.index) for name, table in tables.items()}
        assert ids["a"] >= {"1", "39"}, "by name goes before by place"
        assert "4" in ids["b"]
        assert (len(ids["a"]), len(ids["b"])) == (max(records, 2), records)
        assert tables["a"].sample.index.tolist() == sorted(ids["a"], key=int)
        drawn.update(ids["a"] | ids["b"])
    assert records < 6 or len(drawn) == 40


def test_records_that_are_needed_of_one_table_per_group_are_named_by_its_place(tmp_path):
    tables = {name: pd.DataFrame({"x": range(30)}) for name in "ab"}
    plan = SamplePlan(records=2, always={0: {"7"}, 1: {"8", "9", "11"}})
    found = sample_frames(tables, plan, np.random.default_rng(0))
    assert "7" in found["a"].sample.index
    assert found["b"].sample.index.tolist() == ["8", "9", "11"]
