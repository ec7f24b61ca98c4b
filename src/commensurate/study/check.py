"""Looking for answers that do not fit together: contradictions, disagreement between experts, and with themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from commensurate.elicitation.questions import Between
from commensurate.errors import InvalidInput, MissingAnswers
from commensurate.guarantees.consistency import AnswerCheck
from commensurate.learning.budgeted import BudgetedSimilarity
from commensurate.study.agreement import (
    AlphaInterval,
    Disagreement,
    ExpertShift,
    SelfConsistency,
    alpha_interval,
    disagreements,
    mean_shifts,
    self_consistency,
)
from commensurate.study.planned import fit_study
from commensurate.study.store import reading
from commensurate.study.store.answering import StoredAnswer
from commensurate.study.store.reading import StoredQuestion
from commensurate.study.study import Study

FALSE_ALARMS = 0.05
# a disagreement is worth asking again if it is wider than this share of the scale
WIDE = 0.25


@dataclass(frozen=True, slots=True)
class PairContradictions:
    """What M1 and M2 say about the answers between two groups; ``questions`` are a few without which
    the listed ones would not contradict each other."""

    between: Between
    count: int
    words: str
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskAgain:
    """A question that is worth another answer, which two records it is about, and why."""

    question_id: str
    left_id: str
    right_id: str
    why: str


@dataclass(frozen=True, slots=True)
class StudyCheck:
    """What does not fit together.

    Attributes
    ----------
    contradictions
        For each pair of groups; empty if there are too few answers, and then ``not_compared`` says so.
    agreement
        Krippendorff's α with an interval; None where no two experts answered the same questions.
    disagreements, shifts, repeats
        The questions that experts differ most about, each expert's mean shift against the others, and how well each repeats
        her own answers.
    ask_again
        The questions to ask again. Never one that is held out: if those were answered again because they look wrong, they
        could not judge the estimates any more.
    """

    contradictions: tuple[PairContradictions, ...]
    not_compared: str | None
    agreement: AlphaInterval | None
    disagreements: tuple[Disagreement, ...]
    shifts: tuple[ExpertShift, ...]
    repeats: tuple[SelfConsistency, ...]
    ask_again: tuple[AskAgain, ...]


def check_study(
    study: Study, *, worst: int = 10, confidence_level: float = 0.95, model: BudgetedSimilarity | None = None
) -> StudyCheck:
    """Compare the answers of a study with each other; nothing is changed. Answers about forgotten records are left out.

    ``model`` is what the answers teach, if somebody has learnt from them already.
    """
    with study.database.reading() as connection:
        questions = {one.question_id: one for one in reading.read_questions(connection) if not one.forgotten}
    answers = [one for one in study.stored_answers() if one.value is not None and one.question_id in questions]
    first_time = [answer for answer in answers if answer.repeat_of is None]
    given = [(answer.question_id, answer.expert, _value(answer)) for answer in first_time]
    contradictions, not_compared = _contradictions(study, worst, model)
    differing = disagreements(given, worst)
    units: dict[str, list[float]] = {}
    for question, _, value in given:
        units.setdefault(question, []).append(value)
    rng = np.random.default_rng(study.settings.seed)
    return StudyCheck(
        contradictions,
        not_compared,
        alpha_interval(units, confidence_level, rng),
        tuple(differing),
        tuple(mean_shifts(given)),
        tuple(self_consistency(_repeated(answers))),
        _ask_again(contradictions, differing, WIDE * study.settings.scale_end, questions),
    )


def _contradictions(
    study: Study, worst: int, model: BudgetedSimilarity | None
) -> tuple[tuple[PairContradictions, ...], str | None]:
    try:
        model = model or fit_study(study)
        return tuple(_between(model, between, worst) for between in model.logs_), None
    except (MissingAnswers, InvalidInput) as error:
        return (), str(error)


def _between(model: BudgetedSimilarity, between: Between, worst: int) -> PairContradictions:
    found = model.check_answers(between, worst=worst, false_alarms=FALSE_ALARMS)
    log = model.logs_[between]
    if isinstance(found, AnswerCheck):
        count, listed, numbers = found.n_contradictions, found.contradictions, log.numbers
        ends = [(one.first, one.second) for one in listed]
    else:
        count, numbers = found.n_flagged, log.answered().numbers
        ends = [(one.first, one.second) for one in found.flagged]
    suspects = _most_entangled([(int(numbers[first]), int(numbers[second])) for first, second in ends])
    return PairContradictions(
        between, count, str(found), tuple(log.pairs.question_id(number, number) for number in suspects)
    )


def _most_entangled(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Return few numbers of which every pair has one: again and again the one in most pairs that are left.

    >>> _most_entangled([(1, 2), (3, 1), (1, 4), (5, 6)])
    [1, 5]
    """
    left, found = list(pairs), []
    while left:
        (number, _), *_ = Counter(end for pair in left for end in pair).most_common(1)
        found.append(number)
        left = [pair for pair in left if number not in pair]
    return found


def _repeated(answers: Sequence[StoredAnswer]) -> list[tuple[str, float, float]]:
    """Return who answered a question twice without being told, with both answers."""
    known = {(answer.question_id, answer.expert): _value(answer) for answer in answers}
    return [
        (answer.expert, known[answer.repeat_of, answer.expert], _value(answer))
        for answer in answers
        if answer.repeat_of is not None and (answer.repeat_of, answer.expert) in known
    ]


def _ask_again(
    contradictions: Sequence[PairContradictions],
    differing: Sequence[Disagreement],
    wide: float,
    questions: Mapping[str, StoredQuestion],
) -> tuple[AskAgain, ...]:
    reasons: dict[str, str] = {}
    for pair in contradictions:
        for question in pair.questions:
            reasons.setdefault(question, "its answer contradicts others")
    for one in differing:
        if one.spread > wide:
            reasons.setdefault(str(one.question), f"experts differ by {one.spread:.3g}")
    return tuple(
        AskAgain(name, questions[name].left_id, questions[name].right_id, why)
        for name, why in reasons.items()
        if not questions[name].held_out
    )


def _value(answer: StoredAnswer) -> float:
    assert answer.value is not None, "unsure answers are left out before"
    return answer.value
