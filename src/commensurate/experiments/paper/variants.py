"""Table 4 under every reading of the paper: which columns are features, and what happens to missing values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from commensurate.experiments.paper.published import DELTA, PAPER, SIGMA_TRIALS
from commensurate.experiments.paper.sigma_values import sigma_of_trials
from commensurate.experiments.paper.world import LOADERS, PaperWorld, estimator
from commensurate.experiments.seeds import generator

# what the paper leaves open, as arguments of the loaders; the first of each is the default
CHOICES: Mapping[str, Mapping[str, tuple[object, ...]]] = {
    "credit-card-default": {"label": (True, False), "group_column": (True, False)},
    "adult": {
        "label": (True, False),
        "fnlwgt": (False, True),
        "group_column": (False, True),
        "missing": ("keep", "drop"),
    },
    "give-me-some-credit": {
        "label": (True, False),
        "monthly_income": (False, True),
        "group_column": (True, False),
        "missing": ("zero", "median", "drop"),
    },
}


def variants(name: str) -> Iterator[dict[str, object]]:
    """Yield every combination of choices for one data set, the default first; the same data come once."""
    choices = CHOICES[name]
    for values in product(*choices.values()):
        variant = dict(zip(choices, values))
        # without the income only dependents are missing, and their median is 0
        if variant.get("monthly_income") is False and variant["missing"] == "median":
            continue
        yield variant


def run_variant(
    name: str, seed: int, variant: dict[str, object], repeats: int, data_home: str | None
) -> dict[str, object]:
    """Return what tells readings apart, for some draws:
    the questions of CLUSTER, which nobody is asked, and the least σ.
    """
    world = PaperWorld.of(PAPER[name], LOADERS[name](data_home=data_home, **variant))
    questions, minima = [], []
    for draw in range(repeats):
        rng = generator(seed, name, "variant", draw)
        plan = estimator("CLUSTER", world.epsilon, DELTA, int(rng.integers(2**31))).plan(world.points)
        questions.append(plan.question_counts.distinct)
        minima.append(float(sigma_of_trials(world, SIGMA_TRIALS, rng).min()))
    return {"variant": variant, "cluster_distinct": questions, "least_sigma": minima}
