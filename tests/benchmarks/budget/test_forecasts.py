"""Forecasts are those of forecast_budget, outcomes those of the experiment, and the summary counts both rightly."""

import json
from dataclasses import asdict

import pytest

from benchmarks import bench_forecasts
from benchmarks.budget import forecasts
from benchmarks.budget.catalogue import chosen_worlds
from benchmarks.budget.draw import run_ours
from benchmarks.budget.forecasts import AFTER, ALL, BEFORE, Foretold, foretold_in, summary_of_forecasts
from benchmarks.budget.ours import GP_ALONE
from benchmarks.budget.worlds import draw_world
from commensurate.asking.simulated import answers as simulated_answers
from commensurate.experiments.seeds import generator
from commensurate.learning.forecasting import from_simulations
from commensurate.learning.forecasting.forecast_budget import forecast_budget

(SPEC,) = chosen_worlds(["merit-different-p-1"])
SMALL = {
    "seed": 0,
    "draw": 0,
    "learner": "gp",
    "budgets": [40, 60],
    "first_answers": 30,
    "test_pairs": 50,
    "data_home": None,
}


@pytest.fixture
def few_simulations(monkeypatch, small_tables):
    """Simulate one expert of one family with few questions."""
    monkeypatch.setattr(simulated_answers, "FAMILIES", ("embedding",))
    monkeypatch.setattr(from_simulations, "QUICK_SIMULATIONS", from_simulations.Simulations((20, 40), draws=1))


@pytest.mark.usefixtures("few_simulations")
def test_forecasts_are_those_of_forecast_budget_and_outcomes_those_of_the_experiment(monkeypatch):
    result = forecasts.run_forecasts(asdict(SPEC), **SMALL)
    assert [(one["kind"], one["budget"]) for one in result["forecasts"]] == [
        (kind, budget) for kind in (BEFORE, AFTER) for budget in (40, 60)
    ]
    before = result["forecasts"][1]
    seeded = generator(0, "budget", SPEC.name, 0, "simulated experts")
    ahead = forecast_budget(draw_world(SPEC, 0, 0, 50, None).groups(), budget=60, random_state=seeded)
    assert (before["forecast"], before["low"], before["high"]) == (ahead.expected_error, *ahead.band)
    monkeypatch.setattr("benchmarks.budget.draw.our_variants", lambda spec: (GP_ALONE,))
    ours = run_ours(asdict(SPEC), 0, 0, 60, 50, None)["methods"][GP_ALONE]["figures"]
    assert before["outcome"] == ours["absolute_error"]


@pytest.mark.usefixtures("few_simulations")
def test_the_command_goes_on_where_it_was_and_writes_every_draw(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(bench_forecasts, "BUDGETS", (40,))
    monkeypatch.setattr(forecasts.open_forecasts, "__defaults__", (None, ("gp",), 30))
    words = ["--worlds", SPEC.name, "--draws", "1", "--jobs", "1", "--learners", "gp"]
    words += ["--folder", str(tmp_path / "forecasts")]
    bench_forecasts.main(words)
    bench_forecasts.main(words)
    assert "1 of 1 steps are already done" in capsys.readouterr().err
    summary = json.loads((tmp_path / "forecasts/summary.json").read_text())
    assert [one["kind"] for one in summary["draws"]] == [BEFORE, AFTER]
    for one in summary["draws"]:
        assert one["in_band"] == (one["low"] <= one["outcome"] <= one["high"])


def test_the_listing_names_worlds_with_seconds_and_computes_nothing(tmp_path, capsys):
    bench_forecasts.main(["--list", "--folder", str(tmp_path / "none")])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(forecasts.WORLDS)
    assert all(float(line.split()[1]) > 0 for line in lines)
    assert not (tmp_path / "none").exists()


def step(outcome, questions, forecast=1.0):
    about = {"learner": "gp", "kind": BEFORE, "budget": 400}
    one = {"forecast": forecast, "low": 0.5, "high": 2.0, "outcome": outcome}
    asked = {"questions": questions, "cautious_questions": None, "target_error": outcome}
    return {"forecasts": [about | one], "questions": [about | asked]}


RESULTS = {
    "adult/draw-000/forecasts-gp": step(2.0, 100.0),
    "adult/draw-001/forecasts-gp": step(2.1, None),
    "adult/draw-002/forecasts-gp": step(0.5, 300.0),
    "merit-same-p-1/draw-000/forecasts-gp": step(0.4, None, forecast=4.0),
}


def test_the_ends_of_a_band_belong_to_it():
    assert [one.in_band for one in foretold_in(RESULTS)] == [True, False, True, False]
    assert foretold_in(RESULTS)[1] == Foretold("adult", 1, "gp", BEFORE, 400, 1.0, 0.5, 2.0, 2.1)


def test_a_summary_counts_by_world_and_over_all():
    cells = {cell["world"]: cell for cell in summary_of_forecasts(RESULTS)["cells"]}
    assert (cells["adult"]["in_band"], cells["adult"]["draws"]) == (2, 3)
    assert cells["adult"]["median_outcome_over_forecast"] == 2.0
    assert (cells[ALL]["in_band"], cells[ALL]["draws"]) == (2, 4)
    assert cells[ALL]["median_outcome_over_forecast"] == pytest.approx(1.25)
    assert cells[ALL]["median_high_over_low"] == 4.0


def test_out_of_reach_counts_as_more_questions_than_any_number():
    medians = {one["world"]: one["median_questions"] for one in summary_of_forecasts(RESULTS)["questions"]}
    assert medians == {"adult": 300.0, "merit-same-p-1": None, ALL: None}


def test_the_table_has_a_row_for_each_world_and_ends_with_all():
    (table,) = forecasts.generated_parts(summary_of_forecasts(RESULTS)).values()
    assert table.splitlines()[2:] == [
        "| adult | gp | before any answer | 400 | 2 of 3 | 2 | 1 : 4 | 300 |",
        "| merit-same-p-1 | gp | before any answer | 400 | 0 of 1 | 0.1 | 1 : 4 | out of reach |",
        "| all | gp | before any answer | 400 | 2 of 4 | 1.2 | 1 : 4 | out of reach |",
    ]


def test_learners_are_counted_apart():
    by_auto = {
        "learner": "auto",
        "kind": BEFORE,
        "budget": 400,
        "forecast": 1.0,
        "low": 0.9,
        "high": 1.1,
        "outcome": 1.0,
    }
    results = {**RESULTS, "adult/draw-000/forecasts-auto": {"forecasts": [by_auto], "questions": []}}
    cells = {(cell["world"], cell["learner"]): cell for cell in summary_of_forecasts(results)["cells"]}
    assert (cells["adult", "gp"]["draws"], cells["adult", "auto"]["draws"]) == (3, 1)
    assert (cells[ALL, "gp"]["in_band"], cells[ALL, "auto"]["in_band"]) == (2, 1)
