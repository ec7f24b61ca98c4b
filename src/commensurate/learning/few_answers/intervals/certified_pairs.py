"""Certified intervals: what answers, each about a single pair, imply by M1 and M2."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from commensurate.arrays import IntArray
from commensurate.asking.question_blocks import MatchedPairs
from commensurate.errors import InconsistentAnswers
from commensurate.geometry.pair_envelope import MatchedEnvelope
from commensurate.guarantees.contradictions.consistency import AnswerCheck, check_answers
from commensurate.learning.few_answers.answer_log import Ends
from commensurate.wording import rounded_up


@dataclass(frozen=True, slots=True, eq=False)
class CertifiedPairs:
    """Answers to some questions of a block, numbers or ranges, each end off by ``answer_error`` at most.

    A question may have several.
    """

    pairs: MatchedPairs
    numbers: IntArray
    answers: Ends
    answer_error: float

    def check(self, worst: int = 10) -> AnswerCheck:
        """Compare every answer with every other."""
        left, right = self.pairs.left, self.pairs.right
        return check_answers(
            left.points[self.numbers],
            right.points[self.numbers],
            np.column_stack(self.answers),
            metric=(left.space.metric, right.space.metric),
            answer_error=self.answer_error,
            worst=worst,
            labels=labels_of(self.pairs, self.numbers),
        )

    def checked(self) -> AnswerCheck:
        """Return what comparing every answer with every other found, or raise if they contradict each other."""
        found = self.check(worst=1)
        if not found.consistent:
            enough = rounded_up(found.smallest_answer_error, 6)
            raise InconsistentAnswers(
                f"the answers between {self.pairs.between[0]!r} and {self.pairs.between[1]!r} contradict M1 and M2: "
                f"{found.contradictions[0]}; if experts err at random, use answer_error='noise'; if no answer is off by "
                f"more than {enough}, use answer_error={enough}; if one answer is a mistake, correct it and fit again"
            )
        return found

    def envelope(self) -> MatchedEnvelope:
        """Return what the answers imply about every pair, or raise if they contradict each other."""
        found = self.checked()
        # what is left of an excess is rounding: no lower end may exceed an upper one by it
        slack = self.answer_error + found.tolerance / 2.0
        left, right = self.pairs.left, self.pairs.right
        return MatchedEnvelope(
            left.points[self.numbers],
            left.space.metric,
            right.points[self.numbers],
            right.space.metric,
            np.maximum(self.answers.lower - slack, 0.0),
            self.answers.upper + slack,
        )

    def reconciled(self) -> CertifiedPairs:
        """Return the answers, each allowed to be off by so much that no two contradict each other."""
        return replace(self, answer_error=max(self.answer_error, self.check(worst=1).smallest_answer_error))


def labels_of(pairs: MatchedPairs, numbers: IntArray) -> list[str]:
    """Return how to call the answers to these questions."""
    return [f"the answer about ({pairs.left.ids[k]!r}, {pairs.right.ids[k]!r})" for k in numbers]
