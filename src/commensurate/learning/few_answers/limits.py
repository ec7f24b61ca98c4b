"""How many questions there can be: what a learner can learn from, how many pairs there are, what memory holds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from commensurate.asking.questions import Between
from commensurate.errors import InvalidParameter
from commensurate.groups.elements import Elements
from commensurate.learning.few_answers.plan import PairCounts
from commensurate.learning.regression.learners import most_answers

# nearly two years of one answer a minute, day and night; questions are drawn and kept in memory
MOST_QUESTIONS = 1_000_000


def check_can_learn(
    learner: object,
    answer_error: float | None,
    counts: Mapping[Between, PairCounts],
    elements: Sequence[Elements],
    growth: float,
) -> None:
    """Raise, before anyone is asked, if there will be more answers than the learner can take, or than there are pairs.

    ``answer_error`` is None where answers are noisy. ``growth`` tells how many times as many questions there will be as are
    counted. A plan that was read from a file has no ``elements``.
    """
    most = most_answers(learner)
    members = {group.name: len(group) for group in elements}
    for (left, right), count in counts.items():
        n_training = round(growth * count.training)
        if n_training > most:
            raise InvalidParameter(
                f"learner={learner!r} learns from at most {most:,} answers per pair of groups, and between {left!r} and "
                f"{right!r} there would be {n_training:,}; use ClusterSimilarity, or pass a scikit-learn regressor as the "
                "learner"
            )
        if answer_error is None or not members:  # asking again tells something new; read from a file
            continue
        n_pairs = math.prod(members[name] - kept for name, kept in zip((left, right), count.reserved))
        if n_training > n_pairs:
            raise InvalidParameter(
                f"{n_training:,} questions about {left!r} and {right!r} are too many: without the rows set aside for "
                f"held-out questions, there are only {n_pairs:,} different pairs; ask fewer, or set answer_error='noise' "
                "if asking again may give a different answer"
            )
    questions = round(growth * sum(count.training + count.held_out for count in counts.values()))
    if questions > MOST_QUESTIONS:
        raise InvalidParameter(
            f"there must be at most {MOST_QUESTIONS:,} questions, whatever the learner, and there would be {questions:,}; "
            "ask fewer, or use ClusterSimilarity, which takes more where a function answers"
        )
