"""NAIVE, the paper's simple algorithm: ask about every pair of samples."""

from __future__ import annotations

from typing import Literal

import numpy as np

from commensurate.learning.proxies.estimator import ProxySimilarity
from commensurate.learning.proxies.sample import Sample


class NaiveSimilarity(ProxySimilarity):
    """NAIVE (section 4.1 of the paper): every sample of one group is asked about with every sample of the other.

    The estimate for (x, y) is the answer about the nearest samples of x and y. With N = sample_size(delta) samples per
    group it is off by at most 6ε, except with probability 2δ + p + p′ (see `guarantee`).

    Parameters
    ----------
    epsilon
        The paper's ε, on the scale of the intra-group metrics.
    delta
        The paper's δ, in (0, 1): the smaller, the more samples and questions.
    samples
        "draw": N rows with replacement; "given": every row is one sample.
    ask
        "eager": all questions in `fit`; "on_demand": each when a prediction first needs it.
    symmetric
        Whether σ is the same whichever group is named first; if not, both ways are asked.
    answer_error
        How far an answer may be from the truth; widens certified intervals and guarantees.
    random_state
        Seed of the draw.

    Examples
    --------
    >>> points = {"a": [[0.0], [1.0]], "b": [[0.0], [1.0]]}
    >>> est = NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0)
    >>> est.fit(points, oracle=lambda left, right, between: abs(left - right)[:, 0])
    NaiveSimilarity(delta=0.2, epsilon=0.1, random_state=0)
    >>> est.predict([[0.1]], [[0.9]])
    array([1.])
    >>> est.n_questions_
    4
    """

    def __init__(
        self,
        *,
        epsilon: float = 0.01,
        delta: float = 0.05,
        samples: Literal["draw", "given"] = "draw",
        ask: Literal["eager", "on_demand"] = "eager",
        symmetric: bool = True,
        answer_error: float = 0.0,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.samples = samples
        self.ask = ask
        self.symmetric = symmetric
        self.answer_error = answer_error
        self.random_state = random_state

    def _with_representatives(self, sample: Sample, rng: np.random.Generator) -> Sample:
        return sample

    @property
    def _dilation(self) -> None:
        return None
