"""The order in which questions are asked, and which are asked again without notice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from commensurate.asking.questions import question_id
from commensurate.learning.few_answers.plan import BudgetPlan
from commensurate.study.store.asking import REPEAT_DISTANCE
from commensurate.study.store.making import NewQuestion


def ordered_questions(
    plan: BudgetPlan, repeats: float, rng: np.random.Generator, further: Sequence[NewQuestion] = ()
) -> list[NewQuestion]:
    """Return the questions of a plan and their hidden repeats, each with its place in the order of asking.

    Within a pair of groups the plan's own order is kept: it is random, and held-out questions are spread evenly over
    it, so that any first part has its share. Pairs of groups are mixed. Pairs that were given stand in anybody's order,
    so that they are shuffled. ``further`` questions, which nobody is asked, come last.
    """
    planned = planned_questions(plan)
    order = _mixed([len(block) for block in plan.blocks])
    if plan.given is not None:
        order = rng.permutation(order).tolist()
    chosen = _chosen_for_repeats(len(planned), repeats, rng)
    place_of = np.empty(len(planned))
    place_of[order] = np.arange(len(planned))
    # a repeat stands behind a random later question, at least some way from the first time
    behind = [rng.uniform(min(place_of[k] + REPEAT_DISTANCE, len(planned)), len(planned) + 1.0) for k in chosen]
    every = [*planned, *_repeats([planned[k] for k in chosen], [*planned, *further]), *further]
    last = np.arange(len(further)) + len(planned) + 2.0
    rank = np.argsort(np.argsort([*place_of, *behind, *last], kind="stable"), kind="stable")
    return [replace(question, place=int(place)) for question, place in zip(every, rank)]


def last_for_two(questions: Sequence[NewQuestion], share: float) -> str:
    """Return the id up to which held-out questions are a share of all, in the order of ids, which nothing else decides.

    >>> sides = ("a", "1"), ("b", "1")
    >>> questions = [NewQuestion(name, *sides, held_out=True, place=0) for name in ("9c", "1d", "f0", "77")]
    >>> last_for_two(questions, 0.5), last_for_two(questions, 0.0)
    ('77', '')
    """
    names = sorted(one.question_id for one in questions if one.held_out and one.repeat_of is None and not one.aside)
    n = round(share * len(names))
    return names[n - 1] if n else ""


def planned_questions(plan: BudgetPlan) -> list[NewQuestion]:
    """Return the questions of a plan in its own order; their place in the order of asking is not known yet."""
    found = []
    for (left, right), part in plan.by_pair.items():
        pairs = part.pairs
        for row, held_out in enumerate(part.held_out):
            name = pairs.question_id(row, row)
            found.append(
                NewQuestion(name, (left, pairs.left.ids[row]), (right, pairs.right.ids[row]), bool(held_out), 0)
            )
    return found


def _mixed(counts: Sequence[int]) -> list[int]:
    """Return the numbers of questions that lie block after block so that every block is spread over the whole.

    >>> _mixed([2, 4])
    [2, 0, 3, 4, 1, 5]
    """
    parts = [(k + 0.5) / count for count in counts for k in range(count)]
    return [int(k) for k in np.argsort(np.array(parts), kind="stable")]


def _chosen_for_repeats(n: int, share: float, rng: np.random.Generator) -> list[int]:
    return sorted(int(k) for k in rng.permutation(n)[: round(share * n)])


def _repeats(chosen: Sequence[NewQuestion], planned: Sequence[NewQuestion]) -> list[NewQuestion]:
    """Return the same questions once more, under the first repeat number of each pair that is not in use."""
    asked = Counter((question.left, question.right) for question in planned)
    again = []
    for question in chosen:
        pair = (left_group, left_id), (right_group, right_id) = question.left, question.right
        name = question_id((left_group, right_group), left_id, right_id, asked[pair])
        asked[pair] += 1
        again.append(replace(question, question_id=name, repeat_of=question.question_id))
    return again
