"""``commensurate study backup``, ``forget`` and ``simulate`` as a user types them."""

import io
import json
import os
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest

from commensurate.study.study import Study
from worlds.study_sheets import answers_in, fill_in

N_ANSWERS = 63


# --- backup ---


def test_a_backup_is_a_study_too(run):
    done = run("study", "backup", "done.db", "copy 😀.db")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "done.db copied to copy 😀.db, 63 answers\n"
    there, here = (
        json.loads(run("study", "status", place, "--no-fit", "--json").stdout)["status"]
        for place in ("done.db", "copy 😀.db")
    )
    assert here == there


def test_a_backup_tells_its_answers_as_json_and_in_the_singular(run):
    fill_in(run, 1)
    run("study", "import", "s.db", "filled.csv")
    assert run("study", "backup", "s.db", "b1.db").stdout.endswith("copied to b1.db, 1 answer\n")
    assert json.loads(run("study", "backup", "s.db", "b2.db", "--json").stdout) == {"file": "b2.db", "answers": 1}


def test_a_backup_replaces_a_study_with_force_and_nothing_else_ever(run, folder):
    Path("x.csv").write_text("precious")
    before = Path("s.db").read_bytes()
    refused = run("study", "backup", "done.db", "s.db")
    assert refused.returncode == 1
    assert "already exists" in refused.stderr
    assert Path("s.db").read_bytes() == before
    other = run("study", "backup", "done.db", "x.csv", "--force")
    assert other.returncode == 1
    assert Path("x.csv").read_text() == "precious"
    assert run("study", "backup", "done.db", "s.db", "--force").returncode == 0
    assert answers_in("s.db") == N_ANSWERS


def test_a_study_is_no_backup_of_itself(run):
    before = Path("done.db").read_bytes()
    os.link("done.db", "link.db")
    for target in ("done.db", "./done.db", "link.db"):
        done = run("study", "backup", "done.db", target, "--force")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1
    assert Path("done.db").read_bytes() == before


# --- forget ---


def answered_record(place: str) -> str:
    with Study(place) as study:
        return str(study.answers()["left_id"][0])


def test_a_forgotten_record_is_gone_from_the_file_and_its_answers_stay(run):
    name = answered_record("done.db")
    secret = f"secret{int(name[1:]):03d}".encode()
    assert secret in Path("done.db").read_bytes()
    done = run("study", "forget", "done.db", name, "--yes", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["group"] in ("yes", "no")
    assert told["answers"] >= 1
    assert secret not in b"".join(path.read_bytes() for path in Path().glob("done.db*"))
    assert answers_in("done.db") == N_ANSWERS
    assert run("study", "forget", "done.db", name, "--yes").stderr == (
        f"commensurate: this study has no record {name!r}\n"
    )


def test_forgetting_tells_what_it_did_and_what_it_did_not(run):
    run("study", "backup", "done.db", "copy.db")
    before = Path("copy.db").read_bytes()
    name = answered_record("done.db")
    done = run("study", "forget", "done.db", name, "--yes")
    assert "Erased from done.db: the record and 0 comments on it. Closed: 1 question" in done.stdout
    assert "Remember to erase it from backups, exported files and model files." in done.stdout
    assert Path("copy.db").read_bytes() == before


@pytest.mark.parametrize(
    ("typed", "erased"), [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_forgetting_asks_first_and_on_stderr(run, monkeypatch, typed, erased):
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    done = run("study", "forget", "done.db", "p1", "--json")
    assert done.stderr.startswith("Erase the record 'p1' from done.db? This cannot be undone. [y/N] ")
    assert done.returncode == (0 if erased else 1)
    if erased:
        assert json.loads(done.stdout)["comments"] == 0
    else:
        assert done.stdout == ""
        assert done.stderr.endswith("commensurate: nothing was erased; answer y, or pass --yes\n")
    groups = json.loads(run("study", "status", "done.db", "--no-fit", "--json").stdout)["status"]["groups"]
    assert sum(group["forgotten"] for group in groups) == int(erased)


def test_an_id_of_several_groups_needs_the_group(run):
    pd.DataFrame({"nr": [*range(50), *range(50)], "g": ["a"] * 50 + ["b"] * 50, "x": range(100)}).to_csv("t.csv")
    for name in "ab":
        table = pd.read_csv("t.csv", index_col=0)
        table[table["g"] == name][["nr", "x"]].to_csv(f"{name}.csv", index=False)
    words = [
        "--source",
        "a=a.csv",
        "--source",
        "b=b.csv",
        "--id",
        "nr",
        "--features",
        "x",
        "--questions",
        "20",
        "--learner",
        "gp",
    ]
    assert run("study", "create", "two.db", *words).returncode == 0
    unclear = run("study", "forget", "two.db", "7", "--yes")
    assert unclear.returncode == 1
    assert "several groups have a record '7': a, b; name the group" in unclear.stderr
    assert json.loads(run("study", "forget", "two.db", "7", "--group", "b", "--yes", "--json").stdout)["group"] == "b"
    wrong = run("study", "forget", "two.db", "7", "--group", "c", "--yes")
    assert "no record '7' in group 'c'" in wrong.stderr


# --- simulate ---


def test_a_simulated_expert_answers_everything_that_is_open(run):
    done = run("study", "simulate", "s.db", "--noise", "0.05", "--family", "merit", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"experts": ["simulated 1"], "family": "merit", "answers": N_ANSWERS}
    told = json.loads(run("study", "status", "s.db", "--no-fit", "--json").stdout)["status"]
    assert (told["answers_left"], told["simulated"]) == (0, N_ANSWERS)
    assert run("study", "simulate", "s.db").stdout.startswith("0 answers by simulated 1")


def test_simulated_answers_follow_from_the_seed(run, folder):
    given = []
    for place, words in (("s1.db", ()), ("s2.db", ()), ("s3.db", ("--seed", "9"))):
        shutil.copy("s.db", place)
        assert run("study", "simulate", place, "--noise", "0.1", *words).returncode == 0
        with Study(place) as study:
            given.append(list(study.answers()["answer"]))
    assert given[0] == given[1]
    assert given[0] != given[2]


def test_nobody_is_simulated_where_people_have_answered(run):
    fill_in(run, 1)
    run("study", "import", "s.db", "filled.csv")
    done = run("study", "simulate", "s.db")
    assert (done.returncode, done.stdout) == (1, "")
    assert "people have answered in this study" in done.stderr
    assert answers_in("s.db") == 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--noise", "-1"], 1, "noise must be a finite number"),
        (["--noise", "nan"], 1, "noise must be a finite number"),
        (["--family", "nothing"], 1, "got 'nothing'"),
        (["--seed", "-1"], 2, "--seed"),
    ],
)
def test_a_simulation_that_means_nothing_is_refused(run, words, code, message):
    done = run("study", "simulate", "s.db", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert answers_in("s.db") == 0
