"""The summary that is kept: a later run, on whatever machine, goes on from it.

It covers the draws 0, 1, 2, … of every world, as many as were measured.
The results of single draws are not needed any more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from benchmarks.budget.summary import DECIDING, Cell, Duel, Measured, OverDraws, cells_of, duels_of, scores_of
from commensurate.files import replacing

FILE = "summary.json"
# a world, and the number of answers
Place = tuple[str, int | None]


class _Joinable(Protocol):
    @property
    def place(self) -> tuple[object, ...]: ...

    def joined(self, other: Self) -> Self: ...


Part = TypeVar("Part", bound=_Joinable)


@dataclass(frozen=True, slots=True)
class KeptSummary:
    """What is known of every method in every world.

    Attributes
    ----------
    code
        How many steps were computed with which state of the code.
    """

    cells: Sequence[Cell] = ()
    duels: Sequence[Duel] = ()
    code: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> KeptSummary:
        """Read what a folder keeps; nothing, where no run has ended yet."""
        path = folder / FILE
        return cls.from_values(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else cls()

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> KeptSummary:
        """Make a summary again from the values that it was written as."""
        cells = [
            Cell(**cell | {"measures": {name: OverDraws(**each) for name, each in cell["measures"].items()}})
            for cell in values["cells"]
        ]
        duels = [
            Duel(
                **{name: value for name, value in duel.items() if name != "verdict"}
                | {"difference": OverDraws(**duel["difference"])}
            )
            for duel in values["duels"]
        ]
        return cls(cells, duels, values["code"])

    def draws(self) -> dict[Place, int]:
        """Return how many draws of each world are covered, by the number of answers; None stands for all questions."""
        return {(cell.world, cell.answers): cell.measures[DECIDING].draws for cell in self.cells}

    def with_further(self, measured: Sequence[Measured], code: Mapping[str, int]) -> KeptSummary:
        """Return the summary of these draws and further ones, which follow them;
        what is covered already is passed over.

        NAIVE with all its questions was measured once a draw and is met after every number of answers.
        """
        known = self.draws()

        def follows(one: Measured) -> bool:
            return one.draw >= known.get((one.world, one.answers), 0)

        further = [one for one in measured if follows(one)]
        met = [one for one in measured if follows(one) or one.answers is None]
        states = {state: self.code.get(state, 0) + code.get(state, 0) for state in {**self.code, **code}}
        return KeptSummary(_joined(self.cells, cells_of(further)), _joined(self.duels, duels_of(met)), states)

    def write(self, folder: Path, settings: Mapping[str, object]) -> dict[str, Any]:
        """Write everything as plain values, beside the settings of the run, and return it."""
        values = {
            **settings,
            "code": dict(self.code),
            "deciding_measure": DECIDING,
            "scores": scores_of(self.duels),
            "cells": [asdict(cell) for cell in self.cells],
            "duels": [{**asdict(duel), "verdict": duel.verdict} for duel in self.duels],
        }
        with replacing(folder / FILE) as file:
            file.write((json.dumps(values, indent=1, ensure_ascii=False) + "\n").encode())
        return values


def _joined(earlier: Sequence[Part], later: Sequence[Part]) -> list[Part]:
    found = {part.place: part for part in earlier}
    for part in later:
        found[part.place] = found[part.place].joined(part) if part.place in found else part
    return list(found.values())
