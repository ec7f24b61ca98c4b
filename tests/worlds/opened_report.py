"""A report, opened in a browser and checked for everybody's use of it."""

from worlds.rules import assert_accessible


def assert_accessible_at_width(browser, place, report, width, name):
    """Check that axe-core finds nothing serious, in light and in dark, and that the page does not scroll sideways."""
    place.write_text(report, encoding="utf-8")
    # axe-core is a script, and the page allows none
    context = browser.new_context(viewport={"width": width, "height": 900}, bypass_csp=True)
    page = context.new_page()
    page.goto(place.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
    assert_accessible(page, name)
    needed = page.evaluate("document.documentElement.scrollWidth")
    assert needed <= width, f"the page is {needed} wide"
    context.close()
