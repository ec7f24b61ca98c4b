"""The words of grades and the numbers between them, as an owner may choose them."""

import pytest

from commensurate.errors import InvalidParameter
from commensurate.study.kinds.words import GRADES, checked_boundaries, checked_grades
from commensurate.study.settings import StudySettings


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["alike"], "2 to 9 words, got 1"),
        ("alike", "2 to 9 words, got 1"),
        (None, "2 to 9 words"),
        ([f"grade {letter}" for letter in "abcdefghij"], "2 to 9 words, got 10"),
        (["alike", "Alike"], "must differ"),
        (["alike", ""], "begins with a letter"),
        (["alike", 3], "begins with a letter"),
        (["alike", "0.5"], "begins with a letter"),
        (["alike", "=SUM(A1)"], "begins with a letter"),
        (["alike", "two\nlines"], "one line"),
        (["alike", "x" * 61], "at most 60 characters"),
        (["alike", "Same"], "means something else"),
        (["alike", "u"], "means something else"),
    ],
)
def test_words_that_could_be_taken_for_something_else_are_refused(words, why):
    with pytest.raises(InvalidParameter, match=why):
        checked_grades(words)


@pytest.mark.parametrize(
    "boundaries", [[0.5, 0.2], [0.2], [0.2, 0.2], [0.0, 1.0], [0.2, float("inf")], [0.2, float("nan")], ["a", "b"], 0.2]
)
def test_boundaries_that_do_not_increase_or_are_too_few_are_refused(boundaries):
    with pytest.raises(InvalidParameter, match="boundaries must be 2 increasing numbers above 0"):
        checked_boundaries(boundaries, ["alike", "similar", "different"])


def test_settings_of_earlier_studies_ask_for_numbers_and_no_known_pairs():
    made = StudySettings(answer_kind="numbers", seed=0, plan_seed=0, scale_end=1.0, tolerance=0.1)
    text = made.to_json().replace('"answer_kind": "numbers", ', "").replace('"known_pairs": null, ', "")
    assert "answer_kind" not in text
    assert StudySettings.from_json(text).answer_kind == "numbers"
    assert StudySettings.from_json(text).known_pairs == 0


def test_a_new_study_asks_for_five_grades_and_survives_being_written_down():
    made = StudySettings(seed=0, plan_seed=0, scale_end=1.0, tolerance=0.1, boundaries=[0.1, 0.2, 0.3, 0.4])
    assert (made.answer_kind, made.grades, len(GRADES)) == ("grades", GRADES, 5)
    assert StudySettings.from_json(made.to_json()) == made


def test_an_unknown_kind_is_refused():
    with pytest.raises(InvalidParameter, match="answer_kind must be one of grades, numbers, comparisons, got 'words'"):
        StudySettings(answer_kind="words")


def test_boundaries_without_grades_are_refused():
    with pytest.raises(
        InvalidParameter, match="boundaries are those of grades; leave them out with answer_kind='numbers'"
    ):
        StudySettings(answer_kind="numbers", boundaries=[0.1, 0.2, 0.3, 0.4])


def test_known_answers_are_numbers():
    with pytest.raises(InvalidParameter, match="answer_kind must be left out with known_answers"):
        StudySettings.of({"answer_kind": "grades"}, given=True)
    assert StudySettings.of({}, given=True).answer_kind == "numbers"
