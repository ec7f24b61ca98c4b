"""How well segments are found from experts' answers, without experts, and by the true σ: the adjusted Rand index."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.segments.without_experts import WITHOUT_EXPERTS, by_asked_medoids, by_truth, encoded, full
from benchmarks.segments.world import BANK, LOYALTY, SEGMENTS, Analyst, SegmentsWorld
from commensurate import BudgetedSimilarity, NaiveSimilarity
from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids
from commensurate.progress import progress

BUDGETS = (100, 400, 1_000)
DRAWS = 5
NEXT_QUESTIONS = 100
# what needs no estimator; those who ask at all, and how often
_PLAIN = {**WITHOUT_EXPERTS, "asked medoids": by_asked_medoids, "truth": by_truth}
_ASKED = {"asked medoids": len(SEGMENTS) ** 2}

Estimator = BudgetedSimilarity | NaiveSimilarity
Row = dict[str, object]


def few_answers(budget: int, learner: str, seed: int) -> BudgetedSimilarity:
    """Return the estimator that learns from few answers."""
    return BudgetedSimilarity(budget=budget, learner=learner, answer_error=0.0, random_state=seed)


def many_answers(seed: int) -> NaiveSimilarity:
    """Return the estimator that asks about all pairs of 120 customers of either vendor."""
    return NaiveSimilarity(epsilon=0.05, delta=0.05, random_state=seed)


def segment(world: SegmentsWorld, estimator: Estimator, seed: int = 0) -> CrossGroupKMedoids:
    """Let the analyst answer an estimator's questions, and cluster the customers by it."""
    model = estimator.fit(world.groups(), oracle=Analyst(world))
    return CrossGroupKMedoids(len(SEGMENTS), random_state=seed).fit(model, world.tables)


def segments_figures(draws: int = DRAWS, learner: str = "auto") -> list[Row]:
    """Return for every draw of customers how well each way finds the segments."""
    rows: list[Row] = []
    with progress("segmenting", total=draws) as advance:
        for draw in range(draws):
            world = SegmentsWorld.draw(seed=draw)
            rows += [*plain_figures(world, draw), *few_answers_figures(world, draw, learner)]
            rows.append(many_answers_figures(world, draw))
            advance(1)
    return rows


def small_sigma_figures(draws: int = DRAWS, learner: str = "auto") -> list[Row]:
    """Return the same of few answers and of the truth, where σ is about half as large as d."""
    rows: list[Row] = []
    with progress("segmenting where σ is small", total=draws) as advance:
        for draw in range(draws):
            world = SegmentsWorld.draw(unknown=0.0, seed=draw)
            rows += [*few_answers_figures(world, draw, learner), _plain(world, draw, "truth")]
            advance(1)
    return rows


def plain_figures(world: SegmentsWorld, draw: int) -> list[Row]:
    """Return what comes out without experts, by answers about medoids alone, and by the true σ."""
    return [_plain(world, draw, name) for name in _PLAIN]


def few_answers_figures(world: SegmentsWorld, draw: int, learner: str) -> list[Row]:
    """Return what comes out of few answers."""
    rows = []
    for budget in BUDGETS:
        estimator = few_answers(budget, learner, seed=draw)
        found = segment(world, estimator, seed=draw)
        rows.append({"by": "experts", "draw": draw, "answers": budget, **clusters_figures(world, found)})
    return rows


def many_answers_figures(world: SegmentsWorld, draw: int) -> Row:
    """Return what comes out of NAIVE's answers."""
    estimator = many_answers(seed=draw)
    found = segment(world, estimator, seed=draw)
    return {"by": "NAIVE", "draw": draw, "answers": estimator.n_questions_, **clusters_figures(world, found)}


def clusters_figures(world: SegmentsWorld, found: CrossGroupKMedoids) -> Row:
    """Return how well clusters found by a model agree with the segments,
    and what they say of their own cost beside the truth.
    """
    labels = np.concatenate([found.labels_[name] for name in world.tables])
    newcomers = [found.predict(each.table, name) for name, each in world.newcomers.items()]
    certain = np.concatenate([found.certain_[name] for name in world.tables])
    return {
        "rand_index": rand_index(world, labels),
        "rand_index_of_newcomers": _rand_index(
            [each.segments for each in world.newcomers.values()], np.concatenate(newcomers)
        ),
        "certain": float(certain.mean()),
        "certain_but_wrong": int((certain & (labels != nearest_medoids(world, found.medoids_))).sum()),
        "cost": found.cost_,
        "cost_bounds": list(found.cost_bounds_),
        "true_cost": true_cost(world, found.medoids_, labels),
    }


def next_questions_figures(draw: int = 0, budget: int = 400, learner: str = "auto") -> dict[str, int]:
    """Return how many customers' clusters the next questions settle, and how many as many random questions do."""
    world = SegmentsWorld.draw(seed=draw)
    found = segment(world, few_answers(budget, learner, draw), seed=draw)
    chosen = found.next_questions(NEXT_QUESTIONS)
    rng = np.random.default_rng(draw)
    random = chosen.assign(
        left=rng.integers(len(world.tables[LOYALTY]), size=len(chosen)),
        right=rng.integers(len(world.tables[BANK]), size=len(chosen)),
    )
    sigma = world.true_matrix()
    before = _uncertain(found)

    def settled(questions: pd.DataFrame) -> int:
        answers = sigma[questions["left"].to_numpy(np.int64), questions["right"].to_numpy(np.int64)]
        # a copy, so that the one's answers do not narrow the other's intervals
        return before - _uncertain(copy(found).narrow(questions.assign(answer=answers)))

    return {
        "budget": budget,
        "customers": sum(map(len, world.tables.values())),
        "questions": len(chosen),
        "uncertain": before,
        "expected": int(chosen["settles"].sum()),
        "settled": settled(chosen),
        "settled_by_random_ones": settled(random),
    }


def rand_index(world: SegmentsWorld, labels: NDArray[np.int64]) -> float:
    """Return the adjusted Rand index of everybody's cluster with the segments: 1 for the same ones, 0 for chance."""
    return _rand_index([each.segments for each in world.customers.values()], labels)


def nearest_medoids(world: SegmentsWorld, medoids: pd.DataFrame) -> NDArray[np.int64]:
    """Return the medoid that is truly nearest to each customer."""
    nearest: NDArray[np.int64] = _true_to_medoids(world, medoids).argmin(axis=1)
    return nearest


def true_cost(world: SegmentsWorld, medoids: pd.DataFrame, labels: NDArray[np.int64]) -> float:
    """Return the sum of everybody's true dissimilarity to its medoid."""
    return float(np.take_along_axis(_true_to_medoids(world, medoids), labels[:, None], axis=1).sum())


def _plain(world: SegmentsWorld, draw: int, name: str) -> Row:
    labels = _PLAIN[name](world, np.random.default_rng(draw))
    return {"by": name, "draw": draw, "answers": _ASKED.get(name, 0), "rand_index": rand_index(world, labels)}


def _true_to_medoids(world: SegmentsWorld, medoids: pd.DataFrame) -> NDArray[np.float64]:
    starts: Mapping[str, int] = {LOYALTY: 0, BANK: len(world.tables[LOYALTY])}
    places = [starts[str(group)] + int(row) for group, row in zip(medoids["group"], medoids["row"])]
    loyalty, bank = encoded(world).values()
    return full(loyalty, bank, world.true_matrix())[:, places]


def _rand_index(segments: list[NDArray[np.int64]], labels: NDArray[np.int64]) -> float:
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(np.concatenate(segments), labels))


def _uncertain(found: CrossGroupKMedoids) -> int:
    return sum(int((~certain).sum()) for certain in found.certain_.values())
