"""axe-core on the report of an audit, on a desk and on a phone, in light and in dark."""

import pytest

from commensurate.report.audit.page import render_audit
from worlds.accessibility import assert_accessible_at_width
from worlds.small_audit import small_audit


@pytest.mark.parametrize(("width", "name"), [(1100, "audit report, desk"), (390, "audit report, phone")])
def test_axe_finds_nothing_serious_and_the_page_does_not_scroll_sideways(browser, tmp_path, width, name):
    report = render_audit(small_audit(), provenance={"seed": "0"})
    assert_accessible_at_width(browser, tmp_path / "audit.html", report, width, name)
