"""The owner's words as HTML: what the subset knows is laid out, and everything else is text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.report.html.environment import REPORTS, template_environment
from commensurate.report.html.markdown import markdown

TAG = re.compile(r"</?(p|ul|ol|li|strong|em|h[2-4])( dir=\"auto\")?>")
LAID_OUT = template_environment(REPORTS).get_template("markdown.html").module.markdown


def laid_out(text: str) -> str:
    """Return the HTML of a text, without the spaces between tags."""
    return re.sub(r">\s+<", "><", str(LAID_OUT(markdown(text)))).replace(' dir="auto"', "").strip()


def test_headings_paragraphs_and_lists_are_laid_out():
    text = "# One\nfirst\nline\n\nsecond\n1. a\n2) **b**\n   and more\n\n* *c*\n### Three"
    assert laid_out(text) == (
        "<h2>One</h2><p>first line</p><p>second</p><ol><li>a</li><li><strong>b</strong> and more</li></ol>"
        "<ul><li><em>c</em></li></ul><h4>Three</h4>"
    )


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "# <img src=x onerror=alert(1)>",
        "- <b>",
        "**<i>**",
        "*\"'&<*",
        "[a](javascript:alert(1))",
        "![a](x)",
        "<https://example.org>",
        "&lt;",
    ],
)
def test_what_looks_like_html_or_a_link_is_text(text):
    bare = TAG.sub("", laid_out(text))
    assert "<" not in bare
    assert ">" not in bare
    assert "href" not in bare


@given(st.text(alphabet="*#-<>&\"'1.) \n\tab\x00\u202e", max_size=60))
def test_no_text_brings_a_tag_of_its_own(text):
    page = laid_out(text)
    bare = TAG.sub("", page)
    assert "<" not in bare
    assert ">" not in bare
    # what is opened is closed
    assert page.count("<p>") == page.count("</p>")
    assert page.count("<em>") == page.count("</em>")


def test_characters_that_reorder_text_are_spelt_out():
    assert "\u202e" not in laid_out("evil\u202etxt")
    assert r"\u202e" in laid_out("evil\u202etxt")


def test_a_long_text_of_stars_loses_nothing():
    assert laid_out("*" * 6_000) == f"<p>{'*' * 6_000}</p>"
    assert laid_out("**a" * 2_000).count("a") == 2_000
