"""How many questions there can be: as many as a learner can learn from, as there are pairs, and as memory holds."""

from __future__ import annotations

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
    """Raise, before anyone is asked, if there will be more pairs than the learner can take, or than there are.

    ``answer_error`` is None where answers are noisy. ``growth`` tells how many times as many questions there will be as
    are counted. A plan that was read from a file has no ``elements``.
    """
    most = most_answers(learner)
    members = {group.name: len(group) for group in elements}
    for (left, right), count in counts.items():
        n_training = round(growth * count.training)
        n_pairs = count.pairs_to_learn_from((members[left], members[right]), growth) if members else n_training
        # several answers about one pair are learnt from as one
        different = min(n_training, n_pairs)
        if different > most:
            asked = f" different pairs in {n_training:,} questions" if different < n_training else ""
            raise InvalidParameter(
                f"learner={learner!r} learns from at most {most:,} answers per pair of groups, and between {left!r} and "
                f"{right!r} there would be {different:,}{asked}; use fewer, or ClusterSimilarity, or pass a scikit-learn "
                "regressor as the learner"
            )
        if answer_error is None:  # asking again tells something new
            continue
        if n_training > n_pairs:
            by_pair = count.held_out and not any(count.reserved)
            without = "held-out pairs" if by_pair else "rows set aside for held-out questions"
            raise InvalidParameter(
                f"{n_training:,} questions about {left!r} and {right!r} are too many: without the {without}, there are only "
                f"{n_pairs:,} different pairs; ask fewer, or set answer_error='noise' if asking again may give a "
                "different answer"
            )
    questions = round(growth * sum(count.training + count.held_out for count in counts.values()))
    if questions > MOST_QUESTIONS:
        raise InvalidParameter(
            f"there must be at most {MOST_QUESTIONS:,} questions, whatever the learner, and there would be {questions:,}; "
            "ask fewer, or use ClusterSimilarity, which takes more where a function answers"
        )
