"""The summary of a clustering that the terminal shows, word for word."""

import io

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from commensurate.report.html.pair_cards import Register
from commensurate.report.terminal.clusters import cluster_view
from worlds.golden import assert_golden
from worlds.small_clusters import QUESTIONS, blurred, small_clustering

IDS = {"a": ["alex", "ada", "abe", "amy", "ann"], "b": ["bob", "ben", "bill", "bea"]}


def sizes_of(clustering):
    k = len(clustering.medoids_)
    counts = {name: np.bincount(labels, minlength=k) for name, labels in clustering.labels_.items()}
    doubtful = sum(
        np.bincount(labels[~clustering.certain_[name]], minlength=k) for name, labels in clustering.labels_.items()
    )
    by_group = [{name: int(count[cluster]) for name, count in counts.items()} for cluster in range(k)]
    return pd.DataFrame({"cluster": range(k), "sizes": by_group, "uncertain": doubtful})


def summary_of(clustering, questions):
    out = io.StringIO()
    console = Console(file=out, width=100, color_system=None)
    console.print(cluster_view(clustering, sizes_of(clustering), questions, Register(IDS)))
    return out.getvalue()


@pytest.mark.parametrize("interval", ["certified", "calibrated", "estimate"])
def test_the_summary_of_a_clustering_reads_as_agreed(interval, monkeypatch):
    clustering = small_clustering(interval="estimate") if interval == "estimate" else blurred()
    # the words depend on the kind of interval alone; those of few answers would differ from machine to machine
    monkeypatch.setattr(type(clustering), "interval_", interval)
    questions = QUESTIONS if interval == "certified" else QUESTIONS.iloc[:0]
    assert_golden(summary_of(clustering, questions), f"clusters_{interval}")


def test_a_search_among_representatives_reads_as_agreed():
    clustering = blurred(representatives=3)
    assert_golden(summary_of(clustering, QUESTIONS.iloc[:0]), "clusters_of_representatives")
