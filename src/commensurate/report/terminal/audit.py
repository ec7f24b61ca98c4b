"""An audit for the terminal: who was compared, how many pairs are violated,
the worst of them, and what may be relied on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from commensurate.applications.fairness.words import by_new_answer, passing_in_words, promise_of, reach_of
from commensurate.report.audit.captions import (
    about_the_list,
    allowed_by,
    each_pair_once,
    limits_caption,
    none_listed_in_words,
)
from commensurate.report.audit.changes import frame_table
from commensurate.report.audit.tables import people_table, verdicts_title
from commensurate.report.html.pair_cards import Register
from commensurate.report.tables import Table, is_numeric
from commensurate.wording import counted, limits_of_share, one_line, pair_of_groups, readable, visible_text

if TYPE_CHECKING:
    import pandas as pd

    from commensurate.applications.fairness.audit import FairnessAudit
    from commensurate.applications.fairness.repair import ScoreRepair

N_WORST = 5


def audit_view(audit: FairnessAudit, register: Register) -> RenderableType:
    """Return the summary of an audit, to be printed by a Rich console."""
    return Group(
        Text(
            f"Scores may differ by L = {audit.lipschitz:g} times the dissimilarity of two people; small means "
            f"similar. Verdicts use {_basis(audit)}."
        ),
        Text(),
        table_view(share_table(audit)),
        Text(_compared(audit), style="dim"),
        Text(),
        table_view(people_table(audit)),
        Text(f"based on {reach_of(audit)}", style="dim"),
        Text(),
        *_worst(audit, register),
        Text(),
        Text(passing_in_words(audit)),
        Text(promise_of(audit)),
    )


def _basis(audit: FairnessAudit) -> str:
    if audit.interval == "estimate":
        return "estimates alone"
    return f"{audit.interval} intervals" + (", across groups of a new answer" if audit.by_new_answer else "")


def repair_view(
    audit: FairnessAudit, repair: ScoreRepair, repaired: FairnessAudit, price: pd.DataFrame | None
) -> RenderableType:
    """Return what a repair changed, the verdicts before and after it, and what it costs where that is known."""
    parts: list[RenderableType] = [Text(), *(Text(visible_text(line)) for line in str(repair).splitlines())]
    parts += [Text(), table_view(before_and_after(audit, repaired))]
    if price is not None:
        parts += [Text(), table_view(frame_table("The price of the repair", price))]
    return Group(*parts)


def before_and_after(before: FairnessAudit, after: FairnessAudit) -> Table:
    """Return how many of the same pairs are violated and undecided before and after a repair."""
    rows = tuple(
        (
            pair_of_groups(old["left_group"], old["right_group"]),
            old["violated"],
            new["violated"],
            old["undecided"],
            new["undecided"],
        )
        for old, new in zip(before.shares.to_dict("records"), after.shares.to_dict("records"))
    )
    return Table("Before and after the repair", ("groups", "violated", "after", "undecided", "after"), rows)


def table_view(table: Table) -> RichTable:
    """Return a table of results for the terminal: a narrow one breaks words, and never cuts off a number."""
    view = RichTable(box=None, pad_edge=False, header_style="dim", title=Text(table.title), title_justify="left")
    for k, name in enumerate(table.columns):
        numeric = is_numeric(table, k)
        whole = numeric or any(str(row[k]).endswith("%") for row in table.rows)
        view.add_column(Text(name), justify="right" if numeric else "left", no_wrap=whole, overflow="fold")
    for row in table.rows:
        view.add_row(*(Text(one_line(readable(cell))) for cell in row))
    return view


def share_table(audit: FairnessAudit) -> Table:
    """Return the verdicts by pair of groups in columns so narrow that a terminal has room for them."""
    rows = tuple(
        (
            pair_of_groups(row["left_group"], row["right_group"]),
            row["n_pairs"],
            row["violated"],
            row["undecided"],
            row["satisfied"],
            limits_of_share(row["share_lower"], row["share_upper"]).replace(" % to ", "–"),
        )
        for row in audit.shares.to_dict("records")
    )
    columns = ("groups", "compared", "violated", "undecided", "satisfied", "share")
    return Table(verdicts_title(audit), columns, rows)


def worst_table(audit: FairnessAudit, register: Register, n: int) -> Table:
    """Return the worst pairs in few columns."""
    column, allowed = allowed_by(audit)
    rows = tuple(
        (
            f"{row['worse_group']} {register.name(row['worse_group'], row['worse'])}",
            row["worse_score"],
            f"{row['better_group']} {register.name(row['better_group'], row['better'])}",
            row["better_score"],
            row["gap"],
            audit.lipschitz * row[column],
        )
        for row in each_pair_once(audit.worst).head(n).to_dict("records")
    )
    title = f"The worst of {reach_of(audit)}{by_new_answer(audit)}"
    return Table(title, ("treated worse", "score", "than", "score", "gap", allowed), rows)


def _worst(audit: FairnessAudit, register: Register) -> list[RenderableType]:
    if audit.worst.empty:
        return [Text(none_listed_in_words(audit))]
    view: list[RenderableType] = [table_view(worst_table(audit, register, N_WORST))]
    if words := about_the_list(audit).lstrip():
        view.append(Text(words, style="dim"))
    return view


def _compared(audit: FairnessAudit) -> str:
    total = counted(int(audit.shares["n_all_pairs"].sum()), "pair")
    return f"There are {total}. {limits_caption(audit)}"
