"""Admissions: a score with a bias of known size, audited where the truth about every pair is known.

The fair score is what the committee sees as achieved, which is a part of its view of an applicant. It never differs by
more than the views do, so that it meets the condition with L = 1 exactly. The biased score takes points off for rural
applicants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.fairness.checked_verdicts import check_verdicts
from commensurate import BudgetedSimilarity, ClusterSimilarity, Group, NaiveSimilarity, groups_from_tables
from commensurate.applications.fairness.audit import FairnessAudit, audit_fairness
from commensurate.arrays import FloatArray, IntArray
from commensurate.experiments.admissions import _VIEW, CITY, ORDERS, RURAL, AdmissionsWorld, Committee
from commensurate.learning.similarity import Interval

LIPSCHITZ = 1.0
MALUS = 0.1
BUDGET = 400
NEXT_QUESTIONS = 100
SEED = 0

Estimator = NaiveSimilarity | ClusterSimilarity | BudgetedSimilarity


@dataclass(frozen=True, slots=True, eq=False)
class AdmissionsAudit:
    """Applicants to learn from, and others to audit, whom no question is about."""

    world: AdmissionsWorld
    groups: list[Group]

    @classmethod
    def prepare(cls, n_rows: int = 600, n_people: int = 300) -> AdmissionsAudit:
        """Draw the world; of either group, ``n_people`` are audited."""
        world = AdmissionsWorld.draw(n_rows=n_rows, n_held_out=n_people)
        return cls(world, groups_from_tables(world.tables, orders=ORDERS))

    @property
    def people(self) -> Mapping[str, pd.DataFrame]:
        """The applicants who are audited."""
        return self.world.held_out

    def scores(self, malus: float = MALUS) -> dict[str, FloatArray]:
        """Return what was achieved, around 0.5, less the malus for rural applicants."""
        taken_off = {CITY: 0.0, RURAL: malus}
        return {name: 0.5 + _VIEW[name].view(people)[:, 0] - taken_off[name] for name, people in self.people.items()}

    def truth(self, city: IntArray, rural: IntArray) -> FloatArray:
        """Return the true dissimilarity of the applicants in these rows."""
        return self.world.truth(self.people[CITY].iloc[city], self.people[RURAL].iloc[rural])

    def learn(self, estimator: Estimator) -> Estimator:
        """Let the committee answer an estimator's questions."""
        return estimator.fit(self.groups, oracle=Committee(self.world))

    def audit(
        self,
        estimator: Estimator,
        interval: Interval = "certified",
        *,
        malus: float = MALUS,
        answers: pd.DataFrame | None = None,
    ) -> FairnessAudit:
        """Audit all pairs of people by a fitted estimator."""
        return audit_fairness(
            estimator,
            self.people,
            scores=self.scores(malus),
            lipschitz=LIPSCHITZ,
            pairs="all",
            interval=interval,
            answers=answers,
        )


def estimators() -> dict[str, Estimator]:
    """Return the estimators of the example by name."""
    return {
        "CLUSTER": ClusterSimilarity(epsilon=0.05, delta=0.05, dilation=2.0, random_state=SEED),
        "NAIVE": NaiveSimilarity(epsilon=0.05, delta=0.05, random_state=SEED),
        "BudgetedSimilarity": few_answers(),
    }


def few_answers() -> BudgetedSimilarity:
    """Return the estimator that learns from few answers."""
    return BudgetedSimilarity(budget=BUDGET, learner="gp", answer_error=0.0, random_state=SEED)


def admissions_figures(example: AdmissionsAudit) -> list[dict[str, object]]:
    """Return what every estimator and kind of interval says of the fair and of the biased score, beside the truth."""
    rows: list[dict[str, object]] = []
    for name, estimator in estimators().items():
        example.learn(estimator)
        kinds: tuple[Interval, ...] = ("certified", "calibrated") if name == "BudgetedSimilarity" else ("certified",)
        for kind in kinds:
            for malus in (0.0, MALUS):
                checked = check_verdicts(example.audit(estimator, kind, malus=malus), example.truth)
                about = {"model": name, "answers": estimator.n_questions_, "interval": kind, "malus": malus}
                rows.append({**about, **checked.figures()})
    return rows


def next_questions_figures(example: AdmissionsAudit) -> dict[str, int]:
    """Return how many undecided pairs the next questions settle, and how many as many random questions do."""
    model = example.learn(few_answers())
    before = example.audit(model)
    chosen = before.next_questions(NEXT_QUESTIONS)
    rng = np.random.default_rng(SEED)
    random = chosen.assign(
        **{
            side: rng.integers(len(example.people[name]), size=len(chosen))
            for side, name in (("left", CITY), ("right", RURAL))
        }
    )
    n_before = check_verdicts(before, example.truth).undecided

    def settled(questions: pd.DataFrame) -> int:
        answers = example.truth(questions["left"].to_numpy(np.int64), questions["right"].to_numpy(np.int64))
        after = example.audit(model, answers=questions.assign(answer=answers))
        return n_before - check_verdicts(after, example.truth).undecided

    return {
        "questions": len(chosen),
        "undecided": n_before,
        "expected": int(chosen["settles"].sum()),
        "settled": settled(chosen),
        "settled by random ones": settled(random),
    }
