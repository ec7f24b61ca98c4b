"""Token buckets: so many requests a second, and a burst on top, for each of many keys."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from commensurate.errors import InvalidParameter


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many requests a second in the long run, and at most ``burst`` at once."""

    per_second: float
    burst: int

    def __post_init__(self) -> None:
        if not (0 < self.per_second < float("inf") and self.burst >= 1):
            raise InvalidParameter(f"an allowance must have a rate above 0 and a burst of at least 1, got {self}")


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


class Buckets:
    """A bucket per key; those used longest ago are forgotten when there are more than ``most``.

    A forgotten bucket comes back full. That is why keys that anybody can make up need a limit of their own beside them.

    >>> buckets = Buckets(Allowance(per_second=2, burst=1))
    >>> buckets.take("ana", now=0.0), buckets.take("ana", now=0.0), buckets.take("ana", now=0.5)
    (0.0, 0.5, 0.0)
    """

    def __init__(self, allowance: Allowance, most: int = 10_000) -> None:
        self._allowance, self._most = allowance, most
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, key: str, now: float) -> float:
        """Take one; return 0, or the seconds to wait if there is none left."""
        bucket = self._filled(key, now)
        if bucket.left < 1:
            return (1 - bucket.left) / self._allowance.per_second
        bucket.left -= 1
        return 0.0

    def _filled(self, key: str, now: float) -> _Bucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = _Bucket(self._allowance.burst, now)
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
            return bucket
        self._buckets.move_to_end(key)
        earned = max(0.0, now - bucket.at) * self._allowance.per_second
        bucket.left, bucket.at = min(bucket.left + earned, self._allowance.burst), now
        return bucket
