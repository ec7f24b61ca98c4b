"""The part of the owner's page that is counted anew for every request: how far the study and its experts are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from commensurate.study.invitations import Invitation
from commensurate.study.judging.status import ExpertStatus, StudyStatus
from commensurate.study.settings import StudySettings
from commensurate.web.overview_view import Table, table
from commensurate.web.refresher import Refreshed
from commensurate.wording import counted, duration, one_line

EXPERT_HEADINGS = (
    "Expert", "Answered", "Unsure", "Skipped", "Corrected", "Comments", "Shown now", "Seconds per answer", "Last answer (UTC)",
    "Personal link",
)  # fmt: skip


def progress_view(status: StudyStatus, settings: StudySettings, links: Iterable[Invitation]) -> dict[str, Any]:
    """Return how far the study is, in words and rows."""
    share = status.answered / status.questions if status.questions else 0.0
    return {
        "answered": status.answered,
        "questions": status.questions,
        "words": (
            f"{status.answered:,} of {counted(status.questions, 'question')} answered ({math.floor(100.0 * share)}\u00a0%)"
        ),
        "facts": _facts(status, settings),
        "rehearsal": status.simulated > 0,
        "experts": _experts(status.experts, links),
    }


def _facts(status: StudyStatus, settings: StudySettings) -> list[tuple[str, str]]:
    groups = ", ".join(
        f"{one_line(group.name)} {group.records:,}" + (f" ({group.forgotten:,} forgotten)" if group.forgotten else "")
        for group in status.groups
    )
    facts = [
        ("Answers", f"{status.answers:,}, with {status.answers_left:,} still to come"),
        ("Pace", "not known yet" if status.seconds is None else f"{status.seconds:.3g} s per answer"),
        ("Time left", _time_left(status)),
        ("Hidden repeats", f"{status.repeats_answered:,} of {status.repeats:,} answered"),
        ("Answers wanted per question", f"{settings.answers_per_question}"),
        ("Records", groups),
    ]
    if status.unsure_only:
        facts.append(("Unsure", f"{counted(status.unsure_only, 'question')} with no numeric answer"))
    if status.closed:
        facts.append(("Closed", f"{counted(status.closed, 'question')}: a record was forgotten"))
    if status.simulated:
        facts.append(("Rehearsal", f"{counted(status.simulated, 'answer')} by simulated experts"))
    return facts


def _time_left(status: StudyStatus) -> str:
    if not status.answers_left:
        return "none: every question is answered"
    if status.hours_left is None:
        return "not known yet"
    return f"about {duration(status.hours_left)} of answering time, over all experts"


def _experts(experts: Iterable[ExpertStatus], links: Iterable[Invitation]) -> Table:
    states = _link_states(links)
    return table("Experts", EXPERT_HEADINGS, (_expert(one, states.get(one.name, "none")) for one in experts))


def _expert(one: ExpertStatus, link: str) -> Sequence[str]:
    return (
        one_line(one.name),
        f"{one.answered:,}",
        f"{one.unsure:,}",
        f"{one.skipped:,}",
        f"{one.corrections:,}",
        f"{one.comments:,}",
        f"{one.held_now:,}",
        "–" if one.seconds is None else f"{one.seconds:.3g}",
        "–" if one.last_answer_at is None else minute(one.last_answer_at),
        link,
    )


def _link_states(links: Iterable[Invitation]) -> dict[str, str]:
    """Return what became of each expert's last link."""
    # in the order in which they were made
    return {
        one.expert: "works" if one.revoked_at is None else f"ended {minute(one.revoked_at)}"
        for one in sorted(links, key=lambda one: one.made_at)
    }


def minute(moment: str) -> str:
    """Return a time of the study to the minute.

    >>> minute("2025-03-01T09:00:12.000000+00:00")
    '2025-03-01 09:00'
    """
    return moment[:16].replace("T", " ")


def freshness(refreshed: Refreshed, answers_now: int) -> str:
    """Say how old the figures are, and whether others are on their way.

    >>> made = {"overview": {"answers": 380}}
    >>> freshness(Refreshed(made, 12.3, True, None), 384)
    'Figures from 380 answers, 12 s ago; new ones are being computed.'
    """
    if refreshed.failure is not None:
        ago = "" if refreshed.figures is None else f" The figures shown are {_ago(refreshed)} old."
        return f"New figures could not be computed: {refreshed.failure}. The server will try again in a minute.{ago}"
    if refreshed.figures is None:
        return "The server is computing the figures for the first time. This takes seconds with few answers and minutes with many."
    known = int(refreshed.figures["overview"]["answers"])
    more = (
        "; new ones are being computed" if refreshed.computing else "; new ones follow" if known != answers_now else ""
    )
    return f"Figures from {counted(known, 'answer')}, {_ago(refreshed)} ago{more}."


def _ago(refreshed: Refreshed) -> str:
    seconds = refreshed.age_seconds or 0.0
    return (
        f"{seconds:.0f} s"
        if seconds < 120.0
        else f"{seconds / 60.0:.0f} min"
        if seconds < 5400.0
        else f"{seconds / 3600.0:.1f} h"
    )
