"""Whom a command is about: one file in which a column names the groups, or one file per group."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commensurate.applications.people_file import PersonColumns
    from commensurate.applications.read_people import PeopleRead
    from commensurate.learning.similarity import Similarity


@dataclass(frozen=True, slots=True)
class GivenPeople:
    """The file of everybody and its column of groups, or else the files by group."""

    file: Path | None
    group: str | None
    sources: dict[str, Path]

    @classmethod
    def of(cls, file: Path | None, group: str | None, words: list[str]) -> GivenPeople:
        """Read the words of --source; raise unless one of the two ways is taken."""
        from commensurate.cli.tables import named_sources
        from commensurate.errors import InvalidParameter

        one_file = file is not None and group is not None and not words
        one_per_group = file is None and group is None and bool(words)
        if not (one_file or one_per_group):
            raise InvalidParameter(
                "give either a CSV file of people and --group COLUMN, or --source NAME=FILE.csv once per group"
            )
        return cls(file, group, named_sources(words))

    @property
    def paths(self) -> list[Path]:
        """Every file that is read."""
        return [*([] if self.file is None else [self.file]), *self.sources.values()]

    def read(self, model: Similarity, columns: PersonColumns, *, drop_others: bool) -> PeopleRead:
        """Read everybody."""
        from commensurate.applications.read_people import read_people, read_people_by_group

        if self.file is None or self.group is None:
            return read_people_by_group(model, self.sources, columns)
        return read_people(model, self.file, self.group, columns, drop_others=drop_others)


def who_is_absent(model: Similarity, people: PeopleRead) -> list[str]:
    """Note who was left out, and which fitted groups nobody is of."""
    notes = []
    if people.left_out:
        counts = ", ".join(f"{name} {count:,}" for name, count in people.left_out.items())
        notes.append(f"left out, because their groups were not fitted: {counts}")
    if absent := [name for name in model.groups_ if name not in people.by_group]:
        notes.append(f"nobody of the fitted groups {absent} is among the people")
    return notes
