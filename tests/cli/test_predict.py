"""The command that predicts pairs of records from a model file."""

import csv
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications.predict_pairs import COLUMNS, PAIRS_AT_ONCE
from worlds import few_answers
from worlds.typed_commands import fill_disk_after

N_ROWS = 30
MEASURED = """
import resource, sys
from commensurate.cli import main
sys.argv = ["commensurate", *sys.argv[1:]]
try:
    main.run()
except SystemExit as stopped:
    assert not stopped.code, stopped.code
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def saved(est, folder):
    est.save(folder / "model.cmz")
    return est


@pytest.fixture(scope="module")
def budgeted(tmp_path_factory):
    return saved(
        few_answers.budgeted(budget=120).fit(few_answers.POINTS, few_answers.sigma), tmp_path_factory.mktemp("b")
    )


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to work in, with a file of records for each group."""
    monkeypatch.chdir(tmp_path)
    for name, points in (("a", few_answers.A), ("b", few_answers.B)):
        table = pd.DataFrame(points[:N_ROWS]).add_prefix("x")
        table.assign(who=[f"{name}ß{k}" for k in range(N_ROWS)]).to_csv(f"{name}.csv", index=False)
    return tmp_path


@pytest.fixture
def model(budgeted, here):
    return saved(budgeted, here)


WORDS = ("predict", "model.cmz", "--left", "a.csv", "--right", "b.csv")


def read(path):
    """Read what was written, numbers to the last bit, which not every version of pandas does."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return pd.DataFrame(
        {name: [row[name] if name.endswith("id") else float(row[name] or "nan") for row in rows] for name in rows[0]}
    )


def test_the_help_says_what_small_means_and_which_columns_there_are(run):
    done = run("predict", "--help")
    assert "Small means similar" in done.stdout
    assert ", ".join(COLUMNS) in " ".join(done.stdout.split())


def test_what_is_written_is_what_the_model_predicts_to_the_bit(run, model):
    done = run(*WORDS, "-o", "out.csv", "--id", "who", "--confidence-level", "0.9")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "30 pairs written to out.csv\n"
    table = read("out.csv")
    a, b = few_answers.A[:N_ROWS], few_answers.B[:N_ROWS]
    assert table["right_id"].tolist() == [f"bß{k}" for k in range(N_ROWS)]
    np.testing.assert_array_equal(table["estimate"], model.predict(a, b))
    for kind, columns in (("certified", ["lower", "upper"]), ("calibrated", ["calibrated_lower", "calibrated_upper"])):
        bounds = model.predict_interval(a, b, interval=kind, confidence_level=0.9)
        np.testing.assert_array_equal(table[columns], np.column_stack(bounds))


@pytest.mark.parametrize("output", [[], ["-o", "-"]])
def test_without_a_file_the_table_goes_to_standard_output_and_nothing_else_does(run, model, output):
    run(*WORDS, "-o", "out.csv", "--all", "--id", "who")
    done = run(*WORDS, *output, "--all", "--id", "who")
    assert done.returncode == 0
    with open("out.csv", encoding="utf-8", newline="") as file:
        assert done.stdout == file.read()
    assert done.stdout.count("\n") == N_ROWS**2 + 1
    assert done.stderr == ""
    assert not os.path.exists("-")


def test_named_pairs_are_predicted(run, model, here):
    (here / "ids.csv").write_text("left_id,right_id\naß3,bß1\naß0,bß1\n", encoding="utf-8")
    assert run(*WORDS, "-o", "out.csv", "--id", "who", "--pairs", "ids.csv").stdout == "2 pairs written to out.csv\n"
    estimates = model.predict(few_answers.A[[3, 0]], few_answers.B[[1, 1]])
    np.testing.assert_array_equal(read("out.csv")["estimate"], estimates)


def test_the_groups_may_be_named_the_other_way_round(run, model):
    for between in ("b,a", "b, a"):
        words = (
            "predict",
            "model.cmz",
            "--left",
            "b.csv",
            "--right",
            "a.csv",
            "--between",
            between,
            "-o",
            "out.csv",
            "--force",
        )
        assert run(*words).returncode == 0
        estimates = model.predict(few_answers.A[:N_ROWS], few_answers.B[:N_ROWS])
        np.testing.assert_array_equal(read("out.csv")["estimate"], estimates)


def test_a_group_name_may_have_commas(run, here):
    groups = {"a": [[0.0], [1.0]], "Bonn, am Rhein": [[0.0], [1.0]], "c": [[0.0], [1.0]]}
    saved(
        cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0).fit(groups, lambda u, v, b: abs(u - v)[:, 0]), here
    )
    assert run(*WORDS, "-o", "out.csv", "--between", "Bonn, am Rhein,c").returncode == 0
    assert read("out.csv")["estimate"].isin([0.0, 1.0]).all()
    done = run(*WORDS)
    assert done.returncode == 1
    assert "choose two with --between LEFT,RIGHT" in done.stderr


# --- intervals that are not there ---


def test_what_a_model_cannot_give_is_left_empty_and_one_line_says_why(run, here):
    saved(few_answers.budgeted(budget=120, answer_error="noise").fit(few_answers.POINTS, few_answers.sigma), here)
    done = run(*WORDS, "-o", "out.csv")
    assert done.returncode == 0
    assert done.stderr.startswith("commensurate: lower and upper are left empty: ")
    assert done.stderr.count("\n") == 1
    assert (here / "out.csv").read_text().splitlines()[1].split(",")[3:5] == ["", ""]
    assert read("out.csv")["calibrated_upper"].notna().all()


def test_infinite_ends_are_written_as_inf_with_one_line_of_warning(run, model, here):
    done = run(*WORDS, "--all", "-o", "out.csv", "--confidence-level", "0.999")
    assert done.returncode == 0
    assert done.stderr.startswith(
        "commensurate: a calibrated interval at level 0.999 needs at least 999 held-out answers"
    )
    assert done.stderr.count("\n") == 1
    assert all(line.endswith(",0.0,inf") for line in (here / "out.csv").read_text().splitlines()[1:])


# --- JSON ---


def test_json_tells_the_counts_and_the_notes_on_standard_output(run, model):
    done = run(*WORDS, "-o", "out.csv", "--json", "--confidence-level", "0.999")
    told = json.loads(done.stdout)
    assert done.stderr == ""
    assert (told["pairs"], told["file"], told["between"]) == (N_ROWS, "out.csv", ["a", "b"])
    assert told["intervals"]["certified"] == {"given": True, "note": None}
    assert told["intervals"]["calibrated"]["given"]
    assert "the interval is infinite" in told["intervals"]["calibrated"]["note"]


def test_json_is_told_on_standard_error_where_the_table_goes_to_standard_output(run, model):
    done = run(*WORDS, "--json")
    assert json.loads(done.stderr)["file"] is None
    assert done.stdout.splitlines()[0] == ",".join(COLUMNS)
    assert len(done.stdout.splitlines()) == N_ROWS + 1


# --- further intervals, and pairs that are selected ---


def test_further_intervals_are_those_of_the_model_in_columns_of_their_own(run, model):
    done = run(*WORDS, "--interval", "envelope", "--interval", "intersection", "-o", "out.csv")
    assert (done.returncode, done.stderr) == (0, f"commensurate: {model.envelope_fit()}\n")
    assert "all 19 held-out answers lie within what M1, M2 and the answers learnt from allow" in done.stderr
    table = read("out.csv")
    further = ["envelope_lower", "envelope_upper", "intersection_lower", "intersection_upper"]
    assert table.columns.tolist() == [*COLUMNS, *further]
    points = few_answers.A[:N_ROWS], few_answers.B[:N_ROWS]
    for kind in ("envelope", "intersection"):
        expected = np.column_stack(model.predict_interval(*points, interval=kind))
        np.testing.assert_array_equal(table[[f"{kind}_lower", f"{kind}_upper"]], expected)


def test_pairs_with_small_estimates_are_selected_and_their_intervals_hold_for_such_pairs(run, model):
    words = (*WORDS, "--all", "--at-most", "0.4", "--confidence-level", "0.6", "--interval", "intersection")
    done = run(*words, "-o", "out.csv")
    assert (done.returncode, done.stderr) == (0, "")
    table = read("out.csv")
    assert done.stdout == f"{len(table)} of 900 pairs written to out.csv\n"
    assert 0 < len(table) < 900
    assert (table["estimate"] <= 0.4).all()
    left, right = (
        points[table[name].astype(int) - 1]
        for points, name in ((few_answers.A, "left_id"), (few_answers.B, "right_id"))
    )
    for kind, columns in (
        ("calibrated", ["calibrated_lower", "calibrated_upper"]),
        ("intersection", ["intersection_lower", "intersection_upper"]),
        ("certified", ["lower", "upper"]),
    ):
        options = {} if kind == "certified" else {"selected_by": lambda estimate: estimate <= 0.4}
        expected = model.predict_interval(left, right, interval=kind, confidence_level=0.6, **options)
        np.testing.assert_array_equal(table[columns], np.column_stack(expected))


def test_too_few_held_out_answers_about_such_pairs_are_told_once(run, model):
    done = run(*WORDS, "--at-most", "0.2", "--interval", "intersection", "-o", "out.csv", "--json")
    told = json.loads(done.stdout)
    assert told["at_most"] == 0.2
    assert told["compared"] == N_ROWS
    assert "about pairs selected in this way, but between 'a' and 'b'" in told["intervals"]["calibrated"]["note"]
    assert np.isinf(read("out.csv")["calibrated_upper"]).all()
    done = run(*WORDS, "--at-most", "0.2", "--interval", "intersection", "-o", "out.csv", "--force")
    assert done.stderr.count("\n") == 1


def test_an_interval_that_the_model_lacks_is_refused(run, here):
    saved(few_answers.budgeted(budget=60, answer_error="noise").fit(few_answers.POINTS, few_answers.sigma), here)
    done = run(*WORDS, "--interval", "intersection")
    assert (done.returncode, done.stdout) == (1, "")
    assert "certified intervals need a bound on the error of an answer" in done.stderr
    assert done.stderr.endswith("; leave it out\n"), "--interval calibrated is no choice of this command"
    assert run(*WORDS, "--interval", "envelope", "-o", "out.csv").returncode == 0


# --- what is refused ---


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--between", "a,z"], "two of the model's groups ['a', 'b'], got 'a,z'"),
        (["--between", "a"], "two of the model's groups ['a', 'b'], got 'a'"),
        (["--id", "nr"], "missing: ['nr']"),
        (["--pairs", "a.csv", "--all"], "pass only one of the two"),
        (["--pairs", "absent.csv"], "cannot read absent.csv"),
        (["--confidence-level", "2"], "--confidence-level must"),
        (["-o", "absent/out.csv"], "does not exist; create it first"),
        (["-o", "model.cmz", "--force"], "this command reads"),
        (["-o", "./a.csv", "--force"], "this command reads"),
        (["--left", "model.cmz"], "model.cmz must be a CSV file in UTF-8"),
        (["--right", "absent.csv"], "cannot read absent.csv"),
        (["--interval", "sure"], "--interval must be one of 'intersection', 'envelope'"),
        (["--at-most", "-1"], "--at-most must be"),
    ],
)
def test_what_cannot_be_predicted_says_why_in_one_line(run, model, words, message):
    done = run(*WORDS, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_existing_file_is_overwritten_by_force_only(run, model, here):
    (here / "out.csv").write_text("precious")
    done = run(*WORDS, "-o", "out.csv")
    assert done.returncode == 1
    assert "already exists" in done.stderr
    assert (here / "out.csv").read_text() == "precious"
    assert run(*WORDS, "-o", "out.csv", "--force").returncode == 0
    assert len(read("out.csv")) == N_ROWS


def test_a_bad_row_far_down_leaves_no_output_and_the_old_file_as_it_was(run, model, here):
    n = PAIRS_AT_ONCE + 50
    for name, width in (("a", 2), ("b", 3)):
        table = pd.DataFrame(np.full((n, width), 0.5)).add_prefix("x").astype(object)
        if name == "b":
            table.iloc[n - 10, 1] = "half"
        table.to_csv(f"{name}.csv", index=False)
    before = sorted(os.listdir())
    done = run(*WORDS, "-o", "out.csv")
    assert done.returncode == 1
    assert f"b.csv, line {n - 8}: the column 'x1' must hold numbers, got 'half'" in done.stderr
    assert sorted(os.listdir()) == before
    (here / "out.csv").write_text("precious")
    assert run(*WORDS, "-o", "out.csv", "--force").returncode == 1
    assert (here / "out.csv").read_text() == "precious"


def test_a_full_disk_leaves_the_old_file_as_it_was(run, model, here, monkeypatch):
    (here / "out.csv").write_text("precious")
    fill_disk_after(monkeypatch, 0)
    done = run(*WORDS, "-o", "out.csv", "--force")
    assert (done.returncode, done.stderr) == (1, "commensurate: cannot write out.csv: No space left on device\n")
    assert (here / "out.csv").read_text() == "precious"


def test_a_model_with_a_metric_of_ones_own_says_what_to_do(run, here):
    def metric(u, v):
        return np.abs(u[:, :1] - v[:, 0])

    groups = [cm.Group("a", [[0.0], [1.0]], metric), cm.Group("b", [[0.0], [1.0]])]
    saved(
        cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0).fit(groups, lambda u, v, b: abs(u - v)[:, 0]), here
    )
    done = run(*WORDS)
    assert done.returncode == 1
    assert "load the model in Python and call commensurate.applications.predict_pairs.predict_pairs" in done.stderr


# --- any size ---


@pytest.mark.slow
def test_a_reader_that_leaves_early_ends_the_command_quietly(model, here):
    # more than a pipe holds
    command = subprocess.Popen(
        [sys.executable, "-m", "commensurate", *WORDS, "--all"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    assert command.stdout.readline().decode().strip() == ",".join(COLUMNS)
    command.stdout.close()
    assert command.stderr is not None
    told = command.stderr.read()
    command.stderr.close()
    assert (command.wait(), told) == (141, b"")


def peak_memory(here, n_rows, *words):
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        pd.DataFrame(rng.random((n_rows, 4))).add_prefix("x").to_csv(here / f"{name}.csv", index=False)
    command = [sys.executable, "-c", MEASURED, *WORDS, "-o", "out.csv", "--force", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"{n_rows:,} pairs written" in done.stdout
    return int(done.stdout.split()[-1])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the system does not tell the peak")
def test_five_times_the_rows_take_no_more_memory(here):
    points = np.random.default_rng(1).random((200, 4))
    est = cm.ClusterSimilarity(epsilon=0.2, delta=0.2, dilation=2.0, random_state=0)
    saved(est.fit({"a": points[:100], "b": points[100:]}, lambda u, v, b: abs(u - v)[:, 0]), here)
    few, many = (peak_memory(here, n_rows) for n_rows in (20_000, 100_000))
    assert many < 1.05 * few
