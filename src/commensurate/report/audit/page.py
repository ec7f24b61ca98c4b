"""The report of an audit: one page that tells who is treated worse than whom, how sure that is, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from commensurate.applications.fairness.words import nobody_listed, passing_in_words, promise_of, reach_of
from commensurate.extras import require
from commensurate.report.audit.captions import (
    CERTAINTY_WORDS,
    about_the_list,
    across_groups,
    certainty_in_words,
    each_pair_once,
    limits_caption,
    none_listed_in_words,
)
from commensurate.report.audit.changes import repair_section, without_experts_section
from commensurate.report.audit.charts import draw_passing, draw_violated_shares
from commensurate.report.audit.map import audit_map, map_caption
from commensurate.report.audit.tables import complaint_table, people_table, question_table, share_table
from commensurate.report.html.page import Block, Note, PairCards, Paragraph, Picture, PlainTable, Section, render_page
from commensurate.report.html.pair_cards import Register, pair_cards
from commensurate.report.svg.figure_files import svg_of
from commensurate.wording import capitalized, counted, is_or_are

if TYPE_CHECKING:
    from commensurate.applications.fairness.audit import FairnessAudit
    from commensurate.applications.fairness.repair import ScoreRepair
    from commensurate.applications.fairness.without_experts import WithoutExperts

TITLE = "Are similar people treated similarly?"
# the worst pairs get a card each: those across groups are what the expert was asked for,
# and are not left out for others
N_CARDS = {"across": 6, "same_group": 4}
N_LISTED = 10
# a list may have tens of thousands of pairs, and a page should open
MOST_ROWS = 1_000


def render_audit(
    audit: FairnessAudit,
    *,
    ids: Mapping[str, Sequence[str]] | None = None,
    records: Mapping[str, pd.DataFrame] | None = None,
    without: WithoutExperts | None = None,
    repair: ScoreRepair | None = None,
    repaired_audit: FairnessAudit | None = None,
    price: pd.DataFrame | None = None,
    questions: pd.DataFrame | None = None,
    notes: Sequence[str] = (),
    title: str = TITLE,
    provenance: Mapping[str, str],
) -> str:
    """Return the report as one self-contained page of HTML: no script, nothing fetched, every value escaped.

    Needs the extra "plots".

    Parameters
    ----------
    audit
        What ``audit_fairness`` returned.
    ids
        How the people are called, by group, in the order of the audited rows; without them, by their row numbers.
    records
        What the cards of the worst pairs show of the people, by group, in the same order.
    without
        The same pairs judged without experts, from ``compare_without_experts``.
    repair, repaired_audit, price
        What ``repair_scores`` returned, an audit of the repaired scores, and what ``ScoreRepair.price`` returned.
    questions
        What ``audit.next_questions`` returned.
    notes
        What a reader should know beside it, such as that some questions were never answered.
    title
        The page's title.
    provenance
        What was done with what, such as files, seed, options and version; stands at the foot of the page.

    Examples
    --------
    >>> import commensurate as cm
    >>> from commensurate.applications import audit_fairness
    >>> points = {"a": [[0.0], [0.5], [1.0]], "b": [[0.0], [0.5], [1.0]]}
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    >>> est = est.fit(points, lambda left, right, between: abs(left - right)[:, 0])
    >>> audit = audit_fairness(est, points, scores={"a": [0.2, 0.5, 0.9], "b": [0.1, 0.9, 0.9]}, pairs="all")
    >>> page = render_audit(audit, provenance={"seed": "0"})
    >>> "Scores differ by <strong>0.4</strong>; 0 is allowed." in page
    True
    """
    # before any work is done
    require("matplotlib", extra="plots", purpose="the report of an audit")
    register = Register(ids, records)
    sections = [
        _overview(audit, notes),
        _shares(audit),
        _worst(audit, register),
        _people(audit, register),
        _passing(audit),
    ]
    if questions is not None:
        sections.append(_questions(questions, register))
    if without is not None:
        sections.append(without_experts_section(without))
    if repair is not None:
        sections.append(repair_section(audit, repair, repaired_audit, price))
    sections.append(_promises(audit))
    return render_page(title, lead(audit), sections, provenance)


def lead(audit: FairnessAudit) -> str:
    """Say in a few sentences what was found."""
    across = audit.shares["left_group"] != audit.shares["right_group"]
    times = "" if audit.lipschitz == 1.0 else f"{audit.lipschitz:g} times "
    words = [
        f"The scores of two people may differ by at most {times}their dissimilarity; if they differ by more, the pair is "
        "violated."
    ]
    for where, rows, sure in (
        ("Across groups", audit.shares[across], certainty_in_words(audit)),
        # d is known
        ("Within groups", audit.shares[~across], CERTAINTY_WORDS["certified"]),
    ):
        if total := int(rows["n_pairs"].sum()):
            violated, undecided = int(rows["violated"].sum()), int(rows["undecided"].sum())
            words.append(
                f"{where}, of {counted(total, 'pair')} compared, {violated:,} {is_or_are(violated)} violated {sure}"
                + (f", and {undecided:,} {is_or_are(undecided)} undecided." if undecided else ".")
            )
    wronged, people = int(audit.people["violated"].sum()), int(audit.people["people"].sum())
    reach = "the pairs within groups only" if nobody_listed(audit) else reach_of(audit)
    words.append(
        f"Based on {reach}, {wronged:,} of {people:,} people {is_or_are(wronged)} treated worse than someone else by more "
        f"than the limit allows{', across groups by a new answer' if audit.by_new_answer and not nobody_listed(audit) else ''}."
    )
    return " ".join(words)


def _overview(audit: FairnessAudit, notes: Sequence[str]) -> Section:
    compared = [f"{each}." for each in audit.records if each.worth_telling]
    blocks: list[Block] = [Note(capitalized(note)) for note in (*notes, *compared)]
    blocks.append(Picture(svg_of(audit_map(audit)), map_caption(audit)))
    return Section("What was found", "found", blocks)


def _shares(audit: FairnessAudit) -> Section:
    picture = Picture(svg_of(draw_violated_shares({"": audit.shares})), limits_caption(audit))
    return Section("How many pairs", "shares", [picture, PlainTable(share_table(audit))])


def _worst(audit: FairnessAudit, register: Register) -> Section:
    if audit.worst.empty:
        return Section("The worst pairs", "worst", [Paragraph(none_listed_in_words(audit))])
    worst = each_pair_once(audit.worst)
    across = across_groups(worst)
    parts = {
        "Across groups": worst[across].head(N_CARDS["across"]),
        "Within groups": worst[~across].head(N_CARDS["same_group"]),
    }
    blocks: list[Block] = [
        Paragraph(
            f"These are the pairs, out of {reach_of(audit)}, whose gap exceeds the allowed gap the most. In the tinted area "
            f"of a card, two people are too similar for the gap between their scores.{about_the_list(audit)}"
        ),
        *(PairCards(title, pair_cards(audit, pairs, register)) for title, pairs in parts.items() if len(pairs)),
        _folded("All listed pairs, worst first", worst, audit, register),
    ]
    if len(audit.people) > 1 and not across.any() and not nobody_listed(audit):
        blocks.insert(1, Note("None of the listed pairs is across groups."))
    return Section("The worst pairs", "worst", blocks)


def _folded(title: str, pairs: pd.DataFrame, audit: FairnessAudit, register: Register, first: int = 1) -> PlainTable:
    if len(pairs) > MOST_ROWS:
        title = f"{title}: {MOST_ROWS:,} of {len(pairs):,}"
    return PlainTable(complaint_table(title, pairs.head(MOST_ROWS), audit, register, first), folded=True)


def _people(audit: FairnessAudit, register: Register) -> Section:
    blocks: list[Block] = [PlainTable(people_table(audit))]
    if len(audit.treated_worst):
        shown, others = audit.treated_worst.iloc[:N_LISTED], audit.treated_worst.iloc[N_LISTED:]
        title = "Each person once, in their worst comparison"
        blocks.append(PlainTable(complaint_table(title, shown, audit, register)))
        if len(others):
            blocks.append(_folded("More people", others, audit, register, first=N_LISTED + 1))
    return Section("Who is treated worst", "people", blocks)


def _passing(audit: FairnessAudit) -> Section:
    blocks: list[Block] = [Paragraph(passing_in_words(audit))]
    # where every L fails, there is nothing to see
    if math.isfinite(audit.passing.fails_below):
        drawn = draw_passing(audit.passing, audit.lipschitz, passing_in_words(audit))
        blocks.append(Picture(svg_of(drawn), "The values of L with which the scores fail or pass."))
    return Section("Which L would pass", "passing", blocks)


def _questions(questions: pd.DataFrame, register: Register) -> Section:
    if questions.empty:
        return Section("What to ask next", "questions", [Paragraph("No question is expected to settle a pair.")])
    words = (
        "These questions to the expert are expected to settle the most undecided pairs among those compared. Each question "
        "counts only what the questions before it leave open. The expectation uses the estimate in place of the answer, "
        "which is not known yet."
    )
    return Section("What to ask next", "questions", [Paragraph(words), PlainTable(question_table(questions, register))])


def _promises(audit: FairnessAudit) -> Section:
    used = "" if audit.interval == "estimate" else f"This audit uses {audit.interval} intervals. "
    return Section(
        "What is guaranteed, and for which pairs",
        "guaranteed",
        [
            Note(used + promise_of(audit)),
            Paragraph(
                "Certified intervals give a guarantee for every pair, including those picked as the worst: no verdict is "
                "wrong. The conditions: M1 and M2 hold (moving by d within a group changes the dissimilarity to anyone by at "
                "most d), the metrics within groups are right, and no answer is off by more than the stated error."
            ),
            Paragraph(
                "Calibrated intervals give a guarantee for a random pair: its verdict is wrong with a small probability, on "
                "average over calibrations. They are computed from held-out answers about random pairs of such people. They "
                "give no guarantee for a pair that you pick. Where nobody knows how far off an answer may be, they hold for a "
                "new answer by the same experts, not for the dissimilarity itself."
            ),
            *(Paragraph(f"{capitalized(str(each))}.") for each in audit.records),
            Paragraph("Estimates give no guarantee. Within groups the distance is known, whatever the interval."),
        ],
    )
