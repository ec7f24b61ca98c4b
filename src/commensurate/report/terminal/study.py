"""A study in the terminal: its status, and what a check of its answers found."""

from __future__ import annotations

import math
from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from commensurate.guarantees.population import JUDGEABLE, Population
from commensurate.learning.few_answers.guarantee import LOOKS_EXACT, unanswered_in_words
from commensurate.study.judging.check import StudyCheck
from commensurate.study.judging.status import ExpertStatus, StudyStatus
from commensurate.study.judging.trust import PairFigures, StudyTrust
from commensurate.study.settings import StudySettings
from commensurate.wording import counted, duration, is_or_are, minute, one_line, or_dash, percent_done, percent_down

BAR_WIDTH = 40


def status_view(where: str, status: StudyStatus, settings: StudySettings, trust: StudyTrust | None) -> RenderableType:
    """Return how far the study is and, if it was computed, how far its estimates can be trusted."""
    parts: list[RenderableType] = [
        Text(one_line(status.title) or one_line(where), style="bold"),
        _bar(status),
        *(Text(line) for line in _progress_lines(status, settings)),
    ]
    if status.experts:
        parts += [Text(), _experts(status)]
    if trust is not None:
        parts += [Text(), *(Text(line) for line in _trust_lines(trust, settings))]
    return Group(*parts)


def _bar(status: StudyStatus) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_row(
        ProgressBar(total=max(1, status.questions), completed=status.answered, width=BAR_WIDTH),
        f"{status.answered:,} of {counted(status.questions, 'question')} answered ({percent_done(status.answered, status.questions)})",
    )
    return grid


def _progress_lines(status: StudyStatus, settings: StudySettings) -> list[str]:
    groups = ", ".join(
        f"{one_line(group.name)} {group.records:,}" + (f" ({group.forgotten:,} forgotten)" if group.forgotten else "")
        for group in status.groups
    )
    lines = [
        f"records: {groups}",
        f"hidden repeats: {status.repeats_answered:,} of {status.repeats:,} answered; "
        f"answers wanted per question: {settings.answers_per_question}",
    ]
    if status.twice:
        lines.append(
            f"held-out questions for two experts: {status.twice_answered:,} of {status.twice:,} answered by both"
        )
    if status.closed:
        lines.append(f"{counted(status.closed, 'question')} {is_or_are(status.closed)} closed: a record was forgotten")
    if status.aside:
        lines.append(
            f"{counted(status.aside, 'pair')} with known answers {is_or_are(status.aside)} kept but not used: they share a "
            "record with a held-out pair"
        )
    if status.unsure_only:
        lines.append(
            f"all experts so far are unsure about {counted(status.unsure_only, 'question')}; another expert may know"
        )
    if status.known_pairs:
        lines.append(f"pairs of known distance that every expert is asked: {status.known_pairs:,}")
        lines += [one_line(str(scale)) for scale in status.scales]
    if status.simulated:
        lines.append(
            f"{status.simulated:,} of {counted(status.answers, 'answer')} {is_or_are(status.simulated)} simulated: "
            "this is a rehearsal"
        )
    if status.answers_left and status.seconds is not None and status.hours_left is not None:
        lines.append(
            f"pace: {status.seconds:.3g} s per answer; {counted(status.answers_left, 'answer')} left, "
            f"about {duration(status.hours_left)}"
        )
    elif status.answers_left:
        lines.append(f"{counted(status.answers_left, 'answer')} left")
    else:
        lines.append("every question is answered")
    if len(status.seconds_by_kind) > 1:
        times = ", ".join(f"{seconds:.3g} s for a {kind}" for kind, seconds in status.seconds_by_kind.items())
        lines.append(f"time for an answer: {times}")
    return lines


def _experts(status: StudyStatus) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    # a narrow terminal breaks names and words, and never cuts off a number
    table.add_column("expert", min_width=6, overflow="fold")
    for heading in ("answered", "shown\nnow", "s per\nanswer"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("last answer\n(UTC)", no_wrap=True)
    # what nobody did needs no column
    others = [_also(one) for one in status.experts]
    if any(others):
        table.add_column("also", overflow="fold")
    for one, also in zip(status.experts, others):
        table.add_row(
            Text(one_line(one.name)),
            f"{one.answered:,}",
            f"{one.held_now:,}",
            or_dash(one.seconds),
            "–" if one.last_answer_at is None else minute(one.last_answer_at),
            *([also] if any(others) else []),
        )
    return table


def _also(one: ExpertStatus) -> str:
    parts = {
        f"{one.unsure:,} unsure": one.unsure,
        f"{counted(one.known_pairs, 'known pair')}": one.known_pairs,
        counted(one.comments, "comment"): one.comments,
        counted(one.corrections, "correction"): one.corrections,
        f"{one.skipped:,} skipped": one.skipped,
    }
    return ", ".join(words for words, n in parts.items() if n)


def _trust_lines(trust: StudyTrust, settings: StudySettings) -> list[str]:
    lines = []
    if trust.figures is None:
        lines.append(f"No statement is possible yet: {one_line(trust.missing or '')}")
    for pair in trust.figures or ():
        lines.append(
            f"{one_line(pair.between[0])} × {one_line(pair.between[1])}: learnt from "
            f"{counted(pair.n_training, 'answer')}" + _missed(pair)
        )
        lines += _widths(pair, settings)
        if pair.noise is not None and math.isfinite(pair.noise):
            lines.append(f"  the estimated standard deviation of an answer's error is {pair.noise:.3g}")
        if pair.against_sigma is not None:
            lines.append(f"  {pair.against_sigma}")
        lines += [f"  {one_line(remark)}" for remark in pair.remarks]
    if trust.figures and settings.given is not None:
        lines.append(f"These figures are about {Population(settings.claim, given=True)}.")
    if trust.figures and all(pair.looks_exact for pair in trust.figures):
        lines.append(LOOKS_EXACT)
    verdict = trust.verdict
    lines.append("")
    if verdict is not None:
        lines.append(f"After {verdict.after}: {one_line(verdict.words)}")
    lines += [words for words in (trust.proved_before, trust.when_next, trust.corrected_late) if words is not None]
    return lines


def _widths(pair: PairFigures, settings: StudySettings) -> list[str]:
    intervals = f"  calibrated intervals at level {percent_down(settings.confidence_level)}"
    lines = []
    if pair.n_unanswered:
        lines.append(f"  {unanswered_in_words(pair.n_unanswered, pair.n_held_out, left_out=False)}")
    if math.isfinite(pair.calibrated_width):
        lines.append(f"{intervals} are {pair.calibrated_width:.3g} wide on average")
    else:
        few = "too few answers have been held out so far"
        lines.append(f"{intervals} are infinite, because {few}")
    if pair.judgeable is not None and math.isfinite(pair.judgeable.calibrated_width):
        lines.append(f"  for pairs {JUDGEABLE}, they are {pair.judgeable.calibrated_width:.3g} wide on average")
    return lines


def _missed(pair: PairFigures) -> str:
    if not pair.n_held_out:
        return ""
    who = "1 held-out one is" if pair.n_held_out == 1 else f"{pair.n_held_out:,} held-out ones are"
    beside = "" if pair.guess_error is None else f" (one guess for every pair: {pair.guess_error:.3g})"
    return f"; {who} missed by {pair.mean_error:.3g} on average{beside}"


def check_view(found: StudyCheck) -> RenderableType:
    """Return what does not fit together, part by part."""
    contradictions = [found.not_compared] if found.not_compared else [one.words for one in found.contradictions]
    known = [str(one) for one in (found.agreement, found.agreement_in_words) if one is not None]
    agreement = known or ["No two experts have answered enough questions in common."]
    every_repeat = [*found.repeats, *found.word_repeats]
    repeats = [str(one) for one in every_repeat] or ["No hidden repeat has been answered yet."]
    differing = [str(one) for one in (*found.disagreements, *found.word_disagreements)]
    again = [f"{one.question_id} ({one.left_id} and {one.right_id}): {one.why}" for one in found.ask_again] or ["none"]
    return Group(
        *_part("Contradictions of M1 and M2", contradictions),
        *_part(
            "Agreement between experts", [*agreement, *(str(one) for one in found.shifts), found.left_out_words or ""]
        ),
        *_part("Questions that experts disagree about most", differing or ["none"]),
        *_part("How consistent each expert is, on hidden repeats", repeats),
        *(_part("Answers about pairs of known distance", map(str, found.scales)) if found.scales else ()),
        *_part("Ask again", again),
    )


def _part(heading: str, lines: Iterable[str]) -> list[Text]:
    shown = [Text(one_line(line)) for text in lines for line in text.splitlines()]
    return [Text(heading, style="bold"), *shown, Text()]
