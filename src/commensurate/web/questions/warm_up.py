"""Pairs to try before the first question: the known answer, and what is said about the one that was given."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from commensurate.study.kinds.words import QuestionKind
from commensurate.study.messages import RulerPair
from commensurate.study.settings import StudySettings
from commensurate.study.study import Study
from commensurate.web.questions.answer_form import AnswerForm
from commensurate.web.questions.comparison_view import ComparisonView, two_pairs
from commensurate.web.questions.hundred import END, rounded
from commensurate.web.questions.question_view import ProfileKeeper, RecordsView, record_view
from commensurate.web.questions.question_words import HOW_DIFFERENT, WHICH_PAIR
from commensurate.wording import one_line

# a number that is no farther off is near enough for a first try
NEAR = 15.0
LESS, MORE = "these two are more alike than you said", "these two are more different than you said"


@dataclass(frozen=True, slots=True)
class WarmUp:
    """A pair of known distance to try, or as an example; beside a second pair where pairs are compared."""

    kind: QuestionKind
    pair: RulerPair
    rows: RecordsView
    settings: StudySettings
    second: RulerPair | None = None
    comparison: ComparisonView | None = None

    @property
    def heading(self) -> str:
        """What is asked."""
        return HOW_DIFFERENT if self.second is None else WHICH_PAIR

    @property
    def known(self) -> str:
        """The known answer in words."""
        if self.second is not None:
            return "A" if self.pair.distance < self.second.distance else "B"
        if self.kind == "grade":
            return f"“{one_line(self.settings.grades[self._grade])}”"
        return f"{rounded(self.pair.distance, self.settings.scale_end)} of 100"

    def feedback(self, form: AnswerForm) -> str:
        """Say how far an answer is from the known one."""
        given = form.answer(self.kind, self.settings)
        if given is None:
            return f"You may always say so. Here the known answer is {self.known}."
        if self.second is not None:
            if given == "same":
                return f"Here {self.known} is more alike, by its known distance."
            right = (given == "first") == (self.known == "A")
            return (
                f"Yes: {self.known} is more alike." if right else f"By its known distance, {self.known} is more alike."
            )
        if isinstance(given, str):
            off = float(list(self.settings.grades).index(given) - self._grade)
            said, enough = f"“{one_line(given)}”", off == 0.0
        else:
            off = given - self.pair.distance
            said = rounded(given, self.settings.scale_end)
            enough = END * abs(off) / self.settings.scale_end <= NEAR
        if enough:
            return f"You said {said}, and the known answer is {self.known}: well judged."
        return f"You said {said}, and the known answer is {self.known}: {LESS if off > 0 else MORE}."

    @property
    def _grade(self) -> int:
        return bisect_right(self.settings.boundaries or (), self.pair.distance)


def warm_ups(study: Study, profiles: ProfileKeeper) -> tuple[WarmUp | None, list[WarmUp]]:
    """Return an example of a middling distance, and a far and a near pair to try, as far as the ruler has them."""
    pairs, settings = study.ruler(), study.settings
    if not pairs:
        return None, []
    kind = settings.kind_of(held_out=False)
    middle = len(pairs) // 2
    near, far = len(pairs) // 4, (3 * len(pairs)) // 4

    def warm_up(pair: RulerPair, kind: QuestionKind) -> WarmUp:
        return WarmUp(kind, pair, record_view(pair, profiles.now(), profiles.styles), settings)

    def compared(first: RulerPair, second: RulerPair) -> WarmUp:
        view = two_pairs(first, second, profiles.now(), profiles.styles)
        return WarmUp("comparison", first, view.cards[0].rows, settings, second, view)

    if kind == "comparison":
        example = warm_up(pairs[middle], "number")
        tries = [compared(pairs[far], pairs[near]), compared(pairs[0], pairs[-1])]
        return example, [one for one in tries if one.second and one.pair.distance != one.second.distance]
    return warm_up(pairs[middle], kind), [warm_up(pairs[k], kind) for k in (far, near) if k != middle]
