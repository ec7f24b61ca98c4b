"""Some questions of a study, named one by one, as a session asks them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from commensurate.study.messages import AskedQuestion, ExpertCounts, RecordedAnswer, RulerPair
from commensurate.study.settings import StudySettings
from commensurate.study.study import Study


class ChosenQuestions:
    """Asks the named questions in their order, whoever has answered them before; all are looked up at once."""

    def __init__(self, study: Study, question_ids: Sequence[str]) -> None:
        self._study = study
        for name in question_ids:
            # one that is not known is told before the first is asked
            study.question(name, expert="nobody")
        self._left = list(dict.fromkeys(question_ids))

    @property
    def settings(self) -> StudySettings:
        """The study's settings."""
        return self._study.settings

    def ruler(self) -> Sequence[RulerPair]:
        """Return the pairs that show the scale."""
        return self._study.ruler()

    def boundary_pairs(self) -> Sequence[RulerPair | None]:
        """Return the pairs that show where one grade ends and the next begins."""
        return self._study.boundary_pairs()

    def next_questions(self, *, expert: str, n: int = 1) -> Sequence[AskedQuestion]:
        """Return the first n that are left."""
        return [self._study.question(name, expert=expert) for name in self._left[:n]]

    def record(self, question_id: str, answer: float | str | None, **given: Any) -> RecordedAnswer:
        """Record an answer; the question is done."""
        recorded = self._study.record(question_id, answer, **given)
        self._done(question_id)
        return recorded

    def skip(self, question_id: str, *, expert: str) -> None:
        """Leave a question as it is."""
        self._done(question_id)

    def counts(self, expert: str) -> ExpertCounts:
        """Return how far the expert is, with what is left of the named questions."""
        counts = self._study.counts(expert)
        return ExpertCounts(counts.answered, counts.unsure, len(self._left), 0)

    def _done(self, question_id: str) -> None:
        # a correction of an earlier one is not on the list
        self._left = [name for name in self._left if name != question_id]
