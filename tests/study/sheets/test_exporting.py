"""Questions and answers to spreadsheets and back, and worksheets for one expert."""

from __future__ import annotations

import pandas as pd
import pytest

from commensurate.errors import InvalidParameter
from commensurate.study.sheets import exchange
from commensurate.study.sheets.exchange import export_study, export_worksheet, import_sheet
from commensurate.study.study import Study
from worlds.answered_study import Clock, answer, ids_of, latest, people_study
from worlds.study_sheets import counts, filled, read_rows

DAY = 24.0 * 3600.0


# --- exporting ---


def test_every_question_is_exported_in_the_order_of_asking_with_both_records(study, sheet):
    asked = study.next_questions("ana", 20)
    assert export_study(study, sheet) == 20
    rows = read_rows(sheet)
    assert [row["question_id"] for row in rows] == ids_of(asked)
    for row, question in zip(rows, asked):
        shown = {question.left_id: question.left_record, question.right_id: question.right_record}
        for side in ("left", "right"):
            record = shown[row[f"{side}_id"]]
            assert {name: row[f"{side}: {name}"] for name in record} == {
                name: str(value) for name, value in record.items()
            }
        assert (row["left_group"], row["right_group"]) == ("yes", "no")
        assert (row["answer"], row["status"]) == ("", "open")


def test_a_question_has_one_row_for_each_expert_who_answered_it(tmp_path, sheet):
    with people_study(tmp_path / "two.db", questions=4, answers_per_question=2) as study:
        question, *_ = answer(study, 1, "ana")
        study.record(question.question_id, None, expert="ben", unsure=True)
        assert export_study(study, sheet) == 5
        rows = [row for row in read_rows(sheet) if row["question_id"] == question.question_id]
    assert [(row["expert"], row["status"]) for row in rows] == [("ana", "answered"), ("ben", "unsure")]


def test_corrected_answers_are_exported_with_the_history_only(study, sheet):
    (question,) = answer(study, 1)
    study.record(question.question_id, 0.75, expert="ana")
    assert (export_study(study, sheet), read_rows(sheet)[0]["answer"]) == (20, "0.75")
    assert export_study(study, sheet, history=True) == 21


def test_nothing_of_a_forgotten_record_is_exported(study, sheet):
    (question,) = answer(study, 1)
    study.record(question.question_id, 0.4375, expert="ana", comment="she is well known")
    study.forget(question.left_id)
    export_study(study, sheet, history=True)
    text = sheet.read_text(encoding="utf-8")
    assert question.question_id not in text
    assert f",{question.left_id}," not in text
    assert "well known" not in text
    (closed, *_) = [row for row in read_rows(sheet) if row["answer"] == "0.4375"]
    side = "left" if closed["left_id"].startswith("forgotten") else "right"
    assert closed[f"{side}: age"] == closed[f"{side}: income"] == ""


def test_hidden_repeats_are_questions_of_their_own_in_the_data(tmp_path, sheet):
    with people_study(tmp_path / "again.db", questions=20, repeats=0.2) as study:
        answer(study, 24)
        assert export_study(study, sheet) == 24
        rows = read_rows(sheet)
    assert len({row["question_id"] for row in rows}) == 24
    assert len({(row["left_id"], row["right_id"]) for row in rows}) == 20


# --- there and back ---


def test_an_export_and_its_import_change_nothing(study, sheet):
    answer(study, 5)
    answer(study, 3, "ben")
    before = study.stored_answers(history=True)
    export_study(study, sheet)
    assert counts(import_sheet(study, sheet)) == (0, 0, 8, 12)
    assert study.stored_answers(history=True) == before


def test_an_export_fills_another_study_with_the_same_questions(study, sheet, tmp_path):
    answer(study, 5, value=lambda question: 0.1 + 0.2)
    first, *_ = answer(study, 2, "ben")
    study.record(first.question_id, None, expert="ben", unsure=True, comment="who knows", seconds=1.5)
    export_study(study, sheet)
    with people_study(tmp_path / "twin.db", questions=20) as twin:
        assert counts(import_sheet(twin, sheet)) == (7, 0, 0, 13)
        told = ["question_id", "answer", "expert", "answered_at", "seconds", "comment", "status"]
        one, other = (
            table[told].sort_values(["question_id", "expert"], ignore_index=True)
            for table in (study.answers(), twin.answers())
        )
        pd.testing.assert_frame_equal(one, other)


STRANGE = [
    "=cmd|' /C calc'!A0",
    "+49 170",
    "-1",
    "@home",
    "'quoted'",
    "two\nlines",
    "Windows\r\nlines",
    'a "word", and; more',
    "👩‍🔬 naïve",
    "مرحبا \u202eabc",
    "[red]no[/red]",
]


def test_strange_comments_survive(tmp_path, sheet):
    with people_study(tmp_path / "people.db", questions=20) as study:
        for question, comment in zip(study.next_questions("ana", 20), STRANGE):
            study.record(question.question_id, 0.5, expert="ana", comment=comment)
        export_study(study, sheet)
        assert import_sheet(study, sheet).known == len(STRANGE)
    with people_study(tmp_path / "twin.db", questions=20) as twin:
        import_sheet(twin, sheet)
        assert sorted(one.comment for one in twin.stored_answers()) == sorted(STRANGE)


def test_strange_ids_groups_columns_and_values_survive(tmp_path, sheet):
    group = "=SUM(A1)\n👩‍🔬"
    strange = [*STRANGE, "\u202eright to left", " spaces "]
    tables = {
        name: pd.DataFrame({"=id": strange, "@age": range(len(strange)), 'no"te': strange})
        for name in (group, "ordinary, or not")
    }
    made = Study.create(
        tmp_path / "strange.db",
        tables,
        ids="=id",
        features=["@age"],
        show=["@age", 'no"te'],
        questions=12,
        repeats=0.0,
        seed=0,
        learner="gp",
        answer_kind="numbers",
        clock=Clock(),
    )
    with made as study:
        asked = answer(study, 12, "=ana", value=lambda question: 0.25)
        export_study(study, sheet)
        rows = read_rows(sheet)
        assert {row["left_group"] for row in rows} == {"'" + group}
        known = {question.question_id: {question.left_id, question.right_id} for question in asked}
        for row in rows:
            ids = {cell[1:] if cell[:1] == "'" else cell for cell in (row["left_id"], row["right_id"])}
            assert ids == known[row["question_id"]]
            for cell in (row['left: no"te'], row["expert"], row["left_id"]):
                assert not cell.startswith(("=", "+", "-", "@"))
        before = study.stored_answers(history=True)
        assert import_sheet(study, sheet).known == 12
        with filled(sheet) as rows:
            for row in rows:
                row["answer"] = "0.5"
        assert import_sheet(study, sheet).corrections == 12
        assert {one.expert for one in study.stored_answers()} == {"=ana"}
        assert len(study.stored_answers(history=True)) == 2 * len(before)


# --- worksheets ---


def test_a_worksheet_shows_what_the_expert_would_be_shown(study, sheet):
    assert export_worksheet(study, sheet, expert=" ana ", n=8) == 8
    rows = read_rows(sheet)
    asked = study.next_questions("ana", 8)
    assert [row["question_id"] for row in rows] == ids_of(asked)
    for row, question in zip(rows, asked):
        assert (row["left_group"], row["right_group"]) == question.between
        assert (row["left_id"], row["right_id"]) == (question.left_id, question.right_id)
        assert row["left: age"] == str(question.left_record["age"])
        assert row["right: age"] == str(question.right_record["age"])
        assert row["expert"] == "ana"
    assert {row["left_group"] for row in rows} == {"yes", "no"}, "sides are swapped at random"


def test_what_is_on_a_worksheet_is_asked_of_nobody_else_for_some_days(study, sheet, clock):
    export_worksheet(study, sheet, expert="ana", n=8, days=2.0)
    taken = {row["question_id"] for row in read_rows(sheet)}
    assert study.counts("ben").open == 12
    clock.go_on(2.0 * DAY - 1.0)
    assert taken.isdisjoint(ids_of(study.next_questions("ben", 20, minutes=0.001)))
    clock.go_on(2.0)
    assert study.counts("ben").open == 20


def test_a_filled_worksheet_comes_back_to_the_right_questions(study, sheet):
    export_worksheet(study, sheet, expert="ana", n=8)
    with filled(sheet) as rows:
        rows.reverse()
        expected = {(row["question_id"], "ana"): k / 8 for k, row in enumerate(rows)}
        for k, row in enumerate(rows):
            row["answer"] = str(k / 8)
    assert counts(import_sheet(study, sheet)) == (8, 0, 0, 0)
    assert latest(study) == expected
    assert {one.origin for one in study.stored_answers()} == {"import"}
    assert study.counts("ana").open == study.counts("ben").open == 12, "answered questions are held no more"


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_worksheet_that_cannot_be_written_keeps_no_question(study, sheet, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(exchange, "write_sheet", fail)
    with pytest.raises(type(error)):
        export_worksheet(study, sheet, expert="ana")
    assert study.counts("ben").open == 20
    assert not sheet.exists()


def test_a_worksheet_in_a_folder_that_is_not_there_keeps_no_question(study, tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        export_worksheet(study, tmp_path / "nowhere" / "sheet.csv", expert="ana")
    assert study.counts("ben").open == 20


@pytest.mark.parametrize("days", [0.0, -1.0, float("inf"), float("nan"), 1e9])
def test_a_worksheet_is_kept_for_a_time_that_ends(study, sheet, days):
    with pytest.raises(InvalidParameter, match="days"):
        export_worksheet(study, sheet, expert="ana", days=days)
    assert study.counts("ben").open == 20


def test_a_worksheet_for_someone_with_nothing_to_do_is_empty_but_can_be_read(study, sheet):
    answer(study, 20, "ben")
    assert export_worksheet(study, sheet, expert="ana") == 0
    assert counts(import_sheet(study, sheet)) == (0, 0, 0, 0)
