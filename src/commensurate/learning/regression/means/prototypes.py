"""A mean for any two groups: known matches, the least over k of cₖ + s·‖x − pₖ‖ + t·‖y − qₖ‖, with everything learnt."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.learning.regression.means.forms import Pullback, Stage
from commensurate.learning.regression.means.side_maps import soft_maximum

# s and t are kept between the exponentials of minus this and of this
LARGEST_LOG = 20.0


@dataclass(frozen=True, slots=True)
class PrototypeMean:
    """Parameters: pₖ, qₖ, cₖ for all k, then log s and log t.

    The minimum is hard: what is learnt has its kinks where σ has them.
    """

    n_left: int
    n_right: int
    n_prototypes: int = 10
    starts: int = 12
    name: str = "prototypes"

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.n_prototypes * (self.n_left + self.n_right + 1) + 2

    @property
    def penalty(self) -> FloatArray:
        """Only on where prototypes are, and little: they may be far away."""
        places = self.n_prototypes * (self.n_left + self.n_right)
        return np.where(np.arange(self.size) < places, 0.01, 0.0)

    def stages(self, spread: float) -> tuple[Stage, ...]:
        """Return the legs of a search: which prototype is the nearest is rounded off beside how targets vary."""
        legs = (1e-4, 0.6, 100), (1e-4, 0.3, 60), (1e-4, 0.1, 100), (1e-5, 0.03, 150), (1e-6, 0.0, 200)
        return tuple(Stage(decay * spread**2, softness * spread, steps) for decay, softness, steps in legs)

    def start(self, rng: np.random.Generator, slope: float) -> FloatArray:
        """Draw prototypes around the elements, among them or far away, with costs that give answers of size 1."""
        k, reach = self.n_prototypes, math.exp(rng.uniform(-0.3, 2.0))
        p, q = reach * rng.normal(size=(k, self.n_left)), reach * rng.normal(size=(k, self.n_right))
        # coordinates have a variance of 1 on average
        far = np.sqrt((p * p).sum(axis=1) + self.n_left) + np.sqrt((q * q).sum(axis=1) + self.n_right)
        costs = 1.0 - slope * far
        return np.concatenate([p.ravel(), q.ravel(), costs, [math.log(slope)] * 2])

    def evaluate(
        self, parameters: FloatArray, left: FloatArray, right: FloatArray, softness: float = 0.0
    ) -> tuple[FloatArray, Pullback]:
        """Return the cost of the cheapest match of each pair, and the pullback."""
        k, split = self.n_prototypes, self.n_prototypes * self.n_left
        p = parameters[:split].reshape(k, self.n_left)
        q = parameters[split : split + k * self.n_right].reshape(k, self.n_right)
        costs = parameters[-2 - k : -2]
        s, t = np.exp(np.clip(parameters[-2:], -LARGEST_LOG, LARGEST_LOG))
        to_left, to_right = _distances(left, p), _distances(right, q)
        matches = costs + s * to_left + t * to_right
        opposite, shares = soft_maximum(-matches, softness)

        def pullback(slopes: FloatArray) -> FloatArray:
            chosen = slopes[:, None] * shares
            by_p = _pull(chosen * (s / np.maximum(to_left, 1e-12)), left, p)
            by_q = _pull(chosen * (t / np.maximum(to_right, 1e-12)), right, q)
            by_scales = np.array([s * float(np.vdot(chosen, to_left)), t * float(np.vdot(chosen, to_right))])
            by_scales[np.abs(parameters[-2:]) > LARGEST_LOG] = 0.0
            return np.concatenate([by_p, by_q, chosen.sum(axis=0), by_scales])

        return -opposite, pullback


def _distances(points: FloatArray, places: FloatArray) -> FloatArray:
    squared = (points * points).sum(axis=1)[:, None] - 2.0 * points @ places.T + (places * places).sum(axis=1)
    distances: FloatArray = np.sqrt(np.maximum(squared, 0.0))
    return distances


def _pull(slopes: FloatArray, points: FloatArray, places: FloatArray) -> FloatArray:
    """Return Σᵢ slopes[i, k]·(places[k] − points[i]) for all k, flat."""
    pulled: FloatArray = slopes.sum(axis=0)[:, None] * places - slopes.T @ points
    return pulled.ravel()
