"""Looking for answers that do not fit together: contradictions, disagreement between experts, and with themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from commensurate.asking.questions import Between
from commensurate.errors import InvalidInput, MissingAnswers
from commensurate.guarantees.contradictions.consistency import AnswerCheck
from commensurate.learning.few_answers.estimator import BudgetedSimilarity
from commensurate.study.fitting import holding_answers, plan_of
from commensurate.study.judging.agreement import (
    AlphaInterval,
    Disagreement,
    ExpertShift,
    SelfConsistency,
    alpha_interval,
    disagreements,
    mean_shifts,
    self_consistency,
)
from commensurate.study.judging.answer_history import given_before_asked_again, standing_answers
from commensurate.study.judging.contradictions import PairContradictions
from commensurate.study.judging.scales import ExpertScale, known_pairs_of, scales_of
from commensurate.study.judging.statement_check import only_numbers, statement_contradictions
from commensurate.study.judging.words import (
    FAR_APART,
    WordConsistency,
    WordDisagreement,
    places_by_question,
    word_consistency,
    word_disagreements,
)
from commensurate.study.store import reading
from commensurate.study.store.answering import StoredAnswer
from commensurate.study.store.reading import StoredQuestion
from commensurate.study.store.reasking import read_asked_again
from commensurate.study.study import Study
from commensurate.wording import counted, short_number

# of any alarm about contradictions, in all pairs of groups together
FALSE_ALARMS = 0.05
# a disagreement is worth asking again if it is wider than this share of the scale
WIDE_SHARE = 0.25


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
    disagreements
        The questions that experts differ most about by now: one that was settled is not listed any more.
    shifts, repeats
        Each expert's mean shift against the others, and how well each repeats their own answers.
    ask_again
        The questions to ask again. Never one that is held out: if those were answered again because they look wrong,
        they could not judge the estimates any more. Nor one that is set aside, which teaches nothing.
    n_left_out
        Answers that stand and were given after their question was asked again. ``agreement``, ``shifts`` and
        ``repeats`` leave them out, and go by what was said before.
    agreement_in_words, word_disagreements, word_repeats
        The same of answers that are grades or comparisons: Krippendorff's α for ordinal data, and the others in steps
        between words. ``agreement``, ``disagreements``, ``shifts`` and ``repeats`` are about numbers.
    scales
        How each expert's answers about pairs of known distance compare with the distances.
    """

    contradictions: tuple[PairContradictions, ...]
    not_compared: str | None
    agreement: AlphaInterval | None
    disagreements: tuple[Disagreement, ...]
    shifts: tuple[ExpertShift, ...]
    repeats: tuple[SelfConsistency, ...]
    ask_again: tuple[AskAgain, ...]
    n_left_out: int = 0
    agreement_in_words: AlphaInterval | None = None
    word_disagreements: tuple[WordDisagreement, ...] = ()
    word_repeats: tuple[WordConsistency, ...] = ()
    scales: tuple[ExpertScale, ...] = ()

    @property
    def left_out_words(self) -> str | None:
        """Say what was left out of the agreement; None if nothing was."""
        if not self.n_left_out:
            return None
        its, are = ("its", "is") if self.n_left_out == 1 else ("their", "are")
        return (
            f"{counted(self.n_left_out, 'answer')} given after {its} question was asked again {are} left out, because "
            "agreement and consistency are measured on the earlier answers."
        )


def check_study(
    study: Study,
    *,
    worst: int = 10,
    confidence_level: float = 0.95,
    history: Sequence[StoredAnswer] | None = None,
    model: BudgetedSimilarity | None = None,
) -> StudyCheck:
    """Compare the answers of a study with each other; nothing is changed. Answers about forgotten records are left out.

    ``history`` are all its answers and ``model`` is what they teach, if they have been read already,
    and learnt from them, already.
    """
    history = study.stored_answers(history=True) if history is None else history
    with study._database.reading() as connection:
        questions = {one.question_id: one for one in reading.read_questions(connection) if not one.forgotten}
        asked_again = read_asked_again(connection)
    contradictions, not_compared = _contradictions(study, worst, history, model)
    remembered = [one for one in history if one.question_id in questions and one.known_distance is None]
    before = given_before_asked_again(remembered, asked_again)
    standing, judged = standing_answers(remembered), standing_answers(before)
    differing = disagreements(_numbers(standing), worst)
    units: dict[str, list[float]] = {}
    for question, _, value in _numbers(judged):
        units.setdefault(question, []).append(value)
    rng = np.random.default_rng(study.settings.seed)
    grades = study.settings.grades
    in_words = word_disagreements(standing, grades, worst)
    return StudyCheck(
        contradictions,
        not_compared,
        alpha_interval(units, confidence_level, rng),
        tuple(differing),
        tuple(mean_shifts(_numbers(judged))),
        tuple(self_consistency(_repeated(before))),
        _ask_again(contradictions, differing, in_words, WIDE_SHARE * study.settings.scale_end, questions),
        len({one.number for one in standing} - {one.number for one in before}),
        alpha_interval(places_by_question(judged, grades), confidence_level, rng, metric="ordinal"),
        in_words,
        word_consistency(_repeated_words(before), grades),
        tuple(scales_of(known_pairs_of(study, history))),
    )


def _contradictions(
    study: Study, worst: int, history: Sequence[StoredAnswer], model: BudgetedSimilarity | None
) -> tuple[tuple[PairContradictions, ...], str | None]:
    standing = [one for one in standing_answers(history) if one.known_distance is None]
    try:
        if not only_numbers(standing):
            return statement_contradictions(study.settings, plan_of(study), standing), None
        if model is None:
            model = holding_answers(study.settings, plan_of(study), standing)
        return tuple(_between(model, between, worst) for between in model.logs_), None
    except (MissingAnswers, InvalidInput) as error:
        return (), str(error)


def _between(model: BudgetedSimilarity, between: Between, worst: int) -> PairContradictions:
    found = model.check_answers(between, worst=worst, false_alarms=FALSE_ALARMS / len(model.logs_))
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


def _numbers(answers: Sequence[StoredAnswer]) -> list[tuple[str, str, float]]:
    """Return question, expert and value of answers that are numbers; hidden repeats are left out."""
    return [
        (answer.question_id, answer.expert, answer.value)
        for answer in answers
        if answer.repeat_of is None and answer.value is not None
    ]


def _repeated(history: Sequence[StoredAnswer]) -> list[tuple[str, float, float]]:
    """Return who answered a question twice without being told, both times with a number."""
    return [
        (expert, first.value, repeated.value)
        for expert, first, repeated in _answered_twice(history)
        if first.value is not None and repeated.value is not None
    ]


def _answered_twice(history: Sequence[StoredAnswer]) -> Iterator[tuple[str, StoredAnswer, StoredAnswer]]:
    """Yield what an expert said when a question came again, after what stood when they were asked the repeat."""
    stood: dict[tuple[str, str], StoredAnswer] = {}
    pairs: dict[tuple[str, str], tuple[StoredAnswer | None, StoredAnswer]] = {}
    for answer in history:
        if answer.repeat_of is None:
            stood[answer.question_id, answer.expert] = answer
        else:
            pairs[answer.question_id, answer.expert] = stood.get((answer.repeat_of, answer.expert)), answer
    for (_, expert), (first, repeated) in pairs.items():
        if first is not None:
            yield expert, first, repeated


def _repeated_words(history: Sequence[StoredAnswer]) -> dict[str, list[tuple[str, str]]]:
    """Return the words of who answered a question twice without being told, as `_repeated` does the numbers."""
    found: dict[str, list[tuple[str, str]]] = {}
    for expert, first, repeated in _answered_twice(history):
        if first.choice is not None and repeated.choice is not None:
            found.setdefault(expert, []).append((first.choice, repeated.choice))
    return found


def _ask_again(
    contradictions: Sequence[PairContradictions],
    differing: Sequence[Disagreement],
    in_words: Sequence[WordDisagreement],
    wide: float,
    questions: Mapping[str, StoredQuestion],
) -> tuple[AskAgain, ...]:
    reasons: dict[str, str] = {}
    for pair in contradictions:
        for question in pair.questions:
            reasons.setdefault(question, "its answer contradicts others")
    for one in differing:
        if one.spread > wide:
            reasons.setdefault(str(one.question), f"experts differ by {short_number(one.spread)}")
    for words in in_words:
        if words.steps >= FAR_APART:
            reasons.setdefault(words.question, f"experts' words are {words.steps} steps apart")
    return tuple(
        AskAgain(name, questions[name].left_id, questions[name].right_id, why)
        for name, why in reasons.items()
        # one that was learnt from may have been forgotten since
        if name in questions and not (questions[name].held_out or questions[name].aside)
    )
