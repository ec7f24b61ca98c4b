"""A summary goes on from one that was kept, as if everything had been measured at once."""

import json

import pytest

from benchmarks import bench_budget
from benchmarks.budget.catalogue import chosen_worlds
from benchmarks.budget.kept_summary import KeptSummary
from benchmarks.budget.ours import OURS
from benchmarks.budget.run import STEPS, BudgetRun, BudgetSettings
from benchmarks.budget.summary import Measured

pytestmark = pytest.mark.slow

ERRORS = {OURS: [1.0, 2.0, 4.0], "XGBoost": [2.0, 4.0, 2.0]}
EVERYTHING = [0.7, 3.0, 5.0]


def measured(draws, answers=100):
    found = [
        Measured("adult", answers, draw, method, {"error_in_epsilon": errors[draw], "width": None if draw else 2.0})
        for method, errors in ERRORS.items()
        for draw in draws
    ]
    everything = [Measured("adult", None, draw, "all", {"error_in_epsilon": EVERYTHING[draw]}) for draw in draws]
    return [*found, *everything]


def rounded(values):
    return json.loads(json.dumps(values), parse_float=lambda text: round(float(text), 9))


def test_draws_that_are_added_count_as_if_they_had_been_there(tmp_path):
    at_once = KeptSummary().with_further(measured([0, 1, 2]), {"a": 3})
    one = KeptSummary().with_further(measured([0]), {"a": 1})
    one.write(tmp_path, {})
    later = KeptSummary.read(tmp_path).with_further(measured([1, 2]), {"a": 1, "b": 1})
    assert later.draws() == {("adult", 100): 3, ("adult", None): 3}
    assert later.code == {"a": 2, "b": 1}
    assert rounded(later.write(tmp_path, {})["duels"]) == rounded(at_once.write(tmp_path, {})["duels"])
    assert rounded(later.write(tmp_path, {})["cells"]) == rounded(at_once.write(tmp_path, {})["cells"])


def test_a_draw_that_is_covered_is_not_counted_twice():
    once = KeptSummary().with_further(measured([0, 1]), {})
    assert once.with_further(measured([0, 1]), {}) == once


def test_further_answers_meet_all_questions_of_draws_that_are_covered():
    known = KeptSummary().with_further(measured([0, 1]), {})
    more = known.with_further(measured([0, 1], answers=400), {})
    (met,) = [duel for duel in more.duels if duel.answers == 400 and duel.other == "all"]
    assert (met.difference.draws, met.wins, met.losses) == (2, 1, 1)
    assert more.draws() == {("adult", 100): 2, ("adult", 400): 2, ("adult", None): 2}


@pytest.mark.usefixtures("nearest_answer", "small_tables")
def test_a_run_goes_on_from_a_summary_without_the_steps_that_led_to_it(tmp_path):
    def run(draws, folder):
        words = ["--worlds", "merit-same-p-1", "--answers", "25", "--jobs", "1", "--draws", str(draws)]
        bench_budget.main([*words, "--folder", str(folder)])
        return json.loads((folder / "summary.json").read_text())

    run(1, tmp_path / "parts")
    for path in (tmp_path / "parts" / STEPS).rglob("*.json"):
        path.unlink()
    parts, whole = run(2, tmp_path / "parts"), run(2, tmp_path / "whole")
    for summary in (parts, whole):
        for cell in summary["cells"]:
            del cell["measures"]["fit_seconds"]
    assert rounded(parts) == rounded(whole)
    assert {path.parent.name for path in (tmp_path / "parts" / STEPS).rglob("*.json")} == {"draw-001"}


@pytest.mark.usefixtures("nearest_answer", "small_tables")
def test_a_draw_that_was_begun_waits_until_it_is_whole_and_so_do_those_after_it(tmp_path):
    run = BudgetRun.open(BudgetSettings(chosen_worlds(["merit-same-p-1"]), (25,), 3, test_pairs=20), tmp_path)
    run.compute()
    run.rounds[1][0].file(tmp_path / STEPS).unlink()
    assert {name.split("/")[1] for name in run.whole_draws()} == {"draw-000"}
