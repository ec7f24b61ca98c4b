"""One draw of a world: how far off each learner is from σ, and each part of ours on its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.awkward_worlds.world import Task, World, drawn
from benchmarks.real_answers.draw import COLD, WARM, Predict
from benchmarks.real_answers.peers import PeerTask
from benchmarks.real_answers.sets import RealSet
from commensurate.arrays import FloatArray
from commensurate.learning.regression.auto import learn_each_alone


@dataclass(frozen=True, slots=True)
class Found:
    """How far off σ one learner was in one test of one draw.

    Attributes
    ----------
    noise
        How far off σ the answers were that it learnt from, as a root mean square; 0 where experts do not err.
    size
        Root mean square of σ, beside which errors may be negligible.
    """

    world: str
    answers: int
    draw: int
    test: str
    learner: str
    rmse: float
    mae: float
    noise: float
    size: float


def measured(world: World, n: int, draw: int, learners: Mapping[str, Predict]) -> Iterator[Found]:
    """Yield what each learner gives in each test."""
    task = drawn(world, n, draw)
    tested = _all_tested(task)
    described = PeerTask.of(task.training, tested)
    for name, predict in learners.items():
        yield from _found(world, n, draw, name, task, predict(described, draw))


def parts_alone(world: World, n: int, draw: int) -> Iterator[Found]:
    """Yield what each part of ours gives on its own: those that the mix of `measured` weighs."""
    task = drawn(world, n, draw)
    tested = _all_tested(task).pairs()
    for name, part in learn_each_alone(task.training.pairs(), np.random.default_rng(draw)).items():
        estimates = np.maximum(part.estimate(tested.left, tested.right), 0.0)
        yield from _found(world, n, draw, name, task, estimates)


def _all_tested(task: Task) -> RealSet:
    """Return the pairs of all tests, which are described and predicted at once."""
    known, new = task.known, task.new
    return replace(
        new,
        left=np.concatenate([known.left, new.left]),
        right=np.concatenate([known.right, new.right]),
        answers=np.concatenate([known.answers, new.answers]),
    )


def _found(world: World, n: int, draw: int, learner: str, task: Task, estimates: FloatArray) -> Iterator[Found]:
    n_known = len(task.known)
    for test, tested, given in ((WARM, task.known, estimates[:n_known]), (COLD, task.new, estimates[n_known:])):
        if len(tested):
            off = given - tested.answers
            size = float(np.sqrt(np.mean(tested.answers**2)))
            rmse, mae = float(np.sqrt(np.mean(off**2))), float(np.abs(off).mean())
            yield Found(world.name, n, draw, test, learner, rmse, mae, task.noise, size)
