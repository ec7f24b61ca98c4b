"""The two worlds in which the paper proves that learning is impossible: too few questions, or too few samples.

In both, all elements of a group are at distance 1 from each other (hamming on one column) and σ is drawn from U[0, 1]
for every pair, independently: M1 and M2 hold, and no answer tells anything about another pair. Whatever a learner
guesses for a pair it did not ask about is within 6ε of the truth at most 12ε of the time.

Elements are few enough that failure rates are computed over all pairs, each equally likely,
and not estimated from some.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

import commensurate as cm
from commensurate.arrays import FloatArray
from commensurate.experiments.seeds import generator
from commensurate.experiments.synthetic.suite import ProxyEstimator, over_repeats

EPSILON, DELTA, DILATION = 0.01, 0.05, 2.0
# Theorem "quer-bnd" has 1/δ elements a group
N_ATOMS = round(1 / DELTA)
KNOWN_ATOMS = (1, 2, 5, 8, 11, 14, 17, 19, N_ATOMS)


@dataclass(frozen=True, slots=True, eq=False)
class IndependentSigma:
    """An expert with an independent answer for every pair of numbered elements."""

    table: FloatArray

    def __call__(self, left: NDArray[Any], right: NDArray[Any], between: tuple[str, str]) -> FloatArray:
        """Look the answers up; elements are their numbers."""
        answers: FloatArray = self.table[left[:, 0].astype(np.int64), right[:, 0].astype(np.int64)]
        return answers

    def failure_rate(self, estimator: ProxyEstimator) -> float:
        """Return the share of all pairs whose estimate is off by more than 6ε."""
        left, right = (np.arange(size, dtype=np.float64)[:, None] for size in self.table.shape)
        errors = np.abs(estimator.predict_matrix(left, right) - self.table)
        return float(np.mean(errors > cm.error_bound(EPSILON)))


def run_lower_bound(seed: int, repeats: int) -> dict[str, object]:
    """Measure the failure rate against the number of questions in the world of the lower bound (Theorem "quer-bnd").

    There are 1/δ elements a group, all equally likely. The learner may know them and asks about every pair of m of them
    in each group. With q questions no learner fails less often than (1 − qδ²)(1 − 12ε), the floor: it has to ask nearly
    all 1/δ² pairs. CLUSTER, which does not know the elements and draws N samples, asks at most so many.

    Parameters
    ----------
    seed
        Seed of everything that is drawn.
    repeats
        How often σ and the elements asked about are drawn anew, at least once.

    Returns
    -------
    dict
        Plain values, fit for JSON. "curve" has one entry for each m, "cluster" is CLUSTER; failure rates are given as
        mean and standard error over the repeats.

    Examples
    --------
    >>> curve = run_lower_bound(seed=0, repeats=2)["curve"]
    >>> curve[-1]["questions"], curve[-1]["failure_rate"]["mean"]
    (400, 0.0)
    """
    _check_repeats(repeats)
    curve = []
    for n_known in KNOWN_ATOMS:
        rates = [_fail_with_known_atoms(n_known, seed, repeat) for repeat in range(repeats)]
        curve.append({"questions": n_known**2, "failure_rate": over_repeats(rates), "floor": _floor(n_known**2)})
    drawn = [_fail_with_cluster(seed, repeat) for repeat in range(repeats)]
    return {
        **_parameters(seed, repeats),
        "n_pairs": N_ATOMS**2,
        "curve": curve,
        "cluster": {
            "dilation": DILATION,
            "questions": over_repeats(questions for questions, _ in drawn),
            "most_questions": max(questions for questions, _ in drawn),
            "failure_rate": over_repeats(rate for _, rate in drawn),
            "floor": float(np.mean([_floor(questions) for questions, _ in drawn])),
            "theorem_bound": cm.failure_probability(DELTA, 0.0, 0.0),
        },
    }


def run_no_free_lunch(seed: int, repeats: int) -> dict[str, object]:
    """Measure NAIVE and CLUSTER in the world where nothing can be learnt (Theorem "dep").

    One group has a single element, the other so many, M, that N samples hold a given one with probability ε only:
    1 − (1 − 1/M)^N = ε. Each is rare, p = 1, and no learner fails less often than (1 − ε)(1 − 12ε), the floor.

    Parameters
    ----------
    seed
        Seed of everything that is drawn.
    repeats
        How often σ and the samples are drawn anew, at least once.

    Returns
    -------
    dict
        Plain values, fit for JSON; failure rates (error > 6ε) as mean and standard error over the repeats.

    Examples
    --------
    >>> measured = run_no_free_lunch(seed=0, repeats=2)
    >>> measured["n_elements"], round(measured["floor"], 3)
    (11941, 0.871)
    >>> measured["failure_rate"]["NAIVE"]["mean"] > 0.8
    True
    """
    _check_repeats(repeats)
    n_samples = cm.sample_size(DELTA)
    # rounded up: a sample holds a given element with probability ε at most, so that the floor stays a floor
    n_elements = math.ceil(1.0 / -math.expm1(math.log1p(-EPSILON) / n_samples))
    rates: dict[str, list[float]] = {"NAIVE": [], "CLUSTER": []}
    for repeat in range(repeats):
        rng = generator(seed, "no free lunch", repeat)
        sigma = IndependentSigma(rng.random((1, n_elements)))
        groups = [_numbered("one", np.zeros(n_samples)), _numbered("crowd", rng.integers(n_elements, size=n_samples))]
        for name, estimator in (("NAIVE", _naive()), ("CLUSTER", _cluster("given", rng))):
            rates[name].append(sigma.failure_rate(estimator.fit(groups, sigma)))
    return {
        **_parameters(seed, repeats),
        "n_samples": n_samples,
        "n_elements": n_elements,
        # the single element of the first group has mass 1; each of the second has 1/M < δ
        "rare_mass": {"one": 0.0, "crowd": 1.0},
        "theorem_bound": cm.failure_probability(DELTA, 0.0, 1.0),
        "failure_rate": {name: over_repeats(each) for name, each in rates.items()},
        "floor": (1.0 - EPSILON) * (1.0 - 12.0 * EPSILON),
    }


def _fail_with_known_atoms(n_known: int, seed: int, repeat: int) -> float:
    rng = generator(seed, "lower bound", n_known, repeat)
    sigma = IndependentSigma(rng.random((N_ATOMS, N_ATOMS)))
    groups = [_numbered(name, rng.permutation(N_ATOMS)[:n_known]) for name in ("x", "y")]
    return sigma.failure_rate(_naive().fit(groups, sigma))


def _fail_with_cluster(seed: int, repeat: int) -> tuple[int, float]:
    rng = generator(seed, "lower bound", "CLUSTER", repeat)
    sigma = IndependentSigma(rng.random((N_ATOMS, N_ATOMS)))
    groups = [_numbered(name, np.arange(N_ATOMS)) for name in ("x", "y")]
    cluster = _cluster("draw", rng).fit(groups, sigma)
    return cluster.n_questions_, sigma.failure_rate(cluster)


def _floor(n_questions: int) -> float:
    return (1.0 - n_questions / N_ATOMS**2) * (1.0 - 12.0 * EPSILON)


def _numbered(name: str, numbers: ArrayLike) -> cm.Group:
    return cm.Group(name, np.asarray(numbers, dtype=np.float64)[:, None], metric="hamming")


def _naive() -> cm.NaiveSimilarity:
    return cm.NaiveSimilarity(epsilon=EPSILON, delta=DELTA, samples="given")


def _cluster(samples: Literal["draw", "given"], rng: np.random.Generator) -> cm.ClusterSimilarity:
    # ρε < 1, the distance of any two elements: else CLUSTER would take all of them for one
    return cm.ClusterSimilarity(epsilon=EPSILON, delta=DELTA, dilation=DILATION, samples=samples, random_state=rng)


def _parameters(seed: int, repeats: int) -> dict[str, object]:
    return {"seed": seed, "repeats": repeats, "epsilon": EPSILON, "delta": DELTA}


def _check_repeats(repeats: int) -> None:
    if repeats < 1:
        raise cm.errors.InvalidParameter(f"repeats must be at least 1, got {repeats!r}; 100 give a smooth curve")
