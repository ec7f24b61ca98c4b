"""The report of a model is one safe page, and says how far to trust it and what it was learnt from."""

import html
import re

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.report.model.charts import MOST, draw_held_out_answers, draw_share_bars
from commensurate.report.model.page import render_model
from commensurate.report.svg.figure_files import svg_of
from worlds.few_answers import POINTS, budgeted, sigma
from worlds.page_reader import Reader

HOSTILE = '<script>alert("1")</script>&'
ORIGIN = {"model": "people.cmz"}


def page_of(est, **options):
    return render_model(est, est.guarantee(**options), provenance=ORIGIN)


@pytest.fixture(scope="module")
def learnt():
    return budgeted(budget=120).fit(POINTS, sigma)


def test_a_report_has_all_its_sections_and_is_self_contained(learnt):
    page = page_of(learnt)
    reader = Reader(page)
    assert reader.values("href")[:4] == ["#trust", "#pair-0", "#answers", "#origin"]
    assert "<script" not in page
    assert not re.search(r"https?://", page)
    assert not reader.values("src")
    assert len(reader.values("id")) == len(set(reader.values("id")))
    for words in (
        str(learnt.guarantee()).split("\n")[0],
        "BudgetedSimilarity for a and b, from 120 answered questions",
    ):
        assert words in reader.text
    assert "people.cmz" in reader.text
    assert page == page_of(learnt), "the same model gives the same page"


def test_it_lists_the_largest_misses_of_the_answers_that_were_held_out(learnt):
    held_out = learnt.held_out_answers()
    assert np.allclose((held_out["estimate"] - held_out["answer"]).abs(), learnt.held_out_errors())
    worst = held_out.loc[learnt.held_out_errors().argmax()]
    text = Reader(page_of(learnt)).text
    assert "Where it missed most" in text
    assert text.index(f"{worst['answer']:.4g}") > text.index("Where it missed most")
    assert "19 held-out answers beside their estimates" in text


def test_it_tells_with_which_parameters_it_was_learnt_whatever_was_set_since():
    est = budgeted(budget=60, design="active").fit(POINTS, sigma)
    before = page_of(est)
    assert "design='active'" in Reader(before).text
    est.set_params(design="random", learner="auto", budget=7)
    assert page_of(est) == before


def test_one_held_out_answer_says_nothing_about_the_width_of_certified_intervals():
    est = budgeted(budget=6).fit(POINTS, sigma)
    assert est.guarantee().pairs[0].n_held_out == 1
    assert est.guarantee().pairs[0].certified_width is None
    assert "Certified intervals are" not in Reader(page_of(est)).text


def test_labels_of_pictures_may_look_like_attributes():
    svg = svg_of(draw_share_bars({'size id="7" of x': 0.7, 'href="#y"': 0.3}, "Columns"))
    assert 'size id="7" of x' in html.unescape(svg)
    assert 'href="#y"' in html.unescape(svg)


def test_infinite_intervals_are_told_without_a_warning():
    est = budgeted(budget=60).fit(POINTS, sigma)
    assert np.isinf(est.held_out_answers()["upper"]).all()
    text = Reader(page_of(est)).text
    assert "∞" in text
    assert "12 held-out answers beside their estimates; too few for a calibrated interval." in text
    assert "are infinite: 12 answers held out instead of 19" in text


def test_without_held_out_answers_it_says_that_nothing_judges():
    est = budgeted(budget=30, calibration=0.0).fit(POINTS, sigma)
    assert "No answer was held out, so the error of the estimates is not known" in Reader(page_of(est)).text


def test_every_pair_of_groups_has_its_section():
    groups = {**POINTS, "c": POINTS["a"][:80]}
    est = budgeted(budget=90).fit(groups, lambda left, right, between: left[:, 0])
    reader = Reader(page_of(est))
    assert reader.values("href")[:6] == ["#trust", "#pair-0", "#pair-1", "#pair-2", "#answers", "#origin"]
    for name in ("a × b", "a × c", "b × c"):
        assert name in reader.text


def test_that_too_few_are_held_out_is_said_in_the_place_of_a_check():
    est = budgeted(calibration=0.0, answer_error="noise").fit(POINTS, sigma)
    assert "contradictions can be told from errors only by at least 3 held-out answers" in Reader(page_of(est)).text


def test_contradictory_answers_are_listed():
    def slipping(left, right, between):
        answers = sigma(left, right)
        answers[7] += 20.0
        return answers

    est = budgeted(answer_error="noise").fit(POINTS, slipping)
    found = str(est.check_answers()).splitlines()
    assert len(found) > 1, "a slip of the pen contradicts others"
    assert " ".join(found[1].split()) in " ".join(Reader(page_of(est)).text.split())


@pytest.mark.parametrize("algorithm", [cm.NaiveSimilarity, cm.ClusterSimilarity])
def test_the_papers_algorithms_have_a_report_too(algorithm):
    est = algorithm(epsilon=0.3, delta=0.1, random_state=0).fit(POINTS, sigma)
    reader = Reader(page_of(est))
    assert reader.values("href")[:3] == ["#trust", "#answers", "#origin"]
    assert f"{algorithm.__name__} for a and b" in reader.text
    assert f"{len(est.samples_['a'].representatives):,}" in reader.text
    assert "answers are consistent" in reader.text


def test_where_nothing_differs_no_column_matters():
    est = budgeted(budget=30, calibration=0.0).fit(POINTS, lambda left, right, between: np.zeros(len(left)))
    assert "All estimates are the same: no column matters." in Reader(page_of(est)).text
    assert "Columns that matter: none, all estimates are the same" in str(est.explain(POINTS["a"][0], POINTS["b"][0]))


def test_letters_that_the_font_lacks_are_left_to_the_browser():
    groups = [cm.Group("東京", POINTS["a"], columns=["年齢", "収入"]), cm.Group("b", POINTS["b"])]
    assert "年齢" in page_of(budgeted(budget=30).fit(groups, lambda left, right, between: left[:, 0]))


def test_before_the_first_answer_there_is_nothing_to_compare():
    est = cm.NaiveSimilarity(epsilon=0.3, delta=0.1, ask="on_demand", random_state=0).fit(POINTS, sigma)
    assert "a × b: there are no answers yet." in Reader(page_of(est)).text


def test_every_value_is_escaped():
    groups = [
        cm.Group(f"{HOSTILE}{k}", points, ids=[f"{HOSTILE}{row}" for row in range(len(points))])
        for k, points in enumerate(POINTS.values())
    ]
    est = budgeted(budget=100).fit(groups, lambda left, right, between: left[:, 0])
    page = render_model(est, est.guarantee(), title=HOSTILE, provenance={HOSTILE: HOSTILE})
    assert "<script" not in page.lower()
    assert f"{HOSTILE}1" in Reader(page).text


def test_an_answer_outside_its_interval_has_a_shape_of_its_own():
    found = pd.DataFrame({"answer": [0.1, 0.9], "estimate": [0.1, 0.5], "lower": [0.0, 0.4], "upper": [0.2, np.inf]})
    names = [text.get_text() for text in draw_held_out_answers(found).axes[0].get_legend().get_texts()]
    assert names == ["estimate = answer", "in its interval"]
    found["upper"] = [0.2, 0.6]
    names = [text.get_text() for text in draw_held_out_answers(found).axes[0].get_legend().get_texts()]
    assert names == ["estimate = answer", "in its interval", "outside"]


def test_of_many_columns_the_largest_shares_are_drawn():
    shares = {f"column {k}": k / 190 for k in range(20)}
    names = [label.get_text() for label in draw_share_bars(shares, "Columns").axes[0].get_yticklabels()]
    assert names == [f"column {k}" for k in range(19, 19 - MOST, -1)]
