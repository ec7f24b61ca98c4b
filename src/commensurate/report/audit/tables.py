"""The tables of an audit, written for people: ids in place of row numbers, words in place of column names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from commensurate.applications.fairness.words import nobody_listed
from commensurate.report.audit.captions import allowed_by
from commensurate.report.html.pair_cards import Register
from commensurate.report.tables import Cell, Table, frame_rows
from commensurate.wording import limits_of_share, one_line, pair_of_groups, share_in_words

if TYPE_CHECKING:
    from commensurate.applications.fairness.audit import FairnessAudit


def complaint_table(title: str, pairs: pd.DataFrame, audit: FairnessAudit, register: Register, first: int = 1) -> Table:
    """Return pairs of an audit's ``worst`` or ``treated_worst`` as a table, numbered from ``first`` on."""
    column, allowed = allowed_by(audit)
    rows = tuple(
        _complaint(number, row, audit.lipschitz * getattr(row, column), register)
        for number, row in enumerate(frame_rows(pairs), start=first)
    )
    bounded = "new answer from" if audit.by_new_answer else "dissimilarity from"
    names = ("rank", "treated worse", "score", "than", "with score", "gap", allowed, bounded, "to")
    return Table(title, names, rows)


def _complaint(number: int, row: Any, allowed: float, register: Register) -> tuple[Cell, ...]:
    return (
        number,
        _person(register, row.worse_group, row.worse),
        float(row.worse_score),
        _person(register, row.better_group, row.better),
        float(row.better_score),
        float(row.gap),
        float(allowed),
        float(row.lower),
        float(row.upper),
    )


def share_table(audit: FairnessAudit) -> Table:
    """Return how many pairs were compared and what was found, for each pair of groups."""
    rows = tuple(
        (
            one_line(pair_of_groups(row.left_group, row.right_group)),
            int(row.n_all_pairs),
            "all" if row.every else f"{row.n_pairs:,} at random",
            int(row.violated),
            int(row.undecided),
            int(row.satisfied),
            limits_of_share(row.share_lower, row.share_upper),
        )
        for row in frame_rows(audit.shares)
    )
    limits = "violated, of all pairs"
    return Table(
        verdicts_title(audit),
        ("groups", "pairs", "compared", "violated", "undecided", "satisfied", limits),
        rows,
    )


def verdicts_title(audit: FairnessAudit) -> str:
    """Return the title of a table of verdicts, which tells what they are about."""
    return f"Verdicts by pair of groups{_across_by_new_answer(audit)}"


def _across_by_new_answer(audit: FairnessAudit) -> str:
    return ", across groups by a new answer" if audit.by_new_answer else ""


def people_table(audit: FairnessAudit) -> Table:
    """Return how many people of each group are treated worse than someone else by more than the limit allows.

    Where pairs across groups are violated and none is listed, the count leaves these pairs out, and the table says so.
    """
    rows = tuple(
        (one_line(row.group), int(row.people), int(row.violated), share_in_words(row.violated, row.people))
        for row in frame_rows(audit.people)
    )
    within_only = nobody_listed(audit)
    counted = "treated worse, within the group only" if within_only else "treated worse"
    title = f"People treated worse than the limit allows{'' if within_only else _across_by_new_answer(audit)}"
    return Table(title, ("group", "people", counted, "share"), rows)


def question_table(questions: pd.DataFrame, register: Register) -> Table:
    """Return the next questions as ``FairnessAudit.next_questions`` gives them."""
    rows = tuple(
        (
            number,
            _person(register, row.left_group, row.left),
            _person(register, row.right_group, row.right),
            int(row.settles),
        )
        for number, row in enumerate(frame_rows(questions), start=1)
    )
    names = ("order", "how dissimilar are", "and", "undecided pairs it may settle")
    return Table("The next questions", names, rows)


def _person(register: Register, group: str, row: int) -> str:
    return f"{register.name(group, row)} ({one_line(group)})"
