"""Two records on the page: one real table, and whatever is in a record stays text."""

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.study.messages import AskedQuestion, RulerPair
from commensurate.study.profiles import Profiles, profile_of
from commensurate.study.shown.columns import ColumnStyle
from commensurate.study.shown.unusual import Differences
from commensurate.web.pages import page_environment
from commensurate.web.questions.question_view import LONGEST_OPEN, record_view
from commensurate.wording import visible_text

NOTHING_KNOWN = Profiles({})
QUESTION = AskedQuestion("q", ("married", "single"), "l", "r", {"age": 35, "job": "cook"}, {"age": 40, "job": "cook"})
OUR_TAGS = {
    "div",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "bdi",
    "span",
    "details",
    "summary",
    "svg",
    "path",
}
HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</bdi></td></table><h1>gone</h1>",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;script&gt;",
    "\u202eevil\u2066",
    "\x00\x1b[2J\x07\x85",
    "\ud800",
    "👩‍👩‍👧 שלום عربى",
    "]]><!--",
]


def page(question, profiles=NOTHING_KNOWN) -> str:
    template = page_environment().from_string('{% from "records.html" import records %}{{ records(view) }}')
    return template.render(view=record_view(question, profiles, {}))


class Read(HTMLParser):
    """Reads a page as a browser would: its tags, their attributes, its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def asked(left, right, **others) -> AskedQuestion:
    return replace(QUESTION, left_record=left, right_record=right, **others)


def test_it_is_one_table_with_a_caption_and_heads_for_rows_and_columns():
    read = Read(page(QUESTION))
    assert read.tags.count("table") == read.tags.count("caption") == 1
    text = page(QUESTION)
    assert re.findall(r'scope="row"[^>]*><bdi dir="auto">(.*?)</bdi>', text) == ["age", "job"]
    assert re.findall(r'record-group-\w+" scope="col"[^>]*><bdi dir="auto">(.*?)</bdi>', text) == ["married", "single"]


def test_what_differs_as_it_usually_does_is_told_to_those_who_listen_and_not_marked():
    age, job = re.findall(r'<tr class="record-row.*?</tr>', page(QUESTION), re.DOTALL)
    assert 'class="record-row record-different"' in age
    assert '<span class="unseen">differs</span>' in age
    assert '<span class="record-difference">(+5)</span>' in age
    assert 'class="record-row record-equal"' in job
    assert "≠" not in job
    assert "the same" in job


def test_columns_of_one_record_only_are_a_list_beside_those_of_the_other():
    text = page(asked({"pay": 1}, {"age": 2}))
    assert "only" not in text.lower()
    assert re.findall(r'<caption><bdi dir="auto">(.*?)</bdi></caption>', text) == ["married", "single"]
    assert text.count("<table") == 2
    both = page(asked({"pay": 1, "job": "cook"}, {"job": "cook"}))
    assert both.count("<table") == 3
    assert "Only <bdi" in both
    assert both.count("no other columns") == 1


def test_records_without_columns_say_so():
    assert "This study shows no columns." in page(asked({}, {}))


def test_a_pair_of_the_ruler_is_shown_under_its_group_twice():
    text = page(RulerPair("married", "a", "b", {"age": 1}, {"age": 2}, 0.1))
    assert re.findall(r'record-group-\w+" scope="col"[^>]*><bdi dir="auto">(.*?)</bdi>', text) == ["married"] * 2


def test_each_value_has_its_place_in_its_own_group():
    profiles = Profiles(
        {
            ("married", "age"): profile_of(list(range(100)), "married", {}),
            ("single", "age"): profile_of(list(range(50)), "single", {}),
        }
    )
    text = page(QUESTION, profiles)
    for share, group in ((35, "married"), (80, "single")):
        assert f'aria-hidden="true">above {share}\u00a0%</span>' in text
        assert f'<span class="unseen">higher than {share}\u00a0% of {group}</span>' in text
    assert text.count("<svg") == 2
    assert text.count('class="record-place"') == 2


def test_on_the_other_side_a_value_keeps_its_group():
    profiles = Profiles({("married", "age"): profile_of(list(range(100)), "married", {})})
    (row, _) = record_view(QUESTION, profiles, {}).shared
    assert (row.left.place, row.right.place) == ("higher than 35\u00a0% of married", "")
    swapped = replace(QUESTION, between=("single", "married"))
    (row, _) = record_view(swapped, profiles, {}).shared
    assert (row.left.place, row.right.place) == ("", "higher than 40\u00a0% of married")


def test_long_values_are_folded_and_nothing_is_lost():
    value = "".join(chr(0x4E00 + k % 5000) for k in range(1_000_000))
    text = page(asked({"note": value}, {"note": "x" * LONGEST_OPEN}))
    assert text.count("<details") == 1
    summary, rest = re.search(
        r'<summary><bdi dir="auto">(.*?)…</bdi></summary><bdi dir="auto" class="record-rest">…(.*?)</bdi>',
        text,
        re.DOTALL,
    ).groups()
    assert len(summary) == LONGEST_OPEN
    assert summary + rest == value


@pytest.mark.parametrize("evil", HOSTILE)
def test_hostile_values_columns_and_groups_stay_text(evil):
    profiles = Profiles({(evil, evil): profile_of([evil, evil, "x"], evil, {})})
    question = asked({evil: evil, "long": evil * 200}, {evil: "x", evil + "2": evil}, between=(evil, evil))
    text = page(question, profiles)
    read = Read(text)
    assert set(read.tags) <= OUR_TAGS
    assert not {name for name in read.attributes if name.startswith(("on", "style", "src", "href"))}
    assert visible_text(evil.strip()) in read.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    text.encode("utf-8")


@pytest.mark.slow
@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_whatever_is_in_a_record_the_page_has_our_tags_only(column, value, group):
    text = page(asked({column: value}, {column: None}, between=(group, group)))
    assert set(Read(text).tags) <= OUR_TAGS
    assert unescape(text).count("</table>") == 1 + sum(visible_text(one).count("</table>") for one in (column, value))


def with_differences() -> Profiles:
    jobs = profile_of(["cook"] * 95 + ["nurse"] * 5, "married", {}), profile_of(["cook"] * 100, "single", {})
    ages = profile_of(list(range(100)), "married", {}), profile_of(list(range(100)), "single", {})
    positions = {
        ("married", "job"): ["cook"] * 95 + ["nurse"] * 5,
        ("single", "job"): ["cook"] * 100,
        ("married", "age"): [k / 100 for k in range(100)],
        ("single", "age"): [k / 100 for k in range(100)],
    }
    columns = {
        ("married", "job"): jobs[0], ("single", "job"): jobs[1], ("married", "age"): ages[0], ("single", "age"): ages[1]
    }  # fmt: skip
    return Profiles(columns, Differences(positions))


def test_only_what_differs_more_than_it_usually_does_is_marked():
    # among random pairs, jobs differ in one of twenty, and ages by more than 10 years in most
    view = record_view(asked({"age": 30, "job": "nurse"}, {"age": 40, "job": "cook"}), with_differences(), {})
    assert [(row.label, row.unusual is not None) for row in view.shared] == [("age", False), ("job", True)]
    far = record_view(asked({"age": 5, "job": "cook"}, {"age": 95, "job": "cook"}), with_differences(), {})
    assert [(row.label, row.unusual is not None) for row in far.shared] == [("age", True), ("job", False)]
    age, job = re.findall(
        r'<tr class="record-row.*?</tr>',
        page(asked({"age": 30, "job": "nurse"}, {"age": 40, "job": "cook"}), with_differences()),
        re.DOTALL,
    )
    assert "≠" not in age
    assert "≠" in job
    assert re.search(r"differs more than 9\d % of pairs", job)


def test_the_most_unusual_difference_comes_first_where_that_is_wanted():
    question = asked({"age": 30, "job": "nurse"}, {"age": 40, "job": "cook"})
    first = record_view(question, with_differences(), {}, unusual_first=True)
    assert [row.label for row in first.shared] == ["job", "age"]


def test_columns_have_their_labels_and_units_and_these_stay_text():
    evil = "<b>&"
    styles = {"age": ColumnStyle(label=evil, unit=evil)}
    view = record_view(asked({"age": 1200}, {"age": 3}), NOTHING_KNOWN, styles)
    (row,) = view.shared
    assert (row.label, row.left.start, row.difference) == (evil, f"1,200\u202f{evil}", f"(−1,197\u202f{evil})")
    template = page_environment().from_string('{% from "records.html" import records %}{{ records(view) }}')
    assert set(Read(template.render(view=view)).tags) <= OUR_TAGS


def test_every_value_is_kept_apart_from_the_direction_of_its_neighbours():
    text = page(asked({"שם": "שלום"}, {"שם": "abc"}))
    assert '<bdi dir="auto">שם</bdi>' in text
    assert '<bdi dir="auto" class="record-value">שלום</bdi>' in text
