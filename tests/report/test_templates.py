"""Pages are laid out by templates: tags are written there and in pictures,
and nowhere else; what is put in is escaped.
"""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markupsafe import Markup

from commensurate.report.html.environment import REPORTS, rendered, template_environment
from commensurate.report.html.page import Block
from commensurate.report.svg.element import element
from commensurate.web.pages import page_environment
from worlds.page_reader import Reader

PACKAGE = Path(__file__).parents[2] / "src" / "commensurate"
# not a name in a regular expression
TAG = re.compile(r"(?<!\?P)</?[a-z][a-z0-9]*(?:>|/>| [a-z-]+=)")


def without_words_about_code(source):
    """Return a module's source without docstrings and comments, which may name tags."""
    return re.sub(r'"""(?:.|\n)*?"""|(?m:^\s*#.*$)', "", source)


def test_no_python_writes_tags_except_where_pictures_are_drawn():
    pictures = PACKAGE / "report" / "svg"
    writing = {
        str(path.relative_to(PACKAGE)): TAG.findall(without_words_about_code(path.read_text(encoding="utf-8")))
        for path in PACKAGE.rglob("*.py")
        if pictures not in path.parents
    }
    # a picture is checked to be one element
    allowed = {"report/html/page.py": ["</svg>", "<svg>"]}
    assert {path: tags for path, tags in writing.items() if tags} == allowed


def test_pictures_write_tags_in_one_place():
    pictures = PACKAGE / "report" / "svg"
    writing = {
        path.name
        for path in pictures.glob("*.py")
        if re.search(r'f["\']+[^"\'\n]*</?[{a-z]', without_words_about_code(path.read_text(encoding="utf-8")))
    }
    assert writing == {"element.py"}


@pytest.mark.parametrize("block", Block.__args__)
def test_every_kind_of_block_has_its_macro(block):
    module = template_environment(REPORTS).get_template("blocks.html").module
    assert callable(getattr(module, block.kind))


@given(st.text(max_size=40))
def test_any_text_in_a_picture_is_shown_and_not_obeyed(text):
    drawn = element("text", text, class_=text, aria_label=text)
    reader = Reader(drawn)
    assert [name for _, name, _ in reader.attributes] == ["class", "aria-label"]
    assert drawn.count("<") == 2
    assert isinstance(drawn, Markup)


def test_what_is_markup_already_is_not_escaped_again():
    assert element("g", element("text", "a & b")) == "<g><text>a &amp; b</text></g>"


@pytest.mark.parametrize("environment", [template_environment(REPORTS), page_environment()], ids=["report", "web"])
def test_reports_and_the_experts_pages_escape_alike(environment):
    page = environment.from_string('<p title="{{ text }}">{{ text }}</p>').render(text="\"'<b>&")
    assert page == '<p title="&#34;&#39;&lt;b&gt;&amp;">&#34;&#39;&lt;b&gt;&amp;</p>'


def test_a_value_that_a_template_misses_is_an_error():
    with pytest.raises(UndefinedError, match="'title' is undefined"):
        rendered("report.html")
