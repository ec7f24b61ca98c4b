"""Pairs of known distance as the page shows them: along the scale, or between two grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from commensurate.study.kinds.words import QuestionKind
from commensurate.study.messages import RulerPair
from commensurate.study.profiles import Profiles
from commensurate.study.ruler import spread_pairs
from commensurate.study.shown.columns import ColumnStyle
from commensurate.study.study import Study
from commensurate.web.questions.hundred import END, rounded
from commensurate.web.questions.question_view import RecordsView, record_view

# letters along the scale that can still be told apart
RULER_PAIRS, LEAST_APART = 9, 4.0
# a pair of the ruler is there for its distance: where its values lie would make the page ten times as long
NO_PROFILES = Profiles({})


@dataclass(frozen=True, slots=True)
class RulerMark:
    """A pair of known distance: its letter, where it lies from 0 to 100, and its records."""

    letter: str
    pair: RulerPair
    view: RecordsView
    at: float
    shown: str
    between: tuple[str, ...]


def ruler_marks(pairs: Sequence[RulerPair], scale_end: float, styles: Mapping[str, ColumnStyle]) -> list[RulerMark]:
    """Return pairs whose letters along the scale can be told apart, the nearest first."""
    chosen: list[RulerPair] = []
    for pair in spread_pairs(pairs, RULER_PAIRS):
        if not chosen or END * (pair.distance - chosen[-1].distance) / scale_end >= LEAST_APART:
            chosen.append(pair)
    return [ruler_mark(letter, pair, scale_end, styles) for letter, pair in zip(ascii_uppercase, chosen)]


def ruler_mark(
    letter: str,
    pair: RulerPair,
    scale_end: float,
    styles: Mapping[str, ColumnStyle],
    between: Sequence[str] = (),
) -> RulerMark:
    """Return one pair as the page shows it; ``between`` are the grades of whose boundary it is an example."""
    at = END * pair.distance / scale_end
    view = record_view(pair, NO_PROFILES, styles)
    return RulerMark(letter, pair, view, at, rounded(pair.distance, scale_end), tuple(between))


def study_ruler(study: Study, kind: QuestionKind, styles: Mapping[str, ColumnStyle]) -> dict[str, Any]:
    """Return what a page shows of pairs of known distance for a question of some kind: none beside a comparison.

    Of grades there is a pair for each boundary, or None where no pair is as far apart.
    """
    settings = study.settings
    if kind == "number":
        return {"ruler": ruler_marks(study.ruler(), settings.scale_end, styles), "boundaries": (), "grades": ()}
    if kind == "comparison":
        return {"ruler": (), "boundaries": (), "grades": ()}
    boundaries = [
        None if pair is None else ruler_mark(letter, pair, settings.scale_end, styles, settings.grades[k : k + 2])
        for k, (letter, pair) in enumerate(zip(ascii_uppercase, study.boundary_pairs()))
    ]
    shown = [mark for mark in boundaries if mark is not None]
    return {"ruler": shown, "boundaries": boundaries, "grades": settings.grades}
