"""The files that the command that audits writes:
tables, a report, repaired scores, and questions that it reads again.
"""

import os

import numpy as np
import pandas as pd
import pytest

from commensurate.applications import audit_fairness
from commensurate.cli.audit_run import QUESTIONS, TABLES
from worlds.audited_people import FEATURES, PEOPLE, SOURCES, WORDS, by_group, expected, sigma
from worlds.typed_commands import fill_disk_after, told

# --- questions that were answered ---


def answered(folder):
    """The next questions of an audit, with the truth filled in."""
    table = pd.read_csv(folder / "out" / "next_questions.csv")
    rows = PEOPLE.set_index("who").loc
    spans = PEOPLE[FEATURES].max() - PEOPLE[FEATURES].min()
    left, right = (rows[table[f"{side}_id"], FEATURES].to_numpy() / spans.to_numpy() for side in ("left", "right"))
    table["answer"] = sigma(left, right)
    return table


def test_answered_questions_settle_pairs_and_make_none_undecided(run, model, here):
    words = (*WORDS, "--id", "who", "--pairs", "all")
    before = told(run, *words, "--tables", "out")["shares"][0]
    table = answered(here)
    # the last one was left open
    table.iloc[-1, table.columns.get_loc("answer")] = np.nan
    table.to_csv("answered.csv", index=False)
    after = told(run, *words, "--answers", "answered.csv")["shares"][0]
    assert len(table) > 1
    assert after["undecided"] < before["undecided"]
    assert after["violated"] >= before["violated"]


def test_answers_of_all_rounds_count(run, model, here):
    words = (*WORDS, "--id", "who", "--pairs", "all")
    given = ()
    undecided = []
    for k in range(2):
        undecided.append(told(run, *words, *given, "--tables", "out", "--force")["shares"][0]["undecided"])
        answered(here).to_csv(f"round{k}.csv", index=False)
        given += ("--answers", f"round{k}.csv")
    last_alone = told(run, *words, "--answers", "round1.csv")["shares"][0]["undecided"]
    both = told(run, *words, *given)["shares"][0]["undecided"]
    assert both < undecided[1] < undecided[0]
    assert both < last_alone


def test_questions_are_put_for_certified_intervals_only(run, with_sources, here):
    words = (*SOURCES, "--interval", "calibrated", "--confidence-level", "0.9", "--tables", "out", "--report", "a.html")
    done = run(*words)
    assert done.returncode == 0
    assert sorted(os.listdir("out")) == sorted(f"{name}.csv" for name in TABLES)
    assert 'id="questions"' not in (here / "a.html").read_text(encoding="utf-8")
    assert told(run, *words, "--force")["next_questions"] is None


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("answer", "much", "answered.csv, line 3: the column 'answer' must hold numbers, got 'much'"),
        ("answer", "-1", "answered.csv, line 3: an answer must be a finite number, at least 0, got '-1'"),
        ("answer", "inf", "answered.csv, line 3: an answer must be a finite number, at least 0, got 'inf'"),
        ("left_id", "nobody", "answered.csv, line 3: the group "),
        ("right_group", "z", "answered.csv, line 3: there is no record of a group 'z'"),
        ("right_group", "", "answered.csv, line 3: there is no record without a group"),
    ],
)
def test_an_answer_that_means_nothing_is_told_with_its_line(run, model, here, column, value, message):
    run(*WORDS, "--id", "who", "--tables", "out")
    table = answered(here).astype(object)
    table.loc[1, column] = value
    table.to_csv("answered.csv", index=False)
    done = run(*WORDS, "--id", "who", "--answers", "answered.csv")
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr


def test_a_file_without_an_answer_and_answers_beside_estimates_are_refused(run, model):
    run(*WORDS, "--id", "who", "--tables", "out")
    done = run(*WORDS, "--id", "who", "--answers", "out/next_questions.csv")
    assert done.stderr.startswith("commensurate: out/next_questions.csv has no answer")
    done = run(*WORDS, "--interval", "estimate", "--answers", "out/next_questions.csv")
    expected = "further answers narrow only certified intervals; use --interval certified, got 'estimate'"
    assert done.stderr == f"commensurate: {expected}\n"


# --- files ---


def test_tables_have_what_the_library_finds_with_ids_in_place_of_row_numbers(run, model, here):
    done = run(*WORDS, "--id", "who", "--tables", "out", "--pairs", "all")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{len(TABLES) + 1} tables written to out" in done.stdout
    assert sorted(os.listdir("out")) == sorted(f"{name}.csv" for name in (*TABLES, QUESTIONS))
    audit = expected(model, pairs="all")
    ids = by_group("who")
    for name, sides in (("verdicts", ("left", "right")), ("worst", ("worse", "better"))):
        table, found = pd.read_csv(here / "out" / f"{name}.csv"), getattr(audit, name)
        for side in sides:
            named = [ids[group][row] for group, row in zip(found[f"{side}_group"], found[side])]
            assert table[f"{side}_id"].tolist() == named
        np.testing.assert_allclose(table["gap"], found["gap"])
        np.testing.assert_allclose(table["upper"], found["upper"])
    assert pd.read_csv("out/by_person.csv")["id"].is_unique
    assert pd.read_csv("out/next_questions.csv").columns.tolist() == [
        *("left_group", "left_id", "right_group", "right_id", "settles", "answer"),
    ]


def test_the_report_is_one_page_that_names_people_by_id_and_shows_their_fields(run, model, here):
    done = run(*WORDS, "--id", "who", "--report", "audit.html", "--without-experts")
    assert (done.returncode, done.stderr) == (0, "")
    assert "report written to audit.html" in done.stdout
    page = (here / "audit.html").read_text(encoding="utf-8")
    worst = expected(model).worst.iloc[0]
    person = PEOPLE[PEOPLE["married"] == worst["worse_group"]].iloc[worst["worse"]]
    assert f"&lt;b&gt;{person['who'][3:-4]}&lt;/b&gt;" in page
    assert "<b>ß" not in page
    assert "income" in page
    assert "people.csv" in page
    assert "<script" not in page


def test_without_experts_is_told_too(run, model):
    assert "without experts" in run(*WORDS, "--without-experts").stdout
    assert told(run, *WORDS, "--without-experts")["without_experts"][0]["baseline"] == "euclidean"
    assert told(run, *WORDS)["without_experts"] is None


def test_existing_files_are_overwritten_by_force_only(run, model, here):
    os.mkdir("out")
    (here / "out" / "worst.csv").write_text("precious")
    (here / "out" / "note.txt").write_text("precious")
    done = run(*WORDS, "--tables", "out", "--report", "audit.html")
    assert done.returncode == 1
    assert "worst.csv already exists" in done.stderr
    assert (here / "out" / "worst.csv").read_text() == "precious"
    assert not (here / "audit.html").exists()
    assert run(*WORDS, "--tables", "out", "--force").returncode == 0
    assert (here / "out" / "worst.csv").read_text() != "precious"
    assert (here / "out" / "note.txt").read_text() == "precious"


def test_a_full_disk_leaves_everything_as_it_was(run, model, here, monkeypatch):
    (here / "audit.html").write_text("precious")
    before = sorted(os.listdir())
    fill_disk_after(monkeypatch, 2)
    done = run(*WORDS, "--report", "audit.html", "--tables", "out", "--force")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"commensurate: cannot write {os.path.join('out', 'verdicts.csv')}: No space left on device\n"
    assert sorted(os.listdir()) == before
    assert (here / "audit.html").read_text() == "precious"


# --- repair ---


def test_repaired_scores_are_written_and_violate_nothing(run, model, here):
    done = run(*WORDS, "--id", "who", "--repair", "repaired.csv", "--pairs", "all", "--outcome", "y")
    assert (done.returncode, done.stderr) == (0, "")
    assert "repaired scores written to repaired.csv" in done.stdout
    assert "Before and after the repair" in done.stdout
    assert "accuracy" in done.stdout
    table = pd.read_csv(here / "repaired.csv")
    assert table.columns.tolist() == ["id", "group", "score", "repaired_score"]
    given = PEOPLE.set_index("who").loc[table["id"]]
    assert table["group"].tolist() == given["married"].tolist()
    np.testing.assert_allclose(table["score"], given["p"])
    data = {name: rows[FEATURES] for name, rows in PEOPLE.groupby("married")}
    repaired = {name: table["repaired_score"][table["group"] == name].to_numpy() for name in data}
    assert expected(model, pairs="all").shares["violated"].sum() > 0
    # a repaired score is written to the last digit, but not every version of pandas reads it so
    almost = audit_fairness(model, data, scores=repaired, lipschitz=1.0 + 1e-9, pairs="all")
    assert almost.shares["satisfied"].tolist() == almost.shares["n_pairs"].tolist()


def test_json_tells_the_price_and_the_audit_after_the_repair(run, model):
    words = (*WORDS, "--repair", "r.csv", "--outcome", "y", "--pairs", "all", "--use", "estimate")
    found = told(run, *words)["repair"]
    assert found["total_change"] > 0.0
    assert found["use"] == "estimate"
    assert set(found["price"]) >= {"accuracy", "AUC"}
    assert [share["violated"] for share in found["after"]["shares"]] == [0, 0, 0]
    assert found["representatives"] is None
    found = told(run, *words, "--force", "--representatives", "5")["repair"]
    assert found["representatives"] == {"yes": 5, "no": 5}


def test_the_accuracy_rests_on_the_threshold(run, model):
    words = (*WORDS, "--repair", "r.csv", "--outcome", "y", "--force")
    at_half, at_nothing = (told(run, *words, "--threshold", t)["repair"]["price"]["accuracy"] for t in ("0.5", "-1"))
    assert told(run, *words)["repair"]["price"]["accuracy"] == at_half
    assert at_nothing["before"] == PEOPLE["y"].mean() != at_half["before"]


def test_the_report_shows_the_audit_before_and_after_the_repair(run, model, here):
    run(*WORDS, "--repair", "r.csv", "--outcome", "y", "--report", "audit.html")
    page = (here / "audit.html").read_text(encoding="utf-8")
    assert "After a repair" in page
    assert "accuracy" in page
