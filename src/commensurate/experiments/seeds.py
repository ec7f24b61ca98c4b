"""Random generators that depend on a seed and on what they are for, never on the order of the work."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, *purpose: object) -> np.random.Generator:
    """Return the generator for one purpose; steps of an experiment can then run in any order, or again.

    >>> generator(0, "adult", 3).random() == generator(0, "adult", 3).random()
    True
    >>> generator(0, "adult", 3).random() == generator(0, "adult", 4).random()
    False
    """
    digest = hashlib.sha256("\0".join(str(part) for part in (seed, *purpose)).encode()).digest()
    return np.random.default_rng(np.frombuffer(digest, dtype=np.uint32))
