"""Which intervals a command may rest on, given the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commensurate.errors import InvalidParameter
from commensurate.learning.budgeted_model import BudgetedModel
from commensurate.learning.proxy_model import ProxyModel

if TYPE_CHECKING:
    from commensurate.applications.intervals import IntervalKind, Model


def check_interval(model: Model, interval: IntervalKind, *, answers: bool) -> None:
    """Raise if the model has no such intervals, or if further answers could not narrow them."""
    if interval == "certified" and isinstance(model, BudgetedModel) and model.answer_error == "noise":
        raise InvalidParameter(
            "this model was fitted with answer_error='noise', which bounds no answer's error, so that it has no certified "
            "intervals; use --interval calibrated"
        )
    if interval == "calibrated" and not isinstance(model, BudgetedModel):
        raise InvalidParameter(
            f"calibrated intervals need answers that were held out, and {type(model).__name__} holds none out; "
            "use --interval certified"
        )
    if answers and interval != "certified":
        raise InvalidParameter(f"--answers narrow certified intervals only; use --interval certified, got {interval}")


def unanswered(model: Model) -> list[str]:
    """Note how many questions of NAIVE or CLUSTER were never answered, such as those to be asked on demand."""
    if not isinstance(model, ProxyModel):
        return []
    total = sum(len(table.grid) for table in model.tables_.values())
    missing = total - sum(table.n_answered for table in model.tables_.values())
    if not missing:
        return []
    return [f"{missing:,} of {total:,} questions were never answered: certified intervals rest on the others"]
