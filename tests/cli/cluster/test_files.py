"""The files that the command that clusters writes: clusters, a report, and questions that it reads again."""

import json
import os

import numpy as np
import pandas as pd
import pytest

from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids
from worlds import few_answers
from worlds.clustered_records import COLUMNS, DATA, FEATURES, ONE_FILE, PEOPLE, WORDS, answer, expected, read
from worlds.page_reader import Reader
from worlds.typed_commands import fill_disk_after, told

pytest.importorskip("kmedoids")


# --- what is written ---


@pytest.mark.parametrize("interval", ["certified", "estimate"])
def test_what_is_written_is_what_the_library_finds(run, model, interval):
    done = run(*WORDS, "--id", "who", "--interval", interval)
    assert (done.returncode, done.stderr) == (0, "")
    table, found = read(), expected(model, interval=interval)
    assert table.columns.tolist() == COLUMNS
    assert table["group"].tolist() == ["a"] * len(DATA["a"]) + ["b"] * len(DATA["b"])
    assert table["id"].tolist() == [f"{name}ß{k}" for name in DATA for k in range(len(DATA[name]))]
    np.testing.assert_array_equal(table["cluster"], np.concatenate([found.labels_[name] for name in DATA]))
    np.testing.assert_array_equal(table["certain"], np.concatenate([found.certain_[name] for name in DATA]))
    medoids = [f"{group}ß{row}" for group, row in found.medoids_.itertuples(index=False)]
    assert table["id"][table["medoid"]].tolist() == medoids
    assert table["to_medoid"].sum() == pytest.approx(found.cost_)
    assert (table["lower"].sum(), table["upper"].sum()) == pytest.approx(found.cost_bounds_)


def test_true_and_false_are_written_in_small_letters(run, model, here):
    run(*WORDS)
    fields = [line.split(",") for line in (here / "out.csv").read_text().splitlines()[1:]]
    assert {field for line in fields for field in line[3:5]} == {"true", "false"}


def test_one_file_with_a_column_of_groups_is_clustered_too(run, one_file):
    done = run(*ONE_FILE, "--id", "who")
    assert (done.returncode, done.stderr) == (0, "")
    found = expected(one_file, {name: rows[FEATURES] for name, rows in PEOPLE.groupby("married")})
    table = read().set_index("id")
    for name, labels in found.labels_.items():
        whose = PEOPLE["who"][PEOPLE["married"] == name]
        np.testing.assert_array_equal(table["cluster"][whose], labels)


def test_without_an_id_column_records_are_called_by_their_row(run, model):
    run(*WORDS)
    assert read()["id"].tolist()[:2] == ["1", "2"]


def test_the_seed_and_the_representatives_are_those_that_were_asked_for(run, model):
    words = (*WORDS, "--representatives", "10", "--seed", "3")
    assert run(*words).returncode == 0
    found = CrossGroupKMedoids(3, representatives=10, random_state=3).fit(model, DATA)
    np.testing.assert_array_equal(read()["cluster"], np.concatenate([found.labels_[name] for name in DATA]))
    again = told(run, *words, "--force")
    assert again["representation_cost"] == found.representation_cost_ > 0.0


def test_records_that_coincide_are_called_a_medoid_only_if_they_are_one(run, model):
    for name in DATA:
        table = pd.read_csv(f"{name}.csv")
        pd.concat([table, table.assign(who=table["who"] + "again")]).to_csv(f"{name}.csv", index=False)
    assert run(*WORDS, "--id", "who").returncode == 0
    table = read()
    assert table["medoid"].sum() == 3
    assert sorted(table["cluster"][table["medoid"]]) == [0, 1, 2]
    assert table["certain"][table["medoid"]].all()


# --- questions and answers ---


def test_answered_questions_make_more_clusters_certain(run, model):
    words = (*WORDS, "--id", "who", "--force")
    before = told(run, *words, "--questions", "questions.csv")
    questions = pd.read_csv("questions.csv")
    assert questions.columns.tolist() == [
        *("left_group", "left_id", "right_group", "right_id", "settles", "rules_out", "answer")
    ]
    assert questions["answer"].isna().all()
    left, right = (questions[f"{side}_id"].str.partition("ß")[2].astype(int) for side in ("left", "right"))
    questions["answer"] = few_answers.sigma(few_answers.A[left], few_answers.B[right])
    # the last one was left open
    questions.iloc[-1, questions.columns.get_loc("answer")] = np.nan
    questions.to_csv("answered.csv", index=False)
    after = told(run, *words, "--answers", "answered.csv")
    assert sum(after["uncertain"].values()) < sum(before["uncertain"].values())
    assert [each["medoid_id"] for each in after["clusters"]] == [each["medoid_id"] for each in before["clusters"]]
    assert after["cost_bounds"][0] >= before["cost_bounds"][0]
    assert after["cost_bounds"][1] <= before["cost_bounds"][1]


def test_the_answers_of_several_rounds_are_passed_together(run, model):
    words = (*WORDS, "--id", "who", "--force")
    told(run, *words, "--questions", "first.csv")
    answer("first.csv", pd.read_csv("first.csv"))
    once = told(run, *words, "--answers", "first.csv", "--questions", "second.csv")
    answer("second.csv", pd.read_csv("second.csv"))
    done = run(*words, "--answers", "first.csv", "--answers", "second.csv", "--report", "clusters.html", "--json")
    twice = json.loads(done.stdout)
    assert sum(twice["uncertain"].values()) < sum(once["uncertain"].values())
    width_once, width_twice = (np.diff(each["cost_bounds"])[0] for each in (once, twice))
    assert width_twice < width_once


# --- the report ---


def test_the_foot_of_the_report_tells_people_and_answers_apart_and_no_level_that_does_not_count(run, model, here):
    pytest.importorskip("matplotlib")
    run(*WORDS, "--id", "who", "--questions", "first.csv")
    answer("first.csv", pd.read_csv("first.csv"))
    run(*WORDS, "--id", "who", "--answers", "first.csv", "--report", "clusters.html", "--force")
    text = Reader((here / "clusters.html").read_text(encoding="utf-8")).text
    foot = text[text.rindex("model.cmz") :]
    assert "peoplea.csv, b.csvclusters3" in foot
    assert "answersfirst.csv" in foot
    assert "confidence level" not in foot


def test_the_report_is_one_page_that_names_records_by_id_and_shows_their_columns(run, one_file, here):
    pytest.importorskip("matplotlib")
    done = run(*ONE_FILE, "--id", "who", "--report", "clusters.html")
    assert (done.returncode, done.stderr) == (0, "")
    assert "report written to clusters.html" in done.stdout
    page = (here / "clusters.html").read_text(encoding="utf-8")
    group, row = expected(one_file, {name: rows[FEATURES] for name, rows in PEOPLE.groupby("married")}).medoids_.iloc[0]
    medoid = PEOPLE["who"][PEOPLE["married"] == group].iloc[row]
    assert f"&lt;b&gt;{medoid[3:-4]}&lt;/b&gt;" in page
    assert "<b>ß" not in page
    assert "income" in page
    assert "people.csv" in page
    assert "<script" not in page


# --- files ---


def test_existing_files_are_overwritten_by_force_only(run, model, here):
    (here / "questions.csv").write_text("precious")
    words = (*WORDS, "--questions", "questions.csv")
    done = run(*words)
    assert (done.returncode, done.stdout) == (1, "")
    assert "questions.csv already exists" in done.stderr
    assert (here / "questions.csv").read_text() == "precious"
    assert not (here / "out.csv").exists()
    assert run(*words, "--force").returncode == 0
    assert (here / "questions.csv").read_text() != "precious"


def test_a_full_disk_leaves_everything_as_it_was(run, model, here, monkeypatch):
    (here / "out.csv").write_text("precious")
    before = sorted(os.listdir())
    fill_disk_after(monkeypatch, 1)
    done = run(*WORDS, "--questions", "questions.csv", "--force")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "commensurate: cannot write questions.csv: No space left on device\n"
    assert sorted(os.listdir()) == before
    assert (here / "out.csv").read_text() == "precious"
