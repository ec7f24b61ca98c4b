"""Are these the groups that a plan was made for?"""

from __future__ import annotations

import numpy as np

from commensurate.errors import InvalidInput
from commensurate.geometry.metrics import same_metric
from commensurate.groups.elements import Elements
from commensurate.groups.group import GroupsInput, elements_of


def check_planned_groups(planned: tuple[Elements, ...], groups: GroupsInput | None) -> None:
    """Raise if ``groups`` are given and are not those that were planned for."""
    if groups is None:
        return
    given = {members.name: members for members in elements_of(groups)}
    for members in planned:
        if members.name not in given or not _same(given.pop(members.name), members):
            raise InvalidInput(
                f"the plan was made for other groups: {members.name!r} differs or is absent; make a new plan, "
                "or leave groups out"
            )
    if given:
        raise InvalidInput(f"the plan knows nothing of the group {next(iter(given))!r}; make a new plan")


def _same(one: Elements, other: Elements) -> bool:
    return (
        same_metric(one.space.metric, other.space.metric)
        and one.space.columns == other.space.columns
        and np.array_equal(one.ids, other.ids)
        and np.array_equal(one.points, other.points)
    )
