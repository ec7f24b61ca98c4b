"""Forecasts are those that users get, outcomes those of fits that asked so many questions."""

import numpy as np
import pytest

import commensurate as cm
from benchmarks import bench_forecasts
from benchmarks.forecasts import draw as module
from benchmarks.forecasts.catalogue import AWKWARD, REAL, all_worlds, chosen_worlds
from benchmarks.forecasts.draw import Sizes, foretold_after, foretold_before
from commensurate.asking.simulated import answers as simulated_answers
from commensurate.learning.forecasting import from_simulations

FEW = Sizes((40,), (40, 60))
(WAVES,) = chosen_worlds(["waves"])


@pytest.fixture(autouse=True)
def little(monkeypatch):
    """Ask little, and simulate one expert of one family."""
    monkeypatch.setattr(module, "SIZES", {"gp": FEW})
    monkeypatch.setattr(simulated_answers, "FAMILIES", ("embedding",))
    monkeypatch.setattr(from_simulations, "QUICK_SIMULATIONS", from_simulations.Simulations((20, 40), draws=1))


def test_forecasts_are_those_of_the_fits_and_outcomes_come_later():
    found = list(foretold_after(WAVES, "gp", 0))
    assert [(one.asked, one.budget) for one in found] == [(40, 40), (40, 60)]
    assert found == list(foretold_after(WAVES, "gp", 0))
    trial = WAVES.trial(0)
    later = trial.learn("gp", trial.learn("gp", None, 40), 60)
    assert later.n_questions_ == 60
    assert found[1].outcome == trial.judge(later).against_answers
    assert found[1].low < found[1].expected < found[1].high


def test_before_any_answer_errors_are_against_sigma():
    (one,) = foretold_before(WAVES, "gp", 0)
    trial = WAVES.trial(0)
    assert (one.asked, one.budget) == (0, 60)
    assert one.outcome == trial.judge(trial.learn("gp", None, 60)).against_sigma


def test_experts_who_err_do_so_in_answers_alone():
    (world,) = chosen_worlds(["noise only, 5 columns, 30 %"])
    trial = world.trial(0)
    judged = trial.judge(trial.learn("gp", None, 40))
    assert judged.against_sigma < 0.2 < judged.against_answers


def test_a_table_answers_the_same_whoever_asks():
    (world,) = chosen_worlds(["kinked, four experts"])
    trials = [world.trial(0) for _ in range(2)]
    answers = [trial.learn("gp", None, 40).held_out_errors() for trial in trials]
    np.testing.assert_array_equal(*answers)


def test_worlds_are_of_four_kinds_and_none_is_there_twice():
    worlds = all_worlds()
    assert len(worlds) == 89
    assert len({world.kind for world in worlds.values()}) == 4
    assert sum(world.kind == AWKWARD for world in worlds.values()) == 75
    with pytest.raises(cm.errors.InvalidParameter, match="no world's name contains 'moon'"):
        chosen_worlds(["moon"])


@pytest.mark.real_data
def test_real_answers_come_in_a_random_order_and_have_no_forecast_before_any():
    for world in chosen_worlds([REAL])[2:3]:
        first, second = foretold_after(world, "gp", 0)
        assert first.outcome > 0.0
        assert second.outcome > 0.0
        assert list(foretold_before(world, "gp", 0)) == []


def test_the_command_goes_on_where_it_was(tmp_path, capsys):
    words = ["--worlds", "waves", "--draws", "1", "--when", "after", "--folder", str(tmp_path / "found")]
    bench_forecasts.main(words)
    first = (tmp_path / "found" / "forecasts.csv").read_text()
    bench_forecasts.main(words)
    assert (tmp_path / "found" / "forecasts.csv").read_text() == first
    assert '("your answers", "gp"): Measured("gp", 1, 1, 1.5, True, {})' in capsys.readouterr().out
    assert len(first.splitlines()) == 3
