"""A fitted estimator whose model file is small enough to damage byte by byte."""

import numpy as np

import commensurate as cm


def fitted():
    points = {"a": [[0.0, 1.0], [0.5, 2.0], [3.0, 3.0]], "b": [[0.0, 1.0], [1.0, 2.0]]}
    return cm.NaiveSimilarity(epsilon=0.05, delta=0.5, random_state=0).fit(
        points, lambda left, right, between: np.abs(left[:, 0] - right[:, 1])
    )
