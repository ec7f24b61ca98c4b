"""What the questions of a new study ask for: numbers, grades or comparisons, and pairs of known distance among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from commensurate.groups.elements import Elements
from commensurate.study.kinds.boundaries import draw_boundaries, pairs_at
from commensurate.study.kinds.comparisons import OtherPairs
from commensurate.study.kinds.known_pairs import draw_known_pairs
from commensurate.study.kinds.random_pairs import RandomPairs
from commensurate.study.settings import StudySettings
from commensurate.study.store.making import NewQuestion, NewRulerPair

# random pairs of each group, of which boundaries and known pairs are chosen: enough for many near any distance
CANDIDATES = 4_000


@dataclass(frozen=True, slots=True)
class AskedFor:
    """The questions of a study with what they ask for, the pairs shown for their distance, and the settings."""

    settings: StudySettings
    questions: Sequence[NewQuestion]
    ruler: Sequence[NewRulerPair]


def in_kinds(
    questions: Sequence[NewQuestion],
    settings: StudySettings,
    groups: Sequence[Elements],
    ruler: Sequence[NewRulerPair],
) -> AskedFor:
    """Decide what each question asks for, and add boundaries, other pairs and pairs of known distance."""
    # not the generator that draws the ruler and repeats: these are the same whatever is asked for
    rng = np.random.default_rng([settings.seed, 5])
    kind = settings.kind_of(held_out=False)
    pairs = [RandomPairs.draw(group, CANDIDATES, rng) for group in groups]
    made = settings
    asked = [replace(one, kind=settings.kind_of(held_out=one.held_out)) for one in questions]
    shown = list(ruler)
    if kind == "grade":
        if settings.boundaries is None:
            at_boundaries = draw_boundaries([one for one in pairs if len(one)], len(settings.grades) - 1)
            made = replace(made, boundaries=tuple(pair.distance for pair in at_boundaries))
        else:
            at_boundaries = pairs_at(pairs, settings.boundaries)
        shown += at_boundaries
    others = OtherPairs(groups, pairs, rng) if kind == "comparison" else None
    if others is not None:
        asked = others.compared(asked)
    known = draw_known_pairs(settings.known_pairs, kind, pairs, shown, others, rng)
    return AskedFor(replace(made, known_pairs=len(known)), [*asked, *known], shown)
