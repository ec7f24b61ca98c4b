"""What is known about a public table beforehand:
its columns, how its sources spell them, and the digest of its content.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class PublicTable:
    """A table that is published in several places, and the one form in which it is used here.

    Attributes
    ----------
    name, title
        ``name`` is also the name of its file, without the ending.
    columns, text
        All columns in our order, and those of them that hold categories as text; the others hold numbers.
    n_rows, digest
        How many rows it has, and the digest of its canonical content.
    openml_id
        The data set on OpenML with the same content.
    aliases
        Other names of a column, to ours.
    row_numbers
        Columns that only number the rows; they are left out.
    spellings
        For a column, other spellings of a value, to ours.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    n_rows: int
    digest: str
    openml_id: int
    text: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    row_numbers: tuple[str, ...] = ()
    spellings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def file_names(self) -> tuple[str, str]:
        """The names under which its file is looked for."""
        return f"{self.name}.csv.gz", f"{self.name}.csv"
