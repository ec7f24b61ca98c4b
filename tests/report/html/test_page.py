"""The page is valid, safe, self-contained, and tells what the numbers tell."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from commensurate.errors import InvalidInput
from commensurate.experiments.figures.histograms import HistogramPanel, draw_histograms
from commensurate.report.html.comparison import Comparison
from commensurate.report.html.page import (
    ComparisonTable,
    Note,
    PairCards,
    Paragraph,
    Picture,
    PlainTable,
    Section,
    render_page,
)
from commensurate.report.html.pair_cards import CardPerson, NamedInterval, PairCard
from commensurate.report.svg.draws_strip import MARGIN, WIDTH, strip
from commensurate.report.svg.figure_files import svg_of
from commensurate.report.tables import Table
from worlds.page_reader import Reader

HOSTILE = '<script>alert("1")</script>&'


def comparison_table(title="Table 1"):
    cells = {
        ("NAIVE", "error"): Comparison(1.558, (1.2, 1.5, 1.9)),
        ("NAIVE", "SD"): Comparison(9.0, (1.0, 2.0, 3.0)),
        ("CLUSTER", "error"): Comparison(None, (1.0, 2.0, 3.0)),
    }
    return ComparisonTable(title, "Over 3 draws.", ("NAIVE", "CLUSTER"), ("error", "SD"), cells, 3)


def picture(title="Adult"):
    return Picture(svg_of(draw_histograms([HistogramPanel(title, (0.0, 1.0), (5,), 0.1, 0.2, 0.01)])), "Figure 1.")


def table(n_rows=2):
    return Table("Counts", ("data set", "asked"), tuple(("Adult", 1000 * row) for row in range(n_rows)))


def hostile_card():
    person = CardPerson(HOSTILE, HOSTILE, 0.5, ((HOSTILE, HOSTILE),))
    return PairCard(person, person, 0.5, 0.3, 0.5, 0.2, (NamedInterval(HOSTILE, 0.1, 0.2),), HOSTILE)


def full_page():
    blocks = [Paragraph("Text."), Note("Careful."), comparison_table(), PlainTable(table()), picture()]
    more = [PlainTable(table(40)), picture("Credit")]
    return render_page("Report", "Lead.", [Section("One", "one", blocks), Section("Two", "two", more)], {"seed": "7"})


def test_tags_are_balanced_ids_unique_and_every_link_leads_somewhere():
    reader = Reader(full_page())
    ids = reader.values("id")
    assert len(ids) == len(set(ids))
    targets = {value.removeprefix("#") for value in reader.values("href") + reader.values("xlink:href")}
    assert {"one", "two"} <= targets <= set(ids)
    assert set(reader.values("aria-labelledby")) <= set(ids)


def test_nothing_is_fetched_and_nothing_is_run():
    page = full_page()
    assert not re.search(r"https?://", page)
    assert "@import" not in page
    assert "<script" not in page
    reader = Reader(page)
    assert not reader.values("src")
    assert all(value.startswith("#") for value in reader.values("href"))
    assert not [name for _, name, _ in reader.attributes if name.startswith("on")]


def test_the_page_names_its_language_its_charset_and_its_sections():
    page = full_page()
    assert page.startswith("<!doctype html>")
    reader = Reader(page)
    assert ("html", "lang", "en") in reader.attributes
    assert ("meta", "charset", "utf-8") in reader.attributes
    assert all(words in reader.text for words in ("Report", "Lead.", "One", "Two", "seed", "7"))


def test_every_table_has_a_caption_and_headers_with_a_scope():
    page = full_page()
    assert page.count("<caption>") == page.count("<table") == 3
    headers = re.findall(r"<th\b[^>]*>", page)
    assert headers
    assert all('scope="col"' in header or 'scope="row"' in header for header in headers)


@pytest.mark.parametrize(
    "block",
    [
        Paragraph(HOSTILE),
        Note(HOSTILE),
        PlainTable(Table(HOSTILE, (HOSTILE,), ((HOSTILE,),))),
        PlainTable(Table(HOSTILE, (HOSTILE,), ((HOSTILE,),) * 30)),
        ComparisonTable(HOSTILE, HOSTILE, (HOSTILE,), (HOSTILE,), {(HOSTILE, HOSTILE): Comparison(1.0, (1.0,))}),
        Picture(Markup("<svg></svg>"), HOSTILE),
        PairCards(HOSTILE, [hostile_card()]),
    ],
)
def test_what_is_shown_is_escaped(block):
    page = render_page(HOSTILE, HOSTILE, [Section(HOSTILE, "a", [block])], {HOSTILE: HOSTILE})
    assert "<script" not in page
    assert HOSTILE in Reader(page).text
    assert page.count("&lt;script&gt;") >= 6
    # in an attribute too: the quotes of the text do not end it
    assert not [name for _, name, _ in Reader(page).attributes if "alert" in name]
    assert 'alert("1")' not in page


@given(st.text(max_size=40))
def test_any_text_leaves_the_page_balanced(text):
    table = ComparisonTable(text, text, (text,), (text,), {(text, text): Comparison(1.0, (1.0, 2.0))})
    Reader(render_page(text, text, [Section(text, "a", [Paragraph(text), table])], {text: text}))


def test_a_cell_shows_the_papers_figure_our_median_and_the_range():
    text = Reader(render_page("t", "l", [Section("s", "s", [comparison_table()])], {})).text
    assert "paper 1.558 our median 1.500 range 1.200 to 1.900" in text
    assert "paper above 2 of 3 draws" in text
    assert "paper – our median 2.000" in text
    assert "not measured" in text


def test_a_figure_of_the_paper_outside_our_range_is_set_off():
    page = render_page("t", "l", [Section("s", "s", [comparison_table()])], {})
    assert re.findall(r'class="where outside">([^<]*)<', page) == ["paper above all 3 draws"]


def test_below_the_table_stand_a_summary_and_a_legend_in_words():
    text = Reader(render_page("t", "l", [Section("s", "s", [comparison_table()])], {})).text
    assert "The paper's figure lies within our range in 1 of 2 cells and above it in 1." in text
    assert "the diamond the paper's figure" in text


def test_the_strip_has_a_dot_a_draw_and_a_text_alternative():
    drawn = strip(Comparison(1.558, (1.2, 1.5, 1.9)), 3)
    assert drawn.count('class="draw"') == 3
    assert 'role="img"' in drawn
    assert 'aria-label="paper 1.558, above 2 of 3 draws"' in drawn


def test_without_a_figure_in_the_paper_the_strip_has_no_diamond():
    drawn = strip(Comparison(None, (1.2, 1.5)), 3)
    assert 'class="paper"' not in drawn
    assert 'aria-label="no figure in the paper"' in drawn


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite, st.lists(finite, min_size=1, max_size=20).map(tuple))
def test_every_mark_is_on_the_strip_even_when_the_paper_is_far_outside(paper, draws):
    drawn = strip(Comparison(paper, draws), 3)
    (diamond,) = re.findall(r'class="paper" d="M([-\d.]+) ', drawn)
    dots = re.findall(r'cx="([^"]*)"', drawn)
    assert all(MARGIN <= float(x) <= WIDTH - MARGIN for x in [diamond, *dots])


def test_figures_too_close_to_divide_lie_in_the_middle_of_the_strip():
    assert f'class="paper" d="M{WIDTH / 2:.1f} ' in strip(Comparison(5e-324, (0.0, 0.0)), 3)


def test_the_diamond_lies_right_of_every_dot_when_the_paper_is_above_all_draws():
    drawn = strip(Comparison(5.0, (1.0, 2.0, 3.0)), 3)
    (diamond,) = re.findall(r'class="paper" d="M([\d.]+) ', drawn)
    assert max(float(x) for x in re.findall(r'cx="([^"]*)"', drawn)) < float(diamond)


def test_a_long_table_is_folded_and_a_short_one_is_not():
    short, long = (render_page("t", "l", [Section("s", "s", [PlainTable(table(n))])], {}) for n in (12, 13))
    assert "<details>" not in short
    assert "<summary>Counts (13 rows)</summary>" in long


def test_numbers_in_a_plain_table_are_rounded_and_aligned():
    page = render_page("t", "l", [Section("s", "s", [PlainTable(table(2))])], {})
    assert '<td class="number">1,000</td>' in page
    assert "<td>Adult</td>" in page


def test_the_same_blocks_give_the_same_page():
    assert full_page() == full_page()


def test_there_is_a_dark_look_and_a_printed_one_and_text_has_contrast_in_both():
    (css,) = re.findall(r"<style>(.*?)</style>", full_page(), flags=re.DOTALL)
    assert "@media print" in css
    light, dark = css.split("prefers-color-scheme: dark")
    for part in (light, dark):
        colours = dict(re.findall(r"--(\w+): (#\w{6})", part.split("* {")[0]))
        for name in ("ink", "soft", "draw", "paper", "alarm"):
            assert contrast(colours[name], colours["ground"]) >= 4.5, name


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Section("One", "not an anchor", []), "small letters, digits and hyphens"),
        (lambda: render_page("t", "l", [Section("a", "x", []), Section("b", "x", [])], {}), "'x' more than once"),
        (lambda: Picture(Markup("<img src=x>"), "c"), "one <svg> element"),
        (lambda: Picture(Markup("<svg><SCRIPT>1</SCRIPT></svg>"), "c"), "without scripts"),
        (lambda: Picture("<svg></svg>", "c"), "pass what svg_of returns"),
        (
            lambda: ComparisonTable("t", "c", ("a",), ("b",), {("a", "z"): Comparison(1.0, (1.0,))}),
            "check the spelling",
        ),
    ],
)
def test_a_page_that_would_be_wrong_is_refused(build, message):
    with pytest.raises(InvalidInput, match=message):
        build()


def contrast(one, other):
    first, second = sorted((luminance(one), luminance(other)))
    return (second + 0.05) / (first + 0.05)


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
