"""The run: it goes on where it was, keeps to its folder, and ends in a summary and figures."""

import json

import pytest

from benchmarks import bench_budget
from benchmarks.budget.catalogue import chosen_worlds
from benchmarks.budget.run import BudgetRun, BudgetSettings
from benchmarks.budget.tables import generated_parts
from commensurate.errors import InvalidInput, InvalidParameter

pytestmark = pytest.mark.usefixtures("nearest_answer", "small_tables")
SMALL = {"worlds": chosen_worlds(["merit-different-p-1"]), "answers": (25,), "draws": 1, "test_pairs": 20}


def computed(folder, **changes):
    names = []
    run = BudgetRun.open(BudgetSettings(**SMALL | changes), folder)
    run.compute(done=lambda step: names.append(step.name))
    return run, names


def test_what_is_computed_is_not_computed_again_and_more_can_be_added(tmp_path):
    run, first = computed(tmp_path)
    assert set(first) == {f"merit-different-p-1/draw-000/{what}" for what in ("25-ours", "25-beside", "all-questions")}
    kept = {name: result["methods"] for name, result in run.results().items()}
    run, second = computed(tmp_path, draws=2)
    assert {name.split("/")[1] for name in second} == {"draw-001"}
    assert kept.items() <= {name: result["methods"] for name, result in run.results().items()}.items()
    assert computed(tmp_path, draws=2)[1] == []


def test_a_stopped_run_keeps_what_was_finished_and_can_be_summarised(tmp_path):
    def stop(step):
        raise KeyboardInterrupt

    run = BudgetRun.open(BudgetSettings(**SMALL), tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run.compute(done=stop)
    assert len(run.results()) == 1
    assert len(run.missing) == 2


def test_another_seed_does_not_go_into_the_same_folder(tmp_path):
    computed(tmp_path)
    with pytest.raises(InvalidInput, match="holds a run with seed = 0, this one has 1"):
        BudgetRun.open(BudgetSettings(**SMALL, seed=1), tmp_path)


def test_every_world_is_drawn_once_before_one_is_drawn_twice(tmp_path):
    run = BudgetRun.open(BudgetSettings(answers=(100, 4_000)), tmp_path)
    assert [{step.arguments["draw"] for step in steps} for steps in run.rounds] == [{draw} for draw in range(20)]
    many = [step for step in run.steps if step.arguments.get("answers") == 4_000]
    assert {step.arguments["draw"] for step in many} == {0, 1, 2}
    assert all(step.weight > 0.0 for step in run.steps)


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"answers": (5,)}, {"answers": ()}, {"seed": -1}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidParameter):
        BudgetSettings(**SMALL | wrong)


def test_the_command_measures_summarises_and_draws(tmp_path, capsys):
    words = ["--worlds", "merit-same-p-1", "--answers", "25", "--draws", "2", "--jobs", "1"]
    bench_budget.main([*words, "--folder", str(tmp_path / "budget")])
    summary = json.loads((tmp_path / "budget/summary.json").read_text())
    assert {(cell["answers"], cell["method"]) for cell in summary["cells"]} >= {
        (25, "ours"),
        (None, "NAIVE, all questions"),
    }
    assert all(duel["wins"] + duel["losses"] <= 2 for duel in summary["duels"])
    assert sum(summary["code"].values()) == 2 * 3
    assert (tmp_path / "budget/few-answers-3.svg").exists()
    assert "merit-same-p-1" in capsys.readouterr().out
    parts = generated_parts(summary)
    assert parts["few answers errors"].count("**") == 2, "one method errs least"
    assert parts["few answers coverage"].splitlines()[2].startswith("| ours | 25 | 1 |")
    assert "| 25 | XGBoost |" in parts["few answers scores"]


def test_the_command_says_in_one_line_what_is_wrong(tmp_path):
    with pytest.raises(SystemExit, match="no world's name contains 'moon'"):
        bench_budget.main(["--worlds", "moon", "--folder", str(tmp_path)])
