"""Cards name the two people, tell what differs and what is known, and obey nothing that stands in a record."""

import re

import numpy as np
import pandas as pd
import pytest

from commensurate.errors import InvalidInput
from commensurate.report.html.page import PairCards, Section, render_page
from commensurate.report.html.pair_cards import MOST_FIELDS, CardPerson, NamedInterval, PairCard, Register, pair_cards
from commensurate.report.svg.interval_strip import MARGIN_LEFT, MARGIN_RIGHT, WIDTH, interval_strip, known_in_words
from worlds.small_audit import small_audit

HOSTILE = '<script>alert("1")</script>&'


def cards(register=None, **changes):
    audit = small_audit(**changes)
    return pair_cards(audit, audit.worst, register or Register())


def cards_html(cards):
    page = render_page("t", "l", [Section("s", "s", [PairCards("c", cards)])], {})
    return page.partition("<main>")[2].partition("</main>")[0]


def card(*intervals, needed=0.5, estimate=0.2):
    worse, better = CardPerson("anna", "a", 0.3), CardPerson("bert", "b", 0.8)
    return PairCard(worse, better, 0.5, 0.3, needed, estimate, intervals)


def records(**of_b):
    shared = {"age": [30, 31], "pay": [1000.0, 9000.0], "job": ["cook", "cook"]}
    return {"a": pd.DataFrame(shared), "b": pd.DataFrame({name: [value] * 2 for name, value in of_b.items()})}


def test_people_are_called_by_their_ids_or_by_their_rows():
    assert [cards()[0].worse.id, cards()[0].better.id] == ["row 0", "row 1"]
    named = cards(Register({"a": ["anna", "alex"], "b": ["bert", "bill"]}))
    assert [(each.worse.id, each.better.id) for each in named] == [("anna", "alex"), ("anna", "bert")]


def test_the_allowed_gap_is_l_times_the_upper_bound_and_the_needed_dissimilarity_the_gap_over_l():
    across = cards(lipschitz=0.5)[1]
    assert across.gap == 0.5
    assert across.allowed == 0.5 * 0.3
    assert across.needed == 0.5 / 0.5


def test_across_groups_every_interval_is_shown_the_one_that_decided_first():
    certified, calibrated = NamedInterval("certified", 0.1, 0.3), NamedInterval("calibrated", 0.05, np.inf)
    assert cards()[1].intervals == (certified, calibrated)
    assert cards(interval="calibrated")[1].intervals == (calibrated, certified)


def test_within_a_group_the_distance_is_known():
    within = cards()[0]
    assert within.intervals == ()
    assert known_in_words(within) == "Distance within the group: 0.1."


def test_the_most_different_columns_come_first_relative_to_their_range():
    # ages lie 1 apart in group a, pays 8,000: 25 years are much, 1,000 little
    across = cards(Register(records=records(age=55, pay=2000.0, job="cook")))[1]
    assert across.worse.fields == (("age", "30"), ("pay", "1000"))
    assert across.better.fields == (("age", "55 (+25)"), ("pay", "2000 (+1,000)"))
    assert across.remark == "Also alike in 1 column."


def test_yes_and_no_are_compared_like_words():
    across = cards(Register(records=records(age=30, pay=True, job="cook")))[1]
    assert across.better.fields == (("pay", "True"),)


def test_columns_of_one_group_only_stand_with_the_person_who_has_them():
    across = cards(Register(records=records(age=30, exam=7)))[1]
    assert across.worse.fields == (("pay", "1000"), ("job", "cook"))
    assert across.better.fields == (("exam", "7"),)


def test_no_more_columns_are_shown_than_a_card_holds_and_the_others_are_counted():
    wide = {
        name: pd.DataFrame({f"c{k}": [k + shift, k + shift] for k in range(9)}) for name, shift in (("a", 0), ("b", 1))
    }
    across = cards(Register(records=wide))[1]
    assert len(across.worse.fields) == len(across.better.fields) == MOST_FIELDS
    assert across.remark == "Also 3 more columns not shown."


def test_people_who_are_alike_in_all_that_is_known_are_said_to_be():
    same = pd.DataFrame({"age": [30, 30], "job": [None, None]})
    assert cards(Register(records={"a": same, "b": same}))[1].remark == "They are alike in every column."


def test_missing_values_of_any_kind_are_missing():
    left = pd.DataFrame({"x": pd.array([1, 2], dtype="Int64"), "when": pd.to_datetime(["2020-01-01", None])})
    right = pd.DataFrame({"x": pd.array([None, 2], dtype="Int64"), "when": pd.to_datetime([None, None])})
    across = cards(Register(records={"a": left, "b": right}))[1]
    assert dict(across.better.fields) == {"x": "(missing)", "when": "(missing)"}


@pytest.mark.parametrize("what", ["ids", "records"])
def test_too_few_ids_or_records_are_refused(what):
    given = {"ids": {"a": ["anna", "alex"]}, "records": {"a": pd.DataFrame({"age": [1, 2]})}}
    with pytest.raises(InvalidInput, match=f"{what} must have one entry for each person of group 'b'"):
        cards(Register(**{what: given[what]}))


def test_a_card_says_everything_that_its_picture_shows():
    html = cards_html([card(NamedInterval("certified", 0.1, 0.3))])
    assert "Scores differ by <strong>0.5</strong>; 0.3 is allowed." in html
    assert (
        "Dissimilarity: estimate 0.2; certified 0.1 to 0.3. To allow this gap, it would have to be at least 0.5."
        in html
    )


def test_what_calibrated_intervals_allow_is_told_by_the_estimate():
    within, across = cards(interval="calibrated", lipschitz=0.5)
    assert across.allowed == 0.5 * 0.2
    html = cards_html([within, across])
    assert "Scores differ by <strong>0.4</strong>; 0.05 is allowed." in html
    assert "Scores differ by <strong>0.5</strong>; according to the estimate, 0.1 is allowed." in html


def test_an_estimate_that_nobody_was_asked_for_is_neither_drawn_nor_named():
    html = cards_html([card(NamedInterval("certified", 0.1, 0.3), estimate=float("nan"))])
    assert "Dissimilarity: certified 0.1 to 0.3." in html
    assert "<circle" not in html
    assert html.count('class="name"') == html.count('class="known"') == 1
    assert not re.search(r"nan|n/a|estimate", html)


def test_everything_in_a_card_is_escaped():
    person = CardPerson(HOSTILE, HOSTILE, 0.5, ((HOSTILE, HOSTILE),))
    html = cards_html([PairCard(person, person, 0.5, 0.3, 0.5, 0.2, (NamedInterval(HOSTILE, 0.1, 0.2),), HOSTILE)])
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 10


def test_an_infinite_interval_ends_in_an_arrow_and_a_finite_one_in_a_bar():
    finite, infinite = (interval_strip(card(NamedInterval("certified", 0.1, end))) for end in (0.3, np.inf))
    assert re.search(r'class="known" d="[^"]*v10M[\d.]+ [\d.]+v10"', finite)
    assert re.search(r'class="known" d="[^"]*l5 5l-5 5"', infinite)


@pytest.mark.parametrize("needed", [0.0, 1e-9, 0.2, 1e9])
def test_every_mark_lies_on_the_strip(needed):
    drawn = interval_strip(card(NamedInterval("certified", 0.0, 0.4), needed=needed))
    places = [float(x) for x in re.findall(r'(?:cx="|class="needed" d="M|class="known" d="M)([\d.]+)', drawn)]
    assert len(places) == 3
    assert all(MARGIN_LEFT <= place <= WIDTH - MARGIN_RIGHT for place in places)


def test_two_people_without_any_distance_can_be_drawn():
    assert interval_strip(card(needed=0.0, estimate=0.0)).endswith("</svg>")
