"""Both designs ask as often, are compared draw by draw, and the tables say which one is ahead."""

import json
import math
from dataclasses import asdict

import pytest

from benchmarks import bench_designs
from benchmarks.budget.catalogue import chosen_worlds
from benchmarks.budget.designs import WORLDS, cells_of_designs, generated_parts, run_designs, summary_of_designs
from benchmarks.budget.draw import run_ours
from benchmarks.budget.ours import GP_ALONE
from commensurate.learning.few_answers import estimator

(SPEC,) = chosen_worlds(["merit-same-p-1"])


@pytest.fixture
def few_batches(monkeypatch, small_tables):
    """Let an active design choose in two batches."""
    monkeypatch.setattr(estimator, "ACTIVE_BATCH", 0.4)


@pytest.mark.usefixtures("few_batches")
def test_designs_ask_as_often_and_the_random_one_is_that_of_the_experiment(monkeypatch):
    designs = run_designs(asdict(SPEC), 0, 0, "gp", 100, 50, None)["designs"]
    figures = {design: one["figures"] for design, one in designs.items()}
    assert {one["questions"] for one in figures.values()} == {100.0}
    assert {one["finite_share"] for one in figures.values()} == {1.0}
    assert figures["active"]["error_in_epsilon"] != figures["random"]["error_in_epsilon"]
    monkeypatch.setattr("benchmarks.budget.draw.our_variants", lambda spec: (GP_ALONE,))
    of_the_experiment = run_ours(asdict(SPEC), 0, 0, 100, 50, None)["methods"][GP_ALONE]["figures"]
    assert figures["random"].items() <= of_the_experiment.items()


@pytest.mark.usefixtures("few_batches")
def test_the_command_goes_on_where_it_was_and_refuses_another_seed(tmp_path, capsys):
    words = ["--worlds", SPEC.name, "--answers", "25", "--learners", "gp", "--jobs", "1"]
    words += ["--folder", str(tmp_path / "designs")]
    bench_designs.main([*words, "--draws", "1"])
    bench_designs.main([*words, "--draws", "2"])
    printed = capsys.readouterr()
    assert "1 of 2 steps are already done" in printed.err
    assert "| merit-same-p-1 | gp |" in printed.out
    summary = json.loads((tmp_path / "designs/summary.json").read_text())
    (cell,) = summary["cells"]
    assert cell["log_ratio"]["draws"] == 2
    assert (cell["random_coverage"], cell["active_coverage"]) == (None, None), "5 held-out answers are too few"
    with pytest.raises(SystemExit, match="seed = 0, this one has 1"):
        bench_designs.main([*words, "--draws", "1", "--seed", "1"])


def test_the_listing_names_worlds_with_seconds(capsys):
    bench_designs.main(["--list", "--learners", "gp"])
    quick = capsys.readouterr().out.splitlines()
    bench_designs.main(["--list"])
    both = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in both} == set(WORLDS)
    assert all(float(one.split()[1]) < float(two.split()[1]) for one, two in zip(quick, both))


def step(random, active, finite=1.0):
    return {
        "designs": {
            design: {"figures": {"error_in_epsilon": error, "coverage": coverage, "finite_share": finite}}
            for design, error, coverage in (("random", random, 0.9), ("active", active, 1.0))
        }
    }


RESULTS = {
    "adult/draw-000/100-gp": step(1.0, 0.5),
    "adult/draw-001/100-gp": step(8.0, 4.0, finite=0.0),
    "merit-same-p-1/draw-000/100-gp": step(1.0, 4.0),
    "merit-same-p-1/draw-001/100-gp": step(4.0, 1.0),
}


def test_errors_are_compared_draw_by_draw():
    adult, merit = cells_of_designs(RESULTS)
    assert adult.log_ratio.mean == pytest.approx(-math.log(2.0))
    assert adult.log_ratio.standard_error == pytest.approx(0.0)
    assert (adult.verdict, merit.verdict) == ("active", "open")
    assert (adult.random_error.mean, adult.active_error.mean) == (4.5, 2.25)


def test_a_single_draw_decides_nothing():
    (cell,) = cells_of_designs({"adult/draw-000/100-gp": step(1.0, 0.1)})
    assert cell.verdict == "open"


def test_infinite_intervals_do_not_count_as_holding():
    adult = cells_of_designs(RESULTS)[0]
    assert (adult.random_coverage, adult.active_coverage) == (0.9, 1.0)
    (none,) = cells_of_designs({"adult/draw-000/100-gp": step(1.0, 0.5, finite=0.0)})
    assert none.active_coverage is None


def test_the_tables_say_which_design_is_ahead():
    parts = generated_parts(json.loads(json.dumps(summary_of_designs(RESULTS))))
    lines = parts["few answers designs"].splitlines()
    assert lines[2] == "| adult | gp | 4.5 → 2.25, **−0.69** ± 0.00 |"
    assert lines[3] == "| merit-same-p-1 | gp | 2.5 → 2.5, +0.00 ± 1.39 |"
    assert lines[-1] == "| gp | 100 | −0.35 | 1 | 0 | 1 | 90.0 % | 100.0 % |"
