"""How errors typically fall as answers are added, learner by learner:
what a forecast believes before observations speak.

Measured from 100 to 400 to 1,000 answers in the worlds of the experiment "error against answers". How steeply the error
fell before 100 answers said little about what followed, so a forecast leans on these figures and not on a steep start.
"""

from __future__ import annotations

from dataclasses import dataclass

from commensurate.learning.regression.learners import AUTO, AUTO_FREE


@dataclass(frozen=True, slots=True)
class TypicalFall:
    """How errors follow err(n) = a·n^(−b) + c from world to world.

    Attributes
    ----------
    power, spread
        Median of b, and standard deviation of its logarithm.
    scatter
        How far a single error is off its curve, relative to it: as many other answers would have left another.
    """

    power: float
    spread: float
    scatter: float


# a process alone: the error is about 0.4 times as large after four times as many answers,
# from 0.2 to 0.6 times in most worlds
OF_PROCESSES = TypicalFall(power=0.75, spread=0.4, scatter=0.15)
# where a mean function fits, the error plunges once there are answers enough to tell;
# where none does, it falls as above
OF_MEAN_FUNCTIONS = TypicalFall(power=1.0, spread=1.0, scatter=0.5)


def typical_fall(learner: object) -> TypicalFall:
    """Return what is typical of a learner; of one that we have not measured, what is typical of a Gaussian process.

    >>> typical_fall("auto").power > typical_fall("gp").power
    True
    """
    return OF_MEAN_FUNCTIONS if isinstance(learner, str) and learner in (AUTO, AUTO_FREE) else OF_PROCESSES
