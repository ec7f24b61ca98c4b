"""What tests of several commands share: a folder to work in, JSON that was told, refusals, a full disk, and models that
a command cannot use as they are.
"""

import json
import os

import numpy as np
import pytest

import commensurate as cm
from worlds import few_answers


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(run, *words):
    done = run(*words, "--json")
    assert (done.returncode, done.stderr) == (0, ""), done
    return json.loads(done.stdout)


def assert_refused(done, message):
    """Check that a command failed without a word but one line on standard error."""
    assert (done.returncode, done.stdout) == (1, ""), done
    assert message in done.stderr, done
    assert done.stderr.count("\n") == 1, done


def assert_refused_with_nothing_written(run, words, message):
    before = sorted(os.listdir())
    assert_refused(run(*words), message)
    assert sorted(os.listdir()) == before


def assert_usage_error(done, option):
    assert (done.returncode, done.stdout) == (2, ""), done
    assert option in done.stderr, done


def assert_calibrated_intervals_help(run, words):
    """Check that certified intervals are refused and calibrated ones named instead, and that these are the default."""
    done = run(*words, "--interval", "certified")
    assert (done.returncode, done.stdout) == (1, ""), done
    assert "use --interval calibrated" in done.stderr, done
    done = run(*words)
    assert done.returncode == 0, done
    assert "intervals are calibrated: certified intervals need a bound" in " ".join(done.stderr.split()), done
    assert "calibrated intervals" in " ".join(done.stdout.split()), done


def fill_disk_after(monkeypatch, n_files):
    """Let the disk be full when one more file than `n_files` is written."""
    synced = []

    def full_disk(file):
        synced.append(file)
        if len(synced) > n_files:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)


def save_model_of_noisy_answers():
    est = few_answers.budgeted(budget=120, answer_error="noise").fit(few_answers.POINTS, few_answers.sigma)
    est.save("model.cmz")


def save_model_with_own_metric():
    def metric(u, v):
        return np.abs(u[:, :1] - v[:, 0])

    groups = [cm.Group("a", [[0.0], [1.0]], metric), cm.Group("b", [[0.0], [1.0]])]
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0).fit(groups, lambda u, v, b: abs(u - v)[:, 0])
    est.save("model.cmz")
