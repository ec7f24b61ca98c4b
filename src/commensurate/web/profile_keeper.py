"""The distributions that the page shows beside values, read once: an expert never waits for 100,000 records."""

from __future__ import annotations

from commensurate.study.profiles import Profiles
from commensurate.study.store.reading import count_records
from commensurate.study.study import Study


class ProfileKeeper:
    """Holds the profiles of a study, and makes them anew when a record was forgotten."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._counts = self._count()
        self._profiles = Profiles.of(study)

    def now(self) -> Profiles:
        """Return the profiles as they were made last."""
        return self._profiles

    def look_again(self) -> None:
        """Make the profiles anew if a record was forgotten: nothing that is shown may rest on it."""
        counts = self._count()
        if counts != self._counts:
            self._profiles = Profiles.of(self._study)
            self._counts = counts

    def _count(self) -> dict[str, tuple[int, int]]:
        with self._study.database.reading() as connection:
            return count_records(connection)
