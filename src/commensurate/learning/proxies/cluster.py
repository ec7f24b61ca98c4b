"""CLUSTER, the paper's second algorithm: ask only about representatives."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from commensurate.checks import checked_dilation
from commensurate.geometry.cover import two_hop_cover
from commensurate.learning.proxies.estimator import ProxySimilarity
from commensurate.learning.proxies.sample import Sample


class ClusterSimilarity(ProxySimilarity):
    """CLUSTER (Algorithm 1 of the paper): samples whose balls share a sample are represented by one of them.

    The estimate for (x, y) is the answer about the representatives of the nearest samples of x and y. It is off by at
    most 2(3 + 2ρ)ε, except with probability 2δ + p + p′ (see `guarantee`), and needs fewer questions than NAIVE.

    Parameters
    ----------
    epsilon
        The paper's ε, on the scale of the intra-group metrics.
    delta
        The paper's δ, in (0, 1): the smaller, the more samples and questions.
    dilation
        ρ: balls have the radius ρε. 8 in the paper's theorem, 2 in its experiments; less asks more and errs less.
    samples
        "draw": N rows with replacement; "given": every row is one sample.
    ask
        "eager": all questions in `fit`; "on_demand": each when a prediction first needs it.
    symmetric
        Whether σ is the same whichever group is named first; if not, both ways are asked.
    answer_error
        How far an answer may be from the truth; widens certified intervals and guarantees.
    random_state
        Seed of the draw and of the order in which samples are tried as representatives.

    Examples
    --------
    >>> points = {"a": [[0.0], [0.1], [1.0]], "b": [[0.0], [1.0]]}
    >>> est = ClusterSimilarity(epsilon=0.1, delta=0.2, dilation=1.0, samples="given", random_state=0)
    >>> est.fit(points, oracle=lambda left, right, between: abs(left - right)[:, 0])
    ClusterSimilarity(delta=0.2, dilation=1.0, epsilon=0.1, random_state=0,
                      samples='given')
    >>> est.n_questions_
    4
    """

    def __init__(
        self,
        *,
        epsilon: float = 0.01,
        delta: float = 0.05,
        dilation: float = 8.0,
        samples: Literal["draw", "given"] = "draw",
        ask: Literal["eager", "on_demand"] = "eager",
        symmetric: bool = True,
        answer_error: float = 0.0,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.dilation = dilation
        self.samples = samples
        self.ask = ask
        self.symmetric = symmetric
        self.answer_error = answer_error
        self.random_state = random_state

    def _with_representatives(self, sample: Sample, rng: np.random.Generator) -> Sample:
        elements = sample.elements
        order = rng.permutation(len(elements))
        found = two_hop_cover(elements.points, elements.space.metric, self.dilation * self.epsilon, order)
        representatives, representative_of = np.unique(found, return_inverse=True)
        return replace(sample, representatives=representatives, representative_of=representative_of)

    @property
    def _dilation(self) -> float:
        return self.dilation

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checked_dilation(self.dilation)
