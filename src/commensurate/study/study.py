"""A study: handing out questions, recording answers, reading them again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import pandas as pd

from commensurate.errors import InvalidInput, StudyError, UnknownQuestion
from commensurate.study.gate import (
    checked_comment,
    checked_expert,
    checked_key,
    checked_minutes,
    checked_number_of_questions,
    checked_question_id,
    checked_seconds,
    checked_value,
)
from commensurate.study.labels import labelled
from commensurate.study.messages import (
    AskedQuestion,
    ExpertCounts,
    InsteadOf,
    Origin,
    Record,
    RecordedAnswer,
    RulerPair,
)
from commensurate.study.settings import StudySettings
from commensurate.study.sheets.sheet_format import COLUMNS as SHEET_COLUMNS
from commensurate.study.store import answering, asking, forgetting, reading, showing
from commensurate.study.store.answering import GivenAnswer, StoredAnswer
from commensurate.study.store.database import Database
from commensurate.study.store.files import check_study_file
from commensurate.study.store.forgetting import Forgotten
from commensurate.study.store.location import Location
from commensurate.study.store.showing import OpenQuestion, StoredSide

Clock = Callable[[], datetime]
# one table, or one per group; a path is that of a CSV file
Data = pd.DataFrame | str | os.PathLike[str] | Mapping[str, pd.DataFrame] | Mapping[str, str | os.PathLike[str]]


def utc_now() -> datetime:
    """Return the time by this machine's clock."""
    return datetime.now(UTC)


class Study:
    """One study in its database; `Study.create` makes one, `Study.open` opens it.

    Every call is a transaction of its own: what it returned is on the disk. Several processes may use a study at once.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> with TemporaryDirectory() as folder, Study.create(f"{folder}/people.db", people, group="married", questions=10) as study:
    ...     (question,) = study.next_questions(expert="ana")
    ...     answer = study.record(question.question_id, 0.3, expert="ana")
    ...     len(study.answers())
    1
    """

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database, self._clock = database, clock
        with database.reading() as connection:
            self.settings: StudySettings
            self.settings, self.created_at = reading.read_settings(connection)
            # the columns that experts see, by group
            self.shown = {
                name: tuple(description["show"]) for name, description in reading.read_descriptions(connection).items()
            }

    @classmethod
    def create(
        cls,
        place: str | os.PathLike[str],
        data: Data,
        *,
        group: str | None = None,
        ids: str | None = None,
        features: Sequence[str] | None = None,
        show: Sequence[str] | None = None,
        force: bool = False,
        clock: Clock = utc_now,
        **design: Any,
    ) -> Study:
        """Make a study of one table with a group column, or of one table per group, and open it.

        Parameters
        ----------
        place
            A new file, or the URL of a PostgreSQL database that has no study yet.
        data
            A DataFrame or the path of a CSV file with the column ``group``; or DataFrames or paths by group name, whose
            columns may differ. Of large tables a random sample is kept.
        ids
            Column with a unique id per record; the index by default.
        features, show
            Columns that the metric sees (all by default), and columns that experts see (the features by default).
        force
            Replace a study that is there.
        **design
            How many questions, which metric, and so on: the fields of `StudyDesign`.
        """
        from commensurate.study.create import check_place, check_questions, create_study, drawn_seed, read_tables
        from commensurate.study.settings import StudyDesign

        location, chosen = Location.of(place), StudyDesign(**design)
        check_place(location, force=force)
        check_questions(chosen.questions)
        seed = drawn_seed(chosen)
        tables = read_tables(data, chosen, seed, group=group, ids=ids, features=features, show=show)
        create_study(location, tables, chosen, seed=seed, now=_text(clock()), force=force)
        return cls.open(place, clock=clock)

    @classmethod
    def open(cls, place: str | os.PathLike[str], *, clock: Clock = utc_now) -> Study:
        """Open a study: a file, or the URL of a PostgreSQL database."""
        location = Location.of(place)
        if location.file is not None:
            check_study_file(location.file)
        database = Database.open(location, _text(clock()))
        try:
            return cls(database, clock)
        except BaseException:
            database.close()
            raise

    # --- asking and answering ---

    def next_questions(self, expert: str, n: int = 1, *, minutes: float | None = None) -> list[AskedQuestion]:
        """Return up to n questions for an expert, and keep them from others for a while.

        What is put to her again comes first, then what she was shown and has not answered, then new ones in random order,
        what she skipped last.
        An empty list means that there is nothing to ask her now.
        """
        name = checked_expert(expert)
        n = checked_number_of_questions(n)
        now = self._clock()
        until = _text(
            now + timedelta(minutes=checked_minutes(self.settings.lease_minutes if minutes is None else minutes))
        )
        with self._database.writing() as connection:
            number = asking.expert_number(connection, name, _text(now))
            found = asking.hand_out(connection, number, n, _text(now), until)
        return [self._as_shown(question, name) for question in found]

    def record(
        self,
        question_id: str,
        value: float | None,
        *,
        expert: str,
        key: str | None = None,
        unsure: bool = False,
        comment: str | None = None,
        seconds: float | None = None,
        origin: Origin = "library",
        instead_of: InsteadOf = "any",
    ) -> RecordedAnswer:
        """Record an answer; when this returns, it is on the disk.

        Answering again corrects the answer before, which is kept too. Whoever retries after a lost connection passes the
        same ``key`` again: that is one answer.

        Parameters
        ----------
        value
            How dissimilar the two records are: a finite number ≥ 0, small for similar; None with ``unsure=True``.
        instead_of
            The number of her answer to this question that this one replaces, None for her first. If another one stands,
            given in another window perhaps, that is told (`AnsweredMeanwhile`) and nothing is recorded.
        """
        given = self._given(question_id, value, expert, key, unsure, comment, seconds, origin, instead_of)
        with self._database.writing() as connection:
            return answering.record_answer(connection, given, self.settings.answers_per_question, self.now())

    def skip(self, question_id: str, *, expert: str) -> None:
        """Give a question back; it comes again after all others."""
        self._give_back(question_id, expert, skipped=True)

    def release(self, question_id: str, *, expert: str) -> None:
        """Give a question back as if it had not been shown."""
        self._give_back(question_id, expert, skipped=False)

    def question(self, question_id: str, *, expert: str) -> AskedQuestion:
        """Return a question as this expert sees it; it is kept for nobody."""
        name, question_id = checked_expert(expert), checked_question_id(question_id)
        with self._database.reading() as connection:
            found = showing.find_question(connection, question_id, asking.known_expert(connection, name) or 0)
        if found is None:
            raise UnknownQuestion(f"this study has no question {question_id!r}, or its record was forgotten")
        return self._as_shown(found, name)

    def counts(self, expert: str) -> ExpertCounts:
        """Return how far an expert is."""
        now, name = self.now(), checked_expert(expert)
        with self._database.reading() as connection:
            number = asking.known_expert(connection, name) or 0
            answered, unsure = answering.count_answered(connection, number)
            waiting = asking.count_waiting(connection, number, now)
        return ExpertCounts(answered, unsure, *waiting)

    def ruler(self) -> list[RulerPair]:
        """Return a few pairs of records of one group with their distance, the nearest first: they show the scale."""
        with self._database.reading() as connection:
            found = showing.ruler_pairs(connection)
        return [
            RulerPair(left.group, left.record_id, right.record_id, self._visible(left), self._visible(right), distance)
            for left, right, distance in found
        ]

    # --- reading ---

    def answers(self, *, history: bool = False) -> pd.DataFrame:
        """Return the last answer of each expert to each question, or with ``history`` all, one a row, by time recorded.

        The column ``answer`` holds numbers (small means similar), missing where ``status`` is "unsure"; the sides are
        those of the plan, whatever was shown on which side.
        """
        rows = [
            (*(getattr(one, "value" if name == "answer" else name) for name in SHEET_COLUMNS[:-1]), _status(one))
            for one in self.stored_answers(history=history)
        ]
        table = pd.DataFrame(rows, columns=list(SHEET_COLUMNS))
        return table.astype({"answer": "float64", "seconds": "float64"})

    def stored_answers(self, *, history: bool = False) -> list[StoredAnswer]:
        """Return answers with all that the study knows of them."""
        with self._database.reading() as connection:
            return list(answering.stored_answers(connection, history=history))

    # --- changing ---

    def forget(self, record_id: str, *, group: str | None = None) -> Forgotten:
        """Erase a record and every comment on it; answers about it stay, as numbers about nobody.

        Nothing more is learnt from these answers. Backups and exported files are not touched: erase the record there too.
        """
        with self._database.writing() as connection:
            record_id = str(record_id)
            found = forgetting.groups_with_record(connection, record_id)
            if group is not None:
                found = [name for name in found if name == group]
            if not found:
                where = "" if group is None else f" in group {group!r}"
                raise InvalidInput(f"this study has no record {record_id!r}{where}")
            if len(found) > 1:
                raise InvalidInput(f"several groups have a record {record_id!r}: {', '.join(found)}; name the group")
            done = forgetting.forget_record(connection, found[0], record_id, self.now())
        return replace(done, traces=self._traces())

    def close(self) -> None:
        """Close the connections; a study may be opened again at any time."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Study({self.where!r})"

    # --- inside ---

    @property
    def where(self) -> str:
        """The file, or the database on a server, without any password."""
        return self._database.where

    @property
    def file(self) -> Path | None:
        """The file, None if the study is on a server."""
        return self._database.file

    @property
    def database(self) -> Database:
        """The database, for the other files of this room."""
        return self._database

    def now(self) -> str:
        """Return the time by the study's clock, as it is kept."""
        return _text(self._clock())

    def visible(self, group: str, record: Record) -> Record:
        """Return what experts see of a group's record."""
        labels = self.settings.labels
        return {name: labelled(record.get(name), labels.get(name)) for name in self.shown[group]}

    @contextmanager
    def recording(self) -> Iterator[Callable[[Iterable[GivenAnswer]], None]]:
        """Yield a function that records answers; all are kept when the block ends, none if it raises."""
        with self._database.writing() as connection:

            def record(given: Iterable[GivenAnswer]) -> None:
                for one in given:
                    answering.record_answer(connection, one, self.settings.answers_per_question, self.now())

            yield record

    def _given(
        self,
        question_id: str,
        value: float | None,
        expert: str,
        key: str | None,
        unsure: bool,
        comment: str | None,
        seconds: float | None,
        origin: Origin,
        instead_of: InsteadOf,
    ) -> GivenAnswer:
        return GivenAnswer(
            checked_question_id(question_id),
            checked_expert(expert),
            checked_value(value, unsure=unsure),
            checked_comment(comment),
            checked_seconds(seconds),
            key=checked_key(key),
            origin=origin,
            instead_of=instead_of,
        )

    def _traces(self) -> str | None:
        """Rewrite the file; say what keeps an erased record's text in it."""
        if self.file is None:
            return "the server keeps erased text until it vacuums its tables, and in its logs and backups"
        try:
            if self._database.rewrite():
                return None
        except StudyError as error:
            return f"the file could not be rewritten, and may hold the erased text until it is: {error}"
        return "others have the study open; the erased text leaves its files when they close it"

    def _give_back(self, question_id: str, expert: str, *, skipped: bool) -> None:
        now = self.now()
        with self._database.writing() as connection:
            number = asking.expert_number(connection, checked_expert(expert), now)
            question = answering.question_number(connection, checked_question_id(question_id))
            asking.end_asking(connection, question, number, now, skipped=skipped)

    def _as_shown(self, question: OpenQuestion, expert: str) -> AskedQuestion:
        left, right = question.left, question.right
        if self._swapped(question.question_id, expert):
            left, right = right, left
        return AskedQuestion(
            question.question_id,
            (left.group, right.group),
            left.record_id,
            right.record_id,
            self._visible(left),
            self._visible(right),
            question.again,
        )

    def _swapped(self, question_id: str, expert: str) -> bool:
        """Draw a side for each expert and question: the same whenever she looks, and nobody's habit."""
        text = f"{self.settings.seed} {question_id} {expert}"
        return bool(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=1).digest()[0] & 1)

    def _visible(self, side: StoredSide) -> Record:
        return self.visible(side.group, side.content)


def _status(answer: StoredAnswer) -> str:
    return "unsure" if answer.value is None else "answered"


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
