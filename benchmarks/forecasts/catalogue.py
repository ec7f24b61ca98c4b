"""The worlds in which forecasts are measured: awkward ones, public tables, drawn ones, and real answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.awkward_worlds.catalogue import all_worlds as awkward_worlds
from benchmarks.awkward_worlds.world import World
from benchmarks.budget.catalogue import WorldSpec
from benchmarks.budget.catalogue import chosen_worlds as budget_worlds
from benchmarks.forecasts.awkward import awkward_trial
from benchmarks.forecasts.trial import Trial
from benchmarks.forecasts.usual import real_trial, usual_trial
from benchmarks.real_answers.sets import HALVES, SETS
from commensurate.errors import InvalidParameter

AWKWARD, TABLES, DRAWN, REAL = "awkward worlds", "public tables", "drawn points", "real answers"
# the same forecast as another world's but for the unit, or an error of nothing, which no forecast is about
LEFT_OUT = ("tiny scale", "huge scale", "tiny sigma", "constant sigma", "zero sigma")
ON_TABLES = (
    "credit-card-default",
    "adult",
    "give-me-some-credit",
    "adult-chebyshev",
    "adult-noisy",
    "credit-card-default-mahalanobis",
)
ON_DRAWN_POINTS = ("embedding-same-p-1", "merit-different-p-1", "chebyshev-same-p-0.05", "mahalanobis-different-p-0.05")


@dataclass(frozen=True, slots=True, eq=False)
class ForecastWorld:
    """A world by its name; ``trial`` draws it anew."""

    name: str
    kind: str
    trial: Callable[[int], Trial]


def all_worlds() -> dict[str, ForecastWorld]:
    """Return every world by its name.

    >>> list(all_worlds())[-2:]
    ['speed dating, chosen on', 'speed dating, judged on']
    """
    worlds = [
        *(_awkward(world) for world in awkward_worlds().values() if not _is_left_out(world)),
        *(_usual(spec, TABLES) for spec in budget_worlds(ON_TABLES)),
        *(_usual(spec, DRAWN) for spec in budget_worlds(ON_DRAWN_POINTS)),
        *(_real(name, half) for name in SETS for half in HALVES),
    ]
    return {world.name: world for world in worlds}


def _is_left_out(world: World) -> bool:
    return world.name in LEFT_OUT or world.distances_only


def _awkward(world: World) -> ForecastWorld:
    return ForecastWorld(world.name, AWKWARD, lambda draw: awkward_trial(world, draw))


def _usual(spec: WorldSpec, kind: str) -> ForecastWorld:
    return ForecastWorld(spec.name, kind, lambda draw: usual_trial(spec, draw))


def _real(name: str, half: str) -> ForecastWorld:
    # halves have no element in common, so that they are two worlds
    return ForecastWorld(f"{name}, {half}", REAL, lambda draw: real_trial(SETS[name]().half(half), draw))


def chosen_worlds(words: Sequence[str]) -> list[ForecastWorld]:
    """Return the worlds whose name or kind contains any of the words; all of them if no word is given.

    >>> [world.name for world in chosen_worlds(["waves", "kiba"])]
    ['waves', 'kiba, chosen on', 'kiba, judged on']
    """
    worlds = all_worlds().values()
    for word in words:
        if not any(word in world.name or word in world.kind for world in worlds):
            raise InvalidParameter(f"no world's name contains {word!r}; the names are {'; '.join(all_worlds())}")
    return [world for world in worlds if not words or any(w in world.name or w in world.kind for w in words)]
