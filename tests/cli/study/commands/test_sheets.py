"""``commensurate study export`` and ``import`` as a user types them."""

import csv
import io
import json
from pathlib import Path

import pytest

from commensurate.study.study import Study
from worlds.study_sheets import answers_in, fill_in, names, read_rows, write_rows

# --- export ---


def test_an_exported_sheet_has_every_question_and_no_formula_that_runs(run):
    done = run("study", "export", "s.db", "q 😀.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("63 rows written to q 😀.csv; fill in the column answer")
    rows = read_rows("q 😀.csv")
    assert len({row["question_id"] for row in rows}) == 63
    assert all(row["left: note"].startswith("'=SUM(") for row in rows)
    assert {row["answer"] for row in rows} == {""}


def test_an_expert_gets_a_sheet_of_her_own_that_others_do_not_get_meanwhile(run):
    first = run("study", "export", "s.db", "ana.csv", "--expert", "Ana", "--questions", "1")
    assert first.stdout.startswith("1 row written to ana.csv;")
    second = json.loads(run("study", "export", "s.db", "bob.csv", "--expert", "Bob", "--days", "2", "--json").stdout)
    # 60 questions without Ana's; hidden repeats come to whoever answered the first time
    assert second == {"file": "bob.csv", "rows": 50}
    ana, bob = ({row["question_id"] for row in read_rows(path)} for path in ("ana.csv", "bob.csv"))
    assert not ana & bob
    again = run("study", "export", "s.db", "again.csv", "--expert", "Ana", "--questions", "1")
    assert again.returncode == 0
    assert read_rows("again.csv") == read_rows("ana.csv")


def test_history_has_corrected_answers_too(run):
    rows = fill_in(run, 3)
    run("study", "import", "s.db", "filled.csv")
    rows[0]["answer"] = "0.75"
    write_rows("filled.csv", rows)
    run("study", "import", "s.db", "filled.csv")
    for words, expected in ((), ["0.75"]), (("--history",), ["0.0", "0.75"]):
        assert run("study", "export", "s.db", "h.csv", "--force", *words).returncode == 0
        given = [row["answer"] for row in read_rows("h.csv") if row["question_id"] == rows[0]["question_id"]]
        assert given == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--questions", "3"], "name the expert with --expert"),
        (["--days", "3"], "name the expert with --expert"),
        (["--expert", "Ana", "--history"], "pass only one of them"),
        (["--expert", "Ana", "--days", "-1"], "days must be a number above 0"),
        (["--expert", "Ana", "--days", "nan"], "days must be a number above 0"),
        (["--expert", "Ana", "--days", "1e300"], "days must be a number above 0"),
        (["--expert", " "], "an expert's name"),
    ],
)
def test_an_export_that_means_nothing_is_refused_and_takes_no_question(run, folder, words, message):
    before = names(folder)
    done = run("study", "export", "s.db", "q.csv", *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert names(folder) == before
    with Study("s.db") as study:
        assert study.counts("Bob").open == study.counts("Carla").open == 63  # hidden repeats count from the start


def test_a_file_is_overwritten_with_force_only_and_a_study_never(run):
    Path("q.csv").write_text("precious")
    refused = run("study", "export", "s.db", "q.csv")
    assert refused.returncode == 1
    assert "already exists" in refused.stderr
    assert Path("q.csv").read_text() == "precious"
    assert run("study", "export", "s.db", "q.csv", "--force").returncode == 0
    assert len(read_rows("q.csv")) == 63
    for study in ("s.db", "done.db"):
        before = Path(study).read_bytes()
        done = run("study", "export", "s.db", study, "--force")
        assert (done.returncode, done.stdout) == (1, "")
        assert f"{study} is a study, and writing to it would lose its answers" in done.stderr
        assert Path(study).read_bytes() == before


@pytest.mark.parametrize("command", ["export", "backup"])
@pytest.mark.parametrize(
    ("target", "message"), [("absent/q", "does not exist; create it first"), (".", "is a folder; name a file")]
)
def test_a_target_that_cannot_be_written_is_told_before_any_work(run, command, target, message):
    done = run("study", command, "s.db", target)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr


# --- import ---


def test_a_filled_in_sheet_comes_back_and_twice_is_harmless(run):
    fill_in(run, 5)
    done = run("study", "import", "s.db", "filled.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("5 new answers and 0 corrections recorded")
    again = json.loads(run("study", "import", "s.db", "filled.csv", "--json").stdout)
    assert again == {"new": 0, "corrections": 0, "known": 5, "open": 0}
    assert answers_in("s.db") == 5


def test_one_is_singular_after_an_import(run):
    rows = fill_in(run, 2)
    rows[1]["answer"] = ""
    write_rows("filled.csv", rows)
    assert run("study", "import", "s.db", "filled.csv").stdout == (
        "1 new answer and 0 corrections recorded; 0 were already known, 1 row has no answer yet\n"
    )


def test_rows_that_name_nobody_are_the_named_experts(run):
    rows = fill_in(run, 3, expert="")
    rows[1]["expert"] = "Bob"
    write_rows("filled.csv", rows)
    nobody = run("study", "import", "s.db", "filled.csv")
    assert nobody.returncode == 1
    assert "line 2" in nobody.stderr
    assert answers_in("s.db") == 0
    assert run("study", "import", "s.db", "filled.csv", "--expert", "Zoë 😀").returncode == 0
    with Study("s.db") as study:
        assert sorted(study.answers()["expert"]) == ["Bob", "Zoë 😀", "Zoë 😀"]


def test_bad_rows_are_named_and_change_nothing(run):
    rows = fill_in(run, 4)
    rows[1]["answer"], rows[3]["question_id"] = "-1", "no such question"
    write_rows("filled.csv", rows)
    done = run("study", "import", "s.db", "filled.csv")
    assert (done.returncode, done.stdout) == (1, "")
    assert "line 3" in done.stderr
    assert "line 5" in done.stderr
    assert "line 2" not in done.stderr
    # one line says what is wrong, then one for each bad row
    assert done.stderr.count("\n") == 3
    assert answers_in("s.db") == 0


@pytest.mark.parametrize(("file", "message"), [("absent.csv", "absent.csv: No such file"), ("done.db", "done.db")])
def test_a_sheet_that_cannot_be_read_is_one_line(run, file, message):
    done = run("study", "import", "s.db", file)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_sheet_may_go_to_a_pipe(run):
    from commensurate.study.sheets.exchange import export_study

    with Study("s.db") as study:
        n = export_study(study, "whole.csv")
    done = run("study", "export", "s.db", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("\ufeffquestion_id,left_group")
    assert len(list(csv.DictReader(io.StringIO(done.stdout)))) == n
    assert not Path("-").exists()


def test_who_finds_all_questions_with_others_is_told_so(run, monkeypatch):
    run("study", "export", "s.db", "ana.csv", "--expert", "Ana", "--questions", "1000")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    told = run("study", "ask", "s.db", "--expert", "Ben").stdout
    assert "63 open questions are with other experts now. Check again later" in told
    assert "Thank you" not in told
