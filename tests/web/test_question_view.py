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
from commensurate.web.pages import page_environment
from commensurate.web.questions.question_view import LONGEST_OPEN, record_view
from commensurate.wording import visible_text

NOTHING_KNOWN = Profiles({})
QUESTION = AskedQuestion("q", ("married", "single"), "l", "r", {"age": 35, "job": "cook"}, {"age": 40, "job": "cook"})
OUR_TAGS = {"table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "span", "details", "summary", "svg", "path"}
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
    template = page_environment().from_string('{% from "records.html" import records %}{{ records(between, rows) }}')
    return template.render(between=question.between, rows=record_view(question, profiles))


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


def test_what_differs_is_told_by_a_sign_and_a_word():
    age, job = re.findall(r'<tr class="record-row.*?</tr>', page(QUESTION), re.DOTALL)
    assert 'class="record-row record-different"' in age
    assert "≠" in age
    assert "differs" in age
    assert '<span class="record-difference">(+5)</span>' in age
    assert 'class="record-row record-equal"' in job
    assert "≠" not in job
    assert "the same" in job


def test_a_column_that_one_record_lacks_is_told_in_words():
    text = page(asked({"pay": 1}, {}))
    assert text.count("not recorded for this group") == 1
    assert 'class="record-row record-one-sided"' in text


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
    assert 'class="record-words">higher than 35\u00a0% of married<' in text
    assert 'class="record-words">higher than 80\u00a0% of single<' in text
    assert text.count("<svg") == 2
    assert text.count('class="record-place"') == 2


def test_on_the_other_side_a_value_keeps_its_group():
    profiles = Profiles({("married", "age"): profile_of(list(range(100)), "married", {})})
    (row, _) = record_view(QUESTION, profiles)
    assert (row.left.place, row.right.place) == ("higher than 35\u00a0% of married", "")
    swapped = replace(QUESTION, between=("single", "married"))
    (row, _) = record_view(swapped, profiles)
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


def test_every_value_is_kept_apart_from_the_direction_of_its_neighbours():
    text = page(asked({"שם": "שלום"}, {"שם": "abc"}))
    assert '<bdi dir="auto">שם</bdi>' in text
    assert '<bdi dir="auto" class="record-value">שלום</bdi>' in text
