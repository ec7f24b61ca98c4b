"""A clustering for the terminal: how large the clusters are, what they cost, how much is uncertain, and what to ask next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from commensurate.report.audit_view import table_view
from commensurate.report.cluster_table import cluster_question_table, element
from commensurate.report.cluster_words import PROMISES, clusters_in_words, cost_in_words, representation_in_words
from commensurate.report.pair_cards import Register
from commensurate.report.tables import Table

if TYPE_CHECKING:
    from commensurate.cli.clustered import Clustered

N_QUESTIONS_SHOWN = 5
IF_AS_ESTIMATED = (
    "how many elements an answer settles, and how many clusters it rules out for them, if it is as estimated; each is counted beyond "
    "those before it"
)


def cluster_view(clustered: Clustered) -> RenderableType:
    """Return the summary of a clustering, to be printed by a Rich console."""
    found, register = clustered.clusters, Register(clustered.people.ids)
    parts: list[RenderableType] = [Text(clusters_in_words(found)), Text(), table_view(size_table(clustered, register))]
    for words in (cost_in_words(found), representation_in_words(found), PROMISES[found.interval]):
        parts += [Text(), Text(words)]
    if not clustered.questions.empty:
        questions = cluster_question_table(clustered.questions.head(N_QUESTIONS_SHOWN), register, narrow=True)
        parts += [Text(), table_view(questions), Text(IF_AS_ESTIMATED, style="dim")]
    return Group(*parts)


def size_table(clustered: Clustered, register: Register) -> Table:
    """Return the number of members of each cluster by group."""
    found = clustered.clusters
    uncertain = found.interval != "estimate"
    rows = tuple(
        (
            str(cluster),
            element(register, group, row),
            *sizes.values(),
            sum(sizes.values()),
            *([int(doubtful)] if uncertain else []),
        )
        for (cluster, sizes, doubtful), (group, row) in zip(
            clustered.sizes[["cluster", "sizes", "uncertain"]].itertuples(index=False),
            found.medoids_.itertuples(index=False),
        )
    )
    columns = ("cluster", "medoid", *found.labels_, "all", *(["uncertain"] if uncertain else []))
    return Table("Sizes by group", columns, rows)
