"""Fitted models, saved beside files of records to cluster."""

import numpy as np
import pytest

import commensurate as cm
from worlds import few_answers
from worlds.clustered_records import FEATURES, PEOPLE, write_sources
from worlds.typed_commands import here as here


@pytest.fixture(scope="module")
def naive():
    est = cm.ClusterSimilarity(epsilon=0.1, delta=0.1, dilation=0.5, random_state=0)
    return est.fit(few_answers.POINTS, few_answers.sigma)


@pytest.fixture(scope="module")
def of_tables():
    groups = cm.groups_from_table(PEOPLE, group="married", features=FEATURES)
    est = cm.ClusterSimilarity(epsilon=0.1, delta=0.1, dilation=0.5, random_state=0)
    return est.fit(groups, lambda left, right, between: 0.7 * np.abs(left[:, 0] - right[:, 0]))


@pytest.fixture
def model(naive, here):
    """Groups with different columns."""
    naive.save("model.cmz")
    write_sources()
    return naive


@pytest.fixture
def one_file(of_tables, here):
    of_tables.save("model.cmz")
    PEOPLE.to_csv("people.csv", index=False)
    return of_tables
