"""The paper's experiments again, and a synthetic suite: which steps there are, and in which settings."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from commensurate._version import __version__
from commensurate.errors import InvalidParameter
from commensurate.experiments.paper.curves import SIZES, curve_sizes, run_curve
from commensurate.experiments.paper.draw import run_draw
from commensurate.experiments.paper.published import ALGORITHMS, PAPER, SIGMA_TRIALS, TEST_PAIRS
from commensurate.experiments.paper.sigma_values import run_sigma_values
from commensurate.experiments.paper.variants import run_variant, variants
from commensurate.experiments.paper.world import load_dataset
from commensurate.experiments.reproduction.run_folder import open_run
from commensurate.experiments.reproduction.steps import Result, Step, missing_steps, run_steps
from commensurate.experiments.synthetic.hard_instances import run_lower_bound, run_no_free_lunch
from commensurate.experiments.synthetic.suite import SuiteCell, run_cell, suite_cells
from commensurate.extras import require

SYNTHETIC = "synthetic"
STEPS = "steps"
PARTS = (*PAPER, SYNTHETIC)
LEAST_SUITE_REPEATS = 5
MOST_READING_DRAWS = 5
# how long a curve takes for each point of its last size, roughly
SECONDS_PER_POINT = {"MLP": 1 / 3_000, "RF": 1 / 250, "XGB": 1 / 10_000}
# what decides a figure; the report is made from the figures and may change without computing them again
COMPUTING = (
    "asking",
    "checks.py",
    "datasets",
    "experiments/paper",
    "experiments/synthetic",
    "geometry",
    "groups",
    "guarantees",
    "learning",
)
HARD_INSTANCES: Mapping[str, Callable[..., dict[str, object]]] = {
    "lower-bound": run_lower_bound,
    "no-free-lunch": run_no_free_lunch,
}
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "xgboost-cpu", "xgboost")


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What to reproduce, and how thoroughly.

    Attributes
    ----------
    parts
        Data sets of the paper, and "synthetic".
    repeats
        Draws of (α, β, θ, samples) on each data set, and of the worlds of the synthetic suite.
    baseline_points
        Points (x, y, σ) that each baseline is given; the paper gave about 10⁸.
    curve_points
        The most points that a baseline is given in the curves.
    small_suite
        Only some worlds of the synthetic suite.
    """

    parts: tuple[str, ...] = PARTS
    repeats: int = 20
    seed: int = 0
    baseline_points: int = 10_000
    curve_points: int = 1_000_000
    small_suite: bool = False

    def __post_init__(self) -> None:
        if unknown := [part for part in self.parts if part not in PARTS]:
            raise InvalidParameter(f"there is no data set {unknown[0]!r}; choose from {', '.join(PARTS)}")
        if len(set(self.parts)) != len(self.parts) or not self.parts:
            raise InvalidParameter(f"name each data set once, and at least one; got {list(self.parts)}")
        for name, least in (("repeats", 1), ("baseline_points", 1), ("curve_points", SIZES[0])):
            if getattr(self, name) < least:
                raise InvalidParameter(f"{name} must be at least {least}, got {getattr(self, name)}")
        if self.seed < 0:
            raise InvalidParameter(f"seed must be at least 0, got {self.seed}")

    @classmethod
    def quick(cls) -> RunSettings:
        """Return settings that show everything in minutes: two draws, few points, few worlds."""
        return cls(repeats=2, baseline_points=1_000, curve_points=3_162, small_suite=True)

    @property
    def suite_repeats(self) -> int:
        """How often the worlds of the synthetic suite are drawn; they are small, and a failure rate needs some."""
        return max(self.repeats, LEAST_SUITE_REPEATS)

    @property
    def reading_draws(self) -> int:
        """How many draws tell the readings of the paper apart; their number is large, and a few are enough."""
        return min(self.repeats, MOST_READING_DRAWS)

    @property
    def datasets(self) -> tuple[str, ...]:
        """The parts that are data sets of the paper."""
        return tuple(part for part in self.parts if part in PAPER)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A reproduction in a folder: its steps, some of which may have been computed before."""

    settings: RunSettings
    folder: Path
    steps: tuple[Step, ...]
    provenance: Mapping[str, object]

    @classmethod
    def open(cls, settings: RunSettings, folder: Path, data_home: str | None = None) -> Run:
        """Begin a run in an empty folder, or go on with the one that is there;
        all that could be missing is looked for.
        """
        require("xgboost", extra="experiments", purpose="reproducing the paper")
        require("matplotlib", extra="experiments", purpose="drawing its figures")
        provenance = provenance_of(settings, data_home)
        open_run(folder, _record(settings, provenance))
        return cls(settings, folder, tuple(reproduction_steps(settings, data_home)), provenance)

    @property
    def missing(self) -> list[Step]:
        """The steps that are still to be computed."""
        return missing_steps(self.steps, self.folder / STEPS)

    def compute(self, jobs: int = 1, done: Callable[[Step], None] = lambda step: None) -> dict[str, Result]:
        """Compute the missing steps, several at a time, and return the results of all; ``done`` is told of each."""
        return run_steps(self.steps, self.folder / STEPS, provenance=self.provenance, jobs=jobs, done=done)


def provenance_of(settings: RunSettings, data_home: str | None) -> dict[str, object]:
    """Return what is written into every result file: seed, versions, and the digests of code and data."""
    return {
        "seed": settings.seed,
        "versions": versions(),
        "code": code_digest(),
        "data": {name: load_dataset(name, data_home).digest for name in settings.datasets},
    }


def versions() -> dict[str, str]:
    """Return the versions of all that can change a figure."""
    found = {"commensurate": __version__, "python": platform.python_version(), "architecture": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def code_digest() -> str:
    """Return a digest of the code that figures are computed with, so that a run never mixes two states of it."""
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for room in COMPUTING:
        for path in [root / room] if room.endswith(".py") else sorted((root / room).rglob("*.py")):
            content = path.read_bytes().replace(b"\r\n", b"\n")
            digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def reproduction_steps(settings: RunSettings, data_home: str | None) -> Iterator[Step]:
    """Yield every step of a reproduction; weights are seconds on one core, roughly."""
    context = {"data_home": data_home}
    for name in settings.datasets:
        common: dict[str, object] = {"name": name, "seed": settings.seed}
        for draw in range(settings.repeats):
            arguments: dict[str, object] = {
                "draw": draw,
                "baseline_points": settings.baseline_points,
                "test_pairs": TEST_PAIRS,
            }
            weight = 5.0 + settings.baseline_points * SECONDS_PER_POINT["RF"]
            yield Step(draw_step(name, draw), run_draw, common | arguments, context, weight)
        arguments = {"trials": SIGMA_TRIALS, "repeats": settings.repeats}
        yield Step(sigma_step(name, settings.repeats), run_sigma_values, common | arguments, context, 2.0)
        for algorithm in ALGORITHMS:
            sizes = curve_sizes(algorithm, settings.curve_points)
            arguments = {"algorithm": algorithm, "sizes": list(sizes), "test_pairs": TEST_PAIRS}
            weight = 3.0 + sizes[-1] * SECONDS_PER_POINT.get(algorithm, 0.0)
            yield Step(curve_step(name, algorithm), run_curve, common | arguments, context, weight)
        for number, variant in enumerate(variants(name)):
            arguments = {"variant": variant, "repeats": settings.reading_draws}
            weight = 2.0 + settings.reading_draws
            yield Step(
                variant_step(name, number, settings.reading_draws), run_variant, common | arguments, context, weight
            )
    if SYNTHETIC in settings.parts:
        arguments = {"seed": settings.seed, "repeats": settings.suite_repeats}
        for cell in suite_cells(quick=settings.small_suite):
            name = suite_step(cell.name, settings.suite_repeats)
            yield Step(name, run_suite_cell, arguments | {"cell": asdict(cell)}, weight=4.0)
        for instance, run in HARD_INSTANCES.items():
            yield Step(suite_step(instance, settings.suite_repeats), run, arguments, weight=4.0)


def run_suite_cell(cell: dict[str, Any], seed: int, repeats: int) -> dict[str, object]:
    """Run one cell of the synthetic suite, given as plain values."""
    return run_cell(SuiteCell(**cell), seed, repeats)


# names of steps, which are also the names of their files; a step that averages over draws has their number in its name


def draw_step(name: str, draw: int) -> str:
    """Name the step of one draw."""
    return f"{name}/draw-{draw:03d}"


def sigma_step(name: str, repeats: int) -> str:
    """Name the step of Figure 1."""
    return f"{name}/sigma-values-of-{repeats}"


def curve_step(name: str, algorithm: str) -> str:
    """Name the step of one curve."""
    return f"{name}/curve-{algorithm}"


def variant_step(name: str, number: int, draws: int) -> str:
    """Name the step of one reading of the paper."""
    return f"{name}/variant-{number:02d}-of-{draws}"


def suite_step(label: str, repeats: int) -> str:
    """Name the step of one world of the synthetic suite.

    >>> suite_step("merit, 2 groups, different columns, p = 0.25", 20)
    'synthetic/merit-2-groups-different-columns-p-0.25-of-20'
    """
    return f"{SYNTHETIC}/{re.sub(r'[^A-Za-z0-9.]+', '-', label)}-of-{repeats}"


def _record(settings: RunSettings, provenance: Mapping[str, object]) -> dict[str, object]:
    """Return what must stay the same for a run to go on; draws and data sets may be added."""
    return {
        "seed": settings.seed,
        "baseline_points": settings.baseline_points,
        "curve_points": settings.curve_points,
        "versions": provenance["versions"],
        "code": provenance["code"],
    }
