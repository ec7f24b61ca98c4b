"""Small clusterings for the tests of their report:
points on a line, seen by two groups, with an expert who knows the line.
"""

import numpy as np
import pandas as pd

import commensurate as cm
from commensurate.applications import CrossGroupKMedoids

# two clusters; "middle" of group b is between them
POINTS = {"a": [[0.0], [0.1], [0.2], [1.0], [1.1]], "b": [[0.05], [0.15], [0.58], [1.05]]}
QUESTIONS = pd.DataFrame(
    {"left_group": ["a"], "left": [0], "right_group": ["b"], "right": [2], "settles": [1], "rules_out": [1]}
)


def on_the_line(left, right, between):
    return abs(left - right)[:, 0]


def small_clustering(points=POINTS, *, n_clusters=2, answer_error=0.0, **options):
    """All pairs were asked about; with ``answer_error`` intervals are wider than the answers,
    and some elements uncertain.
    """
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given", answer_error=answer_error)
    est.fit(points, on_the_line)
    return CrossGroupKMedoids(n_clusters, random_state=0, **options).fit(est, points)


def blurred(**options):
    """The clustering whose middle element is uncertain."""
    return small_clustering(answer_error=0.2, **options)


def several_groups(names, n=12, n_clusters=3, seed=0):
    rng = np.random.default_rng(seed)
    return small_clustering({name: rng.random((n, 1)) for name in names}, n_clusters=n_clusters)
