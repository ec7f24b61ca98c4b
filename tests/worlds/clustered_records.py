"""Records to cluster, as tables and as files, and what a user types to cluster them."""

import numpy as np
import pandas as pd

from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids
from worlds import few_answers

RNG = np.random.default_rng(8)
N = 60
FEATURES = ["age", "income"]
PEOPLE = pd.DataFrame(
    {
        "age": RNG.random(N),
        "income": RNG.choice(["low", "high"], N),
        "married": RNG.choice(["yes", "no"], N),
        "who": [f"<b>ß{k}</b>" for k in range(N)],
    }
)
ONE_FILE = ("cluster", "model.cmz", "people.csv", "--group", "married", "-k", "3", "-o", "out.csv")
WORDS = ("cluster", "model.cmz", "--source", "a=a.csv", "--source", "b=b.csv", "-k", "3", "-o", "out.csv")
COLUMNS = ["group", "id", "cluster", "medoid", "certain", "to_medoid", "lower", "upper"]
DATA = {"a": few_answers.A, "b": few_answers.B}


def write_sources():
    for name, points in DATA.items():
        table = pd.DataFrame(points).add_prefix("x")
        table.assign(who=[f"{name}ß{k}" for k in range(len(points))], same="x").to_csv(f"{name}.csv", index=False)


def expected(est, data=DATA, n_clusters=3, **options):
    return CrossGroupKMedoids(n_clusters, random_state=0, **options).fit(est, data)


def read(path="out.csv"):
    return pd.read_csv(path, dtype={"id": str})


def answer(path, questions):
    left, right = (questions[f"{side}_id"].str.partition("ß")[2].astype(int) for side in ("left", "right"))
    questions.assign(answer=few_answers.sigma(few_answers.A[left], few_answers.B[right])).to_csv(path, index=False)
