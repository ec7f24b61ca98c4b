"""Figure 1 of the paper: how large σ is when α, β, θ, x and y are all drawn anew in every trial."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from commensurate.asking.simulated.shared_columns import PaperExpert
from commensurate.experiments.paper.world import PaperWorld, paper_world
from commensurate.experiments.seeds import generator

N_BINS = 40


def run_sigma_values(name: str, data_home: str | None, seed: int, trials: int, repeats: int) -> dict[str, object]:
    """Return the histogram of the first set of trials, and the smallest σ of every set."""
    world = paper_world(name, data_home)
    sets = [sigma_of_trials(world, trials, generator(seed, name, "figure 1", k)) for k in range(repeats)]
    counts, edges = np.histogram(sets[0], bins=N_BINS)
    return {
        "counts": counts.tolist(),
        "edges": edges.tolist(),
        "minima": [float(values.min()) for values in sets],
    }


def sigma_of_trials(world: PaperWorld, trials: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return equation (1) for independent draws of everything in it, one row a trial."""
    x, y = world.pairs(trials, rng)
    theta = rng.uniform(-0.01, 0.01, x.shape)
    expert = PaperExpert(rng.random(x.shape), rng.random(x.shape), theta, first=world.groups[0])
    return expert(x, y, world.groups)
