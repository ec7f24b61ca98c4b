"""How far estimates are from answers that nothing was learnt from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.wording import percent


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """How far the estimates are from answers that were not used to learn.

    Examples
    --------
    >>> print(Evaluation(np.array([1.0, 2.0]), np.array([1.0, 2.5]), epsilon=0.1))
    2 pairs: mean absolute error 0.25 (2.5 ε), SD 0.25, largest 0.5; mean relative error 10.0 %
    """

    estimates: FloatArray
    answers: FloatArray
    epsilon: float | None = None

    @property
    def absolute_errors(self) -> FloatArray:
        """|estimate − answer| for each pair."""
        return np.abs(self.estimates - self.answers)

    @property
    def relative_errors(self) -> FloatArray:
        """|estimate − answer| / answer for each pair whose answer is not 0."""
        known = self.answers > 0.0
        return self.absolute_errors[known] / self.answers[known]

    @property
    def mean_absolute_error(self) -> float:
        """Mean of |estimate − answer|."""
        return float(self.absolute_errors.mean())

    @property
    def mean_error_in_epsilon(self) -> float:
        """Mean of |estimate − answer| / ε, the paper's second measure; NaN for an estimator without an ε."""
        return self.mean_absolute_error / self.epsilon if self.epsilon is not None else float("nan")

    @property
    def mean_relative_error(self) -> float:
        """Mean of |estimate − answer| / answer, the paper's first measure (there in per cent)."""
        errors = self.relative_errors
        return float(errors.mean()) if len(errors) else float("nan")

    def __str__(self) -> str:
        errors = self.absolute_errors
        in_epsilon = "" if self.epsilon is None else f" ({self.mean_error_in_epsilon:.2g} ε)"
        return (
            f"{len(errors):,} pairs: mean absolute error {self.mean_absolute_error:.3g}{in_epsilon}, "
            f"SD {errors.std():.3g}, largest {errors.max():.3g}; mean relative error {percent(self.mean_relative_error, 1)}"
        )
