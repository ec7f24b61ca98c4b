"""What the process beside the server computes and the server shows:
sent as plain values, and nothing else, between the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

Plain = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """Its name, its headings, and rows of text; the first cell of a row names it."""

    label: str
    headings: list[str]
    rows: list[list[str]]


@dataclass(frozen=True, slots=True)
class TrustView:
    """Whether enough was asked: what must be shown, what was found so far; ``notes`` say when it is looked at next."""

    claim: str
    stop: bool
    verdict: str | None
    verdict_after: str | None
    missing: str | None
    looks: Table
    pairs: Table
    notes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CurveView:
    """The learning curve: a picture, what its caption names, and its numbers."""

    svg: str
    answered: str
    band: str
    measured: str
    tolerance: str
    share: str
    table: Table


@dataclass(frozen=True, slots=True)
class AgreementView:
    """How far experts agree with each other and with themselves."""

    words: str
    left_out: str | None
    shifts: Table
    repeats: Table


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question that should be asked again, and why."""

    question_id: str
    question: str
    left: str
    right: str
    why: str


@dataclass(frozen=True, slots=True)
class HistogramView:
    """How often which dissimilarity was answered;
    ``above`` the end of the scale and ``unsure`` only where there are any.
    """

    svg: str
    table: Table
    ruler: Table
    above: str | None
    unsure: str | None


@dataclass(frozen=True, slots=True)
class FiguresView:
    """What the owner's page shows of an overview: plain text, tables, and inline SVG under the name ``svg``."""

    trust: TrustView
    curve: CurveView | None
    no_curve: str | None
    agreement: AgreementView
    contradictions: list[str]
    disagreements: Table
    ask_again: list[QuestionView]
    histogram: HistogramView

    @classmethod
    def from_plain(cls, plain: Plain) -> Self:
        """Return what ``asdict`` made plain."""
        return cls(
            trust=TrustView(**_with_tables(plain["trust"], "looks", "pairs")),
            curve=None if plain["curve"] is None else CurveView(**_with_tables(plain["curve"], "table")),
            no_curve=plain["no_curve"],
            agreement=AgreementView(**_with_tables(plain["agreement"], "shifts", "repeats")),
            contradictions=plain["contradictions"],
            disagreements=Table(**plain["disagreements"]),
            ask_again=[QuestionView(**one) for one in plain["ask_again"]],
            histogram=HistogramView(**_with_tables(plain["histogram"], "table", "ruler")),
        )


@dataclass(frozen=True, slots=True)
class Figures:
    """One computed overview.

    Attributes
    ----------
    answers, forgotten
        How many answers it was made from, and how many records had been forgotten by then.
    complete
        Whether the learning curve, which takes longest, is among it.
    overview
        All its numbers as JSON has them, for programs.
    view
        What the page shows.
    """

    answers: int
    forgotten: int
    complete: bool
    overview: Plain
    view: FiguresView

    def to_plain(self) -> dict[str, Any]:
        """Return it as values that JSON has."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: Plain) -> Self:
        """Return what :meth:`to_plain` made plain."""
        return cls(
            plain["answers"],
            plain["forgotten"],
            plain["complete"],
            plain["overview"],
            FiguresView.from_plain(plain["view"]),
        )


def _with_tables(plain: Plain, *names: str) -> dict[str, Any]:
    """Return plain values by name, those that are tables as tables."""
    return {**plain, **{name: Table(**plain[name]) for name in names}}
