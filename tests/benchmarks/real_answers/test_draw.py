"""Draws of real answers: who learns from what, and how errors are measured."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from benchmarks import bench_real_answers
from benchmarks.real_answers.draw import COLD, WARM, concordance
from benchmarks.real_answers.peers import PEERS, PeerTask
from benchmarks.real_answers.sets import HALVES, SETS, RealSet, split
from benchmarks.real_answers.summary import cells, ratios
from commensurate.errors import InvalidInput
from commensurate.groups.group import elements_of


def made_up(n_left=60, n_right=50, seed=0):
    """A set in which the answer depends on one column of either side."""
    rng = np.random.default_rng(seed)
    points = {"a": rng.random((n_left, 3)), "b": rng.random((n_right, 3))}
    sides = elements_of(points)
    left, right = (each.ravel() for each in np.meshgrid(np.arange(n_left), np.arange(n_right), indexing="ij"))
    answers = 1.0 + points["a"][left, 0] + points["b"][right, 1]
    halves = rng.random(n_left) < 0.5, rng.random(n_right) < 0.5
    return RealSet("made up", (sides[0], sides[1]), left, right, answers, halves)


@pytest.mark.real_data
@pytest.mark.parametrize("name", SETS)
def test_the_halves_of_a_set_share_no_element(name):
    answered = SETS[name]()
    one, other = (answered.half(which) for which in HALVES)
    assert min(len(one), len(other)) > 1_000
    assert not set(one.left) & set(other.left)
    assert not set(one.right) & set(other.right)
    assert (answered.answers >= 0.0).all()


def test_cold_pairs_are_of_elements_that_nothing_is_learnt_about_and_warm_ones_of_others():
    parts = split(made_up(), 200, seed=3)
    assert len(parts.training) == 200
    assert not set(parts.cold.left) & set(parts.training.left)
    assert not set(parts.cold.right) & set(parts.training.right)
    assert set(parts.warm.left) <= set(parts.training.left)
    assert set(parts.warm.right) <= set(parts.training.right)
    learnt = set(zip(parts.training.left, parts.training.right))
    assert not learnt & set(zip(parts.warm.left, parts.warm.right))
    with pytest.raises(InvalidInput, match="made up has .* pairs to draw 3000 from"):
        split(made_up(), 3_000, seed=0)


@pytest.mark.parametrize("name", [name for name in PEERS if name not in ("CatBoost", "LightGBM")])
def test_every_peer_learns_what_is_easy_to_learn(name):
    parts = split(made_up(), 300, seed=0)
    found = PEERS[name](PeerTask.of(parts.training, parts.warm))
    off = np.sqrt(np.mean((found - parts.warm.answers) ** 2))
    spread = float(parts.warm.answers.std())
    assert found.shape == parts.warm.answers.shape
    assert off < (1.02 if name == "constant" else 0.6) * spread


def test_the_concordance_index_is_the_share_of_pairs_in_the_right_order():
    rng = np.random.default_rng(0)
    estimates, answers = rng.integers(0, 6, 40).astype(float), rng.integers(0, 5, 40).astype(float)
    counted = [
        0.5 if estimates[i] == estimates[j] else float((estimates[i] < estimates[j]) == (answers[i] < answers[j]))
        for i in range(40)
        for j in range(i)
        if answers[i] != answers[j]
    ]
    assert concordance(estimates, answers) == pytest.approx(np.mean(counted))


def test_a_run_goes_on_where_it_was_and_compares_with_the_constant(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(bench_real_answers.ALL_SETS, "kiba", lambda: replace(made_up(), name="kiba"))
    words = ["--sets", "kiba", "--answers", "40", "9000", "--folder", str(tmp_path), "--half", "judged on"]
    bench_real_answers.main([*words, "--draws", "1", "--learners", "constant", "ridge"])
    [path] = tmp_path.iterdir()
    before = path.read_text()
    bench_real_answers.main([*words, "--draws", "2", "--learners", "constant", "ridge", "ours, gp", "ours, auto"])
    assert path.read_text().startswith(before)
    draws = pd.read_csv(path)
    assert len(draws) == len(draws.drop_duplicates(["draw", "test", "learner"])) == 2 * 2 * 4
    assert set(draws["test"]) == {WARM, COLD}
    found = ratios(draws)
    assert (found[found["learner"] == "constant"]["mean"] == 1.0).all()
    assert (found[found["learner"] == "ridge"]["mean"] < 0.8).all()
    compared = cells(draws)
    assert set(compared["best peer"]) == {"ridge"}
    assert (compared["behind constant"] < 0.0).all()
    assert "kiba, new elements" in capsys.readouterr().out
