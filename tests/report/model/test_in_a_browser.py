"""axe-core on the report of a model, on a desk and on a phone, in light and in dark."""

import pytest

from commensurate.report.model.page import render_model
from worlds.accessibility import assert_accessible_at_width
from worlds.few_answers import POINTS, budgeted, sigma


@pytest.mark.parametrize(("width", "name"), [(1100, "model report, desk"), (390, "model report, phone")])
def test_axe_finds_nothing_serious_and_the_page_does_not_scroll_sideways(browser, tmp_path, width, name):
    names = ("unemployed_more_than_twelve_months", "employed_part_time_2019")
    est = budgeted(budget=120).fit(dict(zip(names, POINTS.values())), lambda left, right, between: sigma(left, right))
    report = render_model(est, est.guarantee(), provenance={"model": "m.cmz"})
    assert_accessible_at_width(browser, tmp_path / "model.html", report, width, name)
