"""Worlds in which every violation is known: people of two groups, their scores, and answers of several kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import commensurate as cm
from commensurate.arrays import BoolArray, FloatArray
from commensurate.asking.questions import Between

# people of either group who are audited, and whom no question is about
PEOPLE, ASKED = 150, 900
BETWEEN: Between = ("a", "b")


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """A model, people with scores, and which pairs of theirs are violations by what the list is about."""

    model: cm.BudgetedSimilarity
    people: Mapping[str, FloatArray]
    scores: Mapping[str, FloatArray]
    violated: BoolArray


def merit(points: FloatArray) -> FloatArray:
    """Return what experts see in somebody."""
    return np.asarray(0.4 * points[:, 0] * points[:, 1] + 0.2 * points[:, 0])


def hidden(points: FloatArray) -> FloatArray:
    """Return a number from 0 to 1 that nothing in the columns tells."""
    return np.asarray(np.floor(1e6 * points[:, 0]) % 1000 / 1000)


def drawn(
    seed: int,
    budget: int,
    sigma: Callable[[FloatArray, FloatArray], FloatArray],
    scores: Callable[[Mapping[str, FloatArray], np.random.Generator], Mapping[str, FloatArray]],
    answer: Callable[[FloatArray, np.random.Generator], FloatArray] = lambda truth, rng: truth,
    *,
    about_answers: bool = False,
    **options: Any,
) -> Draw:
    """Return a draw of a world; ``answer`` makes an answer of the truth, and the list is about either of them."""
    rng = np.random.default_rng([seed, 7])
    settings = {"budget": budget, "calibration": 0.5, "learner": "gp", "random_state": seed, **options}
    asked = {name: rng.random((ASKED, 2)) for name in BETWEEN}
    model = cm.BudgetedSimilarity(**settings).fit(asked, lambda left, right, between: answer(sigma(left, right), rng))
    people = {name: rng.random((PEOPLE, 2)) for name in BETWEEN}
    given = scores(people, rng)
    truth = sigma(np.repeat(people["a"], PEOPLE, axis=0), np.tile(people["b"], (PEOPLE, 1)))
    allowed = (answer(truth, rng) if about_answers else truth).reshape(PEOPLE, PEOPLE)
    violated = np.abs(given["a"][:, None] - given["b"][None, :]) > allowed
    return Draw(model, people, given, np.asarray(violated))


def by_merit(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return σ as the difference of merits, and a little."""
    return np.asarray(np.abs(merit(left) - merit(right)) + 0.1)


def points_off(people: Mapping[str, FloatArray], rng: np.random.Generator) -> dict[str, FloatArray]:
    """Score by merit, and take 0.2 off for everybody in the second group."""
    return {"a": merit(people["a"]), "b": merit(people["b"]) - 0.2}


def some_favoured(people: Mapping[str, FloatArray], rng: np.random.Generator) -> dict[str, FloatArray]:
    """Score by merit, and give 0.6 more to three of ten in the first group."""
    return {"a": merit(people["a"]) + 0.6 * (rng.random(PEOPLE) < 0.3), "b": merit(people["b"])}


def exact(seed: int, budget: int) -> Draw:
    """Answers are exact; everybody in the second group has too low a score."""
    return drawn(seed, budget, by_merit, points_off, answer_error=0.0)


def favoured(seed: int, budget: int) -> Draw:
    """Answers are off in proportion; a few are treated far too well."""
    return drawn(
        seed,
        budget,
        by_merit,
        some_favoured,
        lambda truth, rng: truth * np.exp(0.3 * rng.normal(size=len(truth))),
        about_answers=True,
        answer_error="noise",
    )


def bounded(seed: int, budget: int) -> Draw:
    """Answers are off by 0.1 at most, and the model knows it: the list is about σ."""
    return drawn(
        seed,
        budget,
        by_merit,
        some_favoured,
        lambda truth, rng: truth + rng.choice([-0.1, 0.1], len(truth)),
        answer_error=0.1,
    )


def surprising(seed: int, budget: int) -> Draw:
    """Some are very dissimilar, nothing tells who, and scores are all but violations for everybody not favoured."""

    def sigma(left: FloatArray, right: FloatArray) -> FloatArray:
        return np.asarray(-0.2 * np.log(1.0 - hidden(left)))

    def scores(people: Mapping[str, FloatArray], rng: np.random.Generator) -> dict[str, FloatArray]:
        nearly = 0.999 * sigma(people["a"], people["b"])
        return {"a": np.where(rng.random(PEOPLE) < 0.3, 1.5, nearly), "b": np.zeros(PEOPLE)}

    return drawn(seed, budget, sigma, scores, answer_error="noise")


def skipped(seed: int, budget: int) -> Draw:
    """The same, and experts skip one question in eighty, those about the hardest pairs."""

    def sigma(left: FloatArray, right: FloatArray) -> FloatArray:
        return np.asarray(0.2 + 0.8 * hidden(left))

    def scores(people: Mapping[str, FloatArray], rng: np.random.Generator) -> dict[str, FloatArray]:
        nearly = 0.999 * sigma(people["a"], people["b"])
        return {"a": np.where(rng.random(PEOPLE) < 0.6, 1.5, nearly), "b": np.zeros(PEOPLE)}

    return drawn(
        seed, budget, sigma, scores, lambda truth, rng: np.where(truth > 0.99, np.nan, truth), answer_error="noise"
    )


WORLDS: Mapping[str, Callable[[int, int], Draw]] = {
    "points off for a group": exact,
    "some favoured, answers off by 30 %": favoured,
    "some favoured, answers off by 0.1 at most": bounded,
    "dissimilarity that nothing tells": surprising,
    "the hardest questions skipped": skipped,
}
