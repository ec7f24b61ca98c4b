"""What changes an audit: taking the experts away, and repairing the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from commensurate.applications.fairness.without_experts import BASELINES
from commensurate.report.audit.charts import draw_violated_shares
from commensurate.report.html.page import Block, Note, Paragraph, Picture, PlainTable, Section
from commensurate.report.style import VERDICT_ORDER
from commensurate.report.svg.figure_files import svg_of
from commensurate.report.tables import Cell, Table, frame_rows
from commensurate.wording import counted, one_line, pair_of_groups, share_in_words

if TYPE_CHECKING:
    from commensurate.applications.fairness.audit import FairnessAudit
    from commensurate.applications.fairness.repair import ScoreRepair
    from commensurate.applications.fairness.without_experts import WithoutExperts


def without_experts_section(without: WithoutExperts) -> Section:
    """Return the verdicts with and without experts, side by side."""
    blocks: list[Block] = [
        Paragraph(
            "These are the same pairs across groups, judged by distances that need no expert. Such a distance decides every "
            "pair, rightly or wrongly; where the experts' answers decide a pair too, you can compare the two verdicts."
        )
    ]
    for row in frame_rows(without.changed):
        blocks += [PlainTable(_crosstab(without.totals, str(row.baseline))), Note(_changed(row))]
    if without.counts.groupby(["left_group", "right_group"]).ngroups > 1:
        blocks.append(PlainTable(_by_groups(without.counts), folded=True))
    return Section("Without experts", "without-experts", blocks)


def _crosstab(totals: pd.DataFrame, baseline: str) -> Table:
    ours = totals[totals["baseline"] == baseline].set_index("by_experts")
    rows = tuple(
        (verdict, int(ours["violated"].get(verdict, 0)), int(ours["satisfied"].get(verdict, 0)))
        for verdict in VERDICT_ORDER
    )
    name = BASELINES[baseline]
    return Table(f"{name[0].upper()}{name[1:]}", ("with experts", "violated without", "satisfied without"), rows)


def _changed(row: Any) -> str:
    if not row.decided:
        return "The experts' answers decide none of these pairs."
    return (
        f"Of {counted(row.decided, 'pair')} that the experts' answers decide, {row.changed:,} "
        f"({share_in_words(row.changed, row.decided)}) get the opposite verdict without them."
    )


def _by_groups(counts: pd.DataFrame) -> Table:
    rows = tuple(
        (
            BASELINES[row.baseline],
            one_line(pair_of_groups(row.left_group, row.right_group)),
            row.by_experts,
            int(row.violated),
            int(row.satisfied),
        )
        for row in frame_rows(counts)
    )
    names = ("without experts", "groups", "with experts", "violated without", "satisfied without")
    return Table("The same for each pair of groups", names, rows)


def repair_section(
    audit: FairnessAudit, repair: ScoreRepair, repaired: FairnessAudit | None, price: pd.DataFrame | None
) -> Section:
    """Return what the repair changed, the audit before and after it, and what it costs."""
    words = " ".join(str(repair).splitlines())
    # scores that are all alike are fair, and of no use: nobody should overlook that
    blocks: list[Block] = [Note(words) if repair.collapsed else Paragraph(words)]
    if repaired is not None:
        shares = {"Before the repair": audit.shares, "After the repair": repaired.shares}
        blocks.append(
            Picture(svg_of(draw_violated_shares(shares)), "The share of violated pairs before and after the repair.")
        )
    if price is not None:
        blocks.append(PlainTable(frame_table("What the repair costs in accuracy", price)))
    return Section("After a repair", "repair", blocks)


def frame_table(title: str, frame: pd.DataFrame) -> Table:
    """Return a DataFrame of a few numbers and words as a table, its index left out if it only counts rows.

    >>> frame_table("Price", pd.DataFrame({"before": [0.8]}, index=["accuracy"])).rows
    (('accuracy', 0.8),)
    """
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.rename_axis(str(frame.index.name or "measure")).reset_index()
    rows = tuple(tuple(_cell(value) for value in row) for row in frame.itertuples(index=False))
    return Table(title, tuple(str(name) for name in frame.columns), rows)


def _cell(value: Any) -> Cell:
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, (int, float)) else one_line(str(value))
