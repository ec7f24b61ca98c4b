"""Grades and comparisons in the terminal: what is shown, what is typed, what is recorded."""

import io
from itertools import chain, repeat

import pytest
from rich.console import Console

from commensurate.cli.study.terminal_session import TerminalSession
from commensurate.cli.study.typed_line import Command, pairs_in_order, read_typed
from commensurate.study.messages import AskedQuestion, RulerPair
from worlds.study_kinds import kinds_study

GRADES = ("alike", "very similar", "very different", "different")
GRADE = AskedQuestion("q", ("a", "b"), "1", "2", {}, {}, kind="grade")
OTHER = RulerPair("a", "1", "3", {"x": 1}, {"x": 3}, 0.5)


def comparison(*, other_first=False):
    return AskedQuestion(
        "q", ("a", "b"), "1", "2", {"x": 1}, {"x": 2}, kind="comparison", other=OTHER, other_first=other_first
    )


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("1", "alike"),
        ("4", "different"),
        ("alike", "alike"),
        ("ALI", "alike"),
        ("very d", "very different"),
        ("dif", "different"),
    ],
)
def test_a_grade_is_typed_as_its_number_its_word_or_its_beginning(line, word):
    assert read_typed(line, GRADE, GRADES).answer == word


@pytest.mark.parametrize("line", ["0", "5", "0.5", "ve", "very", "first", "="])
def test_what_is_no_grade_or_could_be_several_is_not_recorded(line):
    assert read_typed(line, GRADE, GRADES).command is Command.UNKNOWN


@pytest.mark.parametrize(("other_first", "words"), [(False, ("first", "second")), (True, ("second", "first"))])
def test_one_and_two_mean_the_pairs_as_they_are_shown(other_first, words):
    question = comparison(other_first=other_first)
    assert tuple(read_typed(line, question).answer for line in "12") == words == pairs_in_order(question)
    assert read_typed("=", question).answer == "same"
    assert read_typed("0.5", question).command is Command.UNKNOWN


@pytest.mark.parametrize(("line", "answer"), [("0,2..0,5", "0.2..0.5"), ("<=0.5", "<=0.5"), ("≥1", "≥1")])
def test_a_number_question_takes_ranges_too(line, answer):
    assert read_typed(line).answer == answer


@pytest.mark.parametrize("line", ["0.5..0.2", "<=", ">=0", "..", "1..x"])
def test_a_range_that_is_empty_or_says_nothing_is_not_recorded(line):
    assert read_typed(line).command is Command.UNKNOWN


def session(study, *lines, width=100):
    stream = io.StringIO()
    typed = chain(lines, repeat(EOFError()))

    def read_line(prompt):
        stream.write(prompt)
        line = next(typed)
        if isinstance(line, BaseException):
            raise line
        stream.write(f"{line}\n")
        return line

    counts = TerminalSession(
        study, "ana", console=Console(file=stream, width=width), read_line=read_line, clock=lambda: 0.0
    ).run()
    return counts, stream.getvalue()


def first_number(study):
    """Answer grades until a question asks for a number."""
    while (question := study.next_questions("ana")[0]).kind != "number":
        study.record(question.question_id, study.settings.grades[0], expert="ana")
    return question


def test_a_session_shows_the_grades_with_a_pair_at_each_boundary_and_records_what_was_typed(tmp_path):
    with kinds_study(tmp_path / "s.db", "grades") as study:
        _, text = session(study, "3", "utterly", "0.5", "u", "b", "1")
        answers = [one.answer for one in study.stored_answers(history=True)]
        for number, word in enumerate(study.settings.grades, start=1):
            assert f"{number}         {word}" in text
    assert answers == ["clearly different", "utterly different", None, "hardly different"]
    assert 'between "hardly different" and "a little different": as different as these two' in text
    assert text.count("as different as these two") == 4
    assert "expected 1 (hardly different) to 5 (utterly different), or s u b c ? q; got '0.5'" in text
    assert "your answer was: unsure" in text


def test_a_held_out_question_is_asked_for_a_number_and_says_so(tmp_path):
    with kinds_study(tmp_path / "s.db", "grades") as study:
        question = first_number(study)
        _, text = session(study, "very different", "0.25")
        (given,) = [one for one in study.stored_answers() if one.question_id == question.question_id]
        assert f"0 to {study.settings.scale_end:g}, or s u b c ? q: " in text
    assert given.answer == 0.25
    assert "expected 0 (alike) to" in text


def test_a_comparison_shows_two_pairs_and_records_the_one_that_was_chosen(tmp_path):
    with kinds_study(tmp_path / "s.db", "comparisons", known_pairs=0) as study:
        asked = [one for one in study.next_questions("ana", 40) if one.kind == "comparison"]
        one = next(each for each in asked if each.other_first and each.shared == "right")
        for question in study.next_questions("ana", 40):
            if question.question_id != one.question_id:
                study.release(question.question_id, expert="ana")
        _, text = session(study, "1", "b", "=", "q")
        answers = [each.answer for each in study.stored_answers(history=True) if each.question_id == one.question_id]
    assert answers == ["second", "same"]
    assert "which pair is more alike; the record on the left is the same in both?" in text
    shown = text[text.index("pair 1") : text.index("1, 2 or =, or s u b c ? q: ")]
    # the pair of known distance stands first here, and nothing tells its distance
    assert shown.index(str(one.other.right_record["income"])) < shown.index("pair 2")
    assert f"{one.other.distance:.3g}" not in text
    assert "your answer was: pair 1" in text
