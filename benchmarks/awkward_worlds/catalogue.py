"""All awkward worlds, each under a name of its own."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.awkward_worlds.forms import awkward_columns, breaking_sigma, forms_of_sigma, weak_signals
from benchmarks.awkward_worlds.noisy import effects_of_elements, experts_who_err, noise_only
from benchmarks.awkward_worlds.tables import categories_only, distances_only, mixed_columns
from benchmarks.awkward_worlds.world import World
from commensurate.errors import InvalidParameter


def all_worlds() -> dict[str, World]:
    """Return every world by its name.

    >>> list(all_worlds())[:2]
    ['kinked, 5 % noise', 'kinked, 20 % noise']
    """
    worlds = [
        *experts_who_err(),
        *noise_only(),
        *effects_of_elements(),
        *categories_only(),
        *mixed_columns(),
        *distances_only(),
        *breaking_sigma(),
        *awkward_columns(),
        *forms_of_sigma(),
        *weak_signals(),
    ]
    return {world.name: world for world in worlds}


def chosen_worlds(words: Sequence[str]) -> list[World]:
    """Return the worlds whose name or kind contains any of the words; all of them if no word is given.

    >>> [world.name for world in chosen_worlds(["distances", "waves"])]
    ['distances only', 'waves']
    """
    worlds = all_worlds().values()
    for word in words:
        if not any(word in world.name or word == world.kind for world in worlds):
            raise InvalidParameter(f"no world's name contains {word!r}; the names are {', '.join(all_worlds())}")
    return [world for world in worlds if not words or any(w in world.name or w == world.kind for w in words)]
