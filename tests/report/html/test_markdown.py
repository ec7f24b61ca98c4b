"""The owner's words as HTML: what the subset knows is laid out, and everything else is text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.report.html.markdown import markdown

TAG = re.compile(r"</?(p|ul|ol|li|strong|em|h[2-4])>")


def test_headings_paragraphs_and_lists_are_laid_out():
    text = "# One\nfirst\nline\n\nsecond\n1. a\n2) b\n   and more\n\n* c\n### Three"
    assert markdown(text) == (
        "<h2>One</h2>\n<p>first line</p>\n<p>second</p>\n<ol><li>a</li><li>b and more</li></ol>\n"
        "<ul><li>c</li></ul>\n<h4>Three</h4>"
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
    bare = TAG.sub("", markdown(text))
    assert "<" not in bare
    assert ">" not in bare
    assert "href" not in bare


@given(st.text(alphabet="*#-<>&\"'1.) \n\tab\x00\u202e", max_size=60))
def test_no_text_brings_a_tag_of_its_own(text):
    laid_out = str(markdown(text))
    bare = TAG.sub("", laid_out)
    assert "<" not in bare
    assert ">" not in bare
    # what is opened is closed
    assert laid_out.count("<p>") == laid_out.count("</p>")
    assert laid_out.count("<em>") == laid_out.count("</em>")


def test_characters_that_reorder_text_are_spelt_out():
    assert "\u202e" not in markdown("evil\u202etxt")
    assert r"\u202e" in markdown("evil\u202etxt")


def test_a_long_text_of_stars_is_read_in_one_go():
    assert len(markdown("*" * 6_000)) >= 6_000
    assert len(markdown("**a" * 2_000)) >= 6_000
