"""The mix is set against every candidate alone, on the same answers and the same fresh pairs."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from benchmarks import bench_candidates
from benchmarks.budget.candidates import MIX, run_candidates, summary_of_candidates
from benchmarks.budget.catalogue import chosen_worlds
from commensurate.learning.regression import auto
from commensurate.learning.regression.means.families import mean_catalogue
from commensurate.learning.regression.parts.linear import LINEAR
from commensurate.learning.regression.parts.metric_process import METRICS
from commensurate.learning.regression.parts.part import CONSTANT
from commensurate.learning.regression.parts.process import TIED
from commensurate.learning.regression.parts.trees import EXTRA_TREES, RANDOM_FOREST
from commensurate.learning.regression.regression import NO_FORM

pytestmark = pytest.mark.slow

(SPEC,) = chosen_worlds(["merit-same-p-1"])
TRIED = ("linear embedding of rank 1", "minkowski")


@pytest.fixture(autouse=True)
def _few_mean_functions(monkeypatch):
    """Let two mean functions be tried: all of them take four times as long, and are learnt in the same way."""
    monkeypatch.setattr(
        auto, "mean_catalogue", lambda coordinates: {name: mean_catalogue(coordinates)[name] for name in TRIED}
    )


def test_every_candidate_is_measured_alone_and_again_the_same():
    measured = run_candidates(asdict(SPEC), 0, 0, 60, 50, None)
    errors = measured["errors"]
    assert set(errors) == {MIX, CONSTANT, METRICS, LINEAR, EXTRA_TREES, RANDOM_FOREST, TIED, NO_FORM, *TRIED}
    assert all(np.isfinite(error) and error > 0.0 for error in errors.values())
    assert run_candidates(asdict(SPEC), 0, 0, 60, 50, None) == measured


def test_the_best_candidate_is_the_one_with_the_least_mean_over_the_draws():
    draws = [{MIX: 1.0, "a": 1.0, "b": 3.0}, {MIX: 3.0, "a": 4.0, "b": 1.0}]
    summary = summary_of_candidates({f"w/draw-{k:03d}/100": {"errors": one} for k, one in enumerate(draws)})
    (cell,), (score,) = summary["cells"], summary["scores"]
    assert (cell["best"], cell["draws"], cell["mix"]) == ("b", 2, 2.0)
    assert cell["ratio"] == score["worst_ratio"] == pytest.approx(1.0)
    assert score["within_goal"] == 1


def test_the_command_goes_on_where_it_was(tmp_path, capsys):
    words = ["--worlds", "merit-same-p-1", "--answers", "60", "--jobs", "1", "--folder", str(tmp_path / "candidates")]
    bench_candidates.main([*words, "--draws", "1"])
    summary = json.loads((tmp_path / "candidates/summary.json").read_text())
    assert [cell["draws"] for cell in summary["cells"]] == [1]
    bench_candidates.main([*words, "--draws", "1"])
    assert "1 of 1 steps are already done" in capsys.readouterr().err
