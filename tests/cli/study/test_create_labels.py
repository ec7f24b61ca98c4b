"""Labels of coded values, as a user writes and an expert reads them."""

import json

import pandas as pd
import pytest

from commensurate.study.study import Study

LABELS = '[labels.education]\n1 = "graduate school"\n2 = "[red]university"\n'
OPTIONS = ["--data", "people.csv", "--group", "married", "--questions", "20", "--learner", "gp", "--seed", "1"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = pd.DataFrame({"married": ["yes", "yes", "no", "no"] * 20, "education": [1, 2] * 40, "age": range(80)})
    people.to_csv("people.csv", index=False)
    (tmp_path / "labels.toml").write_text(LABELS, encoding="utf-8")
    return tmp_path


def test_a_toml_file_brings_labels_to_the_options_of_the_command_line(run):
    done = run("study", "create", "s.db", *OPTIONS, "--config", "labels.toml", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["settings"]["labels"] == {
        "education": {"1": "graduate school", "2": "[red]university"}
    }
    with Study("s.db") as study:
        (question,) = study.next_questions("Ana")
    assert question.left_record["education"] in ("graduate school", "[red]university")


def test_labels_of_a_column_that_is_not_shown_are_one_clear_line(run, folder):
    done = run("study", "create", "s.db", *OPTIONS, "--config", "labels.toml", "--show", "age")
    assert done.returncode != 0
    assert "'education', which experts do not see" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "s.db").exists()


def test_the_help_tells_where_labels_go(run):
    assert "labels for coded values" in " ".join(run("study", "create", "--help").stdout.split())
