"""``commensurate study status`` and ``check`` as a user types them, and what all study commands have in common."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from worlds.study_sheets import fill_in, names, write_rows

COMMANDS = (
    *("create", "invite", "revoke", "serve", "ask", "status"),
    *("export", "import", "check", "backup", "forget", "simulate"),
)


# --- all of them ---


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_json(run, command):
    done = run("study", command, "--help")
    assert done.returncode == 0
    assert f"Usage: commensurate study {command}" in done.stdout
    assert "--json" in done.stdout


def test_the_list_of_commands_is_complete(run):
    listed = run("study", "--help").stdout.partition("Commands:")[2].splitlines()
    assert [line.split()[0] for line in listed if line.strip()] == list(COMMANDS)


def test_help_of_every_command_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from commensurate.cli import main\n"
        f"study = [['study', name] for name in {COMMANDS!r}]\n"
        "for words in [[], ['demo'], ['fit'], ['plan'], ['predict'], ['reproduce'], ['study'], *study]:\n"
        "    sys.argv = ['commensurate', *words, '--help']\n"
        "    try:\n        main.run()\n"
        "    except SystemExit as stopped:\n        assert not stopped.code, words\n"
        "    heavy = {'numpy', 'pandas', 'numba', 'sklearn', 'scipy', 'sqlalchemy', 'starlette'} & set(sys.modules)\n"
        "    assert not heavy, (words, heavy)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["status"],
        ["check"],
        ["simulate"],
        ["export", "q.csv"],
        ["import", "q.csv"],
        ["backup", "b.db"],
        ["forget", "p1"],
    ],
)
@pytest.mark.parametrize(
    ("place", "message"), [("absent.db", "there is no study absent.db"), ("x.csv", "x.csv is not a study")]
)
def test_where_there_is_no_study_one_line_says_so_and_nothing_is_made(run, folder, words, place, message):
    Path("x.csv").write_text("a,b\n1,2\n")
    before = names(folder)
    done = run("study", words[0], place, *words[1:])
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert names(folder) == before


@pytest.mark.slow
def test_json_survives_a_pipe_that_knows_ascii_only_and_errors_go_to_stderr():
    variables = {**os.environ, "PYTHONIOENCODING": "ascii"}
    pd.DataFrame({"gruppe": ["älter 😀", "jünger"] * 50, "age": range(100)}).to_csv("leute.csv", index=False)

    def run_command(*words: str) -> subprocess.CompletedProcess[str]:
        words = (sys.executable, "-m", "commensurate", *words)
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, env=variables)

    made = run_command(
        *[
            "study",
            "create",
            "e.db",
            "--data",
            "leute.csv",
            "--group",
            "gruppe",
            "--questions",
            "60",
            "--learner",
            "gp",
            "--json",
        ]
    )
    assert (made.returncode, made.stderr) == (0, "")
    assert [group["name"] for group in json.loads(made.stdout)["status"]["groups"]] == ["älter 😀", "jünger"]
    failed = run_command("study", "simulate", "e.db", "--noise", "-1")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.startswith("commensurate: --noise must be")
    assert failed.stderr.count("\n") == 1


# --- status ---


def test_status_tells_progress_error_and_verdict(run):
    done = run("study", "status", "done.db")
    assert (done.returncode, done.stderr) == (0, "")
    text = " ".join(done.stdout.split())
    assert "60 of 60 questions answered (100 %)" in text
    assert "63 of 63 answers are simulated: this is a rehearsal" in text
    assert "yes × no: learnt from 48 answers; 12 held-out ones are missed by" in text
    assert "After the first 60 questions: Too early to tell" in text


def test_status_as_json_holds_the_same_numbers(run):
    done = run("study", "status", "done.db", "--json")
    told = json.loads(done.stdout)
    assert told["study"] == "done.db"
    assert (told["status"]["answered"], told["status"]["simulated"], told["status"]["answers_left"]) == (60, 63, 0)
    (figures,) = told["trust"]["figures"]
    assert (figures["n_training"], figures["n_held_out"]) == (48, 12)
    assert 0.0 < figures["mean_error"] < 1.0
    # JSON knows no infinity
    assert figures["calibrated_width"] is None
    assert told["verdict"]["stop"] is False


def test_status_without_learning_tells_progress_only(run):
    done = run("study", "status", "done.db", "--no-fit")
    assert "60 of 60 questions answered" in done.stdout
    assert "learnt" not in done.stdout
    told = json.loads(run("study", "status", "done.db", "--no-fit", "--json").stdout)
    assert (told["trust"], told["verdict"]) == (None, None)


def test_status_before_anybody_answered_says_so(run):
    done = run("study", "status", "s.db")
    assert done.returncode == 0
    assert "0 of 60 questions answered (0 %)" in done.stdout
    assert "there are no answers yet" in " ".join(done.stdout.split())


# --- check ---


def test_check_names_the_questions_that_experts_differ_about(run):
    rows = fill_in(run, 40)
    run("study", "import", "s.db", "filled.csv")
    for row in rows:
        row["expert"] = "Bob"
    rows[3]["answer"] = "99"
    write_rows("bob.csv", rows)
    run("study", "import", "s.db", "bob.csv")
    before = Path("s.db").read_bytes()
    done = run("study", "check", "s.db", "--worst", "1", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    (worst,) = found["disagreements"]
    assert worst["question"] == rows[3]["question_id"]
    assert worst["question"] in [one["question_id"] for one in found["ask_again"]]
    assert {one["expert"] for one in found["shifts"]} == {"Ana", "Bob"}
    shown = run("study", "check", "s.db")
    assert rows[3]["question_id"] in shown.stdout
    # nothing is changed
    assert Path("s.db").read_bytes() == before


def test_check_of_a_study_without_answers_is_no_error(run):
    done = run("study", "check", "s.db")
    assert done.returncode == 0
    assert "there are no answers yet" in " ".join(done.stdout.split())
    found = json.loads(run("study", "check", "s.db", "--json").stdout)
    assert found["contradictions"] == []
    assert "there are no answers yet" in found["not_compared"]


def test_check_lists_at_least_one(run):
    done = run("study", "check", "s.db", "--worst", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--worst" in done.stderr
