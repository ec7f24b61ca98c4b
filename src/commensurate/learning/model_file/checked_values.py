"""Doubt, for what comes out of a model file: right checksums do not make it a model.

Whatever a check here refuses, and whatever a value of the wrong kind breaks while a model is put
together, is a `CorruptModelFile`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from commensurate.errors import CommensurateError, CorruptModelFile

# what Python and our own gates raise where a value is of another kind, range or shape than it must be
BROKEN_BY_VALUES = (CommensurateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@contextmanager
def refusing_nonsense(path: str | os.PathLike[str]) -> Iterator[None]:
    """Blame the file for what its content can break in this block; what the caller passed has no place in it.

    A broken promise of our own (`AssertionError`), a missing name or a lack of memory is not the file's fault.
    """
    try:
        yield
    except CorruptModelFile as error:
        raise CorruptModelFile(f"{os.fspath(path)} is inconsistent: {error}; it was altered") from error
    except BROKEN_BY_VALUES as error:
        raise CorruptModelFile(f"{os.fspath(path)} is not a model that this version can read ({error!r})") from error


def demand(holds: bool | np.bool_, otherwise: str) -> None:
    """Refuse the file, saying what is wrong, unless the condition holds."""
    if not holds:
        raise CorruptModelFile(otherwise)


def text(value: object, name: str) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise CorruptModelFile(f"{name} must be text, got {value!r:.80}")
    return value


def texts(value: object, name: str) -> tuple[str, ...]:
    """Return a list of different strings."""
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise CorruptModelFile(f"{name} must be a list of text, got {value!r:.80}")
    demand(len(set(value)) == len(value), f"{name} must differ")
    return tuple(value)


def flag(value: object, name: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise CorruptModelFile(f"{name} must be true or false, got {value!r:.80}")
    return value


def number(value: object, name: str, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a finite number in a range."""
    # to Python, True is a number
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and least <= value <= most
    ):
        return float(value)
    raise CorruptModelFile(f"{name} must be a number from {least} to {most}, got {value!r:.80}")


def whole_number(value: object, name: str, least: int, most: float = math.inf) -> int:
    """Return a whole number in a range."""
    if type(value) is not int or not least <= value <= most:
        raise CorruptModelFile(f"{name} must be a whole number from {least} to {most}, got {value!r:.80}")
    return value


def array(arrays: Mapping[str, NDArray[Any]], name: str, dtype: DTypeLike, ndim: int = 1) -> NDArray[Any]:
    """Return an array of a type and a number of dimensions."""
    found = arrays[name]
    demand(
        found.dtype == dtype and found.ndim == ndim,
        f"{name} must be an array of {np.dtype(dtype)} with {ndim} dimension(s), got {found.dtype} of shape {found.shape}",
    )
    return found


def finite_array(arrays: Mapping[str, NDArray[Any]], name: str, ndim: int = 1) -> NDArray[np.float64]:
    """Return an array of finite numbers."""
    found = array(arrays, name, np.float64, ndim)
    demand(np.isfinite(found).all(), f"{name} must be finite")
    return found


def all_below(numbers: NDArray[np.int64], limit: int) -> bool:
    """Tell whether all are places in something so long."""
    return bool(((numbers >= 0) & (numbers < limit)).all())


def arrays_under(arrays: Mapping[str, NDArray[Any]], key: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with a key, by the rest of their names."""
    return {name.removeprefix(key): values for name, values in arrays.items() if name.startswith(key)}


def keyed(arrays: Mapping[str, NDArray[Any]], key: str) -> dict[str, NDArray[Any]]:
    """Return arrays under names that begin with a key; `arrays_under` takes it away again."""
    return {f"{key}{name}": values for name, values in arrays.items()}
