"""One draw of one world: what is learnt from an hour or two of numbers, of grades, and of comparisons with rulers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.answer_kinds.experts import N_EXPERTS, Asked
from benchmarks.budget.catalogue import chosen_worlds
from benchmarks.budget.worlds import draw_world
from commensurate.arrays import FloatArray
from commensurate.asking.said import Said
from commensurate.experiments.seeds import generator
from commensurate.learning.few_answers.expert_scales import learn_scales
from commensurate.learning.regression.learners import learn
from commensurate.learning.regression.ranges.ranged_pairs import RangedPairs
from commensurate.learning.regression.regression import AnsweredPairs, Regression

TEST_PAIRS = 2_000
# numbers at first, from which the boundaries of grades and the first rulers come; their time counts
PILOTS = 15
GRADES = 5
# known pairs an expert, and how many rulers are placed by what was learnt before, as a share of all
KNOWN_PAIRS = 10
BATCH = 0.125
NUMBERS, GRADED, RULERS = "numbers", "grades", "rulers"
KNOWN = " and known pairs"
KINDS = (NUMBERS, NUMBERS + KNOWN, GRADED, GRADED + KNOWN, RULERS)


@dataclass(frozen=True, slots=True)
class Setting:
    """What is measured: one draw of one world, experts of one kind, and answers of one kind."""

    world: str
    draw: int
    noise: float
    own_scales: float
    kind: str
    minutes: int
    seconds: float
    number_seconds: float

    @property
    def n_answers(self) -> int:
        """How many answers of the kind there is time for, beside the pilots and the known pairs."""
        time = 60.0 * self.minutes
        if self.kind.endswith(KNOWN):
            time -= N_EXPERTS * KNOWN_PAIRS * self.seconds
        if not self.kind.startswith(NUMBERS):
            time -= PILOTS * self.number_seconds
        return int(time / self.seconds)


def measured(setting: Setting, data_home: str | None) -> dict[str, float] | None:
    """Return mean error and bias in % of the mean of σ; None where there is no time for any answer."""
    if setting.n_answers < 20:
        return None

    def rng(purpose: str) -> np.random.Generator:
        return generator(0, "answer kinds", setting.world, setting.draw, setting.noise, setting.own_scales, purpose)

    world = draw_world(chosen_worlds([setting.world])[0], 0, setting.draw, TEST_PAIRS, data_home)
    # the same experts and, one after the other, the same pairs for all kinds
    asked = Asked.draw(world, PILOTS + setting.n_answers, setting.noise, setting.own_scales, rng("pairs"))
    learnt = _LEARNERS[setting.kind](asked, setting.n_answers, rng(setting.kind))
    (test,) = world.tests
    off = learnt.estimate(test.left, test.right) - test.truth
    size = 100.0 / float(test.truth.mean())
    return {"error": size * float(np.abs(off).mean()), "bias": size * float(off.mean())}


def _numbers(asked: Asked, n: int, rng: np.random.Generator) -> Regression:
    return _learn_numbers(asked, asked.numbers(rng)[:n])


def _numbers_by_known_pairs(asked: Asked, n: int, rng: np.random.Generator) -> Regression:
    said = asked.numbers(rng)[:n]
    scales = learn_scales(_known_pairs(asked, rng, lambda value: value))
    common = [
        scales[str(expert)].to_common(Said(value, value)).lower for expert, value in zip(asked.experts, said.tolist())
    ]
    return _learn_numbers(asked, np.array(common))


def _learn_numbers(asked: Asked, numbers: FloatArray) -> Regression:
    (left, right), n = asked.points, len(numbers)
    spaces = asked.sides[0].space, asked.sides[1].space
    pairs = AnsweredPairs(spaces, left[:n], right[:n], numbers, np.ones(n))
    return learn("auto", pairs, np.random.default_rng(0))


def _grades(asked: Asked, n: int, rng: np.random.Generator) -> Regression:
    numbers = asked.numbers(rng)
    pilots = _pilots(numbers)
    return _learn_ranges(asked.said(pilots + _graded(numbers, pilots, n)))


def _grades_by_known_pairs(asked: Asked, n: int, rng: np.random.Generator) -> Regression:
    numbers = asked.numbers(rng)
    pilots = _pilots(numbers)
    grade = _grading(pilots)
    scales = learn_scales(_known_pairs(asked, rng, lambda value: str(grade(value))))
    common = [
        (row, scales[str(asked.experts[row])].to_common(said)) for row, said in pilots + _graded(numbers, pilots, n)
    ]
    return _learn_ranges(asked.said(common))


def _rulers(asked: Asked, n: int, rng: np.random.Generator) -> Regression:
    """Place rulers at quantiles of the pilots first, then at what was learnt before, batch after batch."""
    said = _pilots(asked.numbers(rng))
    left, right = asked.points
    wanted = rng.choice([one.lower for _, one in said], size=n)
    for rows in np.array_split(PILOTS + np.arange(n), round(1.0 / BATCH)):
        if len(said) > PILOTS:
            so_far = learn("gp", asked.said(said), np.random.default_rng(0))
            wanted[rows - PILOTS] = so_far.estimate(left[rows], right[rows])
        lengths, closer = asked.beside(rows, wanted[rows - PILOTS], rng)
        said = said + [
            (row, Said(0.0, length, True) if less else Said(length, float("inf"), True))
            for row, length, less in zip(rows.tolist(), lengths.tolist(), closer.tolist())
            if length > 0.0
        ]
    return _learn_ranges(asked.said(said))


def _learn_ranges(said: RangedPairs) -> Regression:
    return learn("auto", said, np.random.default_rng(0))


def _pilots(numbers: FloatArray) -> list[tuple[int, Said]]:
    return [(row, Said(value, value)) for row, value in enumerate(numbers[:PILOTS].tolist())]


def _graded(numbers: FloatArray, pilots: list[tuple[int, Said]], n: int) -> list[tuple[int, Said]]:
    grade = _grading(pilots)
    return [(PILOTS + row, grade(value)) for row, value in enumerate(numbers[PILOTS : PILOTS + n].tolist())]


def _grading(pilots: list[tuple[int, Said]]) -> Callable[[float], Said]:
    """Return what gives the grade of a number: boundaries lie at quintiles of the pilots."""
    boundaries = np.quantile([one.lower for _, one in pilots], np.arange(1, GRADES) / GRADES)
    edges = [0.0, *boundaries.tolist(), float("inf")]

    def grade(value: float) -> Said:
        place = int(np.searchsorted(boundaries, value))
        return Said(edges[place], edges[place + 1])

    return grade


def _known_pairs(asked: Asked, rng: np.random.Generator, say: Callable[[float], object]) -> dict[str, list[object]]:
    """Let each expert answer about pairs of one group, with distances like those of σ."""
    rows: list[tuple[str, float, object]] = []
    for expert, gain in enumerate(asked.gains.tolist()):
        for distance in _distances(asked, rng):
            perceived = float(gain * asked.perceived(np.array([distance]), rng)[0])
            rows.append((str(expert), distance, say(perceived)))
    names, distances, answers = (list(column) for column in zip(*rows))
    return {"expert": names, "distance": distances, "answer": answers}


def _distances(asked: Asked, rng: np.random.Generator) -> Iterator[float]:
    """Yield distances of pairs of one group, each the nearest of many to a quantile of σ."""
    side = asked.sides[0]
    some = side.points[rng.integers(len(side), size=100)]
    there = side.space.metric.pairwise(some, some)[np.triu_indices(100, 1)]
    for wanted in np.quantile(asked.truth[:PILOTS], np.linspace(0.05, 0.95, KNOWN_PAIRS)):
        yield float(there[np.abs(there - wanted).argmin()])


_LEARNERS: dict[str, Callable[[Asked, int, np.random.Generator], Regression]] = dict(
    zip(KINDS, (_numbers, _numbers_by_known_pairs, _grades, _grades_by_known_pairs, _rulers))
)
