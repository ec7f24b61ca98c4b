"""Questions and answers as a CSV file, for people who work in a spreadsheet: what it looks like, written and read.

One row is one question, or one expert's answer to it. Reading needs the columns question_id and answer only, in any
order, and ignores all others but expert, answered_at, seconds, comment and status. A row with a number is answered,
also if its status still says open; one with the status unsure and no number is unsure; any other row is open. This is
the file format alone: it knows no study, and whether a question exists is for the caller to say, with
:meth:`SheetReader.reject`.
"""

from __future__ import annotations

import csv
import io
import os
import reprlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TextIO, TypeAlias, TypeVar

from commensurate.errors import BadRows, InvalidInput, InvalidParameter
from commensurate.files import replacing
from commensurate.study.sheets.cells import (
    LONGEST_CELL,
    answer_cell,
    answer_in,
    moment_in,
    neutralised,
    number_cell,
    number_in,
    restored,
    shown,
)

PathInput: TypeAlias = str | os.PathLike[str]
T = TypeVar("T")
Status: TypeAlias = Literal["answered", "unsure", "open"]

COLUMNS = (
    "question_id", "left_group", "left_id", "right_group", "right_id",
    "answer", "expert", "answered_at", "seconds", "comment", "status",
)  # fmt: skip
# a worksheet is taken home: its questions are kept for its expert this long
WORKSHEET_DAYS = 7.0
# others shall have something to answer meanwhile
USUAL_ON_A_WORKSHEET = 50
READ = ("question_id", "answer", "expert", "answered_at", "seconds", "comment", "status")
REQUIRED = ("question_id", "answer")
# a spreadsheet where numbers have a decimal comma separates cells by semicolons
DELIMITERS = (",", ";", "\t")
PROBLEMS_IN_MESSAGE = 1_000
# without it, Excel takes the file for one in an old 8-bit encoding
BYTE_ORDER_MARK = "\ufeff"
# a message quotes what came, but not a whole page of it
_BRIEF = reprlib.Repr()
_BRIEF.maxstring, _BRIEF.maxlist = 80, 20
HOW_TO_SAVE = "in a spreadsheet, save the sheet as 'CSV UTF-8'"


@dataclass(frozen=True, slots=True)
class SheetOut:
    """A row to be written; ``extra`` holds cells by column that are only there to be looked at."""

    question_id: str
    left_group: str
    left_id: str
    right_group: str
    right_id: str
    answer: float | str | None = None
    expert: str = ""
    answered_at: str | None = None
    seconds: float | None = None
    comment: str | None = None
    status: Status = "open"
    extra: Mapping[str, str | float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row that was read; ``line`` is where it begins in the file.
    ``answered_at`` is ISO 8601 in the cell's own words.
    """

    line: int
    question_id: str
    answer: float | str | None
    expert: str
    answered_at: str | None
    seconds: float | None
    comment: str | None
    status: Status


@dataclass(frozen=True, slots=True)
class SheetProblem:
    """What is wrong with the row that begins in a line of the file."""

    line: int
    why: str


class SheetProblems(BadRows):
    """A sheet with bad rows: ``problems`` has all of them, the message the first."""

    def __init__(self, name: str, problems: tuple[SheetProblem, ...]) -> None:
        super().__init__(name, problems)
        self.name = name
        self.problems = problems

    def __str__(self) -> str:
        """Return one line for each of the first problems, and how many more there are."""
        listed = [f"line {problem.line}: {problem.why}" for problem in self.problems[:PROBLEMS_IN_MESSAGE]]
        more = len(self.problems) - len(listed)
        head = f"{self.name} has rows that cannot be used; correct them and read it again"
        return "\n".join([head, *listed, *([f"and {more:,} more"] if more else [])])


def write_sheet(
    target: TextIO | PathInput, rows: Iterable[SheetOut], extra_columns: Sequence[str] | None = None
) -> int:
    r"""Write the rows one by one; return how many there were.

    Parameters
    ----------
    target
        A path, whose file is replaced whole or not at all; or an open text file (UTF-8, ``newline=""``). Either gets a
        byte order mark first, so that Excel shows every script.
    rows
        What to write. A comment that is empty reads back as None.
    extra_columns
        Columns after the others, filled from each row's ``extra``. By default those of the first row.

    >>> file = io.StringIO()
    >>> write_sheet(file, [SheetOut("a1", "single", "7", "married", "-9", extra={"left: age": 31})])
    1
    >>> file.getvalue().splitlines()[1]
    "a1,single,7,married,'-9,,,,,,open,31"
    """
    if not isinstance(target, str | os.PathLike):
        return _write(target, rows, extra_columns)
    with replacing(target) as binary:
        text = io.TextIOWrapper(binary, encoding="utf-8", newline="")
        try:
            return _write(text, rows, extra_columns)
        finally:
            text.detach()


def _write(file: TextIO, rows: Iterable[SheetOut], extra_columns: Sequence[str] | None) -> int:
    file.write(BYTE_ORDER_MARK)
    writer = csv.writer(file, lineterminator="\r\n")
    count = 0
    for row in rows:
        if count == 0:
            extra_columns = tuple(row.extra) if extra_columns is None else extra_columns
            writer.writerow(_header(extra_columns))
        try:
            writer.writerow(_cells(row, extra_columns or ()))
        except InvalidInput as error:
            raise InvalidInput(f"question {row.question_id!r}: {error}") from None
        except UnicodeEncodeError as error:
            raise InvalidInput(
                f"question {row.question_id!r}: the row must be text that UTF-8 can hold, but {error.reason}; remove it"
            ) from None
        count += 1
    if count == 0:
        writer.writerow(_header(extra_columns or ()))
    return count


def _header(extra_columns: Sequence[str]) -> list[str]:
    taken = [name for name in extra_columns if _column_name(name) in COLUMNS]
    if taken:
        raise InvalidParameter(f"extra columns must not be called like the sheet's own, got {taken}; rename them")
    return [*COLUMNS, *map(neutralised, extra_columns)]


def _cells(row: SheetOut, extra_columns: Sequence[str]) -> list[str]:
    unknown = set(row.extra).difference(extra_columns)
    if unknown:
        raise InvalidInput(f"no column for the extra cells {sorted(unknown)}; name it in extra_columns")
    cells = [
        *map(neutralised, (row.question_id, row.left_group, row.left_id, row.right_group, row.right_id)),
        answer_cell(row.answer),
        neutralised(row.expert),
        neutralised(row.answered_at or ""),
        number_cell(row.seconds),
        neutralised(row.comment or ""),
        row.status,
        *(shown(row.extra.get(name)) for name in extra_columns),
    ]
    longest = max(map(len, cells))
    if longest > LONGEST_CELL:
        raise InvalidInput(f"a cell can have {LONGEST_CELL:,} characters, one has {longest:,}; shorten it")
    return cells


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the cells of a sheet are: its delimiter, how many columns, and the place of each that is read."""

    delimiter: str
    width: int
    places: Mapping[str, int]


class _NoCsv(InvalidInput):
    """A row that the csv module cannot take apart."""


class SheetReader:
    """The rows of a sheet, read one by one; those that cannot be used are left out and collected in ``problems``.

    Looping again reads the file again, and collects again.
    """

    def __init__(self, path: PathInput, *, default_expert: str | None = None, words: Sequence[str] = ()) -> None:
        self.path, self.words = path, words
        self.default_expert = default_expert or ""
        self.problems: list[SheetProblem] = []
        self._layout = _layout_of(path)

    def __iter__(self) -> Iterator[SheetRow]:
        self.problems.clear()
        records = _records(self.path, self._layout.delimiter)
        next(records)  # the header
        for line, cells in records:
            row, whys = self._checked(line, cells)
            if whys:
                # in a spreadsheet lines have other numbers where a cell has several, the question is found by its id
                self.reject(line, f"question {_BRIEF.repr(row.question_id)}: {'; '.join(whys)}")
            else:
                yield row

    def reject(self, line: int, why: str) -> None:
        """Add a problem of the row that begins in ``line``."""
        self.problems.append(SheetProblem(line, why))

    def raise_problems(self) -> None:
        """Raise one error for all problems found so far, in the order of lines; do nothing if there are none."""
        if self.problems:
            raise SheetProblems(os.fspath(self.path), tuple(sorted(self.problems, key=lambda problem: problem.line)))

    def _checked(self, line: int, cells: list[str]) -> tuple[SheetRow, list[str]]:
        """Return the row and everything that is wrong with it."""
        layout = self._layout
        # a row may stop early: spreadsheets leave out empty cells at its end
        at = {name: cells[place] if place < len(cells) else "" for name, place in layout.places.items()}
        whys: list[str] = []
        # but never has more: 0,5 without quotes would be the answer 0, and everything after it in the wrong column
        if len(cells) > layout.width:
            whys.append(f"has {len(cells)} cells for {layout.width} columns; put quotes around a cell with a delimiter")
        question_id = restored(at["question_id"]).strip()
        if not question_id:
            whys.append("question_id is empty; copy it from the exported sheet")
        number = partial(number_in, decimal_comma=layout.delimiter != ",")
        answer = _value(at, "answer", partial(answer_in, decimal_comma=layout.delimiter != ",", words=self.words), whys)
        status = _status(at, answer, whys)
        expert = restored(at.get("expert", ""))
        if not expert.strip():
            expert = self.default_expert
        if status != "open" and not expert.strip():
            whys.append("the expert is missing; fill in the column expert, or name a default expert")
        row = SheetRow(
            line=line,
            question_id=question_id,
            answer=answer,
            expert=expert,
            answered_at=_value(at, "answered_at", moment_in, whys),
            seconds=_value(at, "seconds", number, whys),
            comment=restored(at.get("comment", "")) or None,
            status=status,
        )
        return row, whys


def read_sheet(path: PathInput, *, default_expert: str | None = None, words: Sequence[str] = ()) -> SheetReader:
    """Open a sheet that was filled in.

    Parameters
    ----------
    path
        A CSV file in UTF-8, with or without byte order mark, separated by commas, semicolons or tabs. Only where commas
        do not separate cells may a number have a decimal comma.
    default_expert
        Who answered the rows without a name.
    words
        What may be an answer beside numbers and ranges.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "sheet.csv")
    ...     _ = path.write_text("question_id;answer\\na1;0,5\\na2;\\n")
    ...     sheet = read_sheet(path, default_expert="ana")
    ...     [(row.question_id, row.answer, row.status) for row in sheet]
    [('a1', 0.5, 'answered'), ('a2', None, 'open')]
    >>> sheet.raise_problems()
    """
    return SheetReader(path, default_expert=default_expert, words=words)


def _value(at: Mapping[str, str], column: str, reading: Callable[[str], T], whys: list[str]) -> T | None:
    """Return what the cell holds; None, and why, if that cannot be used."""
    cell = at.get(column, "")
    try:
        return reading(cell)
    except InvalidInput as error:
        whys.append(f"{column} {_BRIEF.repr(cell)} {error}")
        return None


def _status(at: Mapping[str, str], answer: float | str | None, whys: list[str]) -> Status:
    status = restored(at.get("status", "")).strip().lower()
    if status not in ("answered", "unsure", "open", ""):
        whys.append(f"status {_BRIEF.repr(status)} is unknown; write answered, unsure, open, or nothing")
    if status == "unsure":
        if at["answer"].strip():
            whys.append("has an answer with the status unsure; remove one of the two")
        return "unsure"
    return "open" if answer is None else "answered"


def _records(path: PathInput, delimiter: str) -> Generator[tuple[int, list[str]], None, None]:
    """Yield each row that is not blank, and the line it begins in; lines within quotes count."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        # strict: otherwise a quote that is never closed would swallow the rows after it without a word
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except UnicodeDecodeError:
                raise _not_utf8(path) from None
            except csv.Error as error:
                raise _NoCsv(
                    f"{os.fspath(path)} must be a CSV file, but the row that begins in line {line} cannot be read ({error}); "
                    f"look for a quote that is never closed there, or {HOW_TO_SAVE}"
                ) from None
            if any(cell.strip() for cell in cells):
                yield line, cells


def _not_utf8(path: PathInput) -> InvalidInput:
    """Say in which line the file stops being UTF-8; decoding goes by blocks, so that its error does not tell."""
    line = 0
    with open(path, "rb") as file, suppress(UnicodeDecodeError):
        for raw in file:
            line += 1
            raw.decode("utf-8")
    return InvalidInput(f"{os.fspath(path)} must be text in UTF-8, but line {line} is not; {HOW_TO_SAVE}")


def _layout_of(path: PathInput) -> _Layout:
    """Find the delimiter that gives a header with the columns that reading needs."""
    headers = {delimiter: _header_in(path, delimiter) for delimiter in DELIMITERS}
    for delimiter, header in headers.items():
        if set(REQUIRED).issubset(header):
            return _Layout(delimiter, len(header), _places(path, header))
    likeliest = max(headers.values(), key=len)
    missing = [name for name in REQUIRED if name not in likeliest]
    raise InvalidInput(
        f"{os.fspath(path)} must be a CSV file whose first row names the columns {' and '.join(REQUIRED)}, separated by commas, "
        f"semicolons or tabs; missing: {', '.join(missing)}; found {_BRIEF.repr(likeliest)}; "
        f"fill in a sheet that was exported, and {HOW_TO_SAVE}"
    )


def _header_in(path: PathInput, delimiter: str) -> list[str]:
    try:
        with closing(_records(path, delimiter)) as records:
            _, cells = next(records, (1, []))
    except _NoCsv:
        # quotes that make no sense with one delimiter may make sense with the next
        return []
    return [_column_name(cell) for cell in cells]


def _places(path: PathInput, header: list[str]) -> dict[str, int]:
    twice = [name for name in COLUMNS if header.count(name) > 1]
    if twice:
        raise InvalidInput(
            f"{os.fspath(path)} must name each column once, got {twice} several times; remove all but one"
        )
    return {name: header.index(name) for name in READ if name in header}


def _column_name(cell: str) -> str:
    return cell.strip().lower()
