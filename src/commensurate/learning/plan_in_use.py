"""What `fit` was given: groups to make a plan from, or a plan; somebody to ask, or answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from commensurate.elicitation.oracle import Oracle, check_oracle
from commensurate.elicitation.questions import AnswersInput
from commensurate.errors import InvalidInput
from commensurate.groups.group import GroupsInput


class PlanForGroups(Protocol):
    """A plan that knows which groups it was made for."""

    def check_groups(self, groups: GroupsInput | None) -> None:
        """Raise if ``groups`` are given and are not those."""


Plan = TypeVar("Plan", bound=PlanForGroups)


def plan_in_use(
    groups: GroupsInput | None,
    oracle: Oracle | None,
    plan: Plan | None,
    answers: AnswersInput | None,
    *,
    make: Callable[[GroupsInput], Plan],
    check: Callable[[Plan], None],
) -> Plan:
    """Return the plan given, checked, or one made from the groups; raise if what `fit` was given does not go together."""
    if oracle is not None:
        check_oracle(oracle)
    if plan is not None:
        check(plan)
        plan.check_groups(groups)
    elif groups is None:
        raise InvalidInput("fit needs groups, or a plan made from them")
    elif answers is not None:
        raise InvalidInput("answers belong to a plan: pass plan=est.plan(groups) together with answers=…")
    else:
        plan = make(groups)
    if oracle is None and answers is None:
        raise InvalidInput("fit needs an oracle to ask, or a plan with its answers; got neither")
    return plan
