"""axe-core on the report of a clustering, on a desk and on a phone, in light and in dark."""

import pytest

from commensurate.report.clusters.page import render_clusters
from worlds.accessibility import assert_accessible_at_width
from worlds.small_clusters import QUESTIONS, blurred


@pytest.mark.parametrize(("width", "name"), [(1100, "cluster report, desk"), (390, "cluster report, phone")])
def test_axe_finds_nothing_serious_and_the_page_does_not_scroll_sideways(browser, tmp_path, width, name):
    report = render_clusters(blurred(), questions=QUESTIONS, provenance={"seed": "0"})
    assert_accessible_at_width(browser, tmp_path / "clusters.html", report, width, name)
