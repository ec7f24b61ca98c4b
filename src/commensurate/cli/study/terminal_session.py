"""An expert answers a study's questions in a terminal, one after the other, and may stop at any moment.

Each line they type is an answer, or a command of one letter. An answer is in the study before the next question is
shown. Nothing here reveals what is predicted, held out or asked again.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from rich.console import Console

from commensurate.cli.study.session_words import SessionWords
from commensurate.cli.study.typed_line import Command, TypedLine, read_typed
from commensurate.errors import CommensurateError, StudyError, UnknownQuestion
from commensurate.study.messages import AskedQuestion, ExpertCounts, RecordedAnswer, RulerPair
from commensurate.study.settings import StudySettings
from commensurate.wording import counted, one_line


class AskingStudy(Protocol):
    """What a session needs of a study."""

    @property
    def settings(self) -> StudySettings:
        """What was decided when the study was made."""

    def ruler(self) -> Sequence[RulerPair]:
        """Return the pairs that show the scale."""

    def boundary_pairs(self) -> Sequence[RulerPair | None]:
        """Return the pairs that show where one grade ends and the next begins."""

    def next_questions(self, *, expert: str, n: int = 1) -> Sequence[AskedQuestion]:
        """Return what to ask next; nothing if that was all."""

    # Any: as `Study.record`, whose signature need not stand here again
    def record(self, *args: Any, **given: Any) -> RecordedAnswer:
        """Record an answer."""

    def skip(self, question_id: str, *, expert: str) -> None:
        """Give a question back."""

    def counts(self, expert: str) -> ExpertCounts:
        """Return how far the expert is."""


@dataclass(frozen=True, slots=True)
class SessionCounts:
    """How far an expert is, and what they did in this session; ``answered`` includes ``unsure``."""

    expert: str
    answered: int
    unsure: int
    open: int
    answered_now: int
    corrected_now: int
    skipped_now: int


@dataclass(frozen=True, slots=True)
class _Turn:
    """A question on the table, what was answered to it before, and the comment that waits for the answer."""

    question: AskedQuestion
    before: RecordedAnswer | None = None
    comment: str | None = None


class _Leaving(Exception):
    """The expert wants to stop."""


class TerminalSession:
    """Puts a study's questions to one expert.

    Parameters
    ----------
    study
        An open study.
    expert
        Who answers.
    console
        Where questions are shown.
    read_line
        Shows a prompt and returns the line typed, such as `input`; raises EOFError where there is none.
    clock
        Seconds that never run backwards, such as `time.monotonic`.
    """

    def __init__(
        self,
        study: AskingStudy,
        expert: str,
        *,
        console: Console,
        read_line: Callable[[str], str],
        clock: Callable[[], float],
    ) -> None:
        self.study, self.expert = study, expert
        self.read_line, self.clock = read_line, clock
        self.words = SessionWords(console, study.settings, expert)
        # questions to return to after going back, the next one last; and those to go back to
        self._ahead: list[_Turn] = []
        self._behind: list[_Turn] = []
        self._just_skipped: str | None = None
        self._answered = self._corrected = self._skipped = 0

    def run(self) -> SessionCounts:
        """Ask until nothing is left or the expert stops, and say how far they are."""
        try:
            self.words.introduce(self.study.ruler(), self._boundaries())
            self._ask_all()
        except (_Leaving, EOFError, KeyboardInterrupt) as reason:
            if not isinstance(reason, _Leaving):
                self.words.say("")  # the cursor is still behind the prompt
        except CommensurateError:
            self.words.say(f"{counted(self._answered, 'answer')} recorded in this session")
            raise
        counts = self.study.counts(self.expert)
        self.words.say_goodbye(counts, self._answered)
        return SessionCounts(
            expert=self.expert,
            answered=counts.answered,
            unsure=counts.unsure,
            open=counts.open,
            answered_now=self._answered,
            corrected_now=self._corrected,
            skipped_now=self._skipped,
        )

    def _ask_all(self) -> None:
        while (turn := self._next_turn()) is not None:
            try:
                self._ask(turn)
            except UnknownQuestion as closed:  # its record was forgotten while it was on the table
                self.words.say(f"skipped: {closed}")

    def _next_turn(self) -> _Turn | None:
        if self._ahead:
            return self._ahead.pop()
        if questions := self.study.next_questions(expert=self.expert, n=1):
            if questions[0].question_id == self._just_skipped:
                self.words.say("this is the last question: answer it, or type q to quit")
            self._just_skipped = None
            return _Turn(questions[0])
        return self._behind.pop() if self._behind and self._wants_to_correct() else None

    def _wants_to_correct(self) -> bool:
        """Ask once more before the end: the last answer could not be corrected otherwise."""
        while True:
            try:
                typed = read_typed(
                    self.read_line("That was the last question. Press Enter to finish, or b to go back: ")
                )
            except (EOFError, KeyboardInterrupt):
                self.words.say("")
                return False
            if typed.command in (Command.NOTHING, Command.QUIT):
                return False
            if typed.command is Command.BACK:
                return True

    def _ask(self, turn: _Turn) -> None:
        """Show a question, and take lines until one of them is done with it."""
        self._show(turn)
        shown_at = self.clock()
        beyond: float | None = None  # a number that is to be confirmed
        while True:
            line = self.read_line(self.words.prompt(turn.question))
            typed = read_typed(line, turn.question, self.study.settings.grades)
            answer = beyond if typed.command is Command.YES else typed.answer
            match typed.command:
                case Command.ANSWER if isinstance(answer, float) and self._is_beyond(answer) and beyond is None:
                    beyond = answer
                    self.words.ask_to_confirm(answer)
                case Command.YES if beyond is None:
                    self.words.explain_what_is_expected(turn.question, typed.command.value)
                case Command.ANSWER | Command.YES:
                    return self._record(turn, answer, self.clock() - shown_at)
                case Command.UNSURE:
                    return self._record(turn, None, self.clock() - shown_at)
                case Command.BACK if self._behind:
                    self._ahead += [turn, self._behind.pop()]
                    return None
                case Command.NOTHING | Command.SKIP if turn.before is not None:
                    return self._keep(turn, self.clock() - shown_at)
                case Command.SKIP:
                    return self._skip(turn)
                case _:
                    turn = self._stay(turn, typed)

    def _stay(self, turn: _Turn, typed: TypedLine) -> _Turn:
        """Do what leaves the question on the table."""
        match typed.command:
            case Command.QUIT:
                if turn.comment:
                    self.words.say("the comment was not recorded, because there is no answer to attach it to")
                raise _Leaving
            case Command.HELP:
                self.words.help(self.study.ruler(), self._boundaries())
                self._show(turn)
            case Command.BACK:
                self.words.say("you have not answered anything in this session yet")
            case Command.COMMENT:
                text = one_line(typed.text or self.read_line("comment: "))
                self.words.say("the comment will be recorded with your answer" if text else "no comment")
                return replace(turn, comment=text or None)
            case _:
                self.words.explain_what_is_expected(turn.question, typed.text)
        return turn

    def _is_beyond(self, number: float) -> bool:
        return number > self.study.settings.scale_end

    def _boundaries(self) -> Sequence[RulerPair | None]:
        return self.study.boundary_pairs() if self.study.settings.answer_kind == "grades" else ()

    def _show(self, turn: _Turn) -> None:
        self.words.show_question(turn.question, self.study.counts(self.expert), turn.before)

    def _keep(self, turn: _Turn, seconds: float) -> None:
        if turn.before is not None and turn.comment:
            return self._record(turn, turn.before.answer, seconds)
        self._behind.append(turn)
        return self.words.say("unchanged")

    def _record(self, turn: _Turn, answer: float | str | None, seconds: float) -> None:
        comment = turn.comment or (turn.before.comment if turn.before else None)
        recorded = self._keep_trying(turn.question.question_id, answer, comment, seconds)
        if turn.before is None:
            self._answered += 1
        else:
            self._corrected += 1
        self._behind.append(_Turn(turn.question, recorded))
        self.words.say("recorded")

    def _keep_trying(
        self, question_id: str, answer: float | str | None, comment: str | None, seconds: float
    ) -> RecordedAnswer:
        # one key for all attempts: an answer whose receipt was lost is not recorded twice
        key = secrets.token_hex(16)
        while True:
            try:
                return self.study.record(
                    question_id,
                    answer,
                    expert=self.expert,
                    key=key,
                    unsure=answer is None,
                    comment=comment,
                    seconds=seconds,
                    origin="terminal",
                )
            except StudyError as error:
                self.words.say(f"not recorded: {error}")
                if not self._wants_to_try_again():
                    raise

    def _wants_to_try_again(self) -> bool:
        try:
            # anything else may be the next answer of a pipe: it must not be taken for this one
            return not self.read_line("Press Enter to try again, or type anything else to stop: ").strip()
        except (EOFError, KeyboardInterrupt):
            self.words.say("")
            return False

    def _skip(self, turn: _Turn) -> None:
        self.study.skip(turn.question.question_id, expert=self.expert)
        self._skipped += 1
        self.words.say("skipped" + ("; your comment was not recorded either" if turn.comment else ""))
        self._just_skipped = turn.question.question_id
