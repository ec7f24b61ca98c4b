"""Commands say when records are of another kind than those that the model rests on, and are silent otherwise."""

import json

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from worlds import few_answers
from worlds.typed_commands import here as here
from worlds.typed_commands import told

PREDICT = ("predict", "model.cmz", "--left", "a.csv", "--right", "b.csv", "-o", "out.csv")
CLUSTER = ("cluster", "model.cmz", "--source", "a=a.csv", "--source", "b=b.csv", "--clusters", "2", "-o", "out.csv")
NEIGHBORS = ("neighbors", "model.cmz", "--left", "a.csv", "--right", "b.csv", "-k", "1", "-o", "out.csv")
AUDIT = ("audit", "model.cmz", "--source", "a=a.csv", "--source", "b=b.csv", "--score", "p", "--pairs", "50")
MOVED = (
    "that experts were asked about (p = 0.0005): x1 has moved; calibrated intervals hold for records like those asked"
)


@pytest.fixture(scope="module")
def fitted():
    return few_answers.budgeted(budget=120, answer_error="auto").fit(few_answers.POINTS, few_answers.sigma)


@pytest.fixture
def model(fitted, here):
    fitted.save("model.cmz")
    write("a", few_answers.A)
    write("b", few_answers.B)
    return fitted


def write(name, points):
    pd.DataFrame(points).add_prefix("x").assign(p=0.5).to_csv(f"{name}.csv", index=False)


def move():
    write("a", few_answers.A + np.array([0.0, 0.5]))


def said(run, words):
    done = run(*words)
    assert done.returncode == 0, done
    return [line for line in done.stderr.splitlines() if "differ from those" in line]


@pytest.mark.parametrize("words", [PREDICT, CLUSTER, NEIGHBORS, AUDIT])
def test_records_like_those_asked_about_are_not_mentioned(run, model, words):
    assert said(run, words) == []


@pytest.mark.parametrize("words", [PREDICT, (*PREDICT, "--all"), CLUSTER, NEIGHBORS, AUDIT])
def test_one_line_says_which_records_are_of_another_kind_and_what_moved(run, model, words):
    move()
    lines = said(run, words)
    assert len(lines) == 1
    assert MOVED in lines[0]
    assert ("the rows of a.csv" if words[0] == "predict" else "the records of group 'a'") in lines[0]


def test_json_tells_all_files(run, model):
    move()
    first, second = told(run, *PREDICT)["records"]
    assert (first["file"], first["group"], first["differs"], first["moved"]) == ("a.csv", "a", True, ["x1"])
    assert MOVED in first["note"]
    assert not second["differs"]
    assert second["p_value"] > 0.01


def test_json_of_an_audit_tells_all_groups(run, model):
    move()
    assert [(each["group"], each["differs"]) for each in told(run, *AUDIT)["records"]] == [("a", True), ("b", False)]


def test_the_report_of_an_audit_says_it(run, model, here):
    move()
    assert run(*AUDIT, "--report", "audit.html").returncode == 0
    page = (here / "audit.html").read_text(encoding="utf-8")
    assert "The records of group &#39;a&#39; differ from those that experts were asked about" in page
    assert "No difference was found between the records of group &#39;b&#39;" in page


def test_records_that_are_in_no_pair_do_not_count(run, model):
    write("a", np.concatenate([few_answers.A, few_answers.A + np.array([0.0, 0.5])]))
    pd.DataFrame({"left_id": range(1, 61), "right_id": range(1, 61)}).to_csv("near.csv", index=False)
    assert said(run, (*PREDICT, "--pairs", "near.csv")) == []
    pd.DataFrame({"left_id": [*range(61, 121)] * 2, "right_id": [*range(1, 61)] * 2}).to_csv("far.csv", index=False)
    assert len(said(run, (*PREDICT, "--pairs", "far.csv", "--force"))) == 1


def test_within_a_group_nothing_is_compared(run, model):
    move()
    done = run(*PREDICT[:4], "--right", "a.csv", "--between", "a,a", "-o", "out.csv", "--json")
    assert json.loads(done.stdout)["records"] == []


def test_intervals_for_records_like_these_are_weighted_and_say_how_much_is_left(run, model):
    move()
    done = run(*PREDICT, "--like-these")
    assert done.returncode == 0
    assert "of equal weight (the effective number). The intervals are approximate, since" in done.stderr
    written = pd.read_csv(PREDICT[PREDICT.index("-o") + 1])
    infinite = int(np.isinf(written["calibrated_upper"]).sum())
    assert infinite > 0, "otherwise this shows nothing"
    assert f"{infinite} of {len(written)} weighted calibrated intervals are infinite" in done.stderr
    weights = model.weights_like({"a": few_answers.A + np.array([0.0, 0.5]), "b": few_answers.B})
    summary = told(run, *PREDICT, "--like-these", "--force")
    assert (summary["held_out"], summary["effective_held_out"]) == (weights.n, pytest.approx(weights.effective))
    assert "approximate" in summary["intervals"]["calibrated"]["note"]
    with pytest.warns(cm.errors.TooFewAnswers):
        ends = model.predict_interval(
            few_answers.A + np.array([0.0, 0.5]), few_answers.B, interval="calibrated", like=weights
        )
    table = pd.read_csv("out.csv")
    np.testing.assert_allclose(table[["calibrated_lower", "calibrated_upper"]], np.column_stack(ends))


@pytest.mark.parametrize("option", [("--at-most", "0.5"), ("--interval", "envelope")])
def test_weighted_intervals_are_calibrated_ones_alone(run, model, option):
    done = run(*PREDICT, "--like-these", *option)
    assert done.returncode == 1
    assert "--like-these is for calibrated intervals" in done.stderr
