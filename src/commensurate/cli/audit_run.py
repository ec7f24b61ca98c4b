"""What ``commensurate audit`` does: it runs the audit, prints it as text or JSON, and writes its files.

It writes all files or none, names people by id, and never overwrites an input.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from commensurate.applications.fairness.audit import MOST_LISTED, audit_fairness
from commensurate.applications.fairness.verdicts import MOST_PAIRS
from commensurate.applications.fairness.words import nobody_listed
from commensurate.applications.intervals import check_interval, unanswered, why_not_certified
from commensurate.applications.like_records import told
from commensurate.arrays import FloatArray
from commensurate.checks import checked_confidence_level
from commensurate.cli.outputs import check_outputs, check_report, named, warnings_as_notes, write_together
from commensurate.errors import InvalidInput, InvalidParameter, MissingAnswers
from commensurate.records.given_files import absence_notes
from commensurate.records.group_files import GroupedRecords, fields_of

if TYPE_CHECKING:
    from commensurate.applications.fairness.audit import FairnessAudit, Favourable
    from commensurate.applications.fairness.repair import ScoreRepair
    from commensurate.applications.fairness.without_experts import WithoutExperts
    from commensurate.learning.similarity import Interval, Similarity


TABLES = ("shares", "verdicts", "worst", "treated_worst", "by_person")
QUESTIONS = "next_questions"


@dataclass(frozen=True, slots=True)
class AuditFiles:
    """Where the report, the tables (a folder) and the repaired scores go; None where they are not wanted.

    ``questions`` tells whether the next questions are among the tables:
    only certified intervals are narrowed by answers.
    """

    report: Path | None = None
    tables: Path | None = None
    repair: Path | None = None
    questions: bool = True

    def check(self, inputs: list[Path], *, force: bool) -> None:
        """Raise, before any work is done, if something cannot be written or is read by the command."""
        check_report(self.report)
        if self.tables is not None:
            _check_folder(self.tables)
        check_outputs(self.paths, inputs, force=force, to_be_made=self.tables)

    @property
    def table_names(self) -> tuple[str, ...]:
        """What the tables are called."""
        return (*TABLES, QUESTIONS) if self.questions else TABLES

    @property
    def paths(self) -> list[Path]:
        """Every file that is written."""
        tables = [] if self.tables is None else [self.tables / f"{name}.csv" for name in self.table_names]
        return [path for path in (self.report, *tables, self.repair) if path is not None]

    def in_words(self) -> list[str]:
        """Say what was written, a line each."""
        said = {"report": self.report, f"{len(self.table_names)} tables": self.tables, "repaired scores": self.repair}
        return [f"{what} written to {path}" for what, path in said.items() if path is not None]

    def write(self, contents: Mapping[Path, str | pd.DataFrame]) -> None:
        """Write everything, or nothing: what is there stays as it is until all new files are complete."""
        with _made(self.tables):
            write_together(contents)


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is a file; --tables must name a folder")
    if not folder.absolute().parent.is_dir():
        raise InvalidInput(
            f"the folder {folder.absolute().parent}, where {folder.name} would go, does not exist; create it first"
        )


@contextmanager
def _made(folder: Path | None) -> Iterator[None]:
    """Make the folder if there is none; if the block fails, it is removed again."""
    if folder is None or folder.is_dir():
        yield
        return
    try:
        folder.mkdir()
    except OSError as error:
        raise InvalidInput(f"cannot create the folder {folder}: {error.strerror or error}") from error
    try:
        yield
    except BaseException:
        with suppress(OSError):
            folder.rmdir()
        raise


N_QUESTIONS = 10
N_WORST_TOLD = 5
REPAIR_TOLD = (
    *("use", "total_change", "mean_change", "largest_change", "n_changed", "spread_before", "spread_after"),
    *("collapsed", "forced_share", "largest_block", "representatives", "largest_radius"),
)


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """How to audit, and how to repair; `audit_fairness` and `repair_scores` say what each means."""

    lipschitz: float
    pairs: int | Literal["all"]
    interval: Interval
    confidence_level: float
    favourable: Favourable
    worst: int
    seed: int
    use: Literal["lower", "estimate"]
    representatives: int | None
    threshold: float

    def check(self, model: Similarity, *, answers: bool, repair: bool) -> None:
        """Raise on what cannot be, before people are read."""
        check_interval(model, self.interval, answers=answers)
        checked_confidence_level(self.confidence_level)
        if self.worst > MOST_LISTED:
            raise InvalidParameter(
                f"--worst must be at most {MOST_LISTED:,}, got {self.worst:,}; use --pairs all with --tables to get every "
                "verdict"
            )
        if not math.isfinite(self.threshold):
            raise InvalidParameter(f"--threshold must be a finite number, got {self.threshold}")
        if self.representatives is not None and self.interval != "certified":
            raise InvalidParameter(f"--representatives needs certified intervals, got --interval {self.interval}")
        if repair and self.interval == "estimate":
            raise InvalidParameter(
                "a repair needs intervals; use --interval certified or --interval calibrated with --repair"
            )

    def audit(
        self, model: Similarity, people: GroupedRecords, scores: Mapping[str, FloatArray], answers: pd.DataFrame | None
    ) -> FairnessAudit:
        """Audit some scores; with one seed, the same pairs are looked at whatever the scores."""
        return audit_fairness(
            model,
            people.points,
            scores=scores,
            lipschitz=self.lipschitz,
            pairs=self.pairs,
            interval=self.interval,
            confidence_level=self.confidence_level,
            favourable=self.favourable,
            worst=self.worst,
            answers=answers,
            random_state=self.seed,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Repaired:
    """The repaired scores, their audit, and the price where outcomes are known."""

    repair: ScoreRepair
    audit: FairnessAudit
    price: pd.DataFrame | None


@dataclass(frozen=True, slots=True, eq=False)
class Audited:
    """Everything that was found; ``notes`` are what a user should know beside it.

    There are questions to be answered only where intervals are certified: answers narrow no others.
    """

    model: Similarity
    people: GroupedRecords
    audit: FairnessAudit
    questions: pd.DataFrame | None
    without: WithoutExperts | None = None
    repaired: Repaired | None = None
    notes: list[str] = field(default_factory=list)


def run_audit(
    model: Similarity,
    people: GroupedRecords,
    options: AuditOptions,
    *,
    answers: pd.DataFrame | None,
    without_experts: bool,
    repair: bool,
) -> Audited:
    """Audit the people, and do what else was asked for."""
    from commensurate.applications.fairness.without_experts import compare_without_experts

    certified = options.interval == "certified"
    notes = [*absence_notes(model.groups_, people), *why_not_certified(model, options.interval)]
    if certified:
        notes += unanswered(model)
    _check_number_of_pairs(people, options)
    with warnings_as_notes(notes), _in_the_commands_words():
        audit = options.audit(model, people, people.scores, answers)
        without = compare_without_experts(audit, random_state=options.seed) if without_experts else None
        repaired = _repaired(model, people, options, answers) if repair else None
        questions = audit.next_questions(N_QUESTIONS, random_state=options.seed) if certified else None
    return Audited(model, people, audit, questions, without, repaired, notes)


def _check_number_of_pairs(people: GroupedRecords, options: AuditOptions) -> None:
    n = sum(len(listed) for listed in people.by_group.values())
    if options.pairs == "all" and n * (n - 1) // 2 > MOST_PAIRS:
        raise InvalidParameter(
            f"--pairs all works for up to {MOST_PAIRS:,} pairs, but there are {n * (n - 1) // 2:,}; draw a sample "
            "with --pairs 100000 (with certified intervals, the worst pairs are found among all pairs in any case)"
        )


@contextmanager
def _in_the_commands_words() -> Iterator[None]:
    """Say what can be done by the command about estimates that would need an expert."""
    try:
        yield
    except MissingAnswers as error:
        raise MissingAnswers(
            "the estimates for these people need answers that the model does not have, and this command cannot ask "
            "for them; use --interval certified (and --use lower for a repair), or complete the model in Python with "
            "resume(oracle)"
        ) from error


def _repaired(
    model: Similarity, people: GroupedRecords, options: AuditOptions, answers: pd.DataFrame | None
) -> Repaired:
    from commensurate.applications.fairness.repair import repair_scores

    repair = repair_scores(
        model,
        people.points,
        scores=people.scores,
        lipschitz=options.lipschitz,
        use=options.use,
        # estimates alone were refused
        interval="calibrated" if options.interval == "calibrated" else "certified",
        confidence_level=options.confidence_level,
        representatives=options.representatives,
        answers=answers,
    )
    price = None if people.outcomes is None else repair.price(people.outcomes, threshold=options.threshold)
    return Repaired(repair, options.audit(model, people, repair.scores, answers), price)


def summary(audited: Audited, files: AuditFiles) -> dict[str, Any]:
    """Return what is told as JSON: the tables that are short, people by id, and which files were written."""
    audit, ids = audited.audit, audited.people.ids
    return {
        "groups": {name: len(people) for name, people in audited.people.by_group.items()},
        "left_out": audited.people.left_out,
        "lipschitz": audit.lipschitz,
        "interval": audit.interval,
        "confidence_level": audit.confidence_level,
        "favourable": audit.favourable,
        **_found(audit),
        "worst": named(audit.worst.head(N_WORST_TOLD), ids).to_dict("records"),
        "next_questions": None if audited.questions is None else named(audited.questions, ids).to_dict("records"),
        "without_experts": None if audited.without is None else audited.without.changed.to_dict("records"),
        "repair": None if audited.repaired is None else _of_repair(audited.repaired),
        "records": [told(each) for each in audit.records],
        "notes": audited.notes,
        "files": files.paths,
    }


def _found(audit: FairnessAudit) -> dict[str, Any]:
    return {
        "shares": audit.shares.to_dict("records"),
        "people": audit.people.to_dict("records"),
        "nobody_listed": nobody_listed(audit),
        "exhaustive": audit.exhaustive,
        "passing": asdict(audit.passing),
    }


def _of_repair(repaired: Repaired) -> dict[str, Any]:
    found = {name: getattr(repaired.repair, name) for name in REPAIR_TOLD}
    price = None if repaired.price is None else repaired.price.to_dict("index")
    return {**found, "price": price, "after": _found(repaired.audit)}


def contents(audited: Audited, files: AuditFiles, provenance: Mapping[str, str]) -> dict[Path, str | pd.DataFrame]:
    """Return what to write into every file that is wanted."""
    written: dict[Path, str | pd.DataFrame] = {}
    if files.report is not None:
        written[files.report] = _page(audited, provenance)
    if files.tables is not None:
        written |= {files.tables / f"{name}.csv": table for name, table in _tables(audited).items()}
    if files.repair is not None and audited.repaired is not None:
        written[files.repair] = _repaired_scores(audited.people, audited.repaired)
    return written


def _page(audited: Audited, provenance: Mapping[str, str]) -> str:
    from commensurate.report.audit.page import render_audit

    repaired = audited.repaired
    return render_audit(
        audited.audit,
        ids=audited.people.ids,
        records=_records(audited),
        without=audited.without,
        repair=None if repaired is None else repaired.repair,
        repaired_audit=None if repaired is None else repaired.audit,
        price=None if repaired is None else repaired.price,
        questions=audited.questions,
        notes=audited.notes,
        provenance=provenance,
    )


def _records(audited: Audited) -> dict[str, pd.DataFrame]:
    """Return the fields of the people of the worst pairs; those of the others are left empty, and not read again."""
    shown = audited.audit.worst
    wanted: dict[str, dict[int, None]] = {}
    for side in ("worse", "better"):
        for name, row in zip(shown[f"{side}_group"], shown[side]):
            wanted.setdefault(str(name), {})[int(row)] = None
    records = fields_of(audited.model.spaces_, audited.people, {name: list(rows) for name, rows in wanted.items()})
    return {name: table.reindex(range(len(audited.people.by_group[name]))) for name, table in records.items()}


def _tables(audited: Audited) -> dict[str, pd.DataFrame]:
    audit = audited.audit
    tables = {
        "shares": audit.shares,
        "verdicts": audit.verdicts,
        "worst": audit.worst,
        "treated_worst": audit.treated_worst,
        "by_person": audit.by_person(),
    }
    if audited.questions is not None:
        # to be filled in by an expert, and read again as --answers
        tables[QUESTIONS] = audited.questions.assign(answer="")
    return {name: named(table, audited.people.ids) for name, table in tables.items()}


def _repaired_scores(people: GroupedRecords, repaired: Repaired) -> pd.DataFrame:
    """Return everybody's score before and after, in the order of the groups and of their files."""
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "id": listed.ids,
                    "group": name,
                    "score": listed.scores,
                    "repaired_score": repaired.repair.scores[name],
                }
            )
            for name, listed in people.by_group.items()
        ],
        ignore_index=True,
    )
