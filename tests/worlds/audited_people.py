"""People with scores to audit, as tables and as files, and what a user types to audit them."""

import numpy as np
import pandas as pd

import commensurate as cm
from commensurate.applications import audit_fairness
from worlds import few_answers

RNG = np.random.default_rng(4)
N = 80
FEATURES = ["age", "income"]
WORDS = ("audit", "model.cmz", "people.csv", "--group", "married", "--score", "p")
SOURCES = ("audit", "model.cmz", "--source", "a=a.csv", "--source", "b=b.csv", "--score", "p")


def sigma(left, right, between=None):
    return 0.7 * np.abs(left[:, :2] - right[:, :2]).sum(axis=1)


def people(names):
    table = pd.DataFrame({"age": RNG.random(N), "income": RNG.random(N), "married": RNG.choice(names, N)})
    scores = 0.5 * table["age"] + 0.3 * table["income"] + np.where(table["married"] == names[0], 0.3, 0.0)
    return table.assign(
        p=scores, y=(RNG.random(N) < scores).astype(int), who=[f"<b>ß{k}</b>" for k in range(N)], score="none"
    )


PEOPLE = people(["yes", "no"])
THREE = people(["a", "b, or so", "c"])


def cluster(table):
    groups = cm.groups_from_table(table, group="married", features=FEATURES)
    return cm.ClusterSimilarity(epsilon=0.1, delta=0.1, dilation=0.5, random_state=0).fit(groups, sigma)


def write_sources(scores=lambda points: np.linspace(0.0, 1.0, len(points))):
    for name, points in (("a", few_answers.A), ("b", few_answers.B)):
        pd.DataFrame(points).add_prefix("x").assign(p=scores(points)).to_csv(f"{name}.csv", index=False)


def by_group(column):
    return {name: PEOPLE[column][PEOPLE["married"] == name].to_numpy() for name in ("yes", "no")}


def expected(est, **options):
    data = {name: rows[FEATURES] for name, rows in PEOPLE.groupby("married")}
    return audit_fairness(est, data, scores=by_group("p"), **{"random_state": 0, **options})
