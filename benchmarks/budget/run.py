"""Which steps the experiment has, about how long each takes, and in which order they are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.budget.catalogue import WorldSpec, all_worlds
from benchmarks.budget.draw import run_all_questions, run_beside, run_ours
from benchmarks.budget.kept_summary import KeptSummary, Place
from benchmarks.budget.ours import our_variants
from commensurate.errors import InvalidParameter
from commensurate.experiments.paper.world import load_dataset
from commensurate.experiments.reproduction.run import code_digest, versions
from commensurate.experiments.reproduction.run_folder import open_run
from commensurate.experiments.reproduction.steps import Result, Step, missing_steps, run_steps
from commensurate.extras import require

STEPS = "steps"
ANSWERS = (100, 400, 1_000, 4_000)
USUAL_DRAWS = 20
# thousands of answers take minutes to learn from, and vary little from draw to draw
FEW_DRAWS = 3
MANY_ANSWERS = 4_000
TEST_PAIRS = 3_000


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """Which worlds, after how many answers, how often.

    ``draws`` of None means the usual number for each number of answers.
    """

    worlds: Sequence[WorldSpec] = field(default_factory=all_worlds)
    answers: Sequence[int] = ANSWERS
    draws: int | None = None
    seed: int = 0
    test_pairs: int = TEST_PAIRS

    def __post_init__(self) -> None:
        if not self.worlds or not self.answers:
            raise InvalidParameter("choose at least one world and one number of answers")
        for name, least, value in (
            ("answers", 20, min(self.answers)),
            ("draws", 1, 1 if self.draws is None else self.draws),
            ("test_pairs", 1, self.test_pairs),
            ("seed", 0, self.seed),
        ):
            if value < least:
                raise InvalidParameter(f"{name} must be at least {least}, got {value}")

    def draws_with(self, answers: int) -> int:
        """Return how often a world is drawn for a number of answers."""
        return self.draws or (FEW_DRAWS if answers >= MANY_ANSWERS else USUAL_DRAWS)

    @property
    def most_draws(self) -> int:
        """How often a world is drawn at most."""
        return max(self.draws_with(answers) for answers in self.answers)


@dataclass(frozen=True, slots=True, eq=False)
class BudgetRun:
    """The experiment in a folder: its steps, some of which may have been computed before."""

    settings: BudgetSettings
    folder: Path
    data_home: str | None
    rounds: tuple[tuple[Step, ...], ...]

    @classmethod
    def open(cls, settings: BudgetSettings, folder: Path, data_home: str | None = None) -> BudgetRun:
        """Begin in an empty folder, or go on with what is there; worlds, draws and answers may be added.

        Draws that the folder's summary covers are no part of the run.
        """
        require("xgboost", extra="experiments", purpose="comparing with XGBoost")
        record = {"experiment": "error against answers", "seed": settings.seed, "test_pairs": settings.test_pairs}
        open_run(folder, record)
        known = KeptSummary.read(folder).draws()
        rounds = (tuple(steps_of_draw(settings, draw, data_home, known)) for draw in range(settings.most_draws))
        return cls(settings, folder, data_home, tuple(rounds))

    @property
    def steps(self) -> list[Step]:
        """All steps."""
        return [step for steps in self.rounds for step in steps]

    @property
    def missing(self) -> list[Step]:
        """The steps that are still to be computed."""
        return missing_steps(self.steps, self.folder / STEPS)

    def compute(self, jobs: int = 1, done: Callable[[Step], None] = lambda step: None) -> None:
        """Compute the missing steps, draw after draw: however early it is stopped, every world has been looked at."""
        provenance = {"versions": versions(), "code": code_digest(), "data": self._data_digests()}
        for steps in self.rounds:
            run_steps(steps, self.folder / STEPS, provenance=provenance, jobs=jobs, done=done)

    def results(self) -> dict[str, Result]:
        """Return the results that are there, by name of their step."""
        there = [step for step in self.steps if step.file(self.folder / STEPS).exists()]
        return run_steps(there, self.folder / STEPS, provenance={})

    def whole_draws(self) -> dict[str, Result]:
        """Return the results of every world's draws up to the first of
        which a step is missing, by name of their step.
        """
        missing = {step.name for step in self.missing}
        ended: set[str] = set()
        whole: set[str] = set()
        for steps in self.rounds:
            ended |= {_world_of(step) for step in steps if step.name in missing}
            whole |= {step.name for step in steps if _world_of(step) not in ended}
        return {name: result for name, result in self.results().items() if name in whole}

    def _data_digests(self) -> dict[str, str]:
        used = sorted({spec.dataset for spec in self.settings.worlds if spec.dataset is not None})
        return {name: load_dataset(name, self.data_home).digest for name in used}


def steps_of_draw(
    settings: BudgetSettings, draw: int, data_home: str | None, known: Mapping[Place, int]
) -> Iterator[Step]:
    """Yield the steps of one draw of every world, but for those whose draws are ``known``;
    weights are seconds, roughly.
    """
    context = {"data_home": data_home}
    for spec in settings.worlds:
        wanted = [
            answers
            for answers in settings.answers
            if known.get((spec.name, answers), 0) <= draw < settings.draws_with(answers)
        ]
        common: dict[str, object] = {
            "spec": asdict(spec),
            "seed": settings.seed,
            "draw": draw,
            "test_pairs": settings.test_pairs,
        }
        # noise would tell nothing new about it
        if wanted and not spec.noise:
            yield Step(step_name(spec.name, draw, "all-questions"), run_all_questions, common, context, 3.0)
        for answers in wanted:
            arguments = common | {"answers": answers}
            for kind, run, weight in (
                ("ours", run_ours, seconds_of_ours(spec, answers)),
                ("beside", run_beside, seconds_beside(spec, answers)),
            ):
                yield Step(step_name(spec.name, draw, f"{answers}-{kind}"), run, arguments, context, weight)


def step_name(world: str, draw: int, what: str) -> str:
    """Name a step, and its file.

    >>> step_name("adult", 3, "400-ours")
    'adult/draw-003/400-ours'
    """
    return f"{world}/draw-{draw:03d}/{what}"


def _world_of(step: Step) -> str:
    return step.name.partition("/")[0]


def seconds_of_ours(spec: WorldSpec, answers: int) -> float:
    """Return about how long our variants take:
    mean functions are fitted at any size, the process grows with the answers.
    """
    thousands = answers / 1_000
    process, with_means = 4.5 * thousands, 2.5 + 8.0 * thousands
    # tables of the paper have three to five times as many columns
    return (1.4 if spec.dataset else 1.0) * (process + (len(our_variants(spec)) - 1) * with_means)


def seconds_beside(spec: WorldSpec, answers: int) -> float:
    """Return about how long the others take; the forests rule."""
    return 1.0 + (4.0 if spec.dataset else 3.0) * answers / 1_000
