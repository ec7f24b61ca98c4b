"""What experts see of a study: the shown columns with their labels, and each pair on sides that are drawn for them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from commensurate.study.messages import AskedQuestion, Record, RulerPair
from commensurate.study.settings import StudySettings
from commensurate.study.shown.labels import labelled
from commensurate.study.store.showing import OpenQuestion, StoredSide


@dataclass(frozen=True, slots=True)
class ExpertView:
    """Turns what the study stores into what experts see; ``shown`` are the columns by group."""

    settings: StudySettings
    shown: Mapping[str, tuple[str, ...]]

    def record(self, group: str, content: Record) -> Record:
        """Return what experts see of a group's record."""
        labels = self.settings.labels
        return {name: labelled(content.get(name), labels.get(name)) for name in self.shown[group]}

    def question(self, question: OpenQuestion, expert: str) -> AskedQuestion:
        """Return a question as this expert sees it."""
        left, right = question.left, question.right
        if self._drawn(question.question_id, expert):
            left, right = right, left
        return AskedQuestion(
            question.question_id,
            (left.group, right.group),
            left.record_id,
            right.record_id,
            self.record(left.group, left.content),
            self.record(right.group, right.content),
            question.again,
            question.kind,
            None if question.other is None else self.ruler_pair(*question.other),
            question.other is not None and self._drawn(f"{question.question_id} other", expert),
        )

    def ruler_pair(self, left: StoredSide, right: StoredSide, distance: float) -> RulerPair:
        """Return a pair of one group that shows the scale."""
        left_seen, right_seen = self.record(left.group, left.content), self.record(right.group, right.content)
        return RulerPair(left.group, left.record_id, right.record_id, left_seen, right_seen, distance)

    def _drawn(self, place: str, expert: str) -> bool:
        """Draw a side for each expert and question: the same whenever they look, and nobody's habit."""
        text = f"{self.settings.seed} {place} {expert}"
        return bool(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=1).digest()[0] & 1)
