"""Answers from spreadsheets: nothing is lost, nothing comes twice, one bad row changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.study.sheets import exchange
from commensurate.study.sheets.exchange import export_study, export_worksheet, import_sheet
from commensurate.study.sheets.sheet_format import SheetProblems
from commensurate.study.study import Study
from worlds.answered_study import answer, ids_of, latest, people_study
from worlds.study_sheets import counts, filled, typed

DAY = 24.0 * 3600.0


# --- importing ---


def test_a_typed_sheet_needs_a_question_and_an_answer_only(study, sheet):
    one, other = ids_of(study.next_questions("ana", 2))
    typed(sheet, {"question_id": one, "answer": "0.5"}, {"question_id": other, "answer": ""})
    assert counts(import_sheet(study, sheet, expert=" ana ")) == (1, 0, 0, 1)
    assert latest(study) == {(one, "ana"): 0.5}
    (recorded,) = study.stored_answers()
    assert recorded.answered_at == study._now(), "nobody said when, so it is now"


def test_the_default_expert_answered_only_where_nobody_is_named(study, sheet):
    one, other = ids_of(study.next_questions("ana", 2))
    typed(
        sheet,
        {"question_id": one, "answer": "1", "expert": "ben"},
        {"question_id": other, "answer": "2", "expert": "  "},
    )
    import_sheet(study, sheet, expert="ana")
    assert latest(study) == {(one, "ben"): 1.0, (other, "ana"): 2.0}


def test_unsure_is_an_answer_and_may_become_a_number(study, sheet):
    (one,) = ids_of(study.next_questions("ana"))
    typed(sheet, {"question_id": one, "answer": "", "expert": "ana", "status": "unsure", "comment": "hm"})
    assert counts(import_sheet(study, sheet)) == (1, 0, 0, 0)
    assert counts(import_sheet(study, sheet)) == (0, 0, 1, 0)
    typed(sheet, {"question_id": one, "answer": "0.5", "expert": "ana", "status": ""})
    assert counts(import_sheet(study, sheet)) == (0, 1, 0, 0)
    assert [row.value for row in study.stored_answers(history=True)] == [None, 0.5]


def test_times_are_kept_in_utc(study, sheet):
    names = ids_of(study.next_questions("ana", 3))
    times = ("2025-03-01T14:05:00+02:00", "2025-03-01T14:05", "2025-03-01")
    typed(
        sheet,
        *({"question_id": one, "answer": "1", "expert": "ana", "answered_at": time} for one, time in zip(names, times)),
    )
    import_sheet(study, sheet)
    assert [one.answered_at for one in study.stored_answers()] == [
        "2025-03-01T12:05:00.000000+00:00",
        "2025-03-01T14:05:00.000000+00:00",
        "2025-03-01T00:00:00.000000+00:00",
    ]


def test_importing_twice_records_nothing_twice(study, sheet):
    export_worksheet(study, sheet, expert="ana", n=5)
    with filled(sheet) as rows:
        for row in rows:
            row["answer"] = "0.5"
    assert counts(import_sheet(study, sheet)) == (5, 0, 0, 0)
    assert counts(import_sheet(study, sheet)) == (0, 0, 5, 0)
    assert len(study.stored_answers(history=True)) == 5


def test_the_same_row_twice_is_one_answer(study, sheet):
    (one,) = ids_of(study.next_questions("ana"))
    typed(sheet, *[{"question_id": one, "answer": "0.5", "expert": "ana"}] * 2)
    assert counts(import_sheet(study, sheet)) == (1, 0, 1, 0)


def test_an_edited_export_corrects(study, sheet):
    answer(study, 3)
    export_study(study, sheet)
    with filled(sheet) as rows:
        rows[1]["answer"] = "7.5"
        rows[2]["comment"] = "looked again"
    assert counts(import_sheet(study, sheet)) == (0, 2, 1, 17)
    assert [(one.value, one.comment) for one in study.stored_answers(history=True)][3:] == [
        (7.5, None),
        (float(rows[2]["answer"]), "looked again"),
    ]
    assert counts(import_sheet(study, sheet)) == (0, 0, 3, 17)


def test_a_sheet_without_comments_takes_none_back(study, sheet):
    (one,) = ids_of(study.next_questions("ana"))
    study.record(one, 0.5, expert="ana", comment="keep this")
    typed(sheet, {"question_id": one, "answer": "0.5", "expert": "ana"})
    assert counts(import_sheet(study, sheet)) == (0, 0, 1, 0)
    assert study.stored_answers()[0].comment == "keep this"


def test_an_older_export_does_not_bring_a_corrected_answer_back(study, sheet, clock):
    question, *_ = answer(study, 3)
    export_study(study, sheet)
    clock.go_on(60.0)
    study.record(question.question_id, 0.875, expert="ana")
    assert counts(import_sheet(study, sheet)) == (0, 0, 3, 17)
    assert latest(study)[question.question_id, "ana"] == 0.875


def test_a_sheet_without_times_does_not_bring_a_corrected_answer_back(study, sheet):
    (one,) = ids_of(study.next_questions("ana"))
    typed(sheet, {"question_id": one, "answer": "0.5", "expert": "ana"})
    assert counts(import_sheet(study, sheet)) == (1, 0, 0, 0)
    study.record(one, 0.875, expert="ana")
    assert counts(import_sheet(study, sheet)) == (0, 0, 1, 0)
    assert latest(study)[one, "ana"] == 0.875


def test_a_history_is_known_whatever_was_corrected(study, sheet, clock):
    question, *_ = answer(study, 2)
    for value in (0.5, 0.25, 0.5):
        clock.go_on(1.0)
        study.record(question.question_id, value, expert="ana")
    before = study.stored_answers(history=True)
    export_study(study, sheet, history=True)
    assert counts(import_sheet(study, sheet)) == (0, 0, 5, 18)
    assert study.stored_answers(history=True) == before


def test_a_hidden_repeat_may_be_answered_in_a_sheet(tmp_path, sheet):
    with people_study(tmp_path / "again.db", questions=20, repeats=0.2) as study:
        export_study(study, sheet)
        with filled(sheet) as rows:
            for k, row in enumerate(rows):
                row["answer"] = str(k)
        assert counts(import_sheet(study, sheet, expert="ana")) == (24, 0, 0, 0)
        assert sum(one.repeat_of is not None for one in study.stored_answers()) == 4


# --- what is refused ---


def problems(study, path, **named):
    before = study.stored_answers(history=True)
    with pytest.raises(SheetProblems) as caught:
        import_sheet(study, path, **named)
    assert study.stored_answers(history=True) == before, "one bad row changes nothing"
    return {one.line: one.why for one in caught.value.problems}


def test_every_bad_row_is_named_and_none_is_recorded(study, sheet):
    good, forgotten, twice, *rest = ids_of(study.next_questions("ana", 8))
    study.forget(study.question(forgotten, expert="ana").left_id)
    typed(
        sheet,
        {"question_id": good, "answer": "0.5", "expert": "ana"},
        {"question_id": "nonsense", "answer": "0.5", "expert": "ana"},
        {"question_id": forgotten, "answer": "0.5", "expert": "ana"},
        {"question_id": twice, "answer": "0.5", "expert": "ana"},
        {"question_id": twice, "answer": "0.25", "expert": "ana"},
        {"question_id": twice, "answer": "0.25", "expert": "ben"},
        {"question_id": rest[0], "answer": "-1", "expert": "ana"},
        {"question_id": rest[1], "answer": "much", "expert": "ana"},
        {"question_id": rest[2], "answer": "1", "expert": ""},
        {"question_id": rest[3], "answer": "1", "expert": "a\x07b"},
        {"question_id": rest[4], "answer": "1", "expert": "ana", "answered_at": "0001-01-01T00:00+05:00"},
    )
    found = problems(study, sheet)
    assert list(found) == [3, 4, 6, 8, 9, 10, 11, 12]
    assert "'nonsense'" in found[3]
    assert "erased" in found[4]
    assert "line 5" in found[6]
    assert "negative" in found[8]
    assert "not a number" in found[9]
    assert "expert" in found[10]
    assert "one line" in found[11]
    assert "0001-01-01" in found[12]


def test_the_new_name_of_a_forgotten_question_cannot_be_answered_either(study, sheet):
    (question,) = answer(study, 1)
    study.forget(question.left_id)
    (closed,) = study.stored_answers()
    typed(sheet, {"question_id": closed.question_id, "answer": "0.5", "expert": "ben"})
    assert list(problems(study, sheet)) == [2]


@pytest.mark.parametrize("order", [("0.5", "0.25"), ("0.25", "0.5")])
def test_a_sheet_that_says_what_is_known_and_something_else_is_refused_in_any_order(study, sheet, order):
    (one,) = ids_of(study.next_questions("ana"))
    study.record(one, 0.5, expert="ana")
    typed(sheet, *({"question_id": one, "answer": value, "expert": "ana"} for value in order))
    assert list(problems(study, sheet)) == [3]


def test_lines_within_quotes_are_counted(study, sheet):
    good, *_ = ids_of(study.next_questions("ana", 2))
    typed(
        sheet,
        {"question_id": good, "answer": "1", "expert": "ana", "comment": "three\nlong\nlines"},
        {"question_id": "nonsense", "answer": "1", "expert": "ana", "comment": ""},
    )
    assert list(problems(study, sheet)) == [5]


def test_a_file_that_breaks_off_is_refused_whole(study, sheet):
    one, *_ = ids_of(study.next_questions("ana", 2))
    sheet.write_bytes(f"question_id,answer,expert\n{one},0.5,ana\n".encode() + b"\xff\xfe\n")
    with pytest.raises(InvalidInput, match="line 3"):
        import_sheet(study, sheet)
    assert study.stored_answers() == []


def test_a_bad_default_expert_is_told_at_once(study, sheet):
    with pytest.raises(InvalidParameter, match="one line"):
        import_sheet(study, sheet, expert="  ")


def test_an_import_is_told_in_words():
    assert str(exchange.Imported(1, 1, 1, 1)) == (
        "1 new answer and 1 correction recorded; 1 was already known, 1 row has no answer yet"
    )
    assert str(exchange.Imported(1200, 0, 2, 0)) == (
        "1,200 new answers and 0 corrections recorded; 2 were already known, 0 rows have no answer yet"
    )


def test_importing_works_on_either_database(places, tmp_path):
    sheet = Path(tmp_path, "sheet.csv")
    with Study(places.study()) as study:
        export_worksheet(study, sheet, expert="ana", n=5)
        with filled(sheet) as rows:
            for row in rows:
                row["answer"], row["comment"] = "0.5", "=fine 👩‍🔬"
        assert counts(import_sheet(study, sheet)) == (5, 0, 0, 0)
        assert counts(import_sheet(study, sheet)) == (0, 0, 5, 0)
        with filled(sheet) as rows:
            rows[3]["answer"], rows[4]["answer"] = "0.25", "-3"
        assert list(problems(study, sheet)) == [6]
