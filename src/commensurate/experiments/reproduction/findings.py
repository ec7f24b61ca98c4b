"""What came out of a run, gathered from its steps into one file: tables, figures and page are all made from it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from commensurate import sample_size
from commensurate.experiments.figures.failure_rates import FloorPoint
from commensurate.experiments.paper.draw import ABSOLUTE_THRESHOLDS, COUNTS, RELATIVE_THRESHOLDS
from commensurate.experiments.paper.published import (
    ALGORITHMS,
    BASELINES,
    DELTA,
    MEASURES,
    PAPER,
    PROXY_ALGORITHMS,
    TESTS,
)
from commensurate.experiments.paper.variants import variants
from commensurate.experiments.reproduction.run import (
    HARD_INSTANCES,
    SYNTHETIC,
    Run,
    RunSettings,
    curve_step,
    draw_step,
    sigma_step,
    suite_step,
    variant_step,
)
from commensurate.experiments.reproduction.steps import Result
from commensurate.experiments.synthetic.suite import suite_cells
from commensurate.report.html.comparison import Comparison, Spread

# the measures of Figures 2 to 4: how they are called, and where their bars stand
THRESHOLDS = {
    "relative": ("relative error %", RELATIVE_THRESHOLDS),
    "absolute": ("absolute error / ε", ABSOLUTE_THRESHOLDS),
}
# ways to say by how much CLUSTER asks less than NAIVE: how NAIVE's questions are counted, and how CLUSTER's
COUNTINGS = {
    "NAIVE ordered with repeats, CLUSTER distinct": ("ordered_with_repeats", "distinct"),
    "both ordered, with repeats": ("ordered_with_repeats", "ordered_with_repeats"),
    "both unordered, with repeats": ("unordered_with_repeats", "unordered_with_repeats"),
    "both distinct": ("distinct", "distinct"),
}
# the one that gives the figures which the paper prints
AS_PRINTED = next(iter(COUNTINGS))


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read what the paper leaves open: Table 4, counted as printed, and Figure 1's minimum."""

    variant: Mapping[str, object]
    decrease: Comparison
    least_sigma: Comparison


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Errors of one algorithm after so many questions, on one draw."""

    questions: int
    relative: float
    absolute: float


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One algorithm in one world of the synthetic suite; errors and their bound are in units of ε."""

    world: str
    family: str
    rare_mass: float
    algorithm: str
    questions: float
    sigma_sd: float
    error: float
    median_relative_error: float
    error_bound: float
    failure_rate: float
    standard_error: float | None
    theorem_bound: float
    uncovered: float

    @property
    def refutes_the_theorem(self) -> bool:
        """Whether failures are more frequent than the theorem allows by more than three standard errors."""
        return self.failure_rate > self.theorem_bound + 3.0 * (self.standard_error or 0.0)


@dataclass(frozen=True, slots=True)
class Findings:
    """The figures of a run: plain values, as they are in `results.json`, and what reports ask of them."""

    content: Mapping[str, Any]

    @classmethod
    def gather(cls, run: Run, results: Mapping[str, Result]) -> Findings:
        """Put the results of all steps into one place."""
        settings = run.settings
        content: dict[str, Any] = {
            "provenance": run.provenance,
            "settings": asdict(settings),
            "datasets": {name: _dataset(name, settings, results) for name in settings.datasets},
        }
        if SYNTHETIC in settings.parts:
            repeats = settings.suite_repeats
            content[SYNTHETIC] = {
                "cells": [results[suite_step(cell.name, repeats)] for cell in suite_cells(quick=settings.small_suite)],
                **{instance: results[suite_step(instance, repeats)] for instance in HARD_INSTANCES},
            }
        # as it will be when it is read again: tuples are lists in JSON
        return cls(json.loads(json.dumps(content)))

    @classmethod
    def read(cls, path: Path) -> Findings:
        """Read what `as_text` wrote."""
        return cls(json.loads(path.read_text(encoding="utf-8")))

    def as_text(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.content, ensure_ascii=False, indent=1) + "\n"

    # --- what was run ---

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Seed, versions, and the digests of code and data."""
        found: Mapping[str, Any] = self.content["provenance"]
        return found

    @property
    def settings(self) -> RunSettings:
        """The settings of the run."""
        kept = self.content["settings"]
        return RunSettings(**{**kept, "parts": tuple(kept["parts"])})

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets of this run."""
        return tuple(self.content["datasets"])

    @property
    def has_suite(self) -> bool:
        """Whether the synthetic suite was run."""
        return SYNTHETIC in self.content

    # --- the paper's tables and figures ---

    def draws(self, dataset: str, test: str, algorithm: str, measure: str) -> list[float]:
        """Return one measure of one algorithm, a value for each draw."""
        values: list[float] = self.content["datasets"][dataset]["errors"][test][algorithm][measure]
        return values

    def error(self, dataset: str, test: str, algorithm: str, measure: str) -> Comparison:
        """Return one cell of Tables 1 to 3 beside the paper's."""
        ours = tuple(self.draws(dataset, test, algorithm, measure))
        return Comparison(PAPER[dataset].error(algorithm, measure), ours)

    def errors(self, test: str, algorithms: Sequence[str]) -> list[Comparison]:
        """Return all cells of Tables 1 to 3 for some algorithms."""
        return [
            self.error(name, test, algorithm, measure)
            for name in self.datasets
            for algorithm in algorithms
            for measure in MEASURES
        ]

    def shares(self, dataset: str, test: str, algorithm: str, measure: str) -> list[Spread]:
        """Return the heights of the bars of Figures 2 to 4, one for each threshold; a measure of `THRESHOLDS`."""
        drawn = self.content["datasets"][dataset]["errors"][test][algorithm][f"{measure}_cdf"]
        return [Spread(tuple(shares)) for shares in zip(*drawn)]

    def questions(self, dataset: str, algorithm: str, count: str) -> list[int]:
        """Return the questions of NAIVE or CLUSTER, counted in one of three ways, for each draw."""
        values: list[int] = self.content["datasets"][dataset]["questions"][algorithm][count]
        return values

    def decrease(self, dataset: str, counting: str) -> Comparison:
        """Return one cell of Table 4 in one way of counting: per cent by which CLUSTER asks less than NAIVE."""
        naive, cluster = COUNTINGS[counting]
        draws = zip(self.questions(dataset, "NAIVE", naive), self.questions(dataset, "CLUSTER", cluster))
        return Comparison(PAPER[dataset].decrease, tuple(_decrease(before, after) for before, after in draws))

    def readings(self, dataset: str) -> list[Reading]:
        """Return every reading of the paper for one data set, the default first."""
        paper, naive = PAPER[dataset], 2 * sample_size(DELTA) ** 2
        return [
            Reading(
                one["variant"],
                Comparison(paper.decrease, tuple(_decrease(naive, cluster) for cluster in one["cluster_distinct"])),
                Comparison(paper.least_sigma, tuple(one["least_sigma"])),
            )
            for one in self.content["datasets"][dataset]["variants"]
        ]

    def sigma_histogram(self, dataset: str) -> tuple[list[float], list[int]]:
        """Return the edges and the counts of Figure 1's histogram."""
        sigma = self.content["datasets"][dataset]["sigma"]
        return sigma["edges"], sigma["counts"]

    def least_sigma(self, dataset: str) -> Comparison:
        """Return the smallest σ of Figure 1's trials beside the paper's."""
        return Comparison(PAPER[dataset].least_sigma, tuple(self.content["datasets"][dataset]["sigma"]["minima"]))

    def networks_cut_short(self, dataset: str) -> int:
        """Return in how many draws the network would have liked to train for longer than it was allowed."""
        return sum(one["made"] >= one["allowed"] for one in self.content["datasets"][dataset]["epochs"])

    # --- beyond the paper ---

    def curve(self, dataset: str, algorithm: str, test: str) -> list[CurvePoint]:
        """Return the error of one algorithm against the number of its questions."""
        return [
            CurvePoint(
                point["questions"],
                point["errors"][test]["relative_mean"],
                point["errors"][test]["absolute_mean"],
            )
            for point in self.content["datasets"][dataset]["curves"][algorithm]
        ]

    def overtaken(self, dataset: str, test: str) -> tuple[str, int] | None:
        """Return the baseline that needs the fewest questions to err less than NAIVE
        with all of its own, and how many.
        """
        target = self.curve(dataset, "NAIVE", test)[-1].relative
        reached = [
            (point.questions, algorithm)
            for algorithm in BASELINES
            for point in self.curve(dataset, algorithm, test)
            if point.relative < target
        ]
        if not reached:
            return None
        questions, algorithm = min(reached)
        return algorithm, questions

    @property
    def suite(self) -> list[SuiteRow]:
        """NAIVE and CLUSTER in every world of the synthetic suite."""
        return [
            SuiteRow(
                world=cell["name"],
                family=cell["cell"]["family"],
                rare_mass=cell["cell"]["rare_mass"],
                algorithm=algorithm,
                questions=figures["questions"]["mean"],
                sigma_sd=cell["sigma_sd_in_epsilon"]["mean"],
                error=figures["error_in_epsilon"]["mean"],
                median_relative_error=figures["median_relative_error_percent"]["mean"],
                error_bound=figures["error_bound_in_epsilon"],
                failure_rate=figures["failure_rate"]["mean"],
                standard_error=figures["failure_rate"]["standard_error"],
                theorem_bound=cell["theorem_bound"],
                uncovered=figures["uncovered_share"]["mean"],
            )
            for cell in self.content[SYNTHETIC]["cells"]
            for algorithm, figures in cell["algorithms"].items()
        ]

    @property
    def suite_cell(self) -> Mapping[str, Any]:
        """What all worlds of the suite have in common: ε, δ, dilation, samples, repeats, test pairs."""
        first = self.content[SYNTHETIC]["cells"][0]
        return {**first["cell"], "n_samples": first["n_samples"], "repeats": first["repeats"]}

    @property
    def lower_bound(self) -> list[FloorPoint]:
        """A learner that asks about all pairs of some elements, in the world of the paper's lower bound."""
        return [
            _floor_point(point["questions"], point["failure_rate"], point["floor"])
            for point in self.content[SYNTHETIC]["lower-bound"]["curve"]
        ]

    @property
    def lower_bound_cluster(self) -> FloorPoint:
        """CLUSTER in the world of the paper's lower bound."""
        cluster = self.content[SYNTHETIC]["lower-bound"]["cluster"]
        return _floor_point(cluster["questions"]["mean"], cluster["failure_rate"], cluster["floor"])

    @property
    def no_free_lunch(self) -> dict[str, FloorPoint]:
        """NAIVE and CLUSTER in the world where nothing can be learnt."""
        instance = self.content[SYNTHETIC]["no-free-lunch"]
        return {
            name: _floor_point(instance["n_samples"], rate, instance["floor"])
            for name, rate in instance["failure_rate"].items()
        }

    @property
    def hard_worlds(self) -> Mapping[str, Any]:
        """How large the two impossible worlds are."""
        bound, lunch = (self.content[SYNTHETIC][instance] for instance in HARD_INSTANCES)
        return {
            "atoms": round(1 / bound["delta"]),
            "pairs": bound["n_pairs"],
            "elements": lunch["n_elements"],
            "samples": lunch["n_samples"],
        }


def _floor_point(questions: float, rate: Mapping[str, Any], floor: float) -> FloorPoint:
    return FloorPoint(questions, rate["mean"], rate["standard_error"], floor)


def _decrease(before: int, after: int) -> float:
    return 100.0 * (1.0 - after / before)


def _dataset(name: str, settings: RunSettings, results: Mapping[str, Any]) -> dict[str, object]:
    draws = [results[draw_step(name, draw)] for draw in range(settings.repeats)]
    measures = (*MEASURES, "exact", "relative_cdf", "absolute_cdf")
    return {
        "errors": {
            test: {
                algorithm: {
                    measure: [draw["errors"][test][algorithm][measure] for draw in draws] for measure in measures
                }
                for algorithm in ALGORITHMS
            }
            for test in TESTS
        },
        "questions": {
            algorithm: {count: [draw["questions"][algorithm][count] for draw in draws] for count in COUNTS}
            for algorithm in PROXY_ALGORITHMS
        },
        "sigma": results[sigma_step(name, settings.repeats)],
        "curves": {algorithm: results[curve_step(name, algorithm)]["points"] for algorithm in ALGORITHMS},
        "variants": [
            results[variant_step(name, number, settings.reading_draws)] for number, _ in enumerate(variants(name))
        ],
        "epochs": [draw["epochs"] for draw in draws],
    }
