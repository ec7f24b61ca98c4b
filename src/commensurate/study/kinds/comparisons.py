"""The other pair of a comparison: of one group, so that its distance is known, and with a record of the question's own.

"Who is more like x: y, or z of x's own group?" bounds σ(x, y) by d(x, z), whatever scale an expert has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from commensurate.errors import InvalidParameter
from commensurate.groups.elements import Elements
from commensurate.study.kinds.random_pairs import RandomPairs, Side, all_distances
from commensurate.study.store.making import NewQuestion, NewRulerPair

# records among which the third one of a comparison is looked for
CANDIDATES = 200
# of the distances of random pairs, those that the other pairs of comparisons have
QUANTILES = (0.05, 0.95)


class OtherPairs:
    """Chooses the pairs that comparisons are made with."""

    def __init__(self, groups: Sequence[Elements], pairs: Sequence[RandomPairs], rng: np.random.Generator) -> None:
        self._groups = {group.name: group for group in groups}
        self._rows = {group.name: {name: row for row, name in enumerate(group.ids)} for group in groups}
        self._pairs, self._rng = pairs, rng
        self._distances = all_distances(pairs)
        if not len(self._distances):
            raise InvalidParameter(
                "comparisons need records of one group that differ from each other, and all are alike; show and compare "
                "further columns, or ask for numbers: answer_kind='numbers'"
            )

    def compared(self, questions: Sequence[NewQuestion]) -> list[NewQuestion]:
        """Return the questions, each comparison with its other pair and under an id of its own.

        Distances are spread evenly over those of random pairs. A hidden repeat repeats the whole comparison.
        """
        asked = [one for one in questions if one.kind == "comparison" and one.repeat_of is None]
        spread = np.linspace(*QUANTILES, len(asked)) if asked else np.empty(0)
        shares = dict(zip((one.question_id for one in asked), self._rng.permutation(spread).tolist()))
        others = {one.question_id: self.other_pair(one.left, one.right, shares[one.question_id]) for one in asked}
        return [
            one if one.kind != "comparison" else _with_other(one, others[one.repeat_of or one.question_id], others)
            for one in questions
        ]

    def other_pair(self, left: Side, right: Side, share: float) -> NewRulerPair:
        """Return a pair with a record of the question, about as far apart as this share of random pairs at most are."""
        distance = float(np.quantile(self._distances, share))
        anchors = (left, right) if self._rng.random() < 0.5 else (right, left)
        found = [pair for anchor in anchors if (pair := self._beside(anchor, {left, right}, distance)) is not None]
        if found:
            return found[0]
        # nothing differs from either record: a pair of others shows the distance
        free = [pair for one in self._pairs if (pair := one.nearest_to(distance)) is not None]
        return min(free, key=lambda pair: abs(pair.distance - distance))

    def _beside(self, anchor: Side, besides: set[Side], distance: float) -> NewRulerPair | None:
        group = self._groups[anchor[0]]
        row = self._rows[anchor[0]][anchor[1]]
        rows = np.unique(self._rng.integers(len(group), size=min(CANDIDATES, 4 * len(group))))
        rows = rows[[(group.name, group.ids[k]) not in besides for k in rows]]
        if not len(rows):
            return None
        apart = group.space.metric.paired(np.repeat(group.points[row : row + 1], len(rows), axis=0), group.points[rows])
        rows, apart = rows[apart > 0.0], apart[apart > 0.0]
        if not len(rows):
            return None
        best = int(np.argmin(np.abs(apart - distance)))
        return NewRulerPair(anchor, (group.name, group.ids[rows[best]]), float(apart[best]))


def comparison_id(question_id: str, other: NewRulerPair) -> str:
    """Return the digest that names the comparison of a question's pair with another."""
    text = repr((question_id, *other.left, *other.right))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _with_other(question: NewQuestion, other: NewRulerPair, others: Mapping[str, NewRulerPair]) -> NewQuestion:
    repeats = question.repeat_of
    return replace(
        question,
        question_id=comparison_id(question.question_id, other),
        repeat_of=None if repeats is None else comparison_id(repeats, others[repeats]),
        other=other,
    )
