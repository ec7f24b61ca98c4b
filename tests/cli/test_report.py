"""The command that reports on a model file."""

from pathlib import Path

import pytest

import commensurate as cm
from worlds.few_answers import POINTS, budgeted, sigma
from worlds.typed_commands import assert_refused_with_nothing_written, fill_disk_after, told


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    est = budgeted(budget=120).fit(POINTS, sigma)
    est.save("m.cmz")
    return est


def test_a_page_is_written_and_the_guarantee_said(run, model):
    done = run("report", "m.cmz", "-o", "r.html", "--share", "0.8")
    assert (done.returncode, done.stderr) == (0, "")
    assert str(model.guarantee(share=0.8)) in done.stdout
    assert done.stdout.endswith("report written to r.html\n")
    page = Path("r.html").read_text(encoding="utf-8")
    assert "at least 80 % of pairs of new elements like these" in page
    assert "<dt>model</dt><dd>m.cmz</dd>" in page
    assert "<dt>people</dt>" not in page


def test_the_end_of_the_scale_bounds_the_error_against_sigma(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    est = budgeted(budget=60, answer_error="noise")
    plan = est.plan(POINTS)
    values = sigma(plan.blocks[0].left.points, plan.blocks[0].right.points, ("a", "b"))
    answers = [
        cm.Answer(question.question_id, float(value), expert)
        for question, value in zip(plan.questions, values)
        for expert in ("ana", "ben")
    ]
    est.fit(plan=plan, answers=answers).save("m.cmz")
    said = run("report", "m.cmz", "-o", "r.html", "--scale-end", "5").stdout
    assert "If no answer lies beyond 5," in said
    assert "No bound with a confidence is known" in run("report", "m.cmz", "-o", "s.html").stdout
    assert "answered by two people" in Path("r.html").read_text(encoding="utf-8")


def test_a_model_that_holds_nothing_out_has_no_use_for_the_end_of_the_scale(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cm.NaiveSimilarity(epsilon=0.5, delta=0.3, random_state=0).fit(POINTS, sigma).save("m.cmz")
    assert_refused_with_nothing_written(
        run, ("report", "m.cmz", "-o", "r.html", "--scale-end", "5"), "--scale-end is for"
    )


def test_json_has_the_guarantee(run, model):
    said = told(run, "report", "m.cmz", "-o", "r.html")
    assert (said["file"], said["questions"]) == ("r.html", 120)
    assert said["guarantee"]["pairs"][0]["n_held_out"] == 19


def test_a_file_that_is_there_is_replaced_only_if_so_wanted(run, model):
    Path("r.html").write_text("mine")
    done = run("report", "m.cmz", "-o", "r.html")
    assert done.returncode == 1
    assert "--force" in done.stderr
    assert Path("r.html").read_text() == "mine"
    assert run("report", "m.cmz", "-o", "r.html", "--force").returncode == 0
    assert Path("r.html").read_text() != "mine"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("report", "m.cmz", "-o", "r.txt"), "--output must end in .html, got r.txt"),
        (("report", "none.cmz", "-o", "r.html"), "none.cmz"),
        (("report", "m.cmz", "-o", "r.html", "--share", "1.5"), "share must lie strictly between 0 and 1, got 1.5"),
        (("report", "m.cmz", "-o", "r.html", "--confidence-level", "95"), "write 95 % as 0.95"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_nothing_is_written(run, model, words, message):
    assert_refused_with_nothing_written(run, words, message)


def test_a_model_that_only_python_can_load_names_the_function(run, tmp_path, monkeypatch):
    from sklearn.neighbors import KNeighborsRegressor

    monkeypatch.chdir(tmp_path)
    cm.BudgetedSimilarity(budget=40, learner=KNeighborsRegressor(3), random_state=0).fit(POINTS, sigma).save("m.cmz")
    assert "call commensurate.report.model.page.render_model" in run("report", "m.cmz", "-o", "r.html").stderr


def test_a_full_disk_leaves_nothing_half_done(run, model, monkeypatch):
    fill_disk_after(monkeypatch, 0)
    assert_refused_with_nothing_written(run, ("report", "m.cmz", "-o", "r.html"), "cannot write r.html")


def test_answers_that_contradict_each_other_are_told_with_what_to_do(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    est = budgeted(answer_error="noise").fit(POINTS, lambda left, right, between: 5.0 * sigma(left, right))
    est.set_params(answer_error=0.0)._keep_parameters("answer_error")  # earlier versions learnt from such answers
    est.save("m.cmz")
    words = ("report", "m.cmz", "-o", "r.html")
    assert_refused_with_nothing_written(
        run, words, "`commensurate fit --answer-error noise` treats the answers as noisy"
    )
