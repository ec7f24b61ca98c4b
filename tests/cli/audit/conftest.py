"""Fitted models, saved beside files of people to audit."""

import pytest

from worlds import few_answers
from worlds.audited_people import PEOPLE, cluster, write_sources
from worlds.typed_commands import here as here


@pytest.fixture(scope="module")
def of_tables():
    return cluster(PEOPLE)


@pytest.fixture(scope="module")
def budgeted():
    return few_answers.budgeted(budget=120).fit(few_answers.POINTS, few_answers.sigma)


@pytest.fixture
def model(of_tables, here):
    of_tables.save("model.cmz")
    PEOPLE.to_csv("people.csv", index=False)
    return of_tables


@pytest.fixture
def with_sources(budgeted, here):
    """Groups with different columns, and a model of few answers."""
    budgeted.save("model.cmz")
    write_sources()
    return budgeted
