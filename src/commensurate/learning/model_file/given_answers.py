"""Answers to and from model files: what was said, by whom, and what experts' answers mean on the scale of d.

A file holds no names: experts are numbered in the order in which they first answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import IntArray
from commensurate.asking.said import Said
from commensurate.learning.few_answers.answer_log import AnswerLog
from commensurate.learning.few_answers.expert_scales import ExpertScale
from commensurate.learning.model_file.checked_values import array, demand, finite_array

SCALES_KEY = "expert_scales"
UNKNOWN = -1


def said_arrays(log: AnswerLog) -> dict[str, NDArray[Any]]:
    """Return what was said: numbers alone, or the ends of ranges."""
    ends = log.ends
    if log.only_numbers:
        return {"values": ends.lower}
    beside_ruler = np.array([one.said.beside_ruler for one in log], dtype=np.bool_)
    return {"at_least": ends.lower, "at_most": ends.upper, "beside_ruler": beside_ruler}


def read_what_was_said(arrays: Mapping[str, NDArray[Any]], where: str) -> list[Said]:
    """Read numbers, or ranges; the upper end of a range may be infinite."""
    if "values" in arrays:
        values = finite_array(arrays, "values")
        demand(bool((values >= 0.0).all()), f"the answers {where} must be numbers ≥ 0")
        return [Said(value, value) for value in values.tolist()]
    lower, upper = finite_array(arrays, "at_least"), array(arrays, "at_most", np.float64)
    beside_ruler = array(arrays, "beside_ruler", np.bool_)
    demand(
        len(lower) == len(upper) == len(beside_ruler) and bool(((lower >= 0.0) & (lower <= upper)).all()),
        f"the answers {where} must be ranges of numbers ≥ 0",
    )
    return [Said(*one) for one in zip(lower.tolist(), upper.tolist(), beside_ruler.tolist())]


def experts_of(logs: Iterable[AnswerLog]) -> list[str]:
    """Return all experts, in the order in which they first answered, pair of groups by pair of groups."""
    return list(dict.fromkeys(name for log in logs for name in log.expert_names))


def expert_numbers(log: AnswerLog, experts: Sequence[str]) -> IntArray:
    """Return who gave each answer, as a number."""
    number_of = {name: number for number, name in enumerate(experts)}
    return np.array([UNKNOWN if one.expert is None else number_of[one.expert] for one in log], dtype=np.int64)


def read_experts(arrays: Mapping[str, NDArray[Any]], n_answers: int, where: str) -> list[str | None]:
    """Read who gave each answer; files of earlier versions do not tell at all."""
    if "experts" not in arrays:
        return [None] * n_answers
    numbers = array(arrays, "experts", np.int64)
    demand(
        len(numbers) == n_answers and bool((numbers >= UNKNOWN).all()),
        f"each answer {where} must say which expert gave it",
    )
    return [None if number == UNKNOWN else _name(number) for number in numbers.tolist()]


def scale_arrays(experts: Sequence[str], scales: Mapping[str, ExpertScale]) -> dict[str, NDArray[Any]]:
    """Return shift, gain and number of known pairs of each expert; 0 known pairs where nothing is known."""
    if not scales:
        return {}
    unknown = ExpertScale("", 0.0, 1.0, 0)
    rows = [(one.shift, one.gain, float(one.n)) for one in (scales.get(name, unknown) for name in experts)]
    return {SCALES_KEY: np.array(rows, dtype=np.float64).reshape(-1, 3)}


def read_scales(arrays: Mapping[str, NDArray[Any]]) -> dict[str, ExpertScale]:
    """Read what experts' answers mean on the scale of d; few files say it."""
    if SCALES_KEY not in arrays:
        return {}
    rows = finite_array(arrays, SCALES_KEY, 2)
    demand(rows.shape[1] == 3 and bool((rows[:, 1] > 0.0).all()), "an expert's scale needs a gain above 0")
    named = ((_name(number), *row) for number, row in enumerate(rows.tolist()))
    return {name: ExpertScale(name, shift, gain, int(n)) for name, shift, gain, n in named if n >= 1.0}


def _name(number: int) -> str:
    return f"expert {number + 1}"
