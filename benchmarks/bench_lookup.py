"""Predicting from proxy ids beside a raw flat gather from the same table with the flat index already computed."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from benchmarks.measurement import Measurement, best_seconds
from commensurate.geometry.lookup import lookup


@njit(parallel=True)
def raw_gather(flat: np.ndarray, index: np.ndarray) -> np.ndarray:
    out = np.empty(index.shape[0], dtype=flat.dtype)
    for k in prange(index.shape[0]):
        out[k] = flat[index[k]]
    return out


def measure(quick: bool) -> list[Measurement]:
    """Return one measurement for each kind of ids."""
    n_pairs = 10_000_000 if quick else 100_000_000
    size = 8_000
    rng = np.random.default_rng(0)
    table = rng.random((size, size), dtype=np.float32)
    rows = rng.integers(0, size, n_pairs, dtype=np.uint16)
    columns = rng.integers(0, size, n_pairs, dtype=np.uint16)
    flat_index = rows.astype(np.uint32) * np.uint32(size) + columns
    raw_gather(table.reshape(-1), flat_index[:10])
    lookup(table, rows[:200_000], columns[:200_000])
    peer_seconds = best_seconds(lambda: raw_gather(table.reshape(-1), flat_index))
    seconds = best_seconds(lambda: lookup(table, rows, columns))
    identical = np.array_equal(lookup(table, rows, columns), raw_gather(table.reshape(-1), flat_index))
    return [
        Measurement(
            task="predict from proxy ids",
            case=f"{n_pairs:,} pairs, {size:,} x {size:,} float32 table, 16-bit ids",
            peer="raw flat gather, parallel, index precomputed",
            seconds=seconds,
            peer_seconds=peer_seconds,
            goal=1.3,
            notes={"identical": identical, "million pairs a second": n_pairs / seconds / 1e6},
        )
    ]


if __name__ == "__main__":
    for result in measure(quick=False):
        print(f"{result.ratio:.2f}  {result.seconds:.2f}s  {result.case}  {result.notes}")
