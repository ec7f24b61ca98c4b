"""The computed part of the owner's page in words, tables and pictures, as plain values.

The process that computes the figures also writes these, and sends them to the server.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from commensurate.guarantees.population import JUDGEABLE
from commensurate.report.svg.answer_histogram import answer_histogram
from commensurate.report.svg.live_curve import live_curve
from commensurate.study.judging.check import StudyCheck
from commensurate.study.judging.overview import AnswerCounts, AnswerCurve, Overview
from commensurate.study.judging.trust import PairFigures, StudyTrust
from commensurate.study.settings import StudySettings
from commensurate.web.figures import (
    AgreementView,
    CurveView,
    Figures,
    FiguresView,
    HistogramView,
    QuestionView,
    Table,
    TrustView,
)
from commensurate.wording import one_line, or_dash, percent_down, rounded_up, short_number


def table(label: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table.

    >>> table("Ages", ("Who", "Age"), [("Ana", "31")])
    Table(label='Ages', headings=['Who', 'Age'], rows=[['Ana', '31']])
    """
    return Table(label, list(headings), [list(row) for row in rows])


NOTHING_COMPARED = "No two experts have answered enough questions in common."


def as_json(seen: Overview) -> dict[str, Any]:
    """Return an overview as JSON has it, which knows neither infinity nor NaN: both are None."""
    verdict = None if seen.trust.verdict is None else asdict(seen.trust.verdict)
    text = json.dumps({**asdict(seen), "verdict": verdict})
    read: dict[str, Any] = json.loads(text, parse_constant=lambda _: None)
    return read


def figures_of(seen: Overview, settings: StudySettings) -> Figures:
    """Return what an overview sends to the server."""
    return Figures(
        answers=seen.answers,
        forgotten=sum(group.forgotten for group in seen.status.groups),
        complete=seen.complete,
        overview=as_json(seen),
        view=figures_view(seen, settings),
    )


def figures_view(seen: Overview, settings: StudySettings) -> FiguresView:
    """Return what the page shows of an overview."""
    return FiguresView(
        trust=_trust(seen.trust, settings),
        curve=None if seen.curve is None else _curve(seen.curve, seen.trust, settings),
        no_curve=seen.no_curve,
        agreement=_agreement(seen.check),
        contradictions=_contradictions(seen.check),
        disagreements=_disagreements(seen.check),
        ask_again=[
            QuestionView(
                question_id=one.question_id,
                question=short_id(one.question_id),
                left=one_line(one.left_id),
                right=one_line(one.right_id),
                why=one.why,
            )
            for one in seen.check.ask_again
        ],
        histogram=_histogram(seen.histogram),
    )


# --- trust ---


def _trust(trust: StudyTrust, settings: StudySettings) -> TrustView:
    verdict = trust.verdict
    claim = (
        f"Experts have answered enough when, with confidence {percent_down(settings.confidence_level)}, at least "
        f"{percent_down(settings.share)} of pairs are within {settings.tolerance:g} of the answer."
    )
    return TrustView(
        claim=claim,
        stop=verdict is not None and verdict.stop,
        verdict=None if verdict is None else one_line(verdict.words),
        verdict_after=None if verdict is None else verdict.after,
        notes=[words for words in (trust.proved_before, trust.when_next, trust.corrected_late) if words is not None],
        missing=None if trust.missing is None else one_line(trust.missing),
        remarks=[
            f"{one_line(pair.between[0])} × {one_line(pair.between[1])}: {one_line(remark)}"
            for pair in trust.figures or ()
            for remark in (*([] if pair.against_sigma is None else [pair.against_sigma]), *pair.remarks)
        ],
        looks=table(
            "Checks of the stopping rule",
            ("After", "All pairs: stop?", "Pairs that experts can judge: stop?", "Counted?", "In words"),
            (
                (look.after, _yes(look.stop), _yes(look.judgeable), _yes(look.counted), one_line(look.words))
                for look in trust.looks
            ),
        ),
        pairs=table(
            "Error by pair of groups",
            (
                "Between",
                "Learnt from",
                "Held out",
                "Of these unanswered",
                "Mean error",
                "Mean error of one guess",
                f"Tolerance for {percent_down(settings.share)}",
                "Calibrated width",
                "Noise of an answer",
            ),
            (row for pair in trust.figures or () for row in _pair(pair)),
        ),
    )


def _pair(pair: PairFigures) -> Iterable[Sequence[str]]:
    """Yield what held-out answers say of all pairs and, where that differs, of pairs that experts can judge."""
    name = f"{one_line(pair.between[0])} × {one_line(pair.between[1])}"
    asked, error = pair.n_held_out + pair.n_unanswered, or_dash(pair.mean_error if pair.n_held_out else None)
    bounded = [(name, asked, pair.n_unanswered, pair.tolerance, pair.calibrated_width)]
    if (only := pair.judgeable) is not None:
        bounded.append((f"{name}, pairs {JUDGEABLE}", pair.n_held_out, 0, only.tolerance, only.calibrated_width))
    for label, n, unanswered, tolerance, width in bounded:
        yield (
            label,
            f"{pair.n_training:,}",
            f"{n:,}",
            f"{unanswered:,}",
            error,
            or_dash(pair.guess_error),
            rounded_up(tolerance),
            rounded_up(width),
            or_dash(pair.noise),
        )


def _curve(curve: AnswerCurve, trust: StudyTrust, settings: StudySettings) -> CurveView:
    rows = [(f"{n:,.0f}", or_dash(error), "–", "–", "observed") for n, error in curve.observed]
    rows += [
        (f"{one.answers:,.0f}", or_dash(one.expected), or_dash(one.low), or_dash(one.high), "forecast")
        for one in curve.forecast
    ]
    return CurveView(
        svg=live_curve(
            curve.observed,
            curve.forecast,
            tolerance=settings.tolerance,
            planned=curve.planned,
            looks=[(look.n_questions, look.stop) for look in trust.looks],
        ),
        answered=f"{max(n for n, _ in curve.observed):,.0f}",
        band=percent_down(curve.band_share),
        measured=curve.measured,
        tolerance=f"{settings.tolerance:g}",
        share=percent_down(settings.share),
        table=table(
            "Mean error by answered questions",
            ("Answered questions", "Mean error", "Low end of the band", "High end of the band", "What it is"),
            rows,
        ),
    )


# --- agreement ---


def _agreement(check: StudyCheck) -> AgreementView:
    return AgreementView(
        words=NOTHING_COMPARED if check.agreement is None else str(check.agreement),
        left_out=check.left_out_words,
        shifts=table(
            "By how much each expert answers higher than the others",
            ("Expert", "Shift", "Standard error", "Shared questions"),
            (
                (one_line(one.expert), f"{one.shift:+.3g}", or_dash(one.standard_error), f"{one.n_questions:,}")
                for one in check.shifts
            ),
        ),
        repeats=table(
            "How consistent each expert is, on hidden repeats",
            ("Expert", "Repeats", "Mean difference", "Drift", "Deviation of one answer"),
            (
                (
                    one_line(one.expert),
                    f"{one.n:,}",
                    or_dash(one.mean_absolute_difference),
                    f"{one.drift:+.3g}",
                    or_dash(one.answer_deviation),
                )
                for one in check.repeats
            ),
        ),
    )


def _contradictions(check: StudyCheck) -> list[str]:
    if check.not_compared:
        return [one_line(check.not_compared)]
    several = len(check.contradictions) > 1
    return [
        one_line(f"{' × '.join(one.between)}: {line}" if several else line)
        for one in check.contradictions
        for line in one.words.splitlines()
    ]


def short_id(question_id: str) -> str:
    """Return enough of an id to tell questions apart; files and `study check` have all of it.

    >>> short_id("7199e25f66cc2c0deefca50f9cdebe37")
    '7199e25f…'
    """
    return f"{question_id[:8]}…"


def _disagreements(check: StudyCheck) -> Table:
    return table(
        "Questions that experts disagree about most",
        ("Question", "Apart by", "Answers"),
        (
            (
                short_id(str(one.question)),
                short_number(one.spread),
                ", ".join(f"{one_line(expert)} {short_number(value)}" for expert, value in one.values),
            )
            for one in check.disagreements
        ),
    )


# --- answers ---


def _histogram(counts: AnswerCounts) -> HistogramView:
    rows: Iterable[Sequence[str]] = (
        (f"{short_number(low)} to {short_number(high)}", f"{count:,}")
        for low, high, count in zip(counts.edges, counts.edges[1:], counts.counts)
    )
    return HistogramView(
        svg=answer_histogram(counts.edges, counts.counts, [(mark.group, mark.distance) for mark in counts.ruler]),
        table=table(
            "Answers by dissimilarity",
            ("Dissimilarity", "Answers"),
            [
                *rows,
                (f"above {short_number(counts.edges[-1])}", f"{counts.above:,}"),
                ("unsure", f"{counts.unsure:,}"),
            ],
        ),
        ruler=table(
            "The ruler: known distances",
            ("Group", "Distance"),
            ((one_line(mark.group), short_number(mark.distance)) for mark in counts.ruler),
        ),
        above=f"{counts.above:,}" if counts.above else None,
        unsure=f"{counts.unsure:,}" if counts.unsure else None,
    )


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"
