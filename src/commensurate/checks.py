"""Every gate for an argument: each check returns what it was given,
or says what was expected, what came and what to do.
"""

from __future__ import annotations

import math
import operator
import warnings
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from commensurate.arrays import FloatArray
from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter

Choice = TypeVar("Choice")
NUMBER_KINDS = "biufO"
# what answer_error may be where no bound on the error of an answer is known
AUTO, NOISE = "auto", "noise"
WITHOUT_A_BOUND = (AUTO, NOISE)


def checked_delta(delta: float) -> float:
    """Return δ if it lies strictly between 0 and 1 and 1/δ can still be counted in."""
    if not _is_number(delta) or not 1e-15 <= delta < 1.0:
        raise InvalidParameter(
            f"delta must lie strictly between 0 and 1 (and be at least 1e-15), got {delta!r}; "
            "0.001 is the paper's choice"
        )
    return float(delta)


def checked_epsilon(epsilon: float) -> float:
    """Return ε if it is a positive, finite distance."""
    if not (_is_number(epsilon) and epsilon > 0.0 and math.isfinite(epsilon)):
        raise InvalidParameter(
            f"epsilon must be a positive, finite distance, got {epsilon!r}; choose it on the scale of the metric"
        )
    return float(epsilon)


def checked_dilation(dilation: float) -> float:
    """Return ρ if it is finite and not negative."""
    if not (_is_number(dilation) and dilation >= 0.0 and math.isfinite(dilation)):
        raise InvalidParameter(
            f"dilation must be finite and at least 0, got {dilation!r}; the paper uses 8; a smaller value asks more "
            "questions and errs less"
        )
    return float(dilation)


def checked_answer_error(answer_error: float) -> float:
    """Return η if it is finite and not negative."""
    if not (_is_number(answer_error) and answer_error >= 0.0 and math.isfinite(answer_error)):
        raise InvalidParameter(
            f"answer_error must be a finite number, at least 0, got {answer_error!r}; it is the largest error that an "
            "answer can have"
        )
    return float(answer_error)


def checked_noise_or_error(answer_error: float | str) -> float | None:
    """Return η, or None for "auto" and "noise": errors of unknown size, for which no bound is known."""
    if isinstance(answer_error, str):
        if answer_error not in WITHOUT_A_BOUND:
            raise InvalidParameter(
                "answer_error must be the largest error of an answer (0 for exact answers), 'noise' if experts err at "
                f"random, or 'auto' if nothing is known about their errors, got {answer_error!r}"
            )
        return None
    return checked_answer_error(answer_error)


def checked_generator(random_state: object) -> np.random.Generator:
    """Return the generator for a seed, or the generator given."""
    try:
        return np.random.default_rng(random_state)  # type: ignore[arg-type]  # what it does not take is told below
    except (TypeError, ValueError):
        raise InvalidParameter(
            f"random_state must be None, a whole number, at least 0, or a numpy Generator, got {random_state!r}"
        ) from None


def checked_choice(name: str, value: object, choices: tuple[Choice, ...]) -> Choice:
    """Return the one of the choices that ``value`` is."""
    for choice in choices:
        if value is choice or (type(value) is type(choice) and value == choice):
            return choice
    raise InvalidParameter(f"{name} must be one of {', '.join(repr(choice) for choice in choices)}, got {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def checked_mass(name: str, mass: float) -> float:
    """Return a probability between 0 and 1, both included."""
    if not (_is_number(mass) and 0.0 <= mass <= 1.0):
        raise InvalidParameter(
            f"{name} must be a probability from 0 to 1, got {mass!r}; pass a share, not a percentage or a count"
        )
    return float(mass)


def checked_count(name: str, count: int) -> int:
    """Return a whole number that is not negative; True is not one, though Python could count with it."""
    return _at_least(0, name, count)


def checked_positive_count(name: str, count: int) -> int:
    """Return a whole number that is at least 1.

    >>> checked_positive_count("n_clusters", 3)
    3
    """
    return _at_least(1, name, count)


def _at_least(least: int, name: str, count: int) -> int:
    try:
        whole = None if isinstance(count, bool | np.bool_) else operator.index(count)
    except TypeError:
        whole = None
    if whole is None or whole < least:
        raise InvalidParameter(f"{name} must be a whole number, at least {least}, got {count!r}; pass an int")
    return whole


def checked_share(share: float) -> float:
    """Return a share of pairs strictly between 0 and 1: no finite sample certifies all pairs."""
    if not (_is_number(share) and 0.0 < share < 1.0):
        raise InvalidParameter(
            f"share must lie strictly between 0 and 1, got {share!r}; no finite sample covers all pairs; try 0.99"
        )
    return float(share)


def checked_positive(name: str, value: float) -> float:
    """Return a positive, finite number."""
    if not (_is_number(value) and 0.0 < value < math.inf):
        raise InvalidParameter(f"{name} must be a positive, finite number, got {value!r}")
    return float(value)


def checked_tolerance(tolerance: float) -> float:
    """Return the tolerance of a claim: finite, on the scale of the answers."""
    if not (_is_number(tolerance) and 0.0 <= tolerance < math.inf):
        raise InvalidParameter(
            f"tolerance must be a finite number, at least 0, got {tolerance!r}; choose it on the scale of the answers"
        )
    return float(tolerance)


def checked_held_out_share(calibration: float) -> float:
    """Return the share of answers that are held out from learning."""
    if not (_is_number(calibration) and 0.0 <= calibration <= 0.9):
        raise InvalidParameter(
            f"calibration must be the share of answers to hold out, from 0 to 0.9, got {calibration!r}; 0.2 is usual"
        )
    return float(calibration)


def checked_confidence_level(confidence_level: float) -> float:
    """Return a confidence level strictly between 0 and 1."""
    if not (_is_number(confidence_level) and 0.0 < confidence_level < 1.0):
        raise InvalidParameter(
            f"confidence_level must lie strictly between 0 and 1, got {confidence_level!r}; write 95 % as 0.95"
        )
    return float(confidence_level)


def checked_distances(name: str, distances: ArrayLike, *, infinite: bool = False) -> FloatArray:
    """Return distances to proxies as a float64 vector, not negative and not empty.

    An infinite one stands for a row that has no estimate at all, where ``infinite`` allows it.
    """
    values = np.asarray(distances, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise InvalidInput(
            f"{name} must be a vector with one distance per row, and not empty, got shape {values.shape}; pass the "
            "distance of each row to its proxy"
        )
    wrong = np.flatnonzero(~((values >= 0.0) & (infinite | np.isfinite(values))))
    if len(wrong):
        raise InvalidInput(
            f"{name} must be {'' if infinite else 'finite, '}non-negative distances, got {values[wrong[0]]} in row {wrong[0]}; "
            "measure them with the group's metric"
        )
    return values


def check_flags(**flags: object) -> None:
    """Refuse an argument that is neither True nor False.

    >>> check_flags(label=True, fnlwgt=False)
    """
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise InvalidParameter(f"{name} must be True or False, got {value!r}")


def as_answers(given: object, what: str) -> FloatArray:
    """Return answers as float64, or say that they are not real numbers; their values are checked where they are used.

    >>> as_answers([0.5, 1], "the answers")
    array([0.5, 1. ])
    """
    try:
        raw: NDArray[Any] = np.asanyarray(given)
        if raw.dtype.kind not in NUMBER_KINDS or np.ma.is_masked(raw):
            raise TypeError
        return np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidAnswer(
            f"{what} must be real numbers, got {type(given).__name__} with something else in it"
        ) from None


def renamed(old: str, given: Choice | None, new: str, value: Choice | None) -> Choice | None:
    """Return what was given for a keyword by its new name, or by its old one,
    with a DeprecationWarning where it was given.
    """
    if given is None:
        return value
    if value is not None:
        raise InvalidParameter(f"{new}= and its old name {old}= were both given; leave {old} out")
    warnings.warn(
        f"{old}= is now {new}=, and will be removed in the next release; pass {new}={given!r}",
        DeprecationWarning,
        stacklevel=3,
    )
    return given
