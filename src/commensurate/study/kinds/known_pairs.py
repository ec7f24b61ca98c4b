"""Pairs of known distance that every expert is asked like the others: they measure scale and attention.

Both records are of one group. Half of these pairs come among an expert's first questions, the others now and then.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from commensurate.asking.questions import question_id
from commensurate.errors import InvalidParameter
from commensurate.study.kinds.comparisons import OtherPairs, comparison_id
from commensurate.study.kinds.random_pairs import RandomPairs, sides
from commensurate.study.kinds.words import QuestionKind
from commensurate.study.store.making import NewQuestion, NewRulerPair

# by default
USUAL_NUMBER = 10
# the first half are due after 0, 2, 4, … answers, each further one after so many more
LATER_STEP = 10
# a comparison with a pair that is much nearer or farther: who chooses the wrong one was not looking
NEAR, FAR = 0.05, 0.95


def draw_known_pairs(
    wanted: int | None,
    kind: QuestionKind,
    pairs: Sequence[RandomPairs],
    shown: Collection[NewRulerPair],
    others: OtherPairs | None,
    rng: np.random.Generator,
) -> list[NewQuestion]:
    """Choose pairs whose distances are spread over those of random pairs, none of which experts are shown as a ruler.

    If it was not said how many are ``wanted``, that is 10, or as many as there are; none where answers are numbers.
    Groups take turns. The order is random, but so that the first half is spread over the whole range, too.
    """
    n = wanted if wanted is not None else 0 if kind == "number" else USUAL_NUMBER
    taken = {sides(pair) for pair in shown}
    chosen: list[NewRulerPair] = []
    usable = [one for one in pairs if len(one)]
    for k in range(n if usable else 0):
        of_group = usable[k % len(usable)]
        found = of_group.nearest_to(float(np.quantile(of_group.distances, (k + 0.5) / n)), taken)
        if found is not None:
            taken.add(sides(found))
            chosen.append(found)
    if wanted is not None and len(chosen) < n:
        raise InvalidParameter(
            f"known_pairs must be at most {len(chosen)} for these records, got {n}: there are too few pairs within groups "
            "that differ from each other and are not shown as rulers; choose fewer, or known_pairs=0"
        )
    n = len(chosen)
    order = [*rng.permutation(np.arange(0, n, 2)), *rng.permutation(np.arange(1, n, 2))]
    places = due_after(n)
    return [_question(chosen[k], kind, others, k / n, due) for k, due in zip(order, places)]


def due_after(n: int) -> list[int]:
    """Return after how many of their answers an expert is asked each of n pairs.

    >>> due_after(10), due_after(1)
    ([0, 2, 4, 6, 8, 18, 28, 38, 48, 58], [0])
    """
    first = (n + 1) // 2
    early = [2 * k for k in range(first)]
    return early + [early[-1] + LATER_STEP * (k + 1) for k in range(n - first)]


def _question(pair: NewRulerPair, kind: QuestionKind, others: OtherPairs | None, share: float, due: int) -> NewQuestion:
    (group, left), (_, right) = pair.left, pair.right
    name = question_id((group, group), left, right)
    other = None
    if kind == "comparison" and others is not None:
        other = others.other_pair(pair.left, pair.right, FAR if share < 0.5 else NEAR)
        name = comparison_id(name, other)
    # places are those of the order of asking: that of these pairs is their own, before all others
    return NewQuestion(
        name,
        pair.left,
        pair.right,
        held_out=False,
        place=-1 - due,
        kind=kind,
        other=other,
        known_distance=pair.distance,
        due_after=due,
    )
