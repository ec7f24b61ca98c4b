"""What the same audit says without experts, by distances that need no question: how many verdicts change?

Two of them stand for what people do today: the plain Euclidean distance of what both groups have in common, and the
distance after the one group has been moved onto the other by optimal transport. Within groups d is known, and nothing
changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from commensurate.applications.fairness.audit import FairnessAudit
from commensurate.applications.fairness.people import People
from commensurate.applications.fairness.verdicts import VERDICTS, PairRows, judge
from commensurate.applications.intervals import Intervals, Subject
from commensurate.arrays import Bounds, FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.checks import checked_generator
from commensurate.errors import InvalidInput
from commensurate.geometry.distinct import distinct_rows
from commensurate.geometry.metrics import PrecomputedMetric, metric_named
from commensurate.geometry.transport import TransportMap, align
from commensurate.groups.elements import Space
from commensurate.wording import counted, share_in_words, some

BASELINES = {
    "euclidean": "Euclidean distance on the shared columns",
    "transported": "Distance after an alignment by optimal transport",
}
GROUPS = ["left_group", "right_group"]
# a distance decides every pair
DECIDED = ["violated", "satisfied"]


@dataclass(frozen=True, slots=True, eq=False)
class EuclideanAcross(Intervals):
    """Across groups the Euclidean distance on the columns that both have; within a group d."""

    spaces: Mapping[str, Space]

    def bounds(self, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
        """Return the distance of each pair, twice."""
        if between[0] == between[1]:
            distances = self.spaces[between[0]].metric.paired(left, right)
        else:
            on_left, on_right = _shared_columns(self.spaces, between)
            distances = _euclidean(left[:, on_left], right[:, on_right])
        return distances, distances

    def subject(self, between: Between) -> Subject:
        """Tell that these are distances."""
        return _subject(between)


@dataclass(frozen=True, slots=True, eq=False)
class TransportedAcross(Intervals):
    """Across groups the distance to where optimal transport moves the left group on the
    right one's side; within a group d.

    It is the right group's d if that group has shared columns only,
    and else the Euclidean distance on the shared columns.
    """

    spaces: Mapping[str, Space]
    maps: Mapping[Between, TransportMap]

    @classmethod
    def aligned(
        cls, people: Mapping[str, People], compared: Sequence[Between], rng: np.random.Generator
    ) -> TransportedAcross:
        """Align the groups of each pair that will be compared, the left one with the right one."""
        spaces = {name: members.space for name, members in people.items()}
        maps = {}
        for between in compared:
            on_left, on_right = _shared_columns(spaces, between)
            maps[between] = align(people[between[0]].points[:, on_left], people[between[1]].points[:, on_right], rng)
        return cls(spaces, maps)

    def bounds(self, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
        """Return the distance of each pair, twice."""
        right_space = self.spaces[between[1]]
        if between[0] == between[1]:
            distances = right_space.metric.paired(left, right)
            return distances, distances
        on_left, on_right = _shared_columns(self.spaces, between)
        # most people are in many pairs, and each is moved once
        moving = distinct_rows(left)
        moved = self.maps[between].apply(left[moving.first][:, on_left])[moving.inverse]
        if len(on_right) == len(right_space.columns):
            distances = right_space.metric.paired(np.ascontiguousarray(moved[:, np.argsort(on_right)]), right)
        else:
            distances = _euclidean(moved, right[:, on_right])
        return distances, distances

    def subject(self, between: Between) -> Subject:
        """Tell that these are distances."""
        return _subject(between)


def _subject(between: Between) -> Subject:
    return "d" if between[0] == between[1] else "distance"


@dataclass(frozen=True, eq=False)
class WithoutExperts:
    """An audit beside the same audit without experts; ``print`` it for a summary in words.

    Attributes
    ----------
    lipschitz
        L of the audit.
    verdicts
        The audit's pairs across groups: left_group, left, right_group, right (row numbers), gap, by_experts (the
        audit's verdict), and for each baseline its verdict and its distance: euclidean, euclidean_distance,
        transported, …
    counts
        For each baseline, pair of groups and verdict by_experts:
        how many pairs the baseline calls violated, and satisfied.
    totals
        The same over all pairs of groups.
    changed
        For each baseline: how many pairs the experts' answers decide, how many of them get the opposite verdict without
        experts, and their share (NaN if none is decided).
    """

    lipschitz: float
    verdicts: pd.DataFrame
    counts: pd.DataFrame
    totals: pd.DataFrame
    changed: pd.DataFrame

    def __str__(self) -> str:
        first = (
            f"The same {counted(len(self.verdicts), 'pair')} across groups, judged without experts, with L = "
            f"{self.lipschitz:g}:"
        )
        return "\n".join([first, *(self._in_words(baseline) for baseline in BASELINES)])

    def _in_words(self, baseline: str) -> str:
        rows = self.totals[self.totals["baseline"] == baseline].to_dict("records")
        number = {(row["by_experts"], verdict): row[verdict] for row in rows for verdict in DECIDED}
        [row] = self.changed[self.changed["baseline"] == baseline].to_dict("records")
        parts = []
        if row["decided"]:
            parts.append(
                f"of {counted(row['decided'], 'pair')} that the experts' answers decide, it reverses {row['changed']:,} "
                f"({share_in_words(row['changed'], row['decided'])}): {number['violated', 'satisfied']:,} from violated "
                f"to satisfied, {number['satisfied', 'violated']:,} from satisfied to violated"
            )
        if undecided := len(self.verdicts) - row["decided"]:
            parts.append(
                f"of {counted(undecided, 'undecided pair')}, it calls {number['undecided', 'violated']:,} violated"
            )
        return f"{BASELINES[baseline]}: {'; '.join(parts)}."


def compare_without_experts(
    audit: FairnessAudit, *, random_state: int | np.random.Generator | None = None
) -> WithoutExperts:
    """Judge the pairs of an audit again, by distances that no expert was asked about,
    and count the verdicts that change.

    Parameters
    ----------
    audit
        What `audit_fairness` returned; its pairs across groups are judged, with its scores and its L.
    random_state
        Seed of the draw of the people whom optimal transport matches, where there are too many to match all.

    Examples
    --------
    >>> import commensurate as cm
    >>> from commensurate.applications import audit_fairness
    >>> points = {"a": [[0.0], [0.5], [1.0]], "b": [[2.0], [2.5], [3.0]]}
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    >>> est = est.fit(points, lambda left, right, between: abs(left + 2.0 - right)[:, 0])
    >>> audit = audit_fairness(est, points, scores={"a": [0.2, 0.5, 0.9], "b": [0.1, 0.9, 0.9]}, pairs="all")
    >>> compare_without_experts(audit).changed
          baseline  decided  changed     share
    0    euclidean        9        3  0.333333
    1  transported        9        0  0.000000
    """
    people, rng = audit.context.people, checked_generator(random_state)
    pairs, by_experts = _pairs_across(audit.verdicts)
    spaces = {name: members.space for name, members in people.items()}
    baselines: dict[str, Intervals] = {
        "euclidean": EuclideanAcross(spaces),
        "transported": TransportedAcross.aligned(people, [block.between for block in pairs], rng),
    }
    verdicts = by_experts[["left_group", "left", "right_group", "right", "gap"]].copy()
    verdicts["by_experts"] = by_experts["verdict"]
    for name, intervals in baselines.items():
        judged = judge(pairs, people, intervals, audit.lipschitz)
        verdicts[name], verdicts[f"{name}_distance"] = judged["verdict"], judged["upper"]
    counts = pd.concat([_counts(verdicts, name) for name in BASELINES], ignore_index=True)
    totals = counts.groupby(["baseline", "by_experts"], sort=False)[DECIDED].sum().reset_index()
    return WithoutExperts(audit.lipschitz, verdicts, counts, totals, _changed(totals))


def _pairs_across(verdicts: pd.DataFrame) -> tuple[list[PairRows], pd.DataFrame]:
    """Return an audit's pairs across groups, by pair of groups, and the rows about them in the same order."""
    across = verdicts[verdicts["left_group"] != verdicts["right_group"]]
    tables = {(str(left), str(right)): table for (left, right), table in across.groupby(GROUPS, sort=False)}
    if not tables:
        raise InvalidInput(
            "the audit has no pairs across groups, and verdicts within groups do not depend on experts; audit people "
            "of two groups, and more pairs"
        )
    pairs = [
        PairRows(between, table["left"].to_numpy(np.int64), table["right"].to_numpy(np.int64), len(table), False)
        for between, table in tables.items()
    ]
    return pairs, pd.concat(tables.values(), ignore_index=True)


def _counts(verdicts: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Count the pairs by groups, verdict by the experts and verdict without; what never occurs counts 0."""
    rows = []
    for (left, right), ours in verdicts.groupby(GROUPS, sort=False):
        table = pd.crosstab(ours["by_experts"], ours[baseline]).reindex(index=VERDICTS, columns=DECIDED, fill_value=0)
        rows += [
            (baseline, left, right, by_experts, int(violated), int(satisfied))
            for by_experts, (violated, satisfied) in zip(VERDICTS, table.to_numpy())
        ]
    return pd.DataFrame(rows, columns=["baseline", *GROUPS, "by_experts", *DECIDED])


def _changed(totals: pd.DataFrame) -> pd.DataFrame:
    decided = totals[totals["by_experts"] != "undecided"]
    opposite = np.where(decided["by_experts"] == "violated", decided["satisfied"], decided["violated"])
    numbers = pd.DataFrame(
        {"baseline": decided["baseline"], "decided": decided[DECIDED].sum(axis=1), "changed": opposite}
    )
    changed = numbers.groupby("baseline", sort=False).sum().reset_index()
    return changed.assign(share=changed["changed"] / changed["decided"])


def _shared_columns(spaces: Mapping[str, Space], between: Between) -> tuple[IntArray, IntArray]:
    """Return where the columns that both groups have are on either side."""
    left, right = (_named_columns(spaces[name]) for name in between)
    shared = [name for name in left if name in right]
    if not shared:
        raise InvalidInput(
            f"groups {between[0]!r} and {between[1]!r} have no column in common, so they cannot be compared without "
            f"experts: {between[0]!r} has {some(left) or 'none'}, {between[1]!r} has {some(right) or 'none'}"
        )
    return np.array([left[name] for name in shared]), np.array([right[name] for name in shared])


def _named_columns(space: Space) -> dict[str, int]:
    """Return where each column is; an element of a matrix of distances has none, only its row number."""
    if isinstance(space.metric, PrecomputedMetric):
        return {}
    return {name: place for place, name in enumerate(space.columns)}


def _euclidean(left: FloatArray, right: FloatArray) -> FloatArray:
    return metric_named("euclidean", left).paired(np.ascontiguousarray(left), np.ascontiguousarray(right))
