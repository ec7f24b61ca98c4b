"""A clustering for the terminal: how large the clusters are, what they cost,
how much is uncertain, and what to ask next.
"""

from __future__ import annotations

import pandas as pd
from rich.console import Group, RenderableType
from rich.text import Text

from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids
from commensurate.report.clusters.tables import cluster_question_table, element
from commensurate.report.clusters.words import PROMISES, clusters_in_words, cost_in_words, representation_in_words
from commensurate.report.html.pair_cards import Register
from commensurate.report.tables import Table
from commensurate.report.terminal.audit import table_view

N_QUESTIONS_SHOWN = 5
IF_AS_ESTIMATED = (
    "how many records each answer settles, and how many clusters it rules out for them, if the answer is as "
    "estimated; each counts only what the answers before it leave open"
)


def cluster_view(
    found: CrossGroupKMedoids, sizes: pd.DataFrame, questions: pd.DataFrame, register: Register
) -> RenderableType:
    """Return the summary of a clustering, to be printed by a Rich console."""
    parts: list[RenderableType] = [
        Text(clusters_in_words(found)),
        Text(),
        table_view(size_table(found, sizes, register)),
    ]
    for words in (cost_in_words(found), representation_in_words(found), PROMISES[found.interval_]):
        parts += [Text(), Text(words)]
    if not questions.empty:
        shown = cluster_question_table(questions.head(N_QUESTIONS_SHOWN), register, narrow=True)
        parts += [Text(), table_view(shown), Text(IF_AS_ESTIMATED, style="dim")]
    return Group(*parts)


def size_table(found: CrossGroupKMedoids, sizes: pd.DataFrame, register: Register) -> Table:
    """Return the number of members of each cluster by group."""
    uncertain = found.interval_ != "estimate"
    rows = tuple(
        (
            str(cluster),
            element(register, group, row),
            *by_group.values(),
            sum(by_group.values()),
            *([int(doubtful)] if uncertain else []),
        )
        for (cluster, by_group, doubtful), (group, row) in zip(
            sizes[["cluster", "sizes", "uncertain"]].itertuples(index=False),
            found.medoids_.itertuples(index=False),
        )
    )
    columns = ("cluster", "medoid", *found.labels_, "all", *(["uncertain"] if uncertain else []))
    return Table("Sizes by group", columns, rows)
