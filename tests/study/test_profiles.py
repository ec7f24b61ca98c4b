"""Where a value lies in its own group: shares that can be counted by hand, and columns of every kind."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.study.profiles import BARS, MOST_KINDS_DRAWN, Profiles, profile_of
from commensurate.study.study import Study
from worlds.small_study import small_study


def place(values, value, labels=None):
    found = profile_of(values, "married", labels or {})
    return None if found is None else found.place(value)


def words(values, value, labels=None):
    found = place(values, value, labels)
    return None if found is None else found.words


# --- numbers ---


def test_a_number_is_higher_than_those_strictly_below_it():
    assert words(range(100), 83) == "higher than 83 % of married"


def test_the_ends_are_told_as_such():
    assert words(range(100), 0) == "lowest of married"
    assert words(range(100), 99) == "highest of married"


def test_ties_are_told_apart_from_what_is_below():
    values = [0] * 60 + [1] * 30 + [2] * 10
    assert words(values, 0) == "lowest of married, the same as 60 %"
    assert words(values, 1) == "higher than 60 % of married, the same as 30 %"
    assert words(values, 2) == "highest of married, the same as 10 %"


def test_a_few_ties_in_a_large_group_are_not_worth_the_words():
    assert words([*range(100), 50], 50) == "higher than 50 % of married"


def test_what_is_rounded_is_neither_none_nor_all():
    values = range(1000)
    assert words(values, 1) == "higher than under 1 % of married"
    assert words(values, 998) == "higher than over 99 % of married"


def test_numbers_stored_as_text_are_numbers():
    values = [str(k) for k in range(100)]
    assert words(values, "83") == words(values, 83) == words(values, 83.0) == "higher than 83 % of married"


def test_codes_with_leading_zeros_are_kinds():
    assert words(["007", "012", "013"] * 10, "007") == "33 % of married"


def test_missing_values_have_no_place_and_are_not_counted():
    values = [*range(50), *[None] * 25, *[math.nan] * 25]
    assert place(values, None) is None
    assert place(values, math.nan) is None
    assert words(values, 25) == "higher than 50 % of married with a number"


def test_what_is_no_number_among_numbers_has_a_share_of_all_records_and_no_bars():
    values = [*range(90), *["unknown"] * 10]
    assert words(values, "unknown") == "10 % of married"
    assert place(values, "unknown").bins == ()
    assert words(values, 45) == "higher than 50 % of married with a number"


def test_infinite_and_endless_numbers_are_no_numbers():
    values = [*range(97), math.inf, -math.inf, 10**400]
    assert words(values, math.inf) == words(values, 10**400) == "1 % of married"
    assert words(values, 96) == "highest of married with a number"


def test_true_is_not_one():
    values = [True] * 10 + [1] * 30 + [2] * 30 + [3] * 30
    assert words(values, True) == "10 % of married"
    assert words(values, 1) == "lowest of married with a number, the same as 33 %"


def test_a_number_that_nobody_has_lies_between_the_others():
    assert words(range(0, 200, 2), 101) == "higher than 51 % of married"
    assert words(range(100), 1000) == "highest of married"


def test_few_different_numbers_get_a_bar_each():
    values = [1] * 10 + [2] * 40 + [5] * 20
    assert place(values, 5).bins == (0.25, 1.0, 0.5)
    assert [place(values, value).here for value in (1, 2, 5)] == [0, 1, 2]


def test_every_bar_of_whole_numbers_holds_as_many_of_them():
    # 74 ages in 24 bars would be three here and four there
    found = place(list(range(17, 91)) * 3, 17)
    assert set(found.bins[1:-1]) == {1.0}
    assert found.here == 0


def test_one_billionaire_does_not_press_all_others_into_one_bar():
    values = [*np.linspace(0.0, 100.0, 999), 1e9]
    assert min(place(values, 50.0).bins) > 0.7
    assert place(values, 1e9).here == BARS - 1
    assert place(values, 50.0).here == BARS // 2


def test_a_column_that_is_nearly_always_zero_still_has_bars():
    values = [0.0] * 9950 + [float(k) for k in range(1, 51)]
    found = place(values, 50.0)
    assert found.bins[0] == 1.0
    assert found.here == len(found.bins) - 1


@given(st.lists(st.floats() | st.integers() | st.none() | st.booleans() | st.text(max_size=3), max_size=80), st.data())
def test_any_column_has_places_that_add_up(values, data):
    profile = profile_of(values, "g", {})
    value = data.draw(st.sampled_from(values) if values else st.none())
    found = None if profile is None else profile.place(value)
    if found is None:
        return
    assert "none" not in found.words
    assert all(0.0 <= share <= 1.0 for share in found.bins)
    if found.bins:
        assert max(found.bins) == 1.0
        assert found.bins[found.here] > 0.0


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=60, max_size=120, unique=True))
def test_higher_numbers_are_never_further_left(values):
    profile = profile_of(values, "g", {})
    bars = [profile.place(value).here for value in sorted(values)]
    assert bars == sorted(bars)
    assert len(profile.place(values[0]).bins) <= BARS


# --- kinds ---


def test_a_kind_is_told_by_its_share():
    values = ["cook"] * 30 + ["nurse"] * 70
    assert words(values, "cook") == "30 % of married"
    assert place(values, "cook").bins == (1.0, 30 / 70)
    assert place(values, "cook").here == 1


def test_two_different_numbers_are_kinds():
    assert words([0] * 60 + [1] * 40, 1) == "40 % of married"


def test_what_everybody_has_and_what_nobody_has_is_told():
    assert words(["cook"] * 5, "cook") == "all of married"
    assert words(["cook"] * 5, "nurse") == "none of married"


def test_spaces_around_a_value_change_nothing():
    assert words(["cook", " cook ", "nurse", "nurse"], "cook ") == "50 % of married"


def test_free_text_has_no_place():
    assert place([f"note {k}" for k in range(100)], "note 1") is None


def test_a_column_without_values_has_no_place():
    assert place([None] * 5, None) is None
    assert place([], "x") is None


def test_more_kinds_than_anybody_could_tell_apart_are_not_drawn():
    values = [f"kind {k}" for k in range(MOST_KINDS_DRAWN + 1)] * 5
    assert place(values, "kind 1").bins == ()
    assert words(values, "kind 1") == "2 % of married"
    assert len(place(values[:MOST_KINDS_DRAWN] * 5, "kind 1").bins) == MOST_KINDS_DRAWN


# --- labels ---


def test_labels_are_drawn_as_they_were_listed_and_have_no_rank():
    labels = {"3": "none", "1": "school", "2": "university"}
    values = [1] * 50 + [2] * 30 + [3] * 20
    assert place(values, "university", labels).bins == (0.4, 1.0, 0.6)
    assert place(values, "university", labels).here == 2
    assert words(values, "university", labels) == "30 % of married"


def test_codes_with_the_same_label_are_one_kind():
    labels = {"0": "other", "1": "school", "4": "other"}
    assert words([0] * 10 + [1] * 80 + [4] * 10, "other", labels) == "20 % of married"


def test_a_labelled_code_among_numbers_is_none_of_them():
    values = [*range(90), *[999] * 10]
    assert words(values, "unknown", {"999": "unknown"}) == "10 % of married"
    assert words(values, 89, {"999": "unknown"}) == "highest of married with a number"


# --- of a study ---


@pytest.fixture
def study(tmp_path):
    with small_study(tmp_path, show=["age", "city", "nickname"], labels={"city": {"Oslo": "Oslo, Norway"}}) as made:
        yield made


def test_every_group_has_its_own_places(study):
    profiles = Profiles.of(study)
    for question in study.next_questions("ana", 20):
        for group, record in zip(question.between, (question.left_record, question.right_record), strict=True):
            age, city = (profiles.place(group, name, record[name]) for name in ("age", "city"))
            assert age.words.partition(",")[0].endswith(f" of {group}")
            assert city.words.endswith(f" of {group}")
            assert age.bins[age.here] > 0.0
            assert city.bins[city.here] > 0.0
            assert profiles.place(group, "nickname", record["nickname"]) is None


def test_a_column_that_is_not_shown_and_a_group_that_is_not_there_have_no_places(study):
    profiles = Profiles.of(study)
    assert profiles.place("yes", "income", 1) is None
    assert profiles.place("divorced", "age", 1) is None


def test_a_record_that_was_forgotten_is_not_counted(tmp_path):
    people = pd.DataFrame({"g": ["a", "b"] * 20, "x": range(40)}, index=[f"p{k}" for k in range(40)])
    with Study.create(tmp_path / "s.db", people, group="g", questions=10, seed=1) as study:
        assert Profiles.of(study).place("a", "x", 36).words == "higher than 90 % of a"
        study.forget("p38")
        assert Profiles.of(study).place("a", "x", 36).words == "highest of a"


def test_a_group_whose_records_are_all_forgotten_has_no_places(tmp_path):
    people = pd.DataFrame({"g": ["a", "b"] * 10, "x": range(20)}, index=[f"p{k}" for k in range(20)])
    with Study.create(tmp_path / "s.db", people, group="g", questions=4, seed=1) as study:
        for k in range(0, 20, 2):
            study.forget(f"p{k}")
        assert Profiles.of(study).place("a", "x", 2) is None
        assert Profiles.of(study).place("b", "x", 1) is not None
