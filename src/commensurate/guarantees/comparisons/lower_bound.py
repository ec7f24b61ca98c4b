"""How many questions no algorithm can do without, if each has few possible answers: from the paper's hard world.

There, all elements of a group are at distance 1 from each other, and σ is drawn from [0, 1] for each of n pairs on its
own, so that no answer tells anything about another pair.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import binom

from commensurate.checks import checked_mass, checked_positive, checked_positive_count
from commensurate.errors import InvalidParameter


def fewest_comparisons(n_pairs: int, error: float, *, failing: float = 0.0, answers: int = 2) -> int:
    """Return a number of questions below which no algorithm can succeed, however it chooses them.

    Success: of n unrelated dissimilarities, drawn from [0, 1], the expected share of estimates that are off by more
    than ``error`` is at most ``failing``. Each question may be about anything, and has ``answers`` possible answers: 2
    for a comparison, k for k grades. In the paper's lower bound, n = 1/δ².

    Examples
    --------
    >>> fewest_comparisons(400, 0.01), fewest_comparisons(400, 0.01, failing=0.1)
    (2258, 1844)
    >>> fewest_comparisons(400, 0.01, answers=5)
    973
    """
    n_pairs, failing = checked_positive_count("n_pairs", n_pairs), checked_mass("failing", failing)
    error, answers = checked_positive("error", error), checked_positive_count("answers", answers)
    if answers < 2:
        raise InvalidParameter(f"a question has at least 2 possible answers, got answers={answers}")
    if error >= 0.5:
        # 1/2 for every pair is always right
        return 0
    allowed = np.arange(n_pairs)
    # Markov: more than so many fail with probability n · failing / (allowed + 1) at most
    succeeds = 1.0 - n_pairs * failing / (allowed + 1)
    # one guess for all pairs has no more failures than allowed: summed as logarithms, for it is a tiny probability
    guessed = np.logaddexp.accumulate(binom.logpmf(allowed, n_pairs, 1.0 - 2.0 * error))
    possible = succeeds > 0.0
    bits = (np.log(succeeds[possible]) - guessed[possible]) / math.log(answers)
    return max(0, math.ceil(float(bits.max(initial=0.0)) - 1e-9))
