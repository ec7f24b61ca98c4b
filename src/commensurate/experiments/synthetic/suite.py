"""The synthetic suite: NAIVE and CLUSTER in worlds where σ and the rare mass are known,
beside what the theorems promise.

A cell is one kind of world: a family of experts, a number of groups, columns that are the same or different, a rare
mass. `run_cell` draws it many times anew, so that what it measures is over samples *and* pairs, as the theorems are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import commensurate as cm
from commensurate.arrays import FloatArray
from commensurate.asking.simulated.families import FAMILIES, needs_shared_columns
from commensurate.experiments.seeds import generator
from commensurate.experiments.synthetic.worlds import SyntheticWorld

Columns = Literal["same", "different"]
ProxyEstimator = cm.NaiveSimilarity | cm.ClusterSimilarity

# the theorem speaks as long as 2δ + 2p < 1; at p = 1 it is silent, and only what was measured says anything
RARE_MASSES = (0.0, 0.05, 0.25, 0.4, 1.0)
FEW_RARE = 0.05
N_COLUMNS: dict[Columns, tuple[int, ...]] = {"same": (4, 4, 4, 4, 4), "different": (3, 5, 4, 6, 2)}
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class SuiteCell:
    """One kind of world, and the parameters of the algorithms in it.

    ``rare_mass`` is every group's p(ε, δ); ``n_pairs`` test pairs are drawn for each pair of groups in each repeat.

    Examples
    --------
    >>> SuiteCell("merit", n_groups=2, columns="different", rare_mass=0.25).name
    'merit, 2 groups, different columns, p = 0.25'
    """

    family: str
    n_groups: int
    columns: Columns
    rare_mass: float
    epsilon: float = 0.02
    delta: float = 0.05
    dilation: float = 2.0
    n_pairs: int = 400

    @property
    def name(self) -> str:
        """What tells the cell from the others."""
        return f"{self.family}, {self.n_groups} groups, {self.columns} columns, p = {self.rare_mass:g}"

    @property
    def theorem_bound(self) -> float:
        """The theorems' 2δ + p + p′, at most 1: what the failure rate may be."""
        return cm.failure_probability(self.delta, self.rare_mass, self.rare_mass)


def suite_cells(quick: bool = False) -> list[SuiteCell]:
    """Return the cells: for two groups every family, rare mass and kind of columns; for three to five every family.

    ``quick`` is a small part that still has every family, two to five groups and rare masses from 0 to 1.

    >>> len(suite_cells()), len(suite_cells(quick=True))
    (68, 10)
    """
    if quick:
        return _quick_cells()
    cells = [
        SuiteCell(family, 2, columns, rare_mass)
        for family in FAMILIES
        for columns in _possible_columns(family)
        for rare_mass in RARE_MASSES
    ]
    # more groups differ in their columns wherever the family allows it: the harder of the two
    cells += [
        SuiteCell(family, n_groups, _possible_columns(family)[-1], FEW_RARE)
        for n_groups in (3, 4, 5)
        for family in FAMILIES
    ]
    return cells


def _quick_cells() -> list[SuiteCell]:
    cells = [SuiteCell(family, 2, _possible_columns(family)[-1], FEW_RARE) for family in FAMILIES]
    cells += [SuiteCell("mahalanobis", 2, "same", rare_mass) for rare_mass in (0.0, 0.25, 1.0)]
    cells += [SuiteCell("embedding", 5, "different", FEW_RARE)]
    return cells


def _possible_columns(family: str) -> tuple[Columns, ...]:
    return ("same",) if needs_shared_columns(family) else ("same", "different")


def run_cell(cell: SuiteCell, seed: int, repeats: int) -> dict[str, object]:
    """Measure NAIVE and CLUSTER in one cell and return plain values, fit for JSON.

    Every repeat draws σ, the samples and the test pairs anew. A measure is its mean over the repeats and the standard
    error of that mean; repeats are independent, pairs within one are not. ``standard_error`` is None for one repeat.
    The pairs of groups of one repeat are averaged.

    Parameters
    ----------
    cell
        What to measure.
    seed
        Seed of everything that is drawn; each cell has random numbers of its own.
    repeats
        How often, at least once.

    Examples
    --------
    >>> measured = run_cell(SuiteCell("merit", 2, "same", rare_mass=0.0, n_pairs=10), seed=0, repeats=1)
    >>> measured["algorithms"]["NAIVE"]["questions"]
    {'mean': 14400.0, 'standard_error': None}
    >>> measured["theorem_bound"]
    0.1
    """
    if repeats < 1:
        raise cm.errors.InvalidParameter(f"repeats must be at least 1, got {repeats!r}; 20 give a standard error")
    measured = [_run_once(cell, seed, repeat) for repeat in range(repeats)]
    return {
        "name": cell.name,
        "cell": asdict(cell),
        "seed": seed,
        "repeats": repeats,
        "n_samples": cm.sample_size(cell.delta),
        "theorem_bound": cell.theorem_bound,
        "sigma_sd_in_epsilon": over_repeats(sigma_sd for sigma_sd, _ in measured),
        "algorithms": {
            algorithm: {
                "error_bound_in_epsilon": cm.error_bound(1.0, dilation),
                **{
                    measure: over_repeats(figures[algorithm][measure] for _, figures in measured)
                    for measure in measured[0][1][algorithm]
                },
            }
            for algorithm, dilation in (("NAIVE", None), ("CLUSTER", cell.dilation))
        },
    }


def _run_once(cell: SuiteCell, seed: int, repeat: int) -> tuple[float, dict[str, dict[str, float]]]:
    """Return the standard deviation of σ over the test pairs, in ε, and the figures of each algorithm."""

    def rng(purpose: str) -> np.random.Generator:
        return generator(seed, "synthetic suite", cell.name, repeat, purpose)

    world = SyntheticWorld.draw(
        cell.family,
        N_COLUMNS[cell.columns][: cell.n_groups],
        rare_mass=cell.rare_mass,
        epsilon=cell.epsilon,
        delta=cell.delta,
        rng=rng("world"),
    )
    drawn = world.elements(cm.sample_size(cell.delta), rng("samples"))
    groups = [cm.Group(name, points) for name, points in drawn.items()]
    naive = cm.NaiveSimilarity(epsilon=cell.epsilon, delta=cell.delta, samples="given")
    cluster = cm.ClusterSimilarity(
        epsilon=cell.epsilon,
        delta=cell.delta,
        dilation=cell.dilation,
        samples="given",
        random_state=rng("order of representatives"),
    )
    naive.fit(groups, world.oracle)
    cluster.fit(groups, world.oracle)
    tests = _test_pairs(world, naive, cell, rng("test pairs"))
    sigma_sd = float(np.mean([test.truth.std() for test in tests])) / cell.epsilon
    return sigma_sd, {
        "NAIVE": _figures(naive, tests, cm.error_bound(cell.epsilon)),
        "CLUSTER": _figures(cluster, tests, cm.error_bound(cell.epsilon, cell.dilation)),
    }


@dataclass(frozen=True, slots=True, eq=False)
class _TestPairs:
    """Fresh pairs between two groups; ``uncovered`` where one of the two is farther than 3ε from every sample."""

    between: tuple[str, str]
    left: FloatArray
    right: FloatArray
    truth: FloatArray
    uncovered: NDArray[np.bool_]


def _test_pairs(
    world: SyntheticWorld, naive: cm.NaiveSimilarity, cell: SuiteCell, rng: np.random.Generator
) -> list[_TestPairs]:
    tests = []
    for one, other in combinations(world.groups, 2):
        left = world.groups[one].elements(cell.n_pairs, rng)
        right = world.groups[other].elements(cell.n_pairs, rng)
        # NAIVE's proxy is the nearest sample itself, and both algorithms have the same samples
        far = np.maximum(naive.proxy_distances(left, one), naive.proxy_distances(right, other)) > 3 * cell.epsilon
        tests.append(_TestPairs((one, other), left, right, world.oracle(left, right, (one, other)), far))
    return tests


def _figures(estimator: ProxyEstimator, tests: Sequence[_TestPairs], error_bound: float) -> dict[str, float]:
    judged = [estimator.evaluate(test.left, test.right, test.truth, test.between) for test in tests]
    failed = np.array([each.absolute_errors > error_bound + ROUNDING for each in judged])
    return {
        "questions": float(estimator.n_questions_),
        "relative_error_percent": 100.0 * float(np.mean([each.mean_relative_error for each in judged])),
        # where σ may be near 0 the mean is ruled by a few pairs, the median is not
        "median_relative_error_percent": 100.0 * float(np.mean([np.median(each.relative_errors) for each in judged])),
        "error_in_epsilon": float(np.mean([each.mean_error_in_epsilon for each in judged])),
        "failure_rate": float(np.mean(failed)),
        # the proof allows none of these
        "covered_failure_rate": float(np.mean(failed & ~np.array([test.uncovered for test in tests]))),
        "uncovered_share": float(np.mean([test.uncovered for test in tests])),
    }


def over_repeats(values: Iterable[float]) -> dict[str, float | None]:
    """Return the mean of independent repeats and the standard error of that mean.

    >>> over_repeats([1.0, 3.0])
    {'mean': 2.0, 'standard_error': 1.0}
    """
    each = np.array(list(values))
    error = float(each.std(ddof=1) / np.sqrt(len(each))) if len(each) > 1 else None
    return {"mean": float(each.mean()), "standard_error": error}
