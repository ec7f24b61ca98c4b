"""Pairs to try before the first question: the known answer, and what is said about the one that was given."""

from __future__ import annotations

from dataclasses import dataclass

from commensurate.study.messages import RulerPair
from commensurate.study.settings import StudySettings
from commensurate.study.study import Study
from commensurate.web.questions.answer_form import AnswerForm
from commensurate.web.questions.hundred import END, rounded
from commensurate.web.questions.question_view import ProfileKeeper, RecordsView, record_view
from commensurate.web.questions.question_words import Kind, kind_of_study
from commensurate.wording import one_line

# a number that is no farther off is near enough for a first try
NEAR = 15.0


@dataclass(frozen=True, slots=True)
class WarmUp:
    """A pair of known distance to try, or as an example."""

    kind: Kind
    pair: RulerPair
    rows: RecordsView
    known: str
    settings: StudySettings

    def feedback(self, form: AnswerForm) -> str:
        """Say how far an answer is from the known one."""
        given = form.value(self.settings.scale_end)
        if given is None:
            return f"That is fine to say. The known answer is {self.known}."
        said = rounded(given, self.settings.scale_end)
        off = END * abs(given - self.pair.distance) / self.settings.scale_end
        if off <= NEAR:
            return f"You said {said}, and the known answer is {self.known}: near enough."
        side = "more alike" if given > self.pair.distance else "more different"
        return f"You said {said}, and the known answer is {self.known}: these two are {side} than you said."


def warm_ups(study: Study, profiles: ProfileKeeper) -> tuple[WarmUp | None, list[WarmUp]]:
    """Return an example of a middling distance, and a near and a far pair to try, as far as the ruler has them."""
    pairs = study.ruler()
    places = sorted({len(pairs) // 4, (3 * len(pairs)) // 4} - {len(pairs) // 2}) if len(pairs) > 2 else []
    settings = study.settings

    def warm_up(pair: RulerPair) -> WarmUp:
        rows = record_view(pair, profiles.now(), profiles.styles)
        return WarmUp(kind_of_study(settings), pair, rows, known_answer(pair.distance, settings), settings)

    example = warm_up(pairs[len(pairs) // 2]) if pairs else None
    return example, [warm_up(pairs[k]) for k in places]


def known_answer(distance: float, settings: StudySettings) -> str:
    """Return the answer that a known distance stands for."""
    return one_line(f"{rounded(distance, settings.scale_end)} of 100")
