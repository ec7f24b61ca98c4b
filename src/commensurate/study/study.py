"""A study: handing out questions, recording answers, reading them again, and all that its owner does with it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from inspect import getfullargspec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TextIO

import pandas as pd

from commensurate.checks import renamed
from commensurate.errors import UnknownQuestion
from commensurate.study import gate
from commensurate.study.expert_view import ExpertView
from commensurate.study.kinds.content import GivenContent, checked_answer
from commensurate.study.messages import AskedQuestion, ExpertCounts, InsteadOf, Origin, RecordedAnswer, RulerPair
from commensurate.study.settings import StudySettings
from commensurate.study.sheets.sheet_format import COLUMNS as SHEET_COLUMNS
from commensurate.study.sheets.sheet_format import USUAL_ON_A_WORKSHEET, WORKSHEET_DAYS
from commensurate.study.store import answering, asking, reading, showing
from commensurate.study.store.answering import GivenAnswer, StoredAnswer
from commensurate.study.store.database import Clock, Database, time_text, utc_now
from commensurate.study.store.files import check_study_file
from commensurate.study.store.forgetting import Forgotten
from commensurate.study.store.location import Location

if TYPE_CHECKING:
    from commensurate.guarantees.population import Unanswered
    from commensurate.learning.few_answers.estimator import BudgetedSimilarity
    from commensurate.study.judging.check import StudyCheck
    from commensurate.study.judging.status import StudyStatus
    from commensurate.study.known_answers import KnownAnswers
    from commensurate.study.sheets.exchange import Imported
    from commensurate.study.simulate import Rehearsal

# one table, or one per group; a path is that of a CSV file
Data = pd.DataFrame | str | os.PathLike[str] | Mapping[str, pd.DataFrame] | Mapping[str, str | os.PathLike[str]]


class Study:
    """One study in its database: ``Study("people.db")`` opens it, `Study.create` makes one.

    Every call is a transaction of its own: what it returned is on the disk. Several processes may use a study at once.

    Parameters
    ----------
    place
        A file, or the URL of a PostgreSQL database.
    clock
        Tells the time of what is recorded.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> with TemporaryDirectory() as home:
    ...     Study.create(f"{home}/s.db", people, group="married", questions=9, calibration=0, known_pairs=0).close()
    ...     with Study(f"{home}/s.db") as study:
    ...         (question,) = study.next_questions(expert="ana")
    ...         answer = study.record(question.question_id, "a little different", expert="ana")
    ...         status = study.status()
    >>> status.answers, status.answers_left
    (1, 8)
    """

    def __init__(self, place: str | os.PathLike[str], *, clock: Clock = utc_now) -> None:
        location = Location.of(place)
        if location.file is not None:
            check_study_file(location.file)
        self._clock = clock
        self._database = Database.open(location, self._now())
        try:
            with self._database.reading() as connection:
                self.settings: StudySettings
                self.settings, self.created_at = reading.read_settings(connection)
                descriptions = reading.read_descriptions(connection)
        except BaseException:
            self._database.close()
            raise
        self.shown = {name: tuple(description["show"]) for name, description in descriptions.items()}
        self._view = ExpertView(self.settings, self.shown)

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
        known_answers: KnownAnswers | None = None,
        force: bool = False,
        clock: Clock = utc_now,
        **options: Any,
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
        known_answers
            A table or CSV file of answered pairs, which are then the questions: left_id, right_id, answer and, where
            known, expert, left_group and right_group.
        force
            Replace a study that is there.
        **options
            How many questions, which metric, and so on: the fields of `StudySettings`.
        """
        from commensurate.study.create import TableColumns, create_study

        columns, own = TableColumns(group, ids, features, show), getfullargspec(cls.create).kwonlyargs
        settings = StudySettings.of(options, besides=own, given=known_answers is not None)
        create_study(Location.of(place), data, columns, settings, known_answers, now=time_text(clock()), force=force)
        return cls(place, clock=clock)

    @classmethod
    def open(cls, place: str | os.PathLike[str], *, clock: Clock = utc_now) -> Study:
        """Open a study: the earlier spelling of ``Study(place)``, for one more release."""
        warnings.warn("Study.open(place) ends with this release; write Study(place)", DeprecationWarning, stacklevel=2)
        return cls(place, clock=clock)

    # --- asking and answering ---

    def next_questions(self, expert: str, n: int = 1, *, minutes: float | None = None) -> list[AskedQuestion]:
        """Return up to n questions for an expert, and keep them from others for a while.

        What is put to them again comes first, then what they were shown and have not answered, then new ones in random
        order, and last what they skipped. An empty list means that there is nothing to ask them now.
        """
        name = gate.checked_expert(expert)
        n = gate.checked_number_of_questions(n)
        now, minutes = self._clock(), self.settings.lease_minutes if minutes is None else minutes
        until = time_text(now + timedelta(minutes=gate.checked_minutes(minutes)))
        with self._database.writing() as connection:
            number = asking.expert_number(connection, name, time_text(now))
            found = asking.hand_out(connection, number, n, time_text(now), until)
        return [self._view.question(question, name) for question in found]

    def record(
        self,
        question_id: str,
        answer: GivenContent = None,
        *,
        expert: str,
        value: GivenContent = None,
        key: str | None = None,
        unsure: bool = False,
        comment: str | None = None,
        seconds: float | None = None,
        origin: Origin = "library",
        instead_of: InsteadOf = "any",
    ) -> RecordedAnswer:
        """Record an answer; when this returns, it is on the disk.

        Answering again corrects the answer before, which is kept too. To retry after a lost connection, pass the same
        ``key`` again: that is one answer.

        Parameters
        ----------
        answer
            How dissimilar the two records are, as `AskedQuestion.kind` says: a finite number ≥ 0, small for similar, or
            a range as "0.2..0.5", "<=0.5" or ">=0.2"; the word of a grade; or which of two pairs is more alike,
            "first" (that of the question), "second" or "same". None with ``unsure=True``.
        instead_of
            The number of the expert's answer that this one replaces, None for their first. If another one stands,
            given in another window perhaps, that is told (`AnsweredMeanwhile`) and nothing is recorded.
        """
        given = GivenAnswer(
            gate.checked_question_id(question_id),
            gate.checked_expert(expert),
            checked_answer(renamed("value", value, "answer", answer), unsure=unsure),
            gate.checked_comment(comment),
            gate.checked_seconds(seconds),
            key=gate.checked_key(key),
            origin=origin,
            instead_of=instead_of,
        )
        with self._database.writing() as connection:
            return answering.record_answer(connection, given, self.settings, self._now())

    def skip(self, question_id: str, *, expert: str) -> None:
        """Give a question back; it comes again after all others."""
        self._give_back(question_id, expert, skipped=True)

    def release(self, question_id: str, *, expert: str) -> None:
        """Give a question back as if it had not been shown."""
        self._give_back(question_id, expert, skipped=False)

    def question(self, question_id: str, *, expert: str) -> AskedQuestion:
        """Return a question as this expert sees it; it is not reserved for them."""
        name, question_id = gate.checked_expert(expert), gate.checked_question_id(question_id)
        with self._database.reading() as connection:
            found = showing.find_question(connection, question_id, asking.known_expert(connection, name) or 0)
        if found is None:
            raise UnknownQuestion(f"this study has no question {question_id!r}, or its record was erased")
        return self._view.question(found, name)

    def counts(self, expert: str) -> ExpertCounts:
        """Return how far an expert is."""
        now, name = self._now(), gate.checked_expert(expert)
        with self._database.reading() as connection:
            return answering.count_questions(connection, asking.known_expert(connection, name) or 0, now)

    def ruler(self) -> list[RulerPair]:
        """Return a few pairs of records of one group with their distance, nearest first: they show the scale."""
        with self._database.reading() as connection:
            return [self._view.ruler_pair(*found) for found in showing.ruler_pairs(connection)]

    def boundary_pairs(self) -> list[RulerPair | None]:
        """Return for each boundary between two grades a pair of one group that is as far apart, or None if none is."""
        with self._database.reading() as connection:
            found = showing.boundary_pairs(connection)
        pairs = (found.get(number) for number in range(len(self.settings.boundaries or ())))
        return [None if pair is None else self._view.ruler_pair(*pair) for pair in pairs]

    # --- reading ---

    def answers(self, *, history: bool = False) -> pd.DataFrame:
        """Return the last answer of each expert to each question, or with ``history`` all, one a row, by time recorded.

        The column ``answer`` holds what `record` takes, missing where ``status`` is "unsure"; the sides are those of
        the plan, whatever was shown on which side. Answers about pairs of known distance are in `known_pairs`.
        """
        stored = (one for one in self.stored_answers(history=history) if one.known_distance is None)
        found = pd.DataFrame(
            [[getattr(one, name) for name in SHEET_COLUMNS] for one in stored], columns=[*SHEET_COLUMNS]
        )
        numbers = self.settings.answer_kind == "numbers" and not any(isinstance(one, str) for one in found["answer"])
        return found.astype({"seconds": "float64", **({"answer": "float64"} if numbers else {})})

    def known_pairs(self) -> pd.DataFrame:
        """Return what experts answered about pairs of known distance: the columns expert, distance and answer."""
        from commensurate.study.judging.scales import known_pairs_of

        return known_pairs_of(self)

    def stored_answers(self, *, history: bool = False) -> list[StoredAnswer]:
        """Return answers with all that the study knows of them."""
        with self._database.reading() as connection:
            return list(answering.stored_answers(connection, history=history))

    # --- the owner's verbs; each imports at the point of use, for recording must load nothing that learning needs ---

    def status(self) -> StudyStatus:
        """Count what was asked and answered, by whom, and what is left."""
        from commensurate.study.judging.status import status_of

        return status_of(self)

    def check(self, *, worst: int = 10, confidence_level: float = 0.95) -> StudyCheck:
        """Look for answers that do not fit together; nothing is changed.

        At most the ``worst`` contradictions and disagreements are listed; ``confidence_level`` is of the interval for
        the agreement between experts.
        """
        from commensurate.study.judging.check import check_study

        return check_study(self, worst=worst, confidence_level=confidence_level)

    def fit(
        self, *, answer_error: float | Literal["auto", "noise"] | None = None, unanswered: Unanswered = "misses"
    ) -> BudgetedSimilarity:
        """Learn from the last answer of every expert to every question.

        ``answer_error`` stands in for the study's own: "auto", "noise" or the largest error that an answer can have.
        ``unanswered`` says how held-out questions count that have no answer, as in `BudgetedSimilarity`.
        """
        from commensurate.study.fitting import fit_study

        return fit_study(self, answer_error=answer_error, unanswered=unanswered)

    def simulate(self, *, noise: float = 0.0, family: str | None = None, seed: int | None = None) -> Rehearsal:
        """Let simulated experts answer all that is open; refused if people have answered.

        ``noise`` is the standard deviation of the relative error of an answer. The ``family`` of σ is one that fits the
        groups, drawn if left out; the ``seed`` of σ and the noise is the study's own if left out.
        """
        from commensurate.study.simulate import simulate_study

        return simulate_study(self, noise=noise, family=family, seed=seed)

    def export(self, path: str | os.PathLike[str] | TextIO, *, history: bool = False) -> int:
        """Write questions and answers to a CSV file, with ``history`` also corrected answers; return how many rows."""
        from commensurate.study.sheets.exchange import export_study

        return export_study(self, path, history=history)

    def export_worksheet(
        self,
        path: str | os.PathLike[str] | TextIO,
        *,
        expert: str,
        n: int = USUAL_ON_A_WORKSHEET,
        days: float = WORKSHEET_DAYS,
    ) -> int:
        """Write up to n questions for one expert, and keep them from others for some days; return how many."""
        from commensurate.study.sheets.exchange import export_worksheet

        return export_worksheet(self, path, expert=expert, n=n, days=days)

    def import_(self, path: str | os.PathLike[str], *, expert: str | None = None) -> Imported:
        """Record the answers of a CSV file, all or none; ``expert`` gave those of rows without a name."""
        from commensurate.study.sheets.exchange import import_sheet

        return import_sheet(self, path, expert=expert)

    def invite(self, expert: str) -> str:
        """Return a new token for an expert's personal link; an earlier one ends. It cannot be shown again."""
        from commensurate.study.invitations import invite

        return invite(self, expert)

    def revoke(self, expert: str) -> None:
        """End an expert's link, at once; their answers stay."""
        from commensurate.study.invitations import revoke

        revoke(self, expert)

    def ask_again(self, question_id: str) -> tuple[str, ...]:
        """Have an answered question put once more to everyone who answered it; return their names."""
        from commensurate.study.owner_desk import ask_again

        return ask_again(self, question_id)

    def backup(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Copy the study, as it is at this moment, to a new file; ``force`` replaces one that is there."""
        from commensurate.study.owner_desk import back_up

        return back_up(self, path, force=force)

    def forget(self, record_id: str, *, group: str | None = None) -> Forgotten:
        """Erase a record and every comment on it; answers about it stay, as numbers that name no record.

        Nothing is learnt from these any more. Backups and exported files are not touched: erase the record there too.
        """
        from commensurate.study.owner_desk import forget

        return forget(self, record_id, group=group)

    @property
    def where(self) -> str:
        """The file, or the database on a server, without any password."""
        return self._database.where

    @property
    def file(self) -> Path | None:
        """The file, None if the study is on a server."""
        return self._database.file

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

    def _now(self) -> str:
        """Return the time by the study's clock, as it is kept."""
        return time_text(self._clock())

    @contextmanager
    def _recording(self) -> Iterator[Callable[[Iterable[GivenAnswer]], None]]:
        """Yield a function that records answers; all are kept when the block ends, none if it raises."""
        with self._database.writing() as connection:

            def record(given: Iterable[GivenAnswer]) -> None:
                for one in given:
                    answering.record_answer(connection, one, self.settings, self._now())

            yield record

    def _give_back(self, question_id: str, expert: str, *, skipped: bool) -> None:
        now = self._now()
        with self._database.writing() as connection:
            number = asking.expert_number(connection, gate.checked_expert(expert), now)
            question = answering.question_number(connection, gate.checked_question_id(question_id))
            asking.end_asking(connection, question, number, now, skipped=skipped)
