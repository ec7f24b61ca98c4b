"""The two sides of a search: whose look-alikes are wanted, and among whom they are looked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from commensurate.applications.intervals import Model
from commensurate.applications.members import checked_model
from commensurate.elicitation.questions import Between
from commensurate.geometry.metrics import FloatArray
from commensurate.learning.sides import resolve_sides


@dataclass(frozen=True, slots=True, eq=False)
class TwoSides:
    """Points of two groups, named as the user names them, and the model that compares them."""

    model: Model
    between: Between
    left: FloatArray
    right: FloatArray

    @classmethod
    def of(cls, model: Model, A: object, B: object, between: Sequence[object] | None) -> TwoSides:
        """Check what a user hands in."""
        checked_model(model)
        # not as they were asked, which may be the other way round: `left` is always A
        names = resolve_sides(between, model.groups_, symmetric=False).between
        left, right = (model._spaces[name].points_of(rows) for name, rows in zip(names, (A, B)))
        return cls(model, names, left, right)

    @property
    def within(self) -> bool:
        """Whether both sides are of one group, where d itself is known."""
        return self.between[0] == self.between[1]
