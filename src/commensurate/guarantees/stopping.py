"""When enough was asked: what held-out answers say at one of several looks, exactly.

The claim is "at least this share of pairs is within the tolerance". At look k it is tested with the exact binomial
bound (Clopper and Pearson) at level α/(k(k+1)). These levels sum to α, so that however many looks there are, the
probability that any of them finds a claim proved that is false is at most α.
"""

from __future__ import annotations

from commensurate.checks import checked_confidence_level, checked_count, checked_share
from commensurate.errors import InvalidParameter
from commensurate.guarantees.conformal import lower_proportion


def level_of_look(number: int, confidence_level: float = 0.95) -> float:
    """Return α/(k(k+1)), the part of α = 1 − ``confidence_level`` that look ``number`` = 1, 2, … may spend.

    Examples
    --------
    >>> [round(level_of_look(k), 4) for k in (1, 2, 3)]
    [0.025, 0.0083, 0.0042]
    """
    number = checked_count("number", number)
    if number == 0:
        raise InvalidParameter(
            "number must be at least 1, the number of the first look, got 0; looks are counted from 1"
        )
    return (1.0 - checked_confidence_level(confidence_level)) / (number * (number + 1))


def proved_share(misses: int, n_held_out: int, level: float) -> float:
    """Return the share of pairs within the tolerance that is proved at ``level``,
    when ``misses`` of the answers are not.

    The true share is below it with probability at most ``level``; 0 if there are no answers.

    Examples
    --------
    >>> round(proved_share(misses=0, n_held_out=45, level=0.01), 3)
    0.903
    """
    misses, n_held_out = _checked_misses(misses, n_held_out)
    return lower_proportion(n_held_out - misses, n_held_out, checked_confidence_level(level))


def is_proved(misses: int, n_held_out: int, *, share: float, level: float) -> bool:
    """Tell whether more than ``share`` of pairs is proved, at ``level``, to be within the tolerance.

    Examples
    --------
    >>> is_proved(0, 45, share=0.9, level=0.01), is_proved(1, 45, share=0.9, level=0.01)
    (True, False)
    """
    return proved_share(misses, n_held_out, level) > checked_share(share)


def can_prove(n_held_out: int, *, share: float, level: float) -> bool:
    """Tell whether so many answers could prove the claim at all: whether they would without a single miss.

    Examples
    --------
    >>> can_prove(44, share=0.9, level=0.01), can_prove(43, share=0.9, level=0.01)
    (True, False)
    """
    return is_proved(0, n_held_out, share=share, level=level)


def answers_needed(misses: int = 0, *, share: float, level: float) -> int:
    """Return how many held-out answers, of which ``misses`` are not within the tolerance, prove the claim at ``level``.

    Examples
    --------
    >>> [answers_needed(misses, share=0.9, level=0.025) for misses in (0, 1, 5)]
    [36, 54, 114]
    """
    misses = checked_count("misses", misses)
    too_few, enough = misses, misses + 1
    while not is_proved(misses, enough, share=share, level=level):
        too_few, enough = enough, 2 * enough
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if is_proved(misses, middle, share=share, level=level):
            enough = middle
        else:
            too_few = middle
    return enough


def more_needed(misses: int, n_held_out: int, *, share: float, level: float) -> int:
    """Return how many further held-out answers, all within the tolerance, the claim needs at least at ``level``.

    Examples
    --------
    >>> more_needed(1, 40, share=0.9, level=0.025)
    14
    """
    misses, n_held_out = _checked_misses(misses, n_held_out)
    return max(0, answers_needed(misses, share=share, level=level) - n_held_out)


def _checked_misses(misses: int, n_held_out: int) -> tuple[int, int]:
    misses, n_held_out = checked_count("misses", misses), checked_count("n_held_out", n_held_out)
    if misses > n_held_out:
        raise InvalidParameter(
            f"misses must be at most n_held_out, got {misses} of {n_held_out}; count them among the same answers"
        )
    return misses, n_held_out
