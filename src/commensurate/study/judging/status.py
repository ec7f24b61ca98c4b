"""How far a study is: who has answered what, how fast, and what is left. Looks at no record and fits nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median

from commensurate.study.judging.answer_history import standing_answers
from commensurate.study.judging.scales import ExpertScale, known_pairs_of, scales_of
from commensurate.study.kinds.words import QuestionKind
from commensurate.study.store import reading
from commensurate.study.store.answering import StoredAnswer
from commensurate.study.store.reading import StoredQuestion
from commensurate.study.study import Study

# who pauses longer between two answers than this was not working
LONGEST_PAUSE_SECONDS = 600.0
SECONDS_PER_HOUR = 3_600.0
KINDS: tuple[QuestionKind, ...] = ("number", "grade", "comparison")


@dataclass(frozen=True, slots=True)
class GroupStatus:
    """A group's records: kept in the study, forgotten since, and rows of the table that they were drawn from."""

    name: str
    records: int
    forgotten: int
    rows: int


@dataclass(frozen=True, slots=True)
class ExpertStatus:
    """What one expert has done; ``seconds`` is the median time of an answer, None if it is not known.

    ``known_pairs`` pairs of known distance, which they answered too, count nowhere else.
    """

    name: str
    answered: int
    unsure: int
    comments: int
    corrections: int
    skipped: int
    held_now: int
    last_answer_at: str | None
    seconds: float | None
    known_pairs: int = 0


@dataclass(frozen=True, slots=True)
class StudyStatus:
    """How far a study is.

    Attributes
    ----------
    questions, answered
        Questions to be asked, and those that have as many answers as wanted; repeats and questions about
        forgotten records do not count, nor those that are set aside.
    aside
        Pairs with known answers that are kept and not used, since they share a record with a held-out pair.
    repeats, repeats_answered
        Hidden repeats.
    answers_left
        Answers that are still to be given.
    unsure_only
        Questions without a number about which every expert so far is unsure: another one may know.
    simulated
        Answers that no person gave.
    seconds
        Median time of an answer.
    hours_left
        What is left at that pace; None as long as no pace is known.
    twice, twice_answered
        Held-out questions that a second expert is to answer, and those that two have answered; 0 as long as only one
        expert answers.
    seconds_by_kind
        Median time of an answer by what was asked for: number, grade or comparison.
    known_pairs
        Pairs of known distance that every expert is asked. They count nowhere else.
    scales
        How each expert's answers on these pairs compare with the distances.
    """

    title: str
    created_at: str
    groups: tuple[GroupStatus, ...]
    questions: int
    answered: int
    repeats: int
    repeats_answered: int
    closed: int
    answers: int
    answers_left: int
    unsure_only: int
    simulated: int
    experts: tuple[ExpertStatus, ...]
    seconds: float | None
    hours_left: float | None
    aside: int = 0
    twice: int = 0
    twice_answered: int = 0
    seconds_by_kind: Mapping[QuestionKind, float] = field(default_factory=dict)
    known_pairs: int = 0
    scales: tuple[ExpertScale, ...] = ()


def status_of(study: Study, history: Sequence[StoredAnswer] | None = None) -> StudyStatus:
    """Count what was asked and answered; ``history`` are all answers, if they have been read already."""
    every = study.stored_answers(history=True) if history is None else history
    history = [one for one in every if one.known_distance is None]
    latest = standing_answers(history)
    with study._database.reading() as connection:
        questions = reading.read_questions(connection)
        records = reading.count_records(connection)
        descriptions = reading.read_descriptions(connection)
        work = reading.read_experts(connection, study._now())
    numbers: dict[str, int] = {}
    for answer in latest:
        if not answer.unsure:
            numbers[answer.question_id] = numbers.get(answer.question_id, 0) + 1
    wanted = study.settings.answers_per_question
    used = [question for question in questions if question.about_sigma and not question.forgotten]
    asked = [question for question in used if question.repeat_of is None]
    again = [question for question in used if question.repeat_of is not None]
    left = sum(max(0, wanted - numbers.get(question.question_id, 0)) for question in asked)
    left += sum(question.question_id not in numbers for question in again)
    # only with two experts can a second one answer
    second = len({answer.expert for answer in latest}) > 1 and wanted == 1
    twice = [
        one for one in asked if second and study.settings.answers_wanted(one.question_id, held_out=one.held_out) > 1
    ]
    n_twice = sum(numbers.get(question.question_id, 0) > 1 for question in twice)
    # the first answer of each counts above
    left += sum(numbers.get(question.question_id, 0) < 2 for question in twice)
    times = _seconds_of(every)
    seconds = _median([taken for _, taken in times])
    return StudyStatus(
        title=study.settings.title,
        created_at=study.created_at,
        groups=tuple(
            GroupStatus(name, n - forgotten, forgotten, descriptions[name]["n_rows"])
            for name, (n, forgotten) in records.items()
        ),
        questions=len(asked),
        answered=sum(numbers.get(question.question_id, 0) >= wanted for question in asked),
        repeats=len(again),
        repeats_answered=sum(question.question_id in numbers for question in again),
        closed=sum(question.forgotten and question.known_distance is None for question in questions),
        answers=len(latest),
        answers_left=left,
        unsure_only=_unsure_only(asked, latest, numbers),
        simulated=sum(answer.origin == "simulated" for answer in latest),
        experts=tuple(_expert_status(one.name, one.skipped, one.held_now, every, latest) for one in work),
        seconds=seconds,
        hours_left=None if seconds is None else left * seconds / SECONDS_PER_HOUR,
        aside=sum(question.aside and question.repeat_of is None and not question.forgotten for question in questions),
        twice=len(twice),
        twice_answered=n_twice,
        seconds_by_kind={
            kind: median(taken) for kind in KINDS if (taken := [second for one, second in times if one == kind])
        },
        known_pairs=sum(one.known_distance is not None and not one.forgotten for one in questions),
        scales=tuple(scales_of(known_pairs_of(study, every))),
    )


def _unsure_only(asked: Sequence[StoredQuestion], latest: Sequence[StoredAnswer], numbers: Mapping[str, int]) -> int:
    said: dict[str, set[str]] = {}
    for answer in latest:
        said.setdefault(answer.question_id, set()).add(answer.expert)
    experts = {answer.expert for answer in latest}
    return sum(
        one.question_id not in numbers and bool(experts) and said.get(one.question_id) == experts for one in asked
    )


def _expert_status(
    name: str, skipped: int, held_now: int, history: Sequence[StoredAnswer], latest: Sequence[StoredAnswer]
) -> ExpertStatus:
    given = [answer for answer in history if answer.expert == name]
    about_sigma = [answer for answer in given if answer.known_distance is None]
    standing = [answer for answer in latest if answer.expert == name]
    return ExpertStatus(
        name,
        answered=len(standing),
        unsure=sum(answer.unsure for answer in standing),
        comments=sum(answer.comment is not None for answer in standing),
        corrections=len(about_sigma) - len(standing),
        skipped=skipped,
        held_now=held_now,
        last_answer_at=max((answer.answered_at for answer in given), default=None),
        seconds=_median([taken for _, taken in _seconds_of(given)]),
        known_pairs=len({answer.question_id for answer in given if answer.known_distance is not None}),
    )


def _seconds_of(history: Sequence[StoredAnswer]) -> list[tuple[QuestionKind, float]]:
    """Return what was asked for and how long it took: as measured, else since the same expert's answer before,
    pauses left out.
    """
    found: list[tuple[QuestionKind, float]] = []
    before: dict[str, datetime] = {}
    for answer in history:
        moment = datetime.fromisoformat(answer.answered_at)
        last = before.get(answer.expert)
        before[answer.expert] = moment
        if answer.seconds is not None:
            found.append((answer.kind, answer.seconds))
        elif last is not None and answer.origin in ("terminal", "library"):
            since = (moment - last).total_seconds()
            if 0.0 < since <= LONGEST_PAUSE_SECONDS:
                found.append((answer.kind, since))
    return found


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None
