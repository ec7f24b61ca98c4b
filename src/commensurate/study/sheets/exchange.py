"""A study's questions and answers to and from spreadsheets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TextIO

from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter
from commensurate.progress import progress
from commensurate.study.gate import checked_comment, checked_expert
from commensurate.study.kinds.content import GivenContent, allowed, content_of, written
from commensurate.study.kinds.words import COMPARED, QuestionKind
from commensurate.study.messages import AskedQuestion, Record, RulerPair
from commensurate.study.sheets.sheet_format import (
    USUAL_ON_A_WORKSHEET,
    WORKSHEET_DAYS,
    SheetOut,
    SheetReader,
    SheetRow,
    read_sheet,
    write_sheet,
)
from commensurate.study.store import reading
from commensurate.study.store.answering import GivenAnswer, StoredAnswer
from commensurate.study.store.reading import StoredQuestion
from commensurate.study.study import Study
from commensurate.wording import counted

MOST_DAYS = 366.0
# columns to look at: what can be answered, and how far apart a pair is whose distance is known
ALLOWED, KNOWN_DISTANCE = "allowed answers", "known distance"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: answers that are new, that correct earlier ones,
    that were known, and rows without an answer.
    """

    new: int
    corrections: int
    known: int
    open: int

    def __str__(self) -> str:
        return (
            f"{counted(self.new, 'new answer')} and {counted(self.corrections, 'correction')} recorded; "
            f"{self.known:,} {'was' if self.known == 1 else 'were'} already known, {counted(self.open, 'row')} "
            f"{'has' if self.open == 1 else 'have'} no answer yet"
        )


def export_study(study: Study, path: str | os.PathLike[str] | TextIO, *, history: bool = False) -> int:
    """Write every question and the last answer of each expert to it, or all answers,
    to a CSV file; return how many rows.

    Sides are those of the data, rows in the order of asking; questions about forgotten records show no record.
    """
    with study._database.reading() as connection:
        questions = sorted(reading.read_questions(connection), key=lambda question: question.place)
        contents = {
            (group.name, name): content
            for group in reading.read_groups(connection)
            for name, content in group.records.items()
        }
    answers: dict[str, list[StoredAnswer]] = {}
    for answer in study.stored_answers(history=history):
        answers.setdefault(answer.question_id, []).append(answer)

    def rows() -> Iterator[SheetOut]:
        for question in questions:
            left, right = (
                study._view.record(group, contents.get((group, name), {}))
                for group, name in (
                    (question.left_group, question.left_id),
                    (question.right_group, question.right_id),
                )
            )
            extra = {**asks.cells(question.kind, None), **_display(left, right)}
            if study.settings.known_pairs:
                extra = {KNOWN_DISTANCE: question.known_distance, **extra}
            given = answers.get(question.question_id, [])
            yield from (_data_row(question, answer, extra) for answer in given or (None,))

    known = [KNOWN_DISTANCE] if study.settings.known_pairs else []
    asks = _AsksFor(study, with_other=False)
    return write_sheet(path, rows(), [*known, *asks.columns, *_display_columns(study)])


def export_worksheet(
    study: Study,
    path: str | os.PathLike[str] | TextIO,
    *,
    expert: str,
    n: int = USUAL_ON_A_WORKSHEET,
    days: float = WORKSHEET_DAYS,
) -> int:
    """Write questions for one expert to answer at home, and keep them from others for some days; return how many.

    Sides are swapped at random; importing the sheet matches answers by question_id.
    """
    # not negated: NaN is no number of days either
    if not 0.0 < days <= MOST_DAYS:
        raise InvalidParameter(f"days must be a number above 0 and at most {MOST_DAYS:g}, got {days!r}")
    asked = study.next_questions(expert, n, minutes=days * 24.0 * 60.0)
    asks = _AsksFor(study, with_other=True)
    rows = (_work_row(question, checked_expert(expert), asks) for question in asked)
    try:
        return write_sheet(path, rows, [*asks.columns, *_display_columns(study)])
    except BaseException:
        # nobody has the sheet: the questions are free again
        for question in asked:
            study.release(question.question_id, expert=expert)
        raise


def import_sheet(study: Study, path: str | os.PathLike[str], *, expert: str | None = None) -> Imported:
    """Record the answers of a CSV file, all or none: one bad row changes nothing, and all bad rows are named.

    Rows are matched by question_id. An answer that the study knows is not recorded twice, and one that was corrected
    since does not come back: not at its own time, nor from a row that tells no time. Any other answer of the same
    expert corrects the present one.

    Parameters
    ----------
    expert
        Who gave the answers of rows without a name.
    """
    reader = read_sheet(
        path,
        default_expert=None if expert is None else checked_expert(expert),
        words=() if study.settings.answer_kind == "numbers" else (*study.settings.grades, *COMPARED),
    )
    with study._recording() as record, progress("importing", total=_lines(path)) as advance:
        # the write lock is held: nobody else adds to this meanwhile
        books = _Books(study)
        for row in reader:
            advance(1)
            if (given := books.taken_in(row, reader)) is not None:
                record([given])
        reader.raise_problems()
    return books.imported


class _Books:
    """What the study knows already, and what an import adds."""

    def __init__(self, study: Study) -> None:
        self.imported = Imported(0, 0, 0, 0)
        with study._database.reading() as connection:
            self._questions = {question.question_id: question for question in reading.read_questions(connection)}
        self._grades = study.settings.grades
        self._present: dict[tuple[str, str], tuple[GivenContent, str | None, str | None]] = {}
        self._given: set[tuple[str, str, GivenContent, str | None]] = set()
        for answer in study.stored_answers(history=True):
            self._present[answer.question_id, answer.expert] = (answer.answer, answer.comment, answer.answered_at)
            # at its time, and at any time: a sheet that tells none must not bring an earlier answer back
            for at in (answer.answered_at, None):
                self._given.add((answer.question_id, answer.expert, answer.answer, at))
        self._lines: dict[tuple[str, str], int] = {}

    def taken_in(self, row: SheetRow, reader: SheetReader) -> GivenAnswer | None:
        """Return what a row adds; None if nothing, or if it cannot be used."""
        if row.status == "open":
            self._count(open=1)
            return None
        try:
            place, comment = (row.question_id, checked_expert(row.expert)), checked_comment(row.comment)
            answered_at = None if row.answered_at is None else _in_utc(row.answered_at)
            row = self._as_recorded(row)
        except (InvalidInput, InvalidParameter) as error:
            reader.reject(row.line, str(error))
            return None
        if self._is_known(place, row, answered_at):
            self._count(known=1)
            return None
        question = self._questions.get(row.question_id)
        if question is None or question.forgotten:
            reader.reject(
                row.line,
                f"this study has no question {row.question_id!r}; do not change question_id, and remove rows about erased "
                "records",
            )
            return None
        if place in self._lines:
            reader.reject(
                row.line, f"{place[1]} has another answer to the same question in line {self._lines[place]}; keep one"
            )
            return None
        self._lines[place] = row.line
        self._count(**{"corrections" if place in self._present else "new": 1})
        self._present[place] = (row.answer, row.comment, answered_at)
        return GivenAnswer(*place, row.answer, comment, row.seconds, answered_at=answered_at, origin="import")

    def _as_recorded(self, row: SheetRow) -> SheetRow:
        """Return a row with its answer as the study would keep it, or raise if the question asks for another kind."""
        question = self._questions.get(row.question_id)
        if question is None:
            return row
        try:
            content = content_of(row.answer, question.kind, self._grades)
        except InvalidAnswer as error:
            raise InvalidAnswer(f"question {row.question_id!r}: {error}") from None
        return replace(row, answer=written(content))

    def _is_known(self, place: tuple[str, str], row: SheetRow, answered_at: str | None) -> bool:
        if place not in self._present:
            return False
        answer, comment, at = self._present[place]
        given_then = (*place, row.answer, answered_at) in self._given
        # an empty cell takes no comment back
        if row.answer == answer and row.comment in (None, comment):
            if answered_at is None or not given_then:
                # the sheet says it, so that it must not say something else too
                self._lines.setdefault(place, row.line)
            return True
        # another comment corrects the present answer, but brings no earlier one back
        said_otherwise = answered_at is None and place in self._lines
        return given_then and not said_otherwise and (row.answer, answered_at or at) != (answer, at)

    def _count(self, *, new: int = 0, corrections: int = 0, known: int = 0, open: int = 0) -> None:
        so_far = self.imported
        self.imported = Imported(
            so_far.new + new, so_far.corrections + corrections, so_far.known + known, so_far.open + open
        )


def _data_row(question: StoredQuestion, answer: StoredAnswer | None, extra: Record) -> SheetOut:
    sides = (question.question_id, question.left_group, question.left_id, question.right_group, question.right_id)
    if answer is None:
        return SheetOut(*sides, extra=extra)
    return SheetOut(
        *sides,
        answer=answer.answer,
        expert=answer.expert,
        answered_at=answer.answered_at,
        seconds=answer.seconds,
        comment=answer.comment,
        status=answer.status,
        extra=extra,
    )


class _AsksFor:
    """Columns that say what can be answered, and with which pair to compare; none where answers are numbers."""

    def __init__(self, study: Study, *, with_other: bool) -> None:
        self._settings = study.settings
        shown = dict.fromkeys(name for columns in study.shown.values() for name in columns)
        compares = with_other and study.settings.answer_kind == "comparisons"
        sides = [f"second pair, {side}: " for side in ("left", "right")] if compares else []
        self._other = [side + name for side in sides for name in shown]
        self.columns = [] if study.settings.answer_kind == "numbers" else [ALLOWED, *self._other]

    def cells(self, kind: QuestionKind, other: RulerPair | None) -> dict[str, str | float | None]:
        """Return the cells of these columns."""
        if not self.columns:
            return {}
        cells: dict[str, str | float | None] = {ALLOWED: allowed(kind, self._settings.grades)}
        if other is not None and self._other:
            records = (("left", other.left_record), ("right", other.right_record))
            cells |= {
                f"second pair, {side}: {name}": value for side, record in records for name, value in record.items()
            }
        return cells


def _work_row(question: AskedQuestion, expert: str, asks: _AsksFor) -> SheetOut:
    return SheetOut(
        question.question_id,
        question.between[0],
        question.left_id,
        question.between[1],
        question.right_id,
        expert=expert,
        extra={
            **asks.cells(question.kind, question.other),
            **_display(question.left_record, question.right_record),
        },
    )


def _display(left: Record, right: Record) -> dict[str, str | float | None]:
    return {
        f"{side}: {name}": value
        for side, record in (("left", left), ("right", right))
        for name, value in record.items()
    }


def _display_columns(study: Study) -> list[str]:
    names = list(dict.fromkeys(name for shown in study.shown.values() for name in shown))
    return [f"{side}: {name}" for side in ("left", "right") for name in names]


def _in_utc(moment: str) -> str:
    """Return a time as the study keeps it; one without an offset is meant in UTC."""
    read = datetime.fromisoformat(moment)
    try:
        in_utc = (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        raise InvalidParameter(f"answered_at {moment!r} is not a possible date; correct it, or remove it") from None
    return in_utc.isoformat(timespec="microseconds")


def _lines(path: str | os.PathLike[str]) -> int:
    with open(path, "rb") as file:
        return sum(1 for _ in file)
