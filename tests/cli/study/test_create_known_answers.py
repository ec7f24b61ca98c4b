"""``commensurate study create --known-answers`` as a user types it, and the commands that follow."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from worlds.typed_commands import assert_refused_with_nothing_written, told
from worlds.typed_commands import here as here

CREATE = ("study", "create", "s.db", "--data", "people.csv", "--group", "married", "--id", "id")
KNOWN = (*CREATE, "--known-answers", "known.csv", "--learner", "gp", "--seed", "1")
THESE = ("--claim", "pairs of these elements")


@pytest.fixture(autouse=True)
def files(here):
    """people.csv, and answers about 80 pairs of them in known.csv."""
    rng = np.random.default_rng(0)
    ages = rng.integers(20, 70, 200)
    ids = [f"p{k}" for k in range(200)]
    people = pd.DataFrame({"id": ids, "married": ["yes", "no"] * 100, "age": ages, "income": rng.integers(1, 9, 200)})
    people.to_csv("people.csv", index=False)
    left, right = 2 * rng.permutation(100)[:80], 2 * rng.integers(0, 100, 80) + 1
    known = pd.DataFrame({"left_id": [f"p{k}" for k in left], "right_id": [f"p{k}" for k in right]})
    known["answer"] = abs(ages[left] - ages[right]) / 50.0 + 0.02 * rng.random(80)
    known["expert"] = ["Ana", "Ben"] * 40
    known.to_csv("known.csv", index=False)
    return known


def test_a_study_is_made_of_known_answers_and_what_comes_next_is_told(run):
    done = run(*KNOWN, *THESE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:3] == [
        "yes: 100 records",
        "no: 100 records",
        "80 pairs with 80 known answers; 0 answers still to be given",
    ]
    following = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("  commensurate")]
    assert [words[:2] for words in following] == [["study", "check"], ["fit", "s.db"], ["study", "status"]]
    for words in following:
        assert run(*words).returncode == 0


def test_every_command_works_right_away_and_speaks_of_pairs_like_those_given(run):
    assert run(*KNOWN, *THESE).returncode == 0
    status = run("study", "status", "s.db")
    assert "80 of 80 questions answered (100 %)" in status.stdout
    assert "every question is answered" in status.stdout
    assert "These figures are about pairs like those given, of these elements." in " ".join(status.stdout.split())
    assert run("study", "export", "s.db", "out.csv").returncode == 0
    exported = pd.read_csv("out.csv")
    assert (len(exported), exported["answer"].notna().all()) == (80, True)
    fitted = run("fit", "s.db", "-o", "m.cmz")
    assert "cover pairs like those given, of these elements" in fitted.stdout
    assert run("report", "m.cmz", "-o", "r.html").returncode == 0
    assert "pairs like those given, of these elements" in Path("r.html").read_text(encoding="utf-8")
    pd.read_csv("people.csv").assign(score=0.5).to_csv("scores.csv", index=False)
    audit = ("audit", "m.cmz", "scores.csv", "--group", "married", "--id", "id", "--score", "score")
    assert run(*audit).returncode == 0


def test_pairs_that_are_not_used_and_rows_without_an_answer_are_counted(run, files):
    pd.concat([files, files.iloc[:3].assign(answer=np.nan)]).to_csv("known.csv", index=False)
    made = run(*KNOWN)
    assert made.returncode == 0
    counts = told(run, "study", "status", "s.db")["status"]
    assert counts["aside"] > 0
    assert f"{counts['aside']} of these pairs are kept but not used" in made.stdout
    assert '--claim "pairs of these elements" uses every pair' in made.stdout
    assert "3 rows without an answer: nothing was recorded" in made.stdout
    assert (counts["questions"] + counts["aside"], counts["answers"]) == (80, 80)


def test_more_answers_may_be_wanted(run):
    done = run(*KNOWN, *THESE, "--answers-per-question", "2")
    assert "80 pairs with 80 known answers; 80 answers still to be given" in done.stdout
    assert 'commensurate study invite s.db "Ana"' in done.stdout


def test_a_study_toml_names_the_file_from_its_own_folder(run):
    Path("sub").mkdir()
    for name in ("people.csv", "known.csv"):
        os.rename(name, f"sub/{name}")
    lines = ('data = "people.csv"', 'group = "married"', 'id = "id"', 'known_answers = "known.csv"', 'learner = "gp"')
    Path("sub/study.toml").write_text("\n".join(lines))
    done = run("study", "create", "s.db", "--config", "sub/study.toml", *THESE, "--json")
    assert json.loads(done.stdout)["status"]["answers"] == 80
    assert_refused_with_nothing_written(
        run,
        ("study", "create", "t.db", "--config", "sub/study.toml", "--questions", "50"),
        "--questions must be left out with --known-answers, because the pairs with known answers are the questions",
    )


def test_one_line_says_what_is_wrong_with_the_file_and_nothing_is_written(run, files):
    files.astype(object).replace({"answer": {files["answer"][4]: "far"}}).to_csv("known.csv", index=False)
    assert_refused_with_nothing_written(
        run, KNOWN, "line 6 of known.csv, column answer: an answer must be a finite number"
    )
    files.drop(columns="right_id").to_csv("known.csv", index=False)
    assert_refused_with_nothing_written(
        run, KNOWN, "known.csv must have the columns left_id, right_id, answer; missing: right"
    )
    os.remove("known.csv")
    assert_refused_with_nothing_written(run, KNOWN, "cannot read known.csv: the file does not exist")
