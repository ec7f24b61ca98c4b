import csv
import io
import pickle
import subprocess
import sys
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.study.sheets.cells import LONGEST_CELL, restored
from commensurate.study.sheets.sheet_format import (
    COLUMNS,
    SheetOut,
    SheetProblem,
    SheetProblems,
    SheetRow,
    read_sheet,
    write_sheet,
)

NASTY = "=cmd|'/c calc'!A1, \"quoted\";\r\nsecond line\rthird\n🙂 مرحبا"
OPEN = SheetOut("a1", "single", "7", "married", "-9")
ANSWERED = SheetOut(
    "b2", "single", "+49 30", "married", "8", 0.1 + 0.2, "ana", "2025-03-01T14:05:00+00:00", 3.25, NASTY, "answered"
)
UNSURE = SheetOut("c3", "single", "7", "married", "8", expert="bo", status="unsure")


def sheet_of(folder, text, encoding="utf-8"):
    path = folder / "sheet.csv"
    path.write_bytes(text.encode(encoding))
    return path


def rows_in(folder, text, default_expert="ana"):
    reader = read_sheet(sheet_of(folder, text), default_expert=default_expert)
    rows = list(reader)
    reader.raise_problems()
    return rows


def problems_in(folder, text, default_expert="ana"):
    reader = read_sheet(sheet_of(folder, text), default_expert=default_expert)
    rows = list(reader)
    with pytest.raises(SheetProblems) as caught:
        reader.raise_problems()
    return rows, caught.value


def cells_in(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file, strict=True))


# written


def test_what_was_written_is_read(tmp_path):
    path = tmp_path / "sheet.csv"
    assert write_sheet(path, iter([OPEN, ANSWERED, UNSURE])) == 3
    reader = read_sheet(path)
    assert list(reader) == [
        SheetRow(2, "a1", None, "", None, None, None, "open"),
        SheetRow(3, "b2", 0.1 + 0.2, "ana", "2025-03-01T14:05:00+00:00", 3.25, NASTY, "answered"),
        # the comment before it takes four lines
        SheetRow(7, "c3", None, "bo", None, None, None, "unsure"),
    ]
    assert reader.problems == []


def test_the_header_is_in_the_order_of_the_documentation_and_extra_columns_come_last(tmp_path):
    path = tmp_path / "sheet.csv"
    write_sheet(
        path, [replace(OPEN, extra={"left: age": 31, "=right": "-5"}), replace(OPEN, extra={"left: age": -0.5})]
    )
    header, *rows = cells_in(path)
    assert header == [*COLUMNS, "left: age", "'=right"]
    assert header[:11] == (
        [
            "question_id",
            "left_group",
            "left_id",
            "right_group",
            "right_id",
            "answer",
            "expert",
            "answered_at",
            "seconds",
            "comment",
            "status",
        ]
    )
    assert [row[11:] for row in rows] == [["31", "'-5"], ["-0.5", ""]]


def test_the_file_begins_with_a_byte_order_mark_and_has_windows_line_ends(tmp_path):
    path = tmp_path / "sheet.csv"
    write_sheet(path, [OPEN])
    assert path.read_bytes().startswith(b"\xef\xbb\xbfquestion_id,")
    assert path.read_bytes().endswith(b"open\r\n")


def test_an_open_text_file_gets_the_same_characters_as_a_path(tmp_path):
    text = io.StringIO(newline="")
    write_sheet(text, [OPEN, ANSWERED])
    write_sheet(tmp_path / "sheet.csv", [OPEN, ANSWERED])
    assert text.getvalue().encode() == (tmp_path / "sheet.csv").read_bytes()


def test_a_sheet_without_questions_has_a_header_and_reads_as_empty(tmp_path):
    path = tmp_path / "sheet.csv"
    assert write_sheet(path, [], extra_columns=["left: age"]) == 0
    assert cells_in(path) == [[*COLUMNS, "left: age"]]
    assert list(read_sheet(path)) == []


def test_rows_of_other_groups_may_fill_other_extra_columns(tmp_path):
    path = tmp_path / "sheet.csv"
    rows = [replace(OPEN, extra={"left: a": 1}), replace(OPEN, extra={"left: b": 2})]
    write_sheet(path, rows, extra_columns=["left: a", "left: b"])
    assert [row[11:] for row in cells_in(path)[1:]] == [["1", ""], ["", "2"]]


def test_an_extra_cell_without_a_column_is_refused(tmp_path):
    rows = [replace(OPEN, extra={"left: a": 1}), replace(OPEN, extra={"left: b": 2})]
    with pytest.raises(InvalidInput, match=r"question 'a1': no column for the extra cells \['left: b'\]"):
        write_sheet(tmp_path / "sheet.csv", rows)


@pytest.mark.parametrize("rows", [[], [replace(OPEN, extra={" Answer": 1})]])
def test_an_extra_column_cannot_take_the_name_of_one_that_is_read(tmp_path, rows):
    with pytest.raises(InvalidParameter, match="Answer"):
        write_sheet(tmp_path / "sheet.csv", rows, extra_columns=None if rows else ["Answer"])


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (replace(OPEN, answer=float("nan")), "nan cannot be written"),
        (replace(OPEN, seconds=-1.0), "-1.0 cannot be written"),
        (replace(OPEN, comment="half an emoji \ud83d"), "UTF-8"),
        (replace(OPEN, comment="x" * (LONGEST_CELL + 1)), "131,072 characters, one has 131,073"),
    ],
)
def test_a_row_that_could_not_be_read_back_is_refused_and_the_old_file_stays(tmp_path, row, why):
    path = tmp_path / "sheet.csv"
    path.write_text("old")
    with pytest.raises(InvalidInput, match=f"question 'a1': .*{why}"):
        write_sheet(path, [ANSWERED, row])
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_longest_cell_that_can_be_written_can_be_read(tmp_path):
    path = tmp_path / "sheet.csv"
    write_sheet(path, [replace(ANSWERED, comment="x" * LONGEST_CELL)])
    assert [len(row.comment) for row in read_sheet(path)] == [LONGEST_CELL]


@given(text=st.text() | st.text(alphabet="'=+-@\t\r\n\",;＝a"))
@example(text="\0")
@example(text="''=")
def test_every_text_survives_a_round_trip_through_a_file(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "round_trip.csv"
    row = SheetOut("a1", text, text, text, text, 1.0, "e" + text, None, None, text, "answered", {"left: x": text})
    write_sheet(path, [row])
    (read,) = read_sheet(path)
    assert (read.comment or "", read.expert) == (text, "e" + text)
    cells = [restored(cell) for cell in cells_in(path)[1]]
    assert [cells[place] for place in (1, 2, 3, 4, 11)] == [text] * 5


@given(st.floats(min_value=0, allow_infinity=False), st.floats(min_value=0, allow_infinity=False))
def test_answers_and_seconds_survive_a_round_trip_to_the_last_bit(tmp_path_factory, answer, seconds):
    path = tmp_path_factory.getbasetemp() / "numbers.csv"
    write_sheet(path, [replace(ANSWERED, answer=answer, seconds=seconds)])
    (row,) = read_sheet(path)
    assert (row.answer.hex(), row.seconds.hex()) == (answer.hex(), seconds.hex())


# read, as spreadsheets save it


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("delimiter", "number"), [(",", "0.5"), (";", "0,5"), ("\t", "0,5"), (";", "0.5"), ("\t", "0.5")]
)
def test_any_byte_order_mark_line_end_and_delimiter_is_read(tmp_path, mark, end, delimiter, number):
    lines = [["seconds", "answer", "left: age", "question_id"], [number, number, "31", "a1"]]
    text = mark + "".join(delimiter.join(line) + end for line in lines)
    assert rows_in(tmp_path, text) == [SheetRow(2, "a1", 0.5, "ana", None, 0.5, None, "answered")]


def test_header_names_may_be_quoted_spaced_and_in_any_case(tmp_path):
    assert [row.answer for row in rows_in(tmp_path, '"Question_ID";" ANSWER "\na1;1\n')] == [1.0]


def test_blank_lines_and_rows_of_empty_cells_are_skipped(tmp_path):
    rows = rows_in(tmp_path, "\nquestion_id,answer\n\na1,1\n,\n ,\nb2,2\n\n\n")
    assert [(row.line, row.question_id) for row in rows] == [(4, "a1"), (7, "b2")]


def test_a_row_may_stop_early(tmp_path):
    rows = rows_in(tmp_path, "question_id,answer,comment\na1,1\nb2,2,fine\n")
    assert [row.comment for row in rows] == [None, "fine"]


def test_a_comment_whose_apostrophe_the_spreadsheet_removed_reads_the_same(tmp_path):
    rows = rows_in(tmp_path, "question_id,answer,comment\na1,1,'=x\nb2,2,=x\n")
    assert [row.comment for row in rows] == ["=x", "=x"]


@pytest.mark.parametrize(
    ("status", "answer", "meaning"),
    [
        ("", "0.5", "answered"),
        ("answered", "0.5", "answered"),
        ("open", "0.5", "answered"),
        ("unsure", "", "unsure"),
        ("UnSure ", " ", "unsure"),
        ("", "", "open"),
        ("open", "", "open"),
        ("answered", "", "open"),
    ],
)
def test_status_and_answer_together_say_what_a_row_is(tmp_path, status, answer, meaning):
    (row,) = rows_in(tmp_path, f"question_id,answer,status\na1,{answer},{status}\n")
    assert row.status == meaning
    assert row.answer == (0.5 if meaning == "answered" else None)


def test_the_expert_of_a_row_goes_before_the_default_expert(tmp_path):
    rows = rows_in(tmp_path, "question_id,answer,expert\na1,1,bo\nb2,2,\nc3,3,  \n", default_expert="ana")
    assert [row.expert for row in rows] == ["bo", "ana", "ana"]


def test_an_open_row_needs_no_expert(tmp_path):
    assert [row.expert for row in rows_in(tmp_path, "question_id,answer\na1,\n", default_expert=None)] == [""]


# bad rows


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("a1,1,,,,,done", "status 'done' is unknown"),
        ("a1,,,,,,maybe", "status 'maybe' is unknown"),
        ("a1,abc,,,,,", "answer 'abc' is not a number"),
        ('a1,"0,5",,,,,', "answer '0,5' has a decimal comma"),
        ("a1,-1,,,,,", "answer '-1' is negative"),
        ("a1,inf,,,,,", "answer 'inf' is not finite"),
        ("a1,1,,,,,Unsure", "an answer with the status unsure"),
        ("a1,1,,1.3.2025,,,", "answered_at '1.3.2025' is not an ISO 8601 date"),
        ("a1,1,,,-2,,", "seconds '-2' is negative"),
        ("a1,1,,,soon,,", "seconds 'soon' is not a number"),
        (",1,,,,,", "question_id is empty"),
        ("a1,0,5,,,,,", "has 8 cells for 7 columns"),
        ("a1,0,5,,,,,open", "has 8 cells for 7 columns"),
    ],
)
def test_a_bad_row_is_left_out_and_named_with_its_line(tmp_path, row, why):
    header = "question_id,answer,expert,answered_at,seconds,comment,status"
    text = f"{header}\nz0,1,,,,,\n{row}\nz9,2,,,,,\n"
    rows, problems = problems_in(tmp_path, text)
    assert [read.question_id for read in rows] == ["z0", "z9"]
    assert [problem.line for problem in problems.problems] == [3]
    assert why in problems.problems[0].why
    assert f"line 3: {problems.problems[0].why}" in str(problems)


@pytest.mark.parametrize("row", ["a1,0.5,", "a1,,unsure"])
def test_an_answer_needs_an_expert(tmp_path, row):
    _, problems = problems_in(tmp_path, f"question_id,answer,status\n{row}\n", default_expert=None)
    assert "the expert is missing" in str(problems)


def test_everything_wrong_with_a_row_is_said_at_once(tmp_path):
    _, problems = problems_in(tmp_path, "question_id,answer,seconds,status\na1,x,-1,odd\n")
    assert problems.problems == (
        SheetProblem(
            2,
            "question 'a1': answer 'x' is not a number; write one such as 0.5; status 'odd' is unknown; "
            "write answered, unsure, open, or nothing; seconds '-1' is negative; write 0 or a larger number",
        ),
    )


def test_the_message_names_the_first_thousand_and_counts_the_rest(tmp_path):
    _, problems = problems_in(tmp_path, "question_id,answer\n" + "a1,x\n" * 1234)
    message = str(problems)
    assert "line 1001: " in message
    assert "line 1002: " not in message
    assert message.endswith("\nand 234 more")
    assert [problem.line for problem in problems.problems] == list(range(2, 1236))


def test_the_caller_can_reject_rows_and_all_are_named_in_the_order_of_lines(tmp_path):
    reader = read_sheet(sheet_of(tmp_path, "question_id,answer\na1,1\nb2,x\nc3,3\n"), default_expert="ana")
    for row in reader:
        if row.question_id == "c3":
            reader.reject(row.line, "question 'c3' is not in this study")
    reader.reject(2, "too late")
    with pytest.raises(InvalidInput) as caught:
        reader.raise_problems()
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4]
    assert "line 4: question 'c3' is not in this study" in str(caught.value)


def test_reading_again_does_not_count_problems_twice(tmp_path):
    reader = read_sheet(sheet_of(tmp_path, "question_id,answer\na1,x\n"))
    assert list(reader) == list(reader) == []
    assert len(reader.problems) == 1


def test_a_message_quotes_a_long_cell_in_brief(tmp_path):
    _, problems = problems_in(tmp_path, f"question_id,answer\na1,{'x' * 10_000}\n")
    assert len(str(problems)) < 500


def test_problems_can_be_sent_to_another_process(tmp_path):
    _, problems = problems_in(tmp_path, "question_id,answer\na1,x\n")
    copy = pickle.loads(pickle.dumps(problems))
    assert (str(copy), copy.problems) == (str(problems), problems.problems)


# bad files


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", r"missing: question_id, answer; found \[\]"),
        ("question_id;expert\na1;bo\n", r"missing: answer; found \['question_id', 'expert'\]"),
        ("question_id|answer\na1|1\n", r"found \['question_id\|answer'\]"),
        ('"question_id,answer\n', r"found \[\]"),
    ],
)
def test_a_file_without_the_columns_says_what_was_expected_what_came_and_what_to_do(tmp_path, text, found):
    with pytest.raises(InvalidInput, match=f"names the columns question_id and answer.*{found}.*save the sheet as"):
        read_sheet(sheet_of(tmp_path, text))


def test_a_column_that_is_there_twice_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"\['answer'\] several times"):
        read_sheet(sheet_of(tmp_path, "question_id,answer,Answer\na1,1,2\n"))


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_a_file_that_is_not_utf8_is_refused_with_the_way_out(tmp_path, encoding):
    path = sheet_of(tmp_path, "question_id;answer;größe\na1;1;\n", encoding)
    with pytest.raises(InvalidInput, match="must be text in UTF-8, but line 1 is not; .*'CSV UTF-8'"):
        read_sheet(path)


def test_the_line_that_is_not_utf8_is_named_however_late_it_comes(tmp_path):
    path = sheet_of(tmp_path, "question_id,answer,comment\n" + "a1,1,\n" * 5000 + "a1,1,größe\n", "latin-1")
    with pytest.raises(InvalidInput, match="line 5002 is not"):
        list(read_sheet(path, default_expert="ana"))


def test_a_quote_that_is_never_closed_is_an_error_and_swallows_no_rows(tmp_path):
    path = sheet_of(tmp_path, 'question_id,answer,comment\na1,1,\nb2,2,"oh\nc3,3,\n')
    with pytest.raises(InvalidInput, match="begins in line 3 cannot be read"):
        list(read_sheet(path, default_expert="ana"))


# cost


def test_a_long_file_is_written_and_read_in_bounded_memory(tmp_path):
    def peak_of(n_rows):
        path = tmp_path / f"{n_rows}.csv"
        tracemalloc.start()
        write_sheet(path, (replace(ANSWERED, question_id=f"{number:032x}") for number in range(n_rows)))
        assert sum(1 for _ in read_sheet(path)) == n_rows
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak_of(10)
    assert peak_of(10_000) < peak_of(1_000) + 100_000


def test_the_file_format_needs_neither_scikit_learn_nor_numba_nor_pandas():
    code = (
        "import sys, commensurate.study.sheets.sheet_format; "
        "print(sorted({'sklearn', 'numba', 'pandas', 'sqlite3'}.intersection(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
