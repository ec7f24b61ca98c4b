"""What pairs of known distance tell of each expert: whether they look, and what their answers mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from commensurate.asking.said import Said, read_said
from commensurate.study.judging.answer_history import standing_answers
from commensurate.study.kinds.content import range_of
from commensurate.study.store import reading
from commensurate.study.store.answering import StoredAnswer
from commensurate.study.study import Study
from commensurate.wording import counted, is_or_are

if TYPE_CHECKING:
    from commensurate.learning.few_answers.expert_scales import ExpertScale

# an answer is wrong by far if every number in it is more than so many times too large, or too small
FAR_OFF = 2.0


@dataclass(frozen=True, slots=True)
class KnownPairAnswers:
    """How an expert's answers about pairs of known distance compare with the distances.

    Attributes
    ----------
    n, far_off
        How many such answers there are, and how many are wrong by more than a factor of two.
    scale
        What the expert's answers mean on the scale of d; None if there are too few, or all are comparisons.
    """

    expert: str
    n: int
    far_off: int
    scale: ExpertScale | None

    def __str__(self) -> str:
        wrong = f"{self.far_off:,} {is_or_are(self.far_off)} wrong by more than a factor of {FAR_OFF:g}"
        of = f"{self.expert}: of {counted(self.n, 'answer')} about pairs of known distance, {wrong}"
        if self.scale is None:
            return f"{of}."
        sign = "plus" if self.scale.shift >= 0.0 else "minus"
        return f"{of}; answers are about {self.scale.gain:.2f} times the distance, {sign} {abs(self.scale.shift):.2g}."


def known_pair_answers(known: pd.DataFrame) -> list[KnownPairAnswers]:
    """Return how each expert answered, from the columns expert, distance and answer: a number, a range as text, or a
    `Said`.

    >>> known = pd.DataFrame({"expert": "ana", "distance": [0.2, 0.4, 0.6, 0.8], "answer": [0.3, 0.6, 0.9, ">=3"]})
    >>> (ana,) = known_pair_answers(known)
    >>> (ana.n, ana.far_off)
    (4, 1)
    """
    if not len(known):
        return []
    # not above: without such answers, status needs nothing that learning needs
    from commensurate.learning.few_answers.expert_scales import learn_scales

    scales, found = learn_scales(known), []
    for expert, of_one in known.groupby("expert", sort=False):
        distances = of_one["distance"].tolist()
        said = [read_said(raw, "an answer") for raw in of_one["answer"]]
        far = [one is not None and _is_far_off(one, distance) for one, distance in zip(said, distances)]
        n = sum(one is not None for one in said)
        found.append(KnownPairAnswers(str(expert), n, sum(far), scales.get(str(expert))))
    return found


def known_pairs_of(study: Study, history: Iterable[StoredAnswer] | None = None) -> pd.DataFrame:
    """Return every expert's last answers about pairs of known distance, in the order of recording.

    The columns are expert, distance, and answer: a number, or a range as text; a word is the range that it stands for.
    A comparison with another pair of known distance is a `Said`, which tells that it is one.
    Unsure answers, and those about forgotten records, are left out. ``history`` are all answers, if they were read.
    """
    with study._database.reading() as connection:
        forgotten = {one.question_id for one in reading.read_questions(connection) if one.forgotten}
    rows: list[tuple[str, float, float | str | Said]] = []
    for one in standing_answers(study.stored_answers(history=True) if history is None else history):
        if one.known_distance is None or one.question_id in forgotten:
            continue
        said = range_of(one, study.settings, one.other_distance)
        if said is not None:
            answer = said.lower if said.is_number else said if said.beside_ruler else str(said)
            rows.append((one.expert, one.known_distance, answer))
    return pd.DataFrame(rows, columns=["expert", "distance", "answer"])


def _is_far_off(said: Said, distance: float) -> bool:
    return said.lower > FAR_OFF * distance or said.upper < distance / FAR_OFF
