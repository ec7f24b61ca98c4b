"""The command as a user types it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from commensurate import __version__
from commensurate.cli import main


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "who": [f"p{k}" for k in range(1200)],
            "married": rng.choice(["yes", "no"], 1200),
            "age": rng.integers(20, 70, 1200),
            "job": rng.choice(["clerk", "cook", "nurse"], 1200),
        }
    )
    path = tmp_path / "people.csv"
    table.to_csv(path, index=False)
    return path


def test_version_and_help_answer_without_importing_anything_heavy(run):
    assert run("--version").stdout == f"commensurate {__version__}\n"
    assert "Small means similar" in " ".join(run("--help").stdout.split())
    code = (
        "import sys\n"
        "from commensurate.cli import main\n"
        "sys.argv = ['commensurate', '--help']\n"
        "try:\n    main.run()\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pandas', 'numba', 'sklearn', 'scipy', 'jinja2'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "command", ["audit", "cluster", "demo", "fit", "neighbors", "plan", "predict", "reproduce", "study"]
)
def test_every_command_has_help(run, command):
    done = run(command, "--help")
    assert done.returncode == 0
    assert f"Usage: commensurate {command}" in done.stdout


def test_no_command_shows_the_help(run):
    done = run()
    assert "Usage: commensurate" in done.stdout + done.stderr


def test_an_error_is_one_line_and_a_non_zero_exit(run, tmp_path):
    done = run("plan", str(tmp_path / "absent.csv"), "--group", "married")
    assert done.returncode == 1
    assert done.stderr.startswith("commensurate: cannot read")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_an_unexpected_error_is_one_line_that_says_how_to_see_more(run, monkeypatch, capsys):
    def broken(**options: object) -> None:
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr(main, "app", broken)
    for arguments, traceback_shown in (["commensurate", "demo"], False), (["commensurate", "demo", "--debug"], True):
        monkeypatch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as stopped:
            main.run()
        assert stopped.value.code == 70
        shown = capsys.readouterr().err
        assert "unexpected error: ZeroDivisionError: division by zero" in shown
        assert ("Traceback" in shown) == traceback_shown
        assert ("--debug to see the details" in shown) != traceback_shown


def test_ctrl_c_ends_with_one_line(run, monkeypatch):
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("commensurate.experiments.demo.Demo.prepare", interrupted)
    done = run("demo")
    assert done.returncode == 130
    assert done.stderr == "commensurate: interrupted\n"


def test_an_unknown_option_is_a_usage_error(run):
    done = run("plan", "--nonsense")
    assert done.returncode == 2
    assert "No such option" in done.stderr


def test_debug_may_stand_anywhere(run, tmp_path):
    done = run("plan", str(tmp_path / "absent.csv"), "--group", "x", "--debug")
    assert "Traceback" in done.stderr
    assert done.returncode == 1


def test_plan_says_how_many_questions_and_how_far_to_trust(run, people, tmp_path):
    output = tmp_path / "questions.csv"
    done = run("plan", str(people), "--group", "married", "--id", "who", "--hold-out", "0.6", "-o", str(output))
    assert done.returncode == 0, done.stderr
    assert "NAIVE" in done.stdout
    assert "CLUSTER" in done.stdout
    assert "distinct (what an expert is asked)" in done.stdout
    assert "of future pairs are off by at most" in " ".join(done.stdout.split())
    questions = pd.read_csv(output)
    assert list(questions.columns) == [
        *("question_id", "left_group", "left_id", "left", "right_group", "right_id", "right", "answer")
    ]
    assert questions["left"].str.contains("age: ").all()
    assert questions["left_id"].str.startswith("p").all()
    assert f"{len(questions):,} questions written" in done.stdout


def test_plan_never_overwrites_without_force(run, people, tmp_path):
    output = tmp_path / "questions.csv"
    output.write_text("precious")
    done = run("plan", str(people), "--group", "married", "--features", "age", "-o", str(output))
    assert done.returncode == 1
    assert "already exists" in done.stderr
    assert output.read_text() == "precious"
    assert (
        run("plan", str(people), "--group", "married", "--features", "age", "-o", str(output), "--force").returncode
        == 0
    )
    assert output.read_text() != "precious"


def test_a_full_disk_leaves_the_old_questions_as_they_were(run, people, tmp_path, monkeypatch):
    output = tmp_path / "questions.csv"
    output.write_text("precious")

    def full_disk(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    done = run("plan", str(people), "--group", "married", "--features", "age", "-o", str(output), "--force")
    assert done.returncode == 1
    assert "questions.csv: No space left on device" in done.stderr
    assert output.read_text() == "precious"


def test_few_rows_leave_nothing_to_set_aside_and_say_so(run, tmp_path):
    pd.DataFrame({"g": list("ababab"), "x": range(6)}).to_csv(tmp_path / "few.csv", index=False)
    done = run("plan", str(tmp_path / "few.csv"), "--group", "g")
    assert done.returncode == 0, done.stderr
    assert "no rows were set aside" in " ".join(done.stdout.split())


def test_paths_are_shown_as_they_are(run, people, tmp_path):
    output = tmp_path / "q[red].csv"
    assert str(output) in run("plan", str(people), "--group", "married", "-o", str(output)).stdout.replace("\n", "")


def test_plan_takes_sources_with_different_columns(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    pd.DataFrame({"age": rng.random(100), "job": rng.choice(["x", "y"], 100)}).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame({"income": rng.random(120)}).to_csv(tmp_path / "b.csv", index=False)
    done = run("plan", "--source", "bureau=a.csv", "--source", "vendor=b.csv", "--hold-out", "0")
    assert done.returncode == 0, done.stderr
    assert "bureau × vendor" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plan"], "either a CSV file and --group"),
        (["plan", "PEOPLE"], "either a CSV file and --group"),
        (["plan", "PEOPLE", "--group", "wed"], "no column 'wed'"),
        (["plan", "--source", "vendor"], "NAME=FILE.csv"),
        (["plan", "PEOPLE", "--group", "married", "--id", "nr"], "no column 'nr'"),
        (["plan", "PEOPLE", "--group", "married", "--metric", "nearness"], "unknown metric 'nearness'"),
        (["plan", "PEOPLE", "--group", "married", "--delta", "2"], "delta must lie"),
        (["plan", "PEOPLE", "--group", "married", "--hold-out", "1"], "less than 1"),
        (["plan", "PEOPLE", "--group", "married", "--missing", "zero"], "missing must be one of"),
        (["plan", "PEOPLE", "--group", "married", "-o", "absent/q.csv"], "does not exist; create it first"),
        (["plan", "--source", "u=PEOPLE", "--source", "u=PEOPLE"], "names the group 'u' twice"),
        (
            ["plan", "--source", "u=PEOPLE", "--source", "v=PEOPLE", "--features", "age,incme"],
            "none of the sources has a column 'incme'",
        ),
        (["plan", "PEOPLE", "--group", "married", "-o", ".", "--force"], "is a folder"),
        (["demo", "--picture", "shown.xyz"], "must end in .png, .svg or .pdf"),
        (["demo", "--picture", "absent/shown.png"], "does not exist; create it first"),
    ],
)
def test_a_plan_that_cannot_be_made_says_why_in_one_line(run, people, words, message):
    done = run(*(word.replace("PEOPLE", str(people)) for word in words))
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_no_csv_says_so(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00\x01")
    (tmp_path / "empty.csv").write_bytes(b"")
    for name, words in (
        ("x.csv", "must be a CSV file"),
        ("empty.csv", "is empty; its first line must name the columns"),
    ):
        done = run("plan", name, "--group", "g")
        assert words in done.stderr
