"""Two small groups with repeated rows, a dissimilarity between them, and oracles that remember what they were asked."""

import numpy as np

import commensurate as cm

RNG = np.random.default_rng(0)


GROUPS = {"a": np.round(RNG.random((80, 2)), 1), "b": np.round(RNG.random((70, 2)), 1)}


A, B = RNG.random((40, 2)), RNG.random((40, 2))


def sigma(left, right, between=None):
    return np.abs(left[:, 0] - right[:, 1])


class Recorder:
    """A function oracle that remembers every pair it was asked about."""

    def __init__(self, function=sigma, fail_after=None, error=None):
        self.pairs, self.function, self.fail_after, self.error = [], function, fail_after, error

    def __call__(self, left, right, between):
        if self.fail_after is not None and len(self.pairs) >= self.fail_after:
            raise self.error
        self.pairs += [(between, *map(tuple, pair)) for pair in zip(left, right)]
        return self.function(left, right)


class Person:
    """An oracle object: sees whole questions, answers with Answers in its own order."""

    def __init__(self):
        self.questions = []

    def ask(self, questions):
        self.questions += questions
        return [cm.Answer(q.question_id, abs(q.left[0] - q.right[1]), expert="ana") for q in reversed(questions)]


def naive(**options):
    return cm.NaiveSimilarity(**{"epsilon": 0.1, "delta": 0.1, "random_state": 0, **options})
