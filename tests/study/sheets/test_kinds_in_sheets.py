"""Answers of every kind in spreadsheets: what a sheet says may be answered, and what comes back."""

import csv

import pandas as pd
import pytest

from commensurate.errors import BadRows
from commensurate.study.sheets.cells import answer_in
from commensurate.study.study import Study
from worlds.small_study import questions_of
from worlds.study_kinds import answer_everything, honest, kinds_study

KINDS = ("grades", "numbers", "comparisons")


def read(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")


def fill_in(path, said, **columns):
    """Write answers by question_id into a sheet, as somebody does in a spreadsheet."""
    table = read(path)
    table["answer"] = [said.get(name, "") for name in table["question_id"]]
    table.assign(**columns).to_csv(path, index=False, quoting=csv.QUOTE_MINIMAL)


@pytest.mark.parametrize("kind", KINDS)
def test_all_answers_of_one_study_are_read_into_its_empty_twin(tmp_path, kind):
    with kinds_study(tmp_path / "a.db", kind, repeats=0.2) as study:
        answer_everything(study)
        number = next(one for one in questions_of(study) if one.kind == "number").question_id
        study.record(number, "0.25..0.75", expert="ana")
        study.record(questions_of(study)[-1].question_id, None, unsure=True, expert="bob")
        study.export(tmp_path / "all.csv")
        given = {(one.question_id, one.expert): one.answer for one in study.stored_answers()}
        again = study.import_(tmp_path / "all.csv")
        assert (again.new, again.corrections) == (0, 0), "what the study knows is not recorded twice"
    with kinds_study(tmp_path / "b.db", kind, repeats=0.2) as twin:
        assert twin.import_(tmp_path / "all.csv").new == len(given)
        assert {(one.question_id, one.expert): one.answer for one in twin.stored_answers()} == given


@pytest.mark.parametrize("kind", ["grades", "comparisons"])
def test_a_worksheet_says_for_each_question_what_can_be_answered(tmp_path, kind):
    with kinds_study(tmp_path / "s.db", kind) as study:
        study.export_worksheet(tmp_path / "ana.csv", expert="ana", n=60)
        asked = {one.question_id: one for one in study.next_questions("ana", 60)}
        sheet = read(tmp_path / "ana.csv").set_index("question_id")
        for name, one in asked.items():
            allowed = sheet.loc[name, "allowed answers"]
            if one.kind == "number":
                assert allowed.startswith("a finite number, at least 0")
            elif one.kind == "grade":
                assert [word in allowed for word in study.settings.grades] == [True] * 5
            else:
                assert allowed.startswith('"first", "second" or "same"')
                assert sheet.loc[name, "second pair, left: age"] == str(one.other.left_record["age"])
                assert sheet.loc[name, "second pair, right: income"] == str(one.other.right_record["income"])
        assert "known distance" not in sheet.columns, "an expert is not told"


def test_a_worksheet_of_numbers_is_as_it_was(tmp_path):
    with kinds_study(tmp_path / "s.db", "numbers") as study:
        study.export_worksheet(tmp_path / "ana.csv", expert="ana")
        header = list(read(tmp_path / "ana.csv").columns)
    assert header[11:] == ["left: age", "left: income", "right: age", "right: income"]


@pytest.mark.parametrize("kind", ["grades", "comparisons"])
def test_a_worksheet_that_was_filled_in_is_recorded(tmp_path, kind):
    path = tmp_path / "ana.csv"
    with kinds_study(tmp_path / "s.db", kind) as study:
        study.export_worksheet(path, expert="ana", n=30)
        said = {one.question_id: str(honest(study, one)).upper() for one in study.next_questions("ana", 30)}
        fill_in(path, said)
        assert study.import_(path).new == 30
        recorded = {one.question_id: str(one.answer).upper() for one in study.stored_answers()}
    assert recorded == said


def test_one_answer_of_the_wrong_kind_is_named_and_nothing_is_recorded(tmp_path):
    path = tmp_path / "ana.csv"
    with kinds_study(tmp_path / "s.db", "grades") as study:
        study.export_worksheet(path, expert="ana", n=30)
        asked = study.next_questions("ana", 30)
        said = {one.question_id: str(honest(study, one)) for one in asked}
        grade = next(one.question_id for one in asked if one.kind == "grade")
        number = next(one.question_id for one in asked if one.kind == "number")
        for name, wrong, why in (
            (grade, "0.4", 'must be "hardly different"'),
            (grade, "quite different", "one of the words that the question allows: hardly different"),
            (number, "very different", "must be a finite number"),
            (number, "0.5..0.2", "is not a range"),
        ):
            fill_in(path, {**said, name: wrong})
            with pytest.raises(BadRows, match=name) as caught:
                study.import_(path)
            assert why in str(caught.value)
        assert study.stored_answers(history=True) == []


def test_a_full_export_tells_its_owner_which_distances_are_known(tmp_path):
    with kinds_study(tmp_path / "s.db", "grades") as study:
        study.export(tmp_path / "all.csv")
        known = {one.question_id: one.known_distance for one in questions_of(study)}
    sheet = read(tmp_path / "all.csv").set_index("question_id")
    written = {name: float(cell) if cell else None for name, cell in sheet["known distance"].items()}
    assert written == known


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("0,2..0,5", "0.2..0.5"),
        ("<=0,5", "<=0.5"),
        ("≥0,25", ">=0.25"),
        ("0,5", 0.5),
        ("  Similar ", "Similar"),
        ("", None),
    ],
)
def test_ranges_may_have_decimal_commas_where_cells_are_separated_otherwise(cell, expected):
    assert answer_in(cell, decimal_comma=True, words=["similar"]) == expected


def test_a_sheet_that_a_study_of_an_earlier_kind_exported_is_read(tmp_path):
    path = tmp_path / "old.csv"
    with kinds_study(tmp_path / "s.db", "numbers") as study:
        (first,) = study.next_questions("ana")
        path.write_text(f"question_id,answer,expert\n{first.question_id},0.5,ana\n")
        assert study.import_(path).new == 1
    with Study(tmp_path / "s.db") as study:
        assert study.answers()["answer"].tolist() == [0.5]
