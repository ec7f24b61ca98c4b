"""Lending: a gradient-boosted classifier's probabilities of default, audited between married clients and others.

The data are Credit Card Default. One half of either group is learnt from, by the classifier and by the estimator of
dissimilarity; people of the other half are audited. The expert is simulated, with a σ drawn as in the paper, so that
the verdicts can be checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from commensurate import BudgetedSimilarity, ClusterSimilarity, Group, groups_from_tables
from commensurate.applications.fairness.audit import FairnessAudit, audit_fairness
from commensurate.arrays import FloatArray, IntArray
from commensurate.asking.simulated.shared_columns import PaperExpert
from commensurate.datasets import Dataset, load_credit_card_default
from commensurate.learning.similarity import Interval

LABEL = "default.payment.next.month"
MARRIED, OTHERS = "married", "not married"
# probabilities may differ by 10 points per 0.1 of dissimilarity
LIPSCHITZ = 1.0
BUDGET = 400
SEED = 0

Estimator = ClusterSimilarity | BudgetedSimilarity


@dataclass(frozen=True, slots=True, eq=False)
class Lending:
    """Clients to learn from, the expert, and the people to audit with their scores
    and what became of them (1: default).

    ``newcomers``, with scores of their own, come when the scores of the others have been repaired.
    """

    groups: list[Group]
    expert: PaperExpert
    people: Mapping[str, pd.DataFrame]
    scores: Mapping[str, FloatArray]
    outcomes: Mapping[str, FloatArray]
    newcomers: Mapping[str, pd.DataFrame]
    newcomer_scores: Mapping[str, FloatArray]

    @classmethod
    def prepare(
        cls, data_home: str | None = None, n_people: int = 750, n_newcomers: int = 200, seed: int = SEED
    ) -> Lending:
        """Read the table and fit the classifier; of either group, ``n_people`` are audited."""
        # neither the label nor the group is known to the classifier or to the metric
        features = load_credit_card_default(data_home=data_home, label=False, group_column=False)
        labelled = load_credit_card_default(data_home=data_home)
        return cls.of(
            features, {name: table[LABEL] for name, table in labelled.tables.items()}, n_people, n_newcomers, seed
        )

    @classmethod
    def of(
        cls, features: Dataset, labels: Mapping[str, pd.Series], n_people: int, n_newcomers: int, seed: int
    ) -> Lending:
        """Split both groups, and score those to be audited by a classifier that has seen the others."""
        rng = np.random.default_rng(seed)
        learnt_from, people, newcomers = {}, {}, {}
        for name, table in features.tables.items():
            rows = rng.permutation(len(table))
            learnt_from[name] = table.iloc[rows[: len(rows) // 2]]
            others = rows[len(rows) // 2 :]
            people[name] = table.iloc[others[:n_people]]
            newcomers[name] = table.iloc[others[n_people : n_people + n_newcomers]]
        outcomes = pd.concat([labels[name].loc[table.index] for name, table in learnt_from.items()])
        classifier = HistGradientBoostingClassifier(random_state=seed).fit(pd.concat(learnt_from.values()), outcomes)

        def scored(tables: Mapping[str, pd.DataFrame]) -> dict[str, FloatArray]:
            return {name: classifier.predict_proba(table)[:, 1] for name, table in tables.items()}

        first = next(iter(people))
        return cls(
            groups_from_tables(learnt_from),
            PaperExpert.draw(people[first].shape[1], first, rng),
            people,
            scored(people),
            {name: labels[name].loc[table.index].to_numpy(np.float64) for name, table in people.items()},
            newcomers,
            scored(newcomers),
        )

    def truth(self, left: IntArray, right: IntArray) -> FloatArray:
        """Return the true dissimilarity of the people in these rows of the two groups."""
        points = {group.name: group.encoding.encode(self.people[group.name]) for group in self.groups if group.encoding}
        one, other = points
        return self.expert(points[one][left], points[other][right], (one, other))

    def learn(self, estimator: Estimator) -> Estimator:
        """Let the expert answer an estimator's questions."""
        return estimator.fit(self.groups, oracle=self.expert)

    def audit(
        self,
        estimator: Estimator,
        interval: Interval,
        *,
        scores: Mapping[str, FloatArray] | None = None,
        lipschitz: float = LIPSCHITZ,
    ) -> FairnessAudit:
        """Audit the scores, or others in their place; a low probability of default is good for a person."""
        return audit_fairness(
            estimator,
            self.people,
            scores=scores or self.scores,
            lipschitz=lipschitz,
            interval=interval,
            favourable="low",
            random_state=SEED,
        )


def few_answers(budget: int = BUDGET) -> BudgetedSimilarity:
    """Return the estimator of the example; "auto" would do better than it deserves, as it contains the paper's σ."""
    return BudgetedSimilarity(budget=budget, learner="gp", answer_error=0.0, random_state=SEED)


def many_answers(epsilon: float, delta: float) -> ClusterSimilarity:
    """Return CLUSTER, which asks as many questions as ε and δ demand."""
    return ClusterSimilarity(epsilon=epsilon, delta=delta, dilation=2.0, random_state=SEED)
