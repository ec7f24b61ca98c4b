"""The worlds in which the error is measured against the number of answers, each under a name of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from commensurate.asking.simulated.families import FAMILIES, needs_shared_columns
from commensurate.errors import InvalidParameter
from commensurate.experiments.paper.published import PAPER
from commensurate.experiments.synthetic.suite import FEW_RARE, Columns

# the parts of the experiment; each is a figure of its own
THE_PAPERS = "the paper's worlds"
ITS_POINTS = "other σ on the paper's points"
SAME_COLUMNS = "synthetic, same columns"
DIFFERENT_COLUMNS = "synthetic, different columns"
FURTHER = "noisy answers and three groups"
PARTS = (THE_PAPERS, ITS_POINTS, SAME_COLUMNS, DIFFERENT_COLUMNS, FURTHER)

RARE_MASSES = (FEW_RARE, 1.0)
NOISE = 0.05
PAPER_FAMILY = "paper"
# worlds that are measured once more with noisy answers: smooth and kinked, real and drawn, both kinds of columns
NOISY = ("adult", "embedding-same-p-1", "chebyshev-same-p-1", "merit-different-p-1")


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """One kind of world; σ, the table and the test pairs are drawn anew in every draw.

    Attributes
    ----------
    name
        What it is called on the command line and in files.
    part
        Which figure it belongs to.
    family
        The family of σ.
    dataset
        The paper's data set that the points come from; None for points that are drawn.
    columns, rare_mass, n_groups
        What is drawn, as in the synthetic suite.
    noise
        Standard deviation of the answers' relative error.
    """

    name: str
    part: str
    family: str
    dataset: str | None = None
    columns: Columns = "same"
    rare_mass: float = 1.0
    n_groups: int = 2
    noise: float = 0.0

    @property
    def is_the_papers(self) -> bool:
        """Whether σ is of the paper's family on the paper's data, which the Minkowski mean contains."""
        return self.dataset is not None and self.family == PAPER_FAMILY


def all_worlds() -> list[WorldSpec]:
    """Return every world.

    >>> [world.name for world in all_worlds()][:4]
    ['credit-card-default', 'adult', 'give-me-some-credit', 'adult-chebyshev']
    """
    quiet = [*_papers_worlds(), *_synthetic_worlds()]
    by_name = {world.name: world for world in quiet}
    noisy = [replace(by_name[name], name=f"{name}-noisy", part=FURTHER, noise=NOISE) for name in NOISY]
    three = WorldSpec("merit-different-p-1-three-groups", FURTHER, "merit", columns="different", n_groups=3)
    return [*quiet, *noisy, three]


def _papers_worlds() -> Iterator[WorldSpec]:
    for dataset in PAPER:
        yield WorldSpec(dataset, THE_PAPERS, PAPER_FAMILY, dataset)
    for dataset in ("adult", "credit-card-default"):
        for family in FAMILIES:
            if family != PAPER_FAMILY:
                yield WorldSpec(f"{dataset}-{family}", ITS_POINTS, family, dataset)


def _synthetic_worlds() -> Iterator[WorldSpec]:
    for family in FAMILIES:
        for rare_mass in RARE_MASSES:
            name = f"{family}-same-p-{rare_mass:g}"
            yield WorldSpec(name, SAME_COLUMNS, family, rare_mass=rare_mass)
            if not needs_shared_columns(family):
                name = f"{family}-different-p-{rare_mass:g}"
                yield WorldSpec(name, DIFFERENT_COLUMNS, family, columns="different", rare_mass=rare_mass)


def chosen_worlds(words: Sequence[str]) -> list[WorldSpec]:
    """Return the worlds whose name contains any of the words; all of them if no word is given.

    A word that is the whole name of a world means that world alone.

    >>> [world.name for world in chosen_worlds(["merit-same", "adult"])]
    ['adult', 'merit-same-p-0.05', 'merit-same-p-1']
    """
    worlds = all_worlds()
    names = {world.name for world in worlds}
    for word in words:
        if not any(word in name for name in names):
            raise InvalidParameter(f"no world's name contains {word!r}; the names are {', '.join(sorted(names))}")

    def meant(name: str) -> bool:
        return any(name == word if word in names else word in name for word in words)

    return [world for world in worlds if not words or meant(world.name)]
