"""The part of the owner's page that is counted anew for every request: how far the study and its experts are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from commensurate.study.invitations import Invitation
from commensurate.study.judging.status import ExpertStatus, StudyStatus
from commensurate.study.settings import StudySettings
from commensurate.web.figures import Table
from commensurate.web.overview_view import table
from commensurate.web.refresher import Refreshed
from commensurate.wording import age, counted, duration, minute, one_line, or_dash, percent_done

EXPERT_HEADINGS = (
    "Expert", "Answered", "Unsure", "Skipped", "Corrected", "Comments", "Shown now", "Seconds per answer", "Last answer (UTC)",
    "Personal link",
)  # fmt: skip


def progress_view(status: StudyStatus, settings: StudySettings, links: Iterable[Invitation]) -> dict[str, Any]:
    """Return how far the study is, in words and rows."""
    return {
        "answered": status.answered,
        "questions": status.questions,
        "words": (
            f"{status.answered:,} of {counted(status.questions, 'question')} answered ({percent_done(status.answered, status.questions)})"
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
    if status.twice:
        facts.append(("Held out, for two experts", f"{status.twice_answered:,} of {status.twice:,} answered by both"))
    if status.unsure_only:
        facts.append(("Unsure", f"{counted(status.unsure_only, 'question')} with no numeric answer"))
    if status.aside:
        facts.append(("Not used", f"{counted(status.aside, 'pair')} with a record of a held-out pair"))
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
        or_dash(one.seconds),
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


def freshness(refreshed: Refreshed, answers_now: int) -> str:
    """Say how old the figures are, and whether others are on their way."""
    if refreshed.failure is not None:
        ago = "" if refreshed.figures is None else f" The figures shown are {age(refreshed.age_seconds or 0.0)} old."
        return f"New figures could not be computed: {refreshed.failure}. The server will try again in a minute.{ago}"
    if refreshed.figures is None:
        return (
            "The server is computing the figures for the first time. This takes seconds with few answers and minutes "
            "with many."
        )
    known = refreshed.figures.answers
    more = (
        "; new ones are being computed" if refreshed.computing else "; new ones follow" if known != answers_now else ""
    )
    return f"Figures from {counted(known, 'answer')}, {age(refreshed.age_seconds or 0.0)} ago{more}."
