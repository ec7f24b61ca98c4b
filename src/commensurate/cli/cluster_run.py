"""What ``commensurate cluster`` does: it clusters, prints the result as text or JSON, and writes its files.

It writes all files or none and never overwrites an input.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids
from commensurate.applications.clustering.next_questions import COLUMNS
from commensurate.applications.intervals import check_interval, why_not_certified
from commensurate.applications.like_records import notes_on_records
from commensurate.checks import checked_confidence_level
from commensurate.cli.outputs import check_outputs, check_report, named, warnings_as_notes
from commensurate.errors import InvalidParameter
from commensurate.records.given_files import absence_notes
from commensurate.records.group_files import GroupedRecords, tables_of
from commensurate.report.clusters.words import alone_in_words

if TYPE_CHECKING:
    from commensurate.learning.similarity import Interval, Similarity


@dataclass(frozen=True, slots=True)
class ClusterFiles:
    """Where everybody's cluster, the report and the next questions go; None where they are not wanted."""

    output: Path
    report: Path | None = None
    questions: Path | None = None

    def check(self, inputs: list[Path], *, force: bool) -> None:
        """Raise, before any work is done, if something cannot be written or is read by the command."""
        check_report(self.report)
        check_outputs(self.paths, inputs, force=force)

    @property
    def paths(self) -> list[Path]:
        """Every file that is written."""
        return [path for path in (self.output, self.report, self.questions) if path is not None]

    def in_words(self) -> list[str]:
        """Say what was written, a line each."""
        said = {"clusters": self.output, "report": self.report, "questions": self.questions}
        return [f"{what} written to {path}" for what, path in said.items() if path is not None]


N_QUESTIONS = 10
NO_QUESTIONS = pd.DataFrame(columns=COLUMNS)


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """How to cluster; `CrossGroupKMedoids` says what each means."""

    clusters: int
    representatives: int | None
    interval: Interval
    confidence_level: float
    seed: int

    def check(self, model: Similarity, *, answers: bool, questions: bool) -> None:
        """Raise on what cannot be, before elements are read."""
        check_interval(model, self.interval, answers=answers)
        checked_confidence_level(self.confidence_level)
        if questions and self.interval != "certified":
            raise InvalidParameter(
                "--questions needs certified intervals, the only ones that answers narrow; use --interval certified, got "
                f"--interval {self.interval}"
            )

    def told(self) -> dict[str, object]:
        """Return what a report tells of them: a confidence level is that of calibrated intervals only."""
        level = self.confidence_level if self.interval == "calibrated" else None
        return {**asdict(self), "confidence_level": level}


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """Everything that was found; ``notes`` are what a user should know beside it.

    ``questions`` are none where intervals are not certified, or where nothing is left open.
    """

    model: Similarity
    records: GroupedRecords
    options: ClusterOptions
    clusters: CrossGroupKMedoids
    questions: pd.DataFrame
    notes: list[str] = field(default_factory=list)

    @property
    def sizes(self) -> pd.DataFrame:
        """A row per cluster: its number, its medoid's group and id,
        its members by group, and how many are uncertain.
        """
        found, k = self.clusters, len(self.clusters.medoids_)
        medoids = named(found.medoids_, self.records.ids)
        counts = {name: np.bincount(labels, minlength=k) for name, labels in found.labels_.items()}
        uncertain = sum(
            np.bincount(labels[~found.certain_[name]], minlength=k) for name, labels in found.labels_.items()
        )
        return pd.DataFrame(
            {
                "cluster": np.arange(k),
                "medoid_group": medoids["group"],
                "medoid_id": medoids["id"],
                "sizes": [{name: int(each[cluster]) for name, each in counts.items()} for cluster in range(k)],
                "uncertain": uncertain,
            }
        )

    @property
    def assignments(self) -> pd.DataFrame:
        """A row per element: its cluster, whether it is the medoid and certain, and its dissimilarity to its medoid."""
        table = named(self.clusters.assignments(), self.records.ids)
        flags = {name: np.where(table[name], "true", "false") for name in ("medoid", "certain")}
        return table.assign(**flags).rename(columns={"estimate": "to_medoid"})


def run_clustering(
    model: Similarity, records: GroupedRecords, options: ClusterOptions, *, answers: pd.DataFrame | None
) -> Clustered:
    """Cluster the elements, and find the questions that would settle most."""
    notes = [
        *absence_notes(model.groups_, records),
        *why_not_certified(model, options.interval),
        *notes_on_records(model, records.points),
    ]
    clusters = CrossGroupKMedoids(
        options.clusters,
        representatives=options.representatives,
        interval=options.interval,
        confidence_level=options.confidence_level,
        random_state=options.seed,
    )
    with warnings_as_notes(notes):
        clusters.fit(model, records.points)
        if answers is not None:
            clusters.narrow(answers)
        questions = _questions(clusters, options)
    if (alone := alone_in_words(clusters)) is not None:
        notes.append(alone)
    return Clustered(model, records, options, clusters, questions, notes)


def _questions(clusters: CrossGroupKMedoids, options: ClusterOptions) -> pd.DataFrame:
    open_ones = options.interval == "certified" and not all(certain.all() for certain in clusters.certain_.values())
    return clusters.next_questions(N_QUESTIONS, random_state=options.seed) if open_ones else NO_QUESTIONS


def summary(clustered: Clustered, files: ClusterFiles) -> dict[str, Any]:
    """Return what is told as JSON: the tables that are short, elements by id, and which files were written."""
    found = clustered.clusters
    return {
        "groups": {name: len(records) for name, records in clustered.records.by_group.items()},
        "left_out": clustered.records.left_out,
        "interval": found.interval_,
        "confidence_level": found.confidence_level if found.interval_ == "calibrated" else None,
        "clusters": clustered.sizes.to_dict("records"),
        "uncertain": {name: int((~certain).sum()) for name, certain in found.certain_.items()},
        "cost": found.cost_,
        "cost_bounds": found.cost_bounds_,
        "best_cost_bounds": found.best_cost_bounds_,
        "representation_cost": found.representation_cost_,
        "next_questions": named(clustered.questions, clustered.records.ids).to_dict("records"),
        "notes": clustered.notes,
        "files": files.paths,
    }


def contents(
    clustered: Clustered, files: ClusterFiles, provenance: Mapping[str, str]
) -> dict[Path, str | pd.DataFrame]:
    """Return what to write into every file that is wanted."""
    written: dict[Path, str | pd.DataFrame] = {files.output: clustered.assignments}
    if files.report is not None:
        written[files.report] = _page(clustered, provenance)
    if files.questions is not None:
        # to be filled in by an expert, and read again as --answers
        written[files.questions] = named(clustered.questions.assign(answer=""), clustered.records.ids)
    return written


def _page(clustered: Clustered, provenance: Mapping[str, str]) -> str:
    from commensurate.report.clusters.page import render_clusters

    return render_clusters(
        clustered.clusters,
        ids=clustered.records.ids,
        records=tables_of(clustered.model.spaces_, clustered.records),
        # others settle nothing that intervals leave open, if they are not certified
        questions=clustered.questions if clustered.options.interval == "certified" else None,
        provenance=provenance,
        seed=clustered.options.seed,
    )
