"""Which files a command was given: one in which a column names the groups, or one file per group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from commensurate.errors import InvalidParameter
from commensurate.groups.elements import Space
from commensurate.records.group_files import GroupedRecords, RecordColumns, read_group_files, read_grouped_file


@dataclass(frozen=True, slots=True)
class GivenFiles:
    """The file of all records and its column of groups, or else the files by group."""

    file: Path | None
    group: str | None
    sources: dict[str, Path]

    @classmethod
    def of(cls, file: Path | None, group: str | None, source: list[str]) -> GivenFiles:
        """Return the files given, each ``source`` a NAME=FILE.csv; raise unless one of the two ways is taken."""
        one_file = file is not None and group is not None and not source
        one_per_group = file is None and group is None and bool(source)
        if not (one_file or one_per_group):
            raise InvalidParameter(
                "pass either a CSV file and group='COLUMN', or source='NAME=FILE.csv' once per group"
            )
        return cls(file, group, named_sources(source))

    @property
    def paths(self) -> list[Path]:
        """Every file that is read."""
        return [*([] if self.file is None else [self.file]), *self.sources.values()]

    def read(self, spaces: Mapping[str, Space], columns: RecordColumns, *, drop_others: bool) -> GroupedRecords:
        """Read every record."""
        if self.file is None or self.group is None:
            return read_group_files(spaces, self.sources, columns)
        return read_grouped_file(spaces, self.file, self.group, columns, drop_others=drop_others)


def absence_notes(groups: Sequence[str], records: GroupedRecords) -> list[str]:
    """Note which records were left out, and which fitted groups have no records."""
    notes = []
    if records.left_out:
        counts = ", ".join(f"{name} {count:,}" for name, count in records.left_out.items())
        notes.append(f"left out, because the model does not know their groups: {counts}")
    if absent := [name for name in groups if name not in records.by_group]:
        notes.append(f"there are no records of the model's groups {absent}")
    return notes


def named_sources(source: list[str]) -> dict[str, Path]:
    """Return the files, each given as NAME=FILE.csv, by the names of their groups."""
    sources: dict[str, Path] = {}
    for word in source:
        name, sign, path = word.partition("=")
        if not (name and sign and path):
            raise InvalidParameter(f"source must be NAME=FILE.csv, got {word!r}")
        if name in sources:
            raise InvalidParameter(f"source names the group {name!r} twice; give each file its own name")
        sources[name] = Path(path)
    return sources
