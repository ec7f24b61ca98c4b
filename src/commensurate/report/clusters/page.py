"""The report of a clustering: one page that tells who belongs together,
what marks each cluster, and how sure that is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from commensurate.errors import InvalidInput
from commensurate.extras import require
from commensurate.report.clusters.map import cluster_map, lay_out, map_caption
from commensurate.report.clusters.sizes import draw_sizes
from commensurate.report.clusters.tables import cluster_question_table, cluster_table, profile_tables, uncertain_table
from commensurate.report.clusters.words import (
    NO_METRIC,
    PROMISES,
    alone_in_words,
    clusters_in_words,
    cost_in_words,
    n_certain,
    representation_in_words,
)
from commensurate.report.html.page import Block, Note, Paragraph, Picture, PlainTable, Section, render_page
from commensurate.report.html.pair_cards import Register
from commensurate.report.svg.figure_files import svg_of

if TYPE_CHECKING:
    from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids

TITLE = "Which records belong together?"
MOST_UNCERTAIN = 200
# more clusters than that make a long page: what marks them is then unfolded one by one
UNFOLDED_CLUSTERS = 8


def render_clusters(
    clustering: CrossGroupKMedoids,
    *,
    ids: Mapping[str, Sequence[str]] | None = None,
    records: Mapping[str, pd.DataFrame] | None = None,
    questions: pd.DataFrame | None = None,
    title: str = TITLE,
    provenance: Mapping[str, str],
    seed: int = 0,
) -> str:
    """Return the report as one self-contained page of HTML: no script, nothing fetched, every value escaped.

    Needs the extra "plots".

    Parameters
    ----------
    clustering
        A fitted ``CrossGroupKMedoids``.
    ids
        How the elements are called, by group, in the order of the clustered rows; without them, by their row numbers.
    records
        The columns that clusters are described by, by group, in the same order;
        without them, the columns of the points.
    questions
        What ``clustering.next_questions`` returned.
    title
        The page's title.
    provenance
        What was done with what, such as files, seed, options and version; stands at the foot of the page.
    seed
        Chooses the elements on the map, where there are many.

    Examples
    --------
    >>> import commensurate as cm
    >>> from commensurate.applications import CrossGroupKMedoids
    >>> points = {"a": [[0.0], [0.1], [1.0]], "b": [[0.2], [1.1], [1.2]]}
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    >>> est = est.fit(points, lambda left, right, between: abs(left - right)[:, 0])
    >>> page = render_clusters(CrossGroupKMedoids(2, random_state=0).fit(est, points), provenance={"seed": "0"})
    >>> "6 records of 2 groups in 2 clusters" in page
    True
    """
    # before any work is done
    require("matplotlib", extra="plots", purpose="the report of a clustering")
    clustering.check_fitted()
    names = {group: len(own) for group, own in clustering.labels_.items()}
    register = Register(_checked("ids", ids, names), _checked("records", records, names))
    sections = [
        _found(clustering, register),
        _map(clustering, seed),
        _marks(clustering, register),
        _uncertain(clustering, register),
    ]
    if questions is not None:
        sections.append(_questions(questions, register))
    sections.append(_promises(clustering))
    return render_page(title, clusters_in_words(clustering), sections, provenance)


def _checked(what: str, given: Mapping[Any, Any] | None, sizes: Mapping[str, int]) -> dict[str, Any] | None:
    """Check that there is one entry for each element that was clustered."""
    if given is None:
        return None
    named = {str(group): entries for group, entries in given.items()}
    if set(named) != set(sizes):
        raise InvalidInput(f"{what} must be for the clustered groups, {list(sizes)}, got {list(named)}")
    if wrong := [group for group, entries in named.items() if len(entries) != sizes[group]]:
        raise InvalidInput(
            f"{what} of group {wrong[0]!r} must have {sizes[wrong[0]]:,} entries, one for each clustered row and in the same order, got "
            f"{len(named[wrong[0]]):,}"
        )
    return named


def _found(clustering: CrossGroupKMedoids, register: Register) -> Section:
    doubts = clustering.interval_ != "estimate"
    sizes = draw_sizes(clustering.labels_, clustering.certain_ if doubts else None, len(clustering.medoids_))
    caption = "How much of each group is in which cluster." + (
        " The pale, hatched part of a bar may belong to another cluster." if doubts else ""
    )
    blocks: list[Block] = [
        Picture(svg_of(sizes), caption),
        PlainTable(cluster_table(clustering, register)),
        Paragraph(cost_in_words(clustering)),
        Paragraph(representation_in_words(clustering)),
    ]
    if (alone := alone_in_words(clustering)) is not None:
        blocks.append(Note(alone))
    return Section("What was found", "found", blocks)


def _map(clustering: CrossGroupKMedoids, seed: int) -> Section:
    layout = lay_out(clustering, seed=seed)
    return Section("The map", "map", [Picture(svg_of(cluster_map(layout)), map_caption(layout)), Note(NO_METRIC)])


def _marks(clustering: CrossGroupKMedoids, register: Register) -> Section:
    folded = len(clustering.medoids_) > UNFOLDED_CLUSTERS
    of_points = (
        "" if register.records is not None else " The columns are those of the points, on the scale that d uses."
    )
    words = (
        "These are the columns in which the records of a cluster differ most from their whole group. Numbers are compared by "
        "their means, in standard deviations of the group; other columns by the share of the cluster's most frequent value. "
        "The tables leave out differences below 0.2 on these scales. They also leave out differences that a random choice of "
        "as many records would show in any of the group's columns once in twenty times or more often, by the normal "
        "distribution, and groups with fewer than three records in the cluster." + of_points
    )
    tables = profile_tables(clustering, register.records, register)
    return Section(
        "What marks each cluster", "marks", [Paragraph(words), *(PlainTable(table, folded) for table in tables)]
    )


def _uncertain(clustering: CrossGroupKMedoids, register: Register) -> Section:
    heading = "Whose cluster is uncertain", "uncertain"
    if clustering.interval_ == "estimate":
        return Section(*heading, [Paragraph("This is not known: the clustering treats estimates as the truth.")])
    if n_certain(clustering) == sum(len(own) for own in clustering.labels_.values()):
        return Section(*heading, [Paragraph("The cluster of every record is settled.")])
    words = (
        "The records below may be nearer to another medoid than to the medoid of their cluster: the interval to the other "
        "medoid begins before the interval to their own medoid ends."
    )
    return Section(
        *heading, [Paragraph(words), PlainTable(uncertain_table(clustering, register, MOST_UNCERTAIN), folded=True)]
    )


def _questions(questions: pd.DataFrame, register: Register) -> Section:
    heading = "What to ask next", "questions"
    if questions.empty:
        return Section(*heading, [Paragraph("No question is expected to settle the cluster of a record.")])
    words = (
        "These questions to the expert are expected to settle the most records whose cluster is uncertain. Each question "
        "counts only what the questions before it leave open. The expectation uses the estimate in place of the answer, "
        "which is not known yet."
    )
    return Section(*heading, [Paragraph(words), PlainTable(cluster_question_table(questions, register))])


def _promises(clustering: CrossGroupKMedoids) -> Section:
    return Section("What is guaranteed", "guaranteed", [Note(PROMISES[clustering.interval_])])
