"""The report of a model: one page that says how far to trust its estimates, and what it learnt from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from commensurate.errors import InconsistentAnswers, InvalidInput, InvalidParameter
from commensurate.extras import require
from commensurate.learning.few_answers.guarantee import unanswered_in_words
from commensurate.report.html.page import Block, Note, Paragraph, Picture, PlainTable, Section, render_page
from commensurate.report.model.charts import draw_held_out_answers, draw_share_bars, in_words
from commensurate.report.svg.figure_files import svg_of
from commensurate.report.tables import Table, frame_rows
from commensurate.wording import counted

if TYPE_CHECKING:
    from commensurate.asking.questions import Between
    from commensurate.learning.few_answers.guarantee import BudgetedGuarantee
    from commensurate.learning.proxies.guarantee import Guarantee
    from commensurate.learning.similarity import Similarity

TITLE = "How far can these estimates be trusted?"
MISSES = 10
CONTRADICTIONS = 10
SMALL_MEANS_SIMILAR = (
    "The model estimates how dissimilar two elements of different groups are: 0 is alike, small means similar."
)


def render_model(
    model: Similarity,
    guarantee: BudgetedGuarantee | Guarantee,
    *,
    title: str = TITLE,
    provenance: Mapping[str, str],
) -> str:
    """Return the report as one self-contained page of HTML: no script, nothing fetched, every value escaped.

    Needs the extra "plots".

    Parameters
    ----------
    model
        A fitted estimator.
    guarantee
        What its ``guarantee`` returned; its confidence level is also that of the intervals shown.
    title
        The page's title.
    provenance
        What was done with what, such as files, options and version; stands at the foot of the page.

    Examples
    --------
    >>> import commensurate as cm
    >>> points = {"a": [[k / 30] for k in range(30)], "b": [[k / 20] for k in range(20)]}
    >>> est = cm.BudgetedSimilarity(budget=20, learner="gp", random_state=0)
    >>> est = est.fit(points, lambda left, right, between: abs(left - right)[:, 0])
    >>> page = render_model(est, est.guarantee(), provenance={"model": "m.cmz"})
    >>> "learnt from the answers to 16 questions and tested on the answers to 4 others" in page
    True
    """
    # before any work is done
    require("matplotlib", extra="plots", purpose="the report of a model")
    sections = [_trust(guarantee)]
    if model.why_no_interval("calibrated") is None:
        sections += [
            _judged(model, between, number, guarantee.confidence_level)
            for number, between in enumerate(model.n_questions_by_pair_)
        ]
    sections += [_consistency(model), _origin(model)]
    return render_page(title, f"{SMALL_MEANS_SIMILAR} {_lead(model)}", sections, provenance)


def _lead(model: Similarity) -> str:
    groups = ", ".join(model.groups_[:-1]) + f" and {model.groups_[-1]}"
    return f"{type(model).__name__} for {groups}, from {counted(model.n_questions_, 'answered question')}."


def _trust(guarantee: BudgetedGuarantee | Guarantee) -> Section:
    *paragraphs, assumptions = str(guarantee).split("\n\n")
    return Section("What you can rely on", "trust", [*map(Paragraph, paragraphs), Note(assumptions)])


def _judged(model: Similarity, between: Between, number: int, level: float) -> Section:
    held_out = model.held_out_answers(between, confidence_level=level)
    counts = model.held_out_counts(between)
    # what has no answer is not in the picture
    shown = replace(model.population_, judgeable=model.population_.judgeable or counts.unanswered > 0)
    blocks: list[Block] = []
    if len(held_out):
        caption = (
            f"{in_words(held_out)} The model did not learn from these answers, so estimates of {shown} are as far off."
        )
        if counts.unanswered:
            left_out = model.population_.judgeable
            caption += f" {unanswered_in_words(counts.unanswered, counts.answered, left_out=left_out)}"
        blocks.append(Picture(svg_of(draw_held_out_answers(held_out)), caption))
        off = (held_out["estimate"] - held_out["answer"]).abs()
        worst = held_out.assign(off=off).sort_values("off", ascending=False, kind="stable")[:MISSES]
        columns = (between[0], between[1], "answer", "estimate", "off by", "lower", "upper")
        rows = tuple(
            (str(row.left_id), str(row.right_id), row.answer, row.estimate, row.off, row.lower, row.upper)
            for row in frame_rows(worst)
        )
        blocks.append(PlainTable(Table("Where it missed most", columns, rows)))
    else:
        blocks.append(Note("No answer was held out, so the error of the estimates is not known."))
    shares = model.relevance(between)
    if any(shares.values()):
        bars = svg_of(draw_share_bars(shares, "Columns that matter"))
        blocks.append(
            Picture(bars, "Columns that matter: the share of each column in the differences between estimates.")
        )
    else:
        blocks.append(Note("All estimates are the same: no column matters."))
    return Section(f"{between[0]} × {between[1]}", f"pair-{number}", blocks)


def _consistency(model: Similarity) -> Section:
    blocks: list[Block] = [
        Paragraph(
            "By M1 and M2, two answers can differ by at most as much as their elements are apart within the groups."
        )
    ]
    for between, n in model.n_questions_by_pair_.items():
        if not n:
            blocks.append(Paragraph(f"{between[0]} × {between[1]}: there are no answers yet."))
            continue
        found = [line.strip() for line in _checked(model, between).splitlines()]
        blocks += [Paragraph(f"{between[0]} × {between[1]}: {found[0]}"), *map(Paragraph, found[1:])]
    return Section("Do the answers agree?", "answers", blocks)


def _checked(model: Similarity, between: Between) -> str:
    try:
        return str(model.check_answers(between, worst=CONTRADICTIONS))
    except (InconsistentAnswers, InvalidInput, InvalidParameter) as error:
        # too many answers to list, or too few held out to tell errors
        return f"{error}."


def _origin(model: Similarity) -> Section:
    asked = model.questions_asked()
    groups = Table(
        "Groups",
        ("group", "metric", "columns"),
        tuple((name, space.metric.name, ", ".join(space.columns)) for name, space in model.spaces_.items()),
    )
    questions = Table("Questions", tuple(asked.columns), tuple(asked.itertuples(index=False, name=None)))
    blocks: list[Block] = [PlainTable(groups), PlainTable(questions), Paragraph(f"Learnt with {_settings(model)}.")]
    return Section("What it was learnt from", "origin", blocks)


def _settings(model: Similarity) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in model.parameters_.items())
