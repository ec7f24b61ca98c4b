"""The command that finds the most similar records of another group, or one counterpart for each."""

import csv
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications.retrieval.matching import match_one_to_one
from commensurate.applications.retrieval.neighbors import neighbors
from worlds import few_answers
from worlds.typed_commands import fill_disk_after

N_LEFT, N_RIGHT = 30, 25
A, B = few_answers.A[:N_LEFT], few_answers.B[:N_RIGHT]
WORDS = ("neighbors", "model.cmz", "--left", "a.csv", "--right", "b.csv")
COLUMNS = ["left_id", "rank", "right_id", "estimate", "lower", "upper"]


@pytest.fixture(scope="module")
def cluster():
    est = cm.ClusterSimilarity(epsilon=0.1, delta=0.1, dilation=0.5, random_state=0)
    return est.fit(few_answers.POINTS, few_answers.sigma)


@pytest.fixture(scope="module")
def budgeted():
    return few_answers.budgeted(budget=120).fit(few_answers.POINTS, few_answers.sigma)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to work in, with a file of records for each group."""
    monkeypatch.chdir(tmp_path)
    for name, points in (("a", A), ("b", B)):
        table = pd.DataFrame(points).add_prefix("x")
        table.assign(who=[f"{name}ß{k}" for k in range(len(points))], same="x").to_csv(f"{name}.csv", index=False)
    return tmp_path


@pytest.fixture
def model(cluster, here):
    cluster.save("model.cmz")
    return cluster


@pytest.fixture
def of_few_answers(budgeted, here):
    budgeted.save("model.cmz")
    return budgeted


def read(path):
    """Read what was written, numbers to the last bit, which not every version of pandas does."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return pd.DataFrame(
        {name: [row[name] if name.endswith("id") else float(row[name] or "nan") for row in rows] for name in rows[0]}
    )


def assert_written(table, found):
    """Check a table that names records by id against what the library finds."""
    assert table["left_id"].tolist() == [f"aß{row}" for row in found["left"]]
    assert table["right_id"].tolist() == [f"bß{row}" for row in found["right"]]
    numbers = [name for name in found.columns if name not in ("left", "right")]
    np.testing.assert_array_equal(table[numbers], found[numbers])


def test_the_help_says_what_small_means_and_which_columns_there_are(run):
    words = " ".join(run("neighbors", "--help").stdout.split())
    assert "Small means similar" in words
    assert ", ".join(COLUMNS) in words


# --- neighbours ---


def test_what_is_written_is_what_the_library_finds_to_the_bit(run, model):
    done = run(*WORDS, "-k", "3", "--id", "who", "-o", "out.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "90 pairs with proxy intervals written to out.csv\n"
    table = read("out.csv")
    assert table.columns.tolist() == COLUMNS
    assert_written(table, neighbors(model, A, B, 3))


def test_ten_neighbours_are_found_unless_told_otherwise_and_rows_are_called_by_number(run, model):
    assert run(*WORDS, "-o", "out.csv").returncode == 0
    table, found = read("out.csv"), neighbors(model, A, B, 10)
    assert table["left_id"].tolist() == [str(row + 1) for row in found["left"]]
    assert table["right_id"].tolist() == [str(row + 1) for row in found["right"]]


@pytest.mark.parametrize("interval", ["proxy", "certified"])
def test_the_interval_is_the_one_that_was_asked_for(run, model, interval):
    run(*WORDS, "-k", "2", "--id", "who", "--interval", interval, "-o", "out.csv")
    assert_written(read("out.csv"), neighbors(model, A, B, 2, interval=interval))


def test_a_model_of_few_answers_gives_certified_intervals(run, of_few_answers):
    done = run(*WORDS, "-k", "2", "--id", "who", "-o", "out.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert_written(read("out.csv"), neighbors(of_few_answers, A, B, 2, interval="certified"))


@pytest.mark.parametrize("interval", ["calibrated", "intersection"])
def test_calibrated_intervals_come_with_a_note_that_says_for_which_pairs_they_hold(run, of_few_answers, interval):
    words = (*WORDS, "-k", "20", "--id", "who", "--interval", interval, "--confidence-level", "0.6")
    done = run(*words, "-o", "out.csv")
    assert done.returncode == 0
    assert "60 % of calibrated intervals hold for pairs found in this way, if the records are drawn" in done.stderr
    assert done.stderr.count("\n") == 1
    expected = neighbors(of_few_answers, A, B, 20, interval=interval, confidence_level=0.6)
    assert_written(read("out.csv"), expected)
    assert np.isfinite(expected["upper"]).all()


def test_infinite_ends_come_with_one_line_of_warning(run, of_few_answers):
    words = (*WORDS, "-k", "1", "--interval", "calibrated", "--confidence-level", "0.999")
    done = run(*words, "-o", "out.csv")
    assert done.returncode == 0
    told = "commensurate: of 30 calibrated intervals at level 0.999, 30 are infinite: the interval of a pair that is nearest"
    assert told in done.stderr
    assert "it takes about 24,975 held-out answers" in done.stderr
    assert done.stderr.count("\n") == 2
    assert np.isinf(read("out.csv")["upper"]).all()


def test_estimates_alone_stand_in_both_columns_and_nothing_is_said(run, model, here):
    done = run(*WORDS, "--interval", "estimate", "-o", "out.csv")
    assert (done.returncode, done.stderr) == (0, "")
    table = read("out.csv")
    assert (table["lower"] == table["estimate"]).all()
    assert (table["upper"] == table["estimate"]).all()


def test_noisy_answers_give_calibrated_intervals_and_one_line_says_why(run, here):
    est = few_answers.budgeted(budget=120, answer_error="noise").fit(few_answers.POINTS, few_answers.sigma)
    est.save("model.cmz")
    done = run(*WORDS, "-k", "25", "--id", "who", "-o", "out.csv")
    assert done.returncode == 0
    why, promise = done.stderr.splitlines()
    assert why.startswith("commensurate: intervals are calibrated: certified intervals need a bound")
    assert promise.startswith("commensurate: on average, 95 % of calibrated intervals hold for pairs found in this way")
    assert_written(read("out.csv"), neighbors(est, A, B, 25, interval="calibrated"))


def test_answers_that_contradict_each_other_are_told_in_one_line(run, here):
    def contradictory(left, right, between=None):
        return 100.0 * np.random.default_rng(0).random(len(left))

    est = few_answers.budgeted(budget=60, answer_error="noise").fit(few_answers.POINTS, contradictory)
    est.set_params(answer_error=0.0)._keep_parameters("answer_error")  # earlier versions learnt from such answers
    est.save("model.cmz")
    done = run(*WORDS, "-k", "1", "-o", "out.csv")
    assert (done.returncode, done.stdout) == (1, "")
    assert "contradict M1 and M2" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not os.path.exists("out.csv")


@pytest.mark.parametrize("output", [[], ["-o", "-"]])
def test_without_a_file_the_table_goes_to_standard_output_and_nothing_else_does(run, model, output):
    run(*WORDS, "-o", "out.csv", "--id", "who")
    done = run(*WORDS, *output, "--id", "who")
    assert (done.returncode, done.stderr) == (0, "")
    with open("out.csv", encoding="utf-8", newline="") as file:
        assert done.stdout == file.read()
    assert not os.path.exists("-")


def test_the_groups_may_be_named_the_other_way_round(run, model):
    words = ("neighbors", "model.cmz", "--left", "b.csv", "--right", "a.csv", "--between", "b,a", "-k", "2")
    assert run(*words, "-o", "out.csv").returncode == 0
    found = neighbors(model, B, A, 2, between=("b", "a"))
    np.testing.assert_array_equal(read("out.csv")["estimate"], found["estimate"])


def test_within_a_group_nobody_is_ones_own_neighbour_if_so_wanted(run, model):
    words = ("neighbors", "model.cmz", "--left", "a.csv", "--right", "a.csv", "--between", "a,a", "-k", "1")
    assert run(*words, "-o", "out.csv").returncode == 0
    assert (read("out.csv")["left_id"] == read("out.csv")["right_id"]).all()
    assert run(*words, "--exclude-self", "-o", "out.csv", "--force").returncode == 0
    table = read("out.csv")
    assert not (table["left_id"] == table["right_id"]).any()
    np.testing.assert_array_equal(table["lower"], table["estimate"])


# --- one to one ---


def test_a_matching_is_written_and_its_total_and_bounds_are_told(run, model):
    done = run(*WORDS, "--one-to-one", "--id", "who", "-o", "out.csv")
    assert (done.returncode, done.stderr) == (0, "")
    found = match_one_to_one(model, A, B)
    assert done.stdout == f"{found}\n{N_RIGHT} pairs with proxy intervals written to out.csv\n"
    assert "the smallest total under the true dissimilarity is between" in done.stdout
    table = read("out.csv")
    assert table.columns.tolist() == ["left_id", "right_id", "estimate", "lower", "upper"]
    assert_written(table, found.pairs)


def test_the_total_is_told_beside_a_table_on_standard_output(run, model):
    done = run(*WORDS, "--one-to-one")
    assert done.stderr == f"commensurate: {match_one_to_one(model, A, B)}\n"
    assert done.stdout.count("\n") == N_RIGHT + 1


# --- JSON ---


def test_json_tells_what_was_found_on_standard_output(run, model):
    done = run(*WORDS, "-k", "4", "-o", "out.csv", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "pairs": 4 * N_LEFT,
        "between": ["a", "b"],
        "records": {"left": N_LEFT, "right": N_RIGHT},
        "interval": "proxy",
        "confidence_level": None,
        "notes": [],
        "file": "out.csv",
    }


def test_json_tells_the_total_and_its_bounds_on_standard_error_beside_the_table(run, model):
    done = run(*WORDS, "--one-to-one", "--json")
    told, found = json.loads(done.stderr), match_one_to_one(model, A, B)
    assert (told["total"], told["optimum_bounds"]) == (found.total, list(found.optimum_bounds))
    assert told["file"] is None
    assert done.stdout.splitlines()[0] == "left_id,right_id,estimate,lower,upper"


def test_json_has_the_notes(run, of_few_answers):
    done = run(*WORDS, "--interval", "calibrated", "-o", "out.csv", "--json")
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert told["confidence_level"] == 0.95
    assert "hold for pairs found in this way" in told["notes"][0]


# --- what is refused ---


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-k", "26"], "-k must be from 1 to the 25 records of b.csv, got 26"),
        (["--interval", "wide"], "--interval must be one of"),
        (["--interval", "calibrated"], "ClusterSimilarity holds none out"),
        (["--confidence-level", "2"], "--confidence-level must"),
        (["--between", "a,z"], "two of the model's groups ['a', 'b'], got 'a,z'"),
        (["--between", "b,a"], "a.csv must have the columns"),
        (["--id", "nr"], "missing: ['nr']"),
        (["--id", "same"], "'x' appears twice in the column 'same' of a.csv, in rows 1 and 2"),
        (["--one-to-one", "-k", "3"], "leave out -k and --exclude-self"),
        (["--one-to-one", "--exclude-self"], "leave out -k and --exclude-self"),
        (["--exclude-self"], "works within one group"),
        (["-o", "absent/out.csv"], "does not exist; create it first"),
        (["-o", "model.cmz", "--force"], "this command reads"),
        (["-o", "./b.csv", "--force"], "this command reads"),
        (["--left", "model.cmz"], "model.cmz must be a CSV file in UTF-8"),
        (["--right", "absent.csv"], "cannot read absent.csv"),
        (["--right", "empty.csv"], "empty.csv must contain at least one record of the group 'b'"),
    ],
)
def test_what_cannot_be_searched_says_why_in_one_line(run, model, here, words, message):
    (here / "empty.csv").write_text("x0,x1,x2\n")
    before = sorted(os.listdir())
    done = run(*WORDS, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(os.listdir()) == before


def test_no_neighbour_is_a_usage_error(run, model):
    assert run(*WORDS, "-k", "0").returncode == 2


def test_an_existing_file_is_overwritten_by_force_only(run, model, here):
    (here / "out.csv").write_text("precious")
    done = run(*WORDS, "-o", "out.csv")
    assert done.returncode == 1
    assert "already exists" in done.stderr
    assert (here / "out.csv").read_text() == "precious"
    assert run(*WORDS, "-o", "out.csv", "--force").returncode == 0
    assert (here / "out.csv").read_text() != "precious"


def test_a_full_disk_leaves_the_old_file_as_it_was(run, model, here, monkeypatch):
    (here / "out.csv").write_text("precious")
    fill_disk_after(monkeypatch, 0)
    done = run(*WORDS, "-o", "out.csv", "--force")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "commensurate: cannot write out.csv: No space left on device\n"
    assert (here / "out.csv").read_text() == "precious"


def test_a_model_with_a_metric_of_ones_own_says_what_to_do(run, here):
    def metric(u, v):
        return np.abs(u[:, :1] - v[:, 0])

    groups = [cm.Group("a", [[0.0], [1.0]], metric), cm.Group("b", [[0.0], [1.0]])]
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0).fit(groups, lambda u, v, b: abs(u - v)[:, 0])
    est.save("model.cmz")
    assert "call commensurate.applications.neighbors" in run(*WORDS).stderr
    assert "call commensurate.applications.match_one_to_one" in run(*WORDS, "--one-to-one").stderr


@pytest.mark.slow
def test_a_reader_that_leaves_early_ends_the_command_quietly(model):
    command = [sys.executable, "-m", "commensurate", *WORDS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
