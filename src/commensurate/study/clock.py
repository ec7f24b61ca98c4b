"""The clock of a study, and how it writes the time down."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time by this machine's clock."""
    return datetime.now(UTC)


def time_text(moment: datetime) -> str:
    """Return a moment as a study keeps it: in UTC, to the microsecond."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
