"""How far a study's estimates can be trusted by now, and whether enough has been asked.

The stopping rule is looked at for the first 50, 100, 200, … questions in the order of asking, and for all of them
(``heard.py``), each time with what had been answered when all of them had been dealt with: who asks for the status, and
how often, changes nothing. A look that was taken is kept. Known answers came all at once, and in anybody's order: they
are looked at once, together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from commensurate.asking.questions import Between
from commensurate.errors import InconsistentAnswers, InvalidInput, MissingAnswers, StudyUnwritable
from commensurate.guarantees.sigma_error import ASSUMED
from commensurate.guarantees.stopping import can_prove, level_of_look, more_needed
from commensurate.guarantees.tolerance import remarks_on_tolerance
from commensurate.learning.few_answers.estimator import BudgetedSimilarity
from commensurate.learning.few_answers.guarantee import BoundedErrors, BudgetedPairGuarantee, remarks
from commensurate.learning.few_answers.plan import BudgetPlan
from commensurate.learning.few_answers.stop_rule import StopRule
from commensurate.progress import progress
from commensurate.study.fitting import end_of_answers, fit_answers, plan_of
from commensurate.study.judging.heard import Heard, HeardPart, is_of_earlier_version
from commensurate.study.settings import StudySettings
from commensurate.study.store import watching
from commensurate.study.study import Study
from commensurate.wording import counted

# said of a look that is kept as it was taken
WITHOUT_SKIPPED = (
    "checked by an earlier version, which left out questions that were skipped or unsure, so that it may not hold for all "
    "pairs"
)


@dataclass(frozen=True, slots=True)
class PairFigures:
    """What held-out answers say about the estimates between two groups, as in `BudgetedSimilarity.guarantee`."""

    between: Between
    n_training: int
    n_held_out: int
    mean_error: float
    tolerance: float
    calibrated_width: float
    noise: float | None
    # snapshots of earlier versions do not tell
    looks_exact: bool = False
    # what anybody who relies on estimates should know
    remarks: tuple[str, ...] = ()
    # held-out questions without an answer, of which the worst is assumed; and the same without them
    n_unanswered: int = 0
    judgeable: BoundedErrors | None = None
    # the mean error of one guess for every pair, beside which an error means something
    guess_error: float | None = None
    # how far off from σ, in words, where two experts answered some of the held-out questions
    against_sigma: str | None = None

    @classmethod
    def of(cls, pair: BudgetedPairGuarantee, on_tolerance: Sequence[str]) -> PairFigures:
        """Take over what a study shows, with remarks on the tolerance of its stopping rule."""
        return cls(
            pair.between,
            pair.n_training,
            pair.n_held_out,
            pair.mean_error,
            pair.tolerance,
            pair.calibrated_width,
            pair.noise,
            pair.looks_exact,
            (*on_tolerance, *remarks(pair.shows_nothing, pair.far_answers)),
            pair.n_unanswered,
            pair.judgeable,
            None if pair.constant is None else pair.constant.mean_error,
            None if pair.against_sigma is None else f"{pair.against_sigma} {ASSUMED}",
        )

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> PairFigures:
        """Return what a snapshot tells."""
        tuples = {name: tuple(stored[name]) for name in ("between", "remarks") if name in stored}
        judgeable = stored.get("judgeable")
        return cls(**{**stored, **tuples, "judgeable": BoundedErrors(**judgeable) if judgeable else None})


@dataclass(frozen=True, slots=True)
class StudyLook:
    """What the stopping rule said of the first so many questions, in the order of asking.

    Attributes
    ----------
    n_questions
        The number of these questions.
    stop
        Whether the claim is proved for all pairs.
    counted
        Whether the check spent a part of the confidence.
    words
        What it said.
    judgeable
        Whether the claim is proved for pairs that experts can judge; it is if it is proved for all.
    by_order
        False for a check of an earlier version: it was about the first so many questions that were answered, and left
        out what was skipped or unsure, so that it says nothing about all pairs if there was any.
    """

    n_questions: int
    stop: bool
    counted: bool
    words: str
    judgeable: bool = False
    by_order: bool = True

    @property
    def after(self) -> str:
        """After what it was taken, in words."""
        if not self.by_order:
            return f"{counted(self.n_questions, 'answered question')} ({WITHOUT_SKIPPED})"
        return "the first question" if self.n_questions == 1 else f"the first {self.n_questions:,} questions"


@dataclass(frozen=True, slots=True)
class StudyTrust:
    """The figures from all answers so far, the looks taken, and which comes next.

    Attributes
    ----------
    figures, missing
        The figures are None as long as there are too few answers to learn from, or they contradict each other;
        then ``missing`` says so.
    looks
        What the stopping rule said so far.
    next_look
        After how many questions, in the order of asking, it is checked next; None after the last.
    next_is_last
        Whether these are all questions.
    n_waiting
        How many of them nobody has answered, skipped or been unsure about yet.
    n_corrected_late
        How many held-out answers were corrected after a check had judged by them, which go on judging as they stood.
    """

    figures: tuple[PairFigures, ...] | None
    missing: str | None
    looks: tuple[StudyLook, ...]
    next_look: int | None
    next_is_last: bool = False
    n_waiting: int = 0
    n_corrected_late: int = 0

    @property
    def verdict(self) -> StudyLook | None:
        """The first look that said stop, else the last one; None before the first."""
        stops = [look for look in self.looks if look.stop]
        return stops[0] if stops else self.looks[-1] if self.looks else None

    @property
    def proved_before(self) -> str | None:
        """Say which look proved the claim for pairs that experts can judge; None if the verdict does, or none did."""
        verdict, proved = self.verdict, [look for look in self.looks if look.judgeable]
        if verdict is None or verdict.stop or verdict.judgeable or not proved:
            return None
        return f"After {proved[0].after}, the claim was proved for pairs that experts can judge, but not for all pairs."

    @property
    def when_next(self) -> str | None:
        """Say when the stopping rule is checked next; None if it is not."""
        if self.next_look is None or (self.verdict is not None and self.verdict.stop):
            return None
        waiting = f" ({self.n_waiting:,} still to be dealt with)" if self.n_waiting else ""
        if self.next_is_last:
            return (
                "The stopping rule is checked for the last time when every question has an answer, or every expert so far "
                f"is unsure about it or has skipped it twice{waiting}."
            )
        return (
            f"The stopping rule is checked next when each of the first {self.next_look:,} questions has been answered, "
            f"skipped or marked unsure{waiting}."
        )

    @property
    def corrected_late(self) -> str | None:
        """Say which answers judge as they stood; None if all stand."""
        n = self.n_corrected_late
        if not n:
            return None
        was, they, judge = ("was", "it", "judges") if n == 1 else ("were", "they", "judge")
        return (
            f"{counted(n, 'held-out answer')} {was} corrected after a check had judged by {'it' if n == 1 else 'them'}. The "
            f"corrections are kept, but {they} {judge} as before: a correction made after a check must not decide the next."
        )


def trust_of(study: Study, learning: Learning | None = None, heard: Heard | None = None) -> StudyTrust:
    """Learn from the answers so far and take the looks that are due; what was computed before is not computed again.

    ``learning`` keeps what is learnt, to be used afterwards;
    ``heard`` is all that the study has heard, if it has been read already.
    """
    heard = heard or Heard.of(study)
    taken = heard.looks
    try:
        learning = learning or Learning(study, plan_of(study))
    except InvalidInput as error:
        # every record of a group was forgotten
        return _trust(heard, None, str(error), taken)
    due = {n: part for n in heard.numbers if n not in taken and (part := heard.at_look(n)) is not None}
    with progress("learning from the answers", total=len(due) + 1) as advance:
        for n, part in due.items():
            taken = _take_look(learning, heard, part, n, taken)
            advance(1)
        figures, missing = _present_figures(learning, heard)
        advance(1)
    return _trust(heard, figures, missing, taken)


def _trust(
    heard: Heard,
    figures: tuple[PairFigures, ...] | None,
    missing: str | None,
    taken: Mapping[int, Mapping[str, Any]],
) -> StudyTrust:
    next_look = min((n for n in heard.numbers if n not in taken), default=None)
    return StudyTrust(
        figures,
        missing,
        tuple(_read_look(n, look) for n, look in taken.items()),
        next_look,
        next_is_last=next_look == len(heard.order),
        n_waiting=0 if next_look is None else heard.n_waiting(next_look),
        n_corrected_late=heard.n_corrected_late,
    )


class Learning:
    """What is learnt from parts of what a study heard; from the same part only once."""

    def __init__(self, study: Study, plan: BudgetPlan) -> None:
        self.study, self.plan = study, plan
        self._models: dict[tuple[frozenset[int], frozenset[str]], BudgetedSimilarity] = {}

    def model(self, part: HeardPart) -> BudgetedSimilarity:
        """Return what these answers teach."""
        key = frozenset(answer.number for answer in part.answers), part.unanswered
        if key not in self._models:
            self._models[key] = fit_answers(self.study.settings, self.plan, part.answers, part.unanswered)
        return self._models[key]


def _take_look(
    learning: Learning, heard: Heard, part: HeardPart, n: int, taken: Mapping[int, Mapping[str, Any]]
) -> Mapping[int, Mapping[str, Any]]:
    study = learning.study
    settings = study.settings
    spent = sum(bool(look["counted"]) for look in taken.values())
    level = level_of_look(spent + 1, settings.confidence_level)
    result: dict[str, Any]
    if can_prove(n_due := heard.n_due(n), share=settings.share, level=level):
        rule = StopRule(
            share=settings.share,
            tolerance=settings.tolerance,
            confidence_level=settings.confidence_level,
            earlier_looks=spent,
        )
        try:
            look = rule.look(learning.model(part))
            result = {
                "stop": look.stop,
                "judgeable": look.judgeable_stop,
                "counted": look.number > 0,
                "words": str(look),
            }
        except (InconsistentAnswers, MissingAnswers) as error:
            # it counts: that it could not stop was seen from the answers.
            # A look stays, so that it must not name a record
            why = (
                "the answers contradict each other" if isinstance(error, InconsistentAnswers) else "answers are missing"
            )
            result = {
                "stop": False,
                "judgeable": False,
                "counted": True,
                "words": f"Nothing is proved: {why}; see `commensurate study check`.",
            }
    else:
        # no need to learn: it could not stop whatever the answers say
        more = more_needed(0, n_due, share=settings.share, level=level)
        words = (
            f"Too early to tell: at least {more:,} further held-out {'answer is' if more == 1 else 'answers are'} "
            "needed. There were too few answers for this check to pass, so it does not count."
        )
        result = {"stop": False, "judgeable": False, "counted": False, "words": words}
    try:
        with study._database.writing() as connection:
            watching.keep_look(connection, n, result, study._now())
            return watching.read_looks(connection)
    except StudyUnwritable:
        # who may only read sees it too
        return {**taken, n: result}


def _present_figures(learning: Learning, heard: Heard) -> tuple[tuple[PairFigures, ...] | None, str | None]:
    study, part = learning.study, heard.present()
    # whoever skips a question changes what is said, and gives no answer
    last, n_skips = max((answer.number for answer in heard.history), default=0), len(heard.skips)
    with study._database.reading() as connection:
        known = watching.read_snapshot(connection, last)
    # those of earlier versions do not tell what has no answer
    if known is None or known.get("skips") != n_skips:
        known = {**_figures(learning, part), "skips": n_skips}
        with suppress(StudyUnwritable), study._database.writing() as connection:
            watching.keep_snapshot(connection, last, known, study._now())
    if known["pairs"] is None:
        return None, known["missing"]
    return tuple(PairFigures.read(pair) for pair in known["pairs"]), None


def _figures(learning: Learning, part: HeardPart) -> dict[str, Any]:
    settings = learning.study.settings
    try:
        model = learning.model(part)
        said = model.guarantee(
            share=settings.share,
            confidence_level=settings.confidence_level,
            scale_end=end_of_answers(
                settings, (one.at_most if one.value is None else one.value for one in part.answers)
            ),
        )
    except (InconsistentAnswers, MissingAnswers) as error:
        return {"pairs": None, "missing": str(error)}
    figures = [PairFigures.of(pair, _on_tolerance(model, pair, settings)) for pair in said.pairs]
    return {"pairs": [asdict(pair) for pair in figures], "missing": None}


def _on_tolerance(model: BudgetedSimilarity, pair: BudgetedPairGuarantee, settings: StudySettings) -> list[str]:
    """Say what answers show of the tolerance itself."""
    return remarks_on_tolerance(
        settings.tolerance,
        settings.share,
        n_answers=pair.n_training + pair.n_held_out,
        share_within=model.one_guess_within(settings.tolerance, pair.between),
        noise=pair.noise,
    )


def _read_look(n: int, stored: Mapping[str, Any]) -> StudyLook:
    return StudyLook(
        n,
        bool(stored["stop"]),
        bool(stored["counted"]),
        str(stored["words"]),
        bool(stored.get("judgeable", stored["stop"])),
        by_order=not is_of_earlier_version(stored),
    )
