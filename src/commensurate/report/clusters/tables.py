"""The tables of a clustering, written for people: ids in place of row numbers, words in place of column names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from commensurate.geometry.metrics import PrecomputedMetric
from commensurate.report.clusters.profile import LEAST_MEMBERS, telling_columns
from commensurate.report.html.pair_cards import Register
from commensurate.report.tables import Cell, Table, frame_rows
from commensurate.wording import counted, interval, one_line, readable, share_in_words, short_name

if TYPE_CHECKING:
    from commensurate.applications.clustering.certainty import ToMedoids
    from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids

# a longer table is folded
ROWS_OF_A_PROFILE = 12
MOST_TELLING, LEAST_TELLING = 4, 2
PROFILE_COLUMNS = ("group", "column", "cluster", "whole group", "difference")
UNCERTAIN_COLUMNS = (
    "record",
    "cluster",
    "dissimilarity to its medoid",
    "nearest other",
    "dissimilarity to that medoid",
    "clusters possible",
)


def cluster_table(clustering: CrossGroupKMedoids, register: Register) -> Table:
    """Return a row for each cluster: its medoid, its size, of how many it is uncertain,
    and how near its elements are.
    """
    rows: list[tuple[Cell, ...]] = []
    own = clustering.assignments()
    doubts = clustering.interval_ != "estimate"
    for cluster, (group, row) in enumerate(clustering.medoids_.itertuples(index=False)):
        part = own[own["cluster"] == cluster]
        cells: list[Cell] = [cluster, element(register, group, row), len(part)]
        if doubts:
            cells.append(share_in_words(int((~part["certain"]).sum()), len(part)))
        rows.append((*cells, float(part["estimate"].mean())))
    uncertain = ("uncertain",) if doubts else ()
    return Table(
        "Clusters and their medoids",
        ("cluster", "medoid", "records", *uncertain, "mean dissimilarity to it"),
        tuple(rows),
    )


def profile_tables(
    clustering: CrossGroupKMedoids, records: Mapping[str, pd.DataFrame] | None, register: Register
) -> list[Table]:
    """Return a table for each cluster of the columns in which its elements differ most from all of their group.

    Without records, the columns of the points are compared.
    """
    tables = point_tables(clustering) if records is None else records
    most = min(MOST_TELLING, max(LEAST_TELLING, ROWS_OF_A_PROFILE // max(1, len(tables))))
    return [
        _profile(clustering, tables, register, cluster, group, row, most)
        for cluster, (group, row) in enumerate(clustering.medoids_.itertuples(index=False))
    ]


def point_tables(clustering: CrossGroupKMedoids) -> dict[str, pd.DataFrame]:
    """Return the points by group as tables; where distances are precomputed, there are no columns."""
    return {
        name: pd.DataFrame(index=range(len(each)))
        if isinstance(each.space.metric, PrecomputedMetric)
        else pd.DataFrame(each.points, columns=list(each.space.columns))
        for name, each in clustering.records_.items()
    }


def uncertain_table(clustering: CrossGroupKMedoids, register: Register, most: int) -> Table:
    """Return up to ``most`` elements whose cluster is uncertain, the closest calls first."""
    calls = [
        (float(margin), group, int(row), int(rival))
        for group, measured in clustering.measured_.items()
        for row, rival, margin in zip(*_rivals(measured))
    ]
    # of equal margins the first element comes first
    rows = [_uncertain(clustering, register, *call[1:]) for call in sorted(calls, key=lambda call: call[0])[:most]]
    more = "" if len(rows) == len(calls) else f", {len(rows):,} of {len(calls):,}"
    return Table(f"Records whose cluster is uncertain, the closest calls first{more}", UNCERTAIN_COLUMNS, tuple(rows))


def cluster_question_table(questions: pd.DataFrame, register: Register, *, narrow: bool = False) -> Table:
    """Return the next questions as ``CrossGroupKMedoids.next_questions`` gives them;
    ``narrow``, under short names and without numbers.
    """
    rows = tuple(
        (
            *(() if narrow else (number,)),
            element(register, row.left_group, row.left),
            element(register, row.right_group, row.right),
            int(row.settles),
            int(row.rules_out),
        )
        for number, row in enumerate(frame_rows(questions), start=1)
    )
    if narrow:
        return Table("The next questions", ("left", "right", "settles", "rules out"), rows)
    names = ("order", "how dissimilar are", "and", "records it may settle", "possible clusters it may rule out")
    return Table("The next questions", names, rows)


def element(register: Register, group: str, row: int) -> str:
    """Return how an element is called."""
    return f"{register.name(group, row)} ({one_line(group)})"


def _profile(
    clustering: CrossGroupKMedoids,
    tables: Mapping[str, pd.DataFrame],
    register: Register,
    cluster: int,
    group: str,
    row: int,
    most: int,
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    sizes = []
    for name, labels in clustering.labels_.items():
        members = np.asarray(labels == cluster)
        here, of_all = int(members.sum()), len(members)
        sizes.append(f"{here:,} of {short_name(name)}")
        telling = telling_columns(tables[name], members, most)
        rows += [(one_line(name), one_line(each.column), each.here, each.in_group, each.difference) for each in telling]
        if not telling:
            rows.append((one_line(name), "–", _why_nothing(here, of_all, tables[name]), "", ""))
    medoid = f"{register.name(group, row)} ({short_name(group)})"
    title = f"Cluster {cluster}, around {medoid}: {', '.join(sizes)}"
    return Table(title, PROFILE_COLUMNS, tuple(rows))


def _why_nothing(here: int, of_all: int, table: pd.DataFrame) -> str:
    if not here:
        return "no record"
    if here == of_all:
        return "all records"
    if here < LEAST_MEMBERS:
        return f"fewer than {LEAST_MEMBERS} records"
    return "no column differs much" if len(table.columns) else "no columns to compare"


def _rivals(measured: ToMedoids) -> tuple[Any, Any, Any]:
    """Return uncertain rows, the nearest other medoid that is possible, and by how much its estimate is larger."""
    rows = np.flatnonzero(~measured.certain)
    uncertain = measured.at(rows)
    estimates = np.where(uncertain.possible, uncertain.estimate, np.inf)
    own = uncertain.labels
    at = np.arange(len(rows))
    nearest = estimates[at, own]
    estimates[at, own] = np.inf
    rivals = estimates.argmin(axis=1) if len(rows) else own
    return rows, rivals, estimates[at, rivals] - nearest


def _uncertain(
    clustering: CrossGroupKMedoids, register: Register, group: str, row: int, rival: int
) -> tuple[Cell, ...]:
    measured = clustering.measured_[group]
    own = int(clustering.labels_[group][row])
    n_possible = int(measured.at(np.array([row])).possible.sum())
    return (
        element(register, group, row),
        str(own),
        _interval(measured, row, own),
        str(rival),
        _interval(measured, row, rival),
        counted(n_possible, "cluster"),
    )


def _interval(measured: ToMedoids, row: int, cluster: int) -> str:
    estimate, lower, upper = (float(each[row, cluster]) for each in (measured.estimate, measured.lower, measured.upper))
    if lower == upper:
        return f"{readable(estimate)} (known)"
    return f"{readable(estimate)} ({interval(lower, upper)})"
