"""What an answer of each kind says, and what is refused."""

import math

import pytest

from commensurate.errors import InvalidAnswer
from commensurate.study.kinds.content import (
    Content,
    StudyScale,
    allowed,
    checked_answer,
    content_of,
    is_unsure,
    range_of,
    written,
)

GRADES = ("alike", "similar", "different")
SCALE = StudyScale(GRADES, (0.2, 0.5), "auto")


@pytest.mark.parametrize("answer", [0.4, 0.0, "0.2..0.5", "<=0.5", ">=0.25"])
def test_what_was_said_about_a_number_question_is_written_as_it_was_said(answer):
    content = content_of(checked_answer(answer, unsure=False), "number", GRADES)
    assert not is_unsure(content)
    read = content_of(written(content), "number", GRADES)
    assert read == content
    assert written(content) == (answer if answer != "0.2..0.5" else "0.2..0.5")


def test_a_range_without_width_is_a_number():
    assert content_of("0.4..0.4", "number", GRADES) == Content(0.4)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("first", "number"),
        ("similar", "number"),
        ("0.5..0.2", "number"),
        (">=0", "number"),
        ("<=", "number"),
        (0.4, "grade"),
        ("0.2..0.5", "grade"),
        ("first", "grade"),
        ("simil", "grade"),
        (1.0, "comparison"),
        ("similar", "comparison"),
        ("both", "comparison"),
    ],
)
def test_an_answer_of_another_kind_or_an_empty_range_is_refused_in_one_sentence(answer, kind):
    with pytest.raises(InvalidAnswer, match="must be|says nothing") as caught:
        content_of(answer, kind, GRADES)
    assert "\n" not in str(caught.value)


def test_what_is_allowed_names_every_grade():
    assert allowed("grade", GRADES) == '"alike", "similar" or "different"'
    with pytest.raises(InvalidAnswer, match='must be "alike", "similar" or "different", got 0.4'):
        content_of(0.4, "grade", GRADES)


def test_words_are_kept_as_the_study_spells_them():
    assert content_of("SIMILAR", "grade", GRADES).choice == "similar"
    assert content_of(checked_answer(" Second ", unsure=False), "comparison", GRADES).choice == "second"


def test_a_grade_is_the_range_between_its_boundaries():
    ranges = [tuple(range_of(Content(choice=word), SCALE, None))[:2] for word in GRADES]
    assert ranges == [(0.0, 0.2), (0.2, 0.5), (0.5, math.inf)]


def test_a_comparison_bounds_by_the_distance_of_the_other_pair_and_says_that_two_were_seen():
    said = {word: range_of(Content(choice=word), SCALE, 0.5) for word in ("first", "second", "same")}
    assert {word: one[:2] for word, one in said.items()} == {
        "first": (0.0, 0.5),
        "second": (0.5, math.inf),
        "same": (0.4, 0.6),
    }
    assert all(one.beside_ruler for one in said.values())


def test_the_same_is_the_distance_itself_where_errors_have_a_bound():
    bounded = SCALE._replace(answer_error=0.1)
    assert range_of(Content(choice="same"), bounded, 0.5)[:2] == (0.5, 0.5)


def test_unsure_says_nothing():
    assert range_of(Content(), SCALE, None) is None
    assert content_of(checked_answer(None, unsure=True), "grade", GRADES) == Content()
    with pytest.raises(InvalidAnswer, match="not both"):
        checked_answer("similar", unsure=True)
