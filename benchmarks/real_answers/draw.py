"""One draw: some real answers to learn from, and how far off each learner is about the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import kendalltau

from benchmarks.real_answers.peers import PEERS, PeerTask
from benchmarks.real_answers.sets import RealSet, split
from commensurate.arrays import FloatArray
from commensurate.learning.regression.learners import learn_pairs

Predict = Callable[[PeerTask, int], FloatArray]

WARM, COLD = "pairs of known elements", "new elements"


@dataclass(frozen=True, slots=True)
class Found:
    """How far off one learner was in one test of one draw."""

    data: str
    answers: int
    draw: int
    test: str
    learner: str
    rmse: float
    mae: float
    concordance: float


# what BudgetedSimilarity sets aside for its intervals, unless told otherwise
HELD_OUT = 0.2


def ours(learner: str, held_out: float = 0.0) -> Predict:
    """Return one of our learners; it learns from all the answers that its peers learn from, or from fewer."""

    def predict(task: PeerTask, seed: int) -> FloatArray:
        # the answers are in random order
        training = task.training.take(np.arange(round((1.0 - held_out) * len(task.training))))
        regression = learn_pairs(learner, training.pairs(), np.random.default_rng(seed))
        tested = task.tested.pairs()
        return np.maximum(regression.estimate(tested.left, tested.right), 0.0)

    return predict


def _peer(predict: Callable[[PeerTask], FloatArray]) -> Predict:
    return lambda task, seed: predict(task)


LEARNERS: Mapping[str, Predict] = {
    "ours, auto": ours("auto"),
    "ours, a fifth held out": ours("auto", HELD_OUT),
    "ours, gp": ours("gp"),
    **{name: _peer(predict) for name, predict in PEERS.items()},
}


def measured(answered: RealSet, n: int, draw: int, learners: Mapping[str, Predict]) -> Iterator[Found]:
    """Yield what each learner gives in both tests; raise if there are too few answers."""
    parts = split(answered, n, draw)
    # all are described and predicted at once
    tested = replace(
        answered,
        left=np.concatenate([parts.warm.left, parts.cold.left]),
        right=np.concatenate([parts.warm.right, parts.cold.right]),
        answers=np.concatenate([parts.warm.answers, parts.cold.answers]),
    )
    task, n_warm = PeerTask.of(parts.training, tested), len(parts.warm)
    for name, predict in learners.items():
        estimates = predict(task, draw)
        for test, rows in ((WARM, slice(0, n_warm)), (COLD, slice(n_warm, None))):
            yield Found(answered.name, n, draw, test, name, *errors(estimates[rows], tested.answers[rows]))


def errors(estimates: FloatArray, answers: FloatArray) -> tuple[float, float, float]:
    """Return the root mean squared error, the mean absolute error, and the concordance index.

    The concordance index is the share of pairs of different answers whose estimates are in the same order; equal
    estimates count as half.

    >>> errors(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]))[1:]
    (0.3333333333333333, 1.0)
    """
    off = estimates - answers
    return float(np.sqrt(np.mean(off**2))), float(np.abs(off).mean()), concordance(estimates, answers)


def concordance(estimates: FloatArray, answers: FloatArray) -> float:
    """Return the concordance index; a half for estimates that are all the same.

    >>> concordance(np.array([0.0, 0.0]), np.array([1.0, 2.0]))
    0.5
    """
    if np.ptp(estimates) == 0.0 or np.ptp(answers) == 0.0:
        return 0.5
    # tau-b is (concordant − discordant) / √(pairs of different estimates · pairs of different answers)
    tau = float(kendalltau(estimates, answers).statistic)
    different = _different(estimates), _different(answers)
    return 0.5 + 0.5 * tau * float(np.sqrt(different[0] / different[1]))


def _different(values: FloatArray) -> float:
    counts = np.unique(values, return_counts=True)[1].astype(np.float64)
    n = float(len(values))
    return (n * (n - 1.0) - float((counts * (counts - 1.0)).sum())) / 2.0
