"""Parametric shapes that a dissimilarity may have, and how their parameters are found.

A form is a function of the coordinates of both sides with a vector of parameters. It gives its values together with its
*pullback*: the function that takes the derivatives of a loss by the values to those by the parameters.

Shapes with kinks have many local minima. So a search goes through stages: it begins with kinks rounded off and a strong
pull of the parameters towards 0, and ends with neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from commensurate.arrays import FloatArray

Pullback = Callable[[FloatArray], FloatArray]

# starts are compared on so many pairs at most
TRIAL_ANSWERS = 600
# so many of them, the best after the first stage, go through the second
TRIAL_STARTS = 3


@dataclass(frozen=True, slots=True)
class Stage:
    """One leg of a search: the weight of the penalty on parameters,
    how far kinks are rounded off, and how many steps.
    """

    decay: float
    softness: float
    steps: int


class MeanForm(Protocol):
    """A family of functions of pairs."""

    @property
    def name(self) -> str:
        """What users read."""

    @property
    def starts(self) -> int:
        """From how many points a search for parameters should start."""

    @property
    def size(self) -> int:
        """Number of parameters."""

    @property
    def penalty(self) -> FloatArray:
        """How strongly each parameter is pulled to 0, relative to the others."""

    def stages(self, spread: float) -> tuple[Stage, ...]:
        """Return the legs of a search, given the standard deviation of targets of size 1."""

    def start(self, rng: np.random.Generator, slope: float) -> FloatArray:
        """Draw parameters to start from; ``slope`` is the steepest that M1 and M2 allow."""

    def evaluate(
        self, parameters: FloatArray, left: FloatArray, right: FloatArray, softness: float = 0.0
    ) -> tuple[FloatArray, Pullback]:
        """Return the value for each pair of rows, and the pullback."""

    def values(self, parameters: FloatArray, left: FloatArray, right: FloatArray, softness: float) -> FloatArray:
        """Return the values alone, for several rows of parameters at once: one row each, one column a pair."""


@dataclass(frozen=True, slots=True, eq=False)
class MeanTask:
    """Coordinates of pairs, what a form should be there, and how much each counts.

    Attributes
    ----------
    targets
        Of size 1 or so.
    slope
        The steepest that M1 and M2 allow a target to change with coordinates.
    """

    left: FloatArray
    right: FloatArray
    targets: FloatArray
    weights: FloatArray
    slope: float

    @property
    def spread(self) -> float:
        """Standard deviation of the targets."""
        return float(self.targets.std())

    def take(self, rows: NDArray[np.int64]) -> MeanTask:
        """Return the task with these pairs only."""
        return MeanTask(self.left[rows], self.right[rows], self.targets[rows], self.weights[rows], self.slope)

    def loss(self, form: MeanForm, parameters: FloatArray, stage: Stage) -> tuple[float, FloatArray]:
        """Return the weighted mean squared error plus the penalty, and the gradient."""
        values, pullback = form.evaluate(parameters, self.left, self.right, stage.softness)
        errors = values - self.targets
        share = self.weights / self.weights.sum()
        pulled = stage.decay * form.penalty * parameters
        loss = float(share @ (errors * errors)) + float(pulled @ parameters)
        return loss, pullback(2.0 * share * errors) + 2.0 * pulled


def fit_form(form: MeanForm, task: MeanTask, stages: tuple[Stage, ...], rng: np.random.Generator) -> list[FloatArray]:
    """Return the parameters found at the end of every stage but the first.

    Every start goes through the first stage, on some of the pairs if there are many,
    and the best through the second; the best of these goes on.
    """
    # these systems are too small for two threads, and sums would depend on the number of cores
    with threadpool_limits(1):
        few = task.take(rng.permutation(len(task.targets))[:TRIAL_ANSWERS])
        begun = [descend(form, few, form.start(rng, task.slope), stages[0]) for _ in range(form.starts)]
        begun.sort(key=lambda one: one[1])
        tried = [descend(form, few, parameters, stages[1]) for parameters, _ in begun[:TRIAL_STARTS]]
        path = [min(tried, key=lambda one: one[1])[0]]
        for stage in stages[2:]:
            path.append(descend(form, task, path[-1], stage)[0])
    return path


def descend(form: MeanForm, task: MeanTask, parameters: FloatArray, stage: Stage) -> tuple[FloatArray, float]:
    """Return parameters that fit better than those given, and their loss in units of the targets' variance."""
    unit = task.spread**2 or 1.0

    def loss(at: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = task.loss(form, at, stage)
        return value / unit, gradient / unit

    found = minimize(
        loss,
        parameters,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": stage.steps, "maxcor": 20, "ftol": 1e-13, "gtol": 1e-9},
    )
    return found.x, float(found.fun)
