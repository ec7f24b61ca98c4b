"""What was measured of intervals of chosen pairs: the committed figures, and that they can be measured."""

import json
from dataclasses import asdict

import pytest

from benchmarks.bench_chosen_pairs import RESULT
from benchmarks.chosen_pairs.measure import measured, summed
from benchmarks.chosen_pairs.tables import generated_parts
from benchmarks.chosen_pairs.worlds import WORLDS, exact

ROWS = json.loads(RESULT.read_text(encoding="utf-8"))["rows"]
# fewer finite intervals say little about how often they hold
ENOUGH_FINITE = 1_000


def named(row):
    return f"{row['world']}: {row['pairs']}, {row['level']:g}"


@pytest.mark.parametrize("row", [row for row in ROWS if row["pairs"] != "random"], ids=named)
def test_intervals_of_chosen_pairs_hold_as_often_as_they_say_all_of_them_and_the_finite_ones_alone(row):
    assert row["hold"] >= (row["level"] - 0.01) * row["n"]
    if row["n_finite"] >= ENOUGH_FINITE:
        assert row["finite_hold"] >= (row["level"] - 0.01) * row["n_finite"]


def test_intervals_of_random_pairs_fail_for_some_of_these_choices():
    assert any(row["of_random_pairs_hold"] < 0.9 * row["n"] for row in ROWS if row["level"] == 0.95)


def test_every_world_and_every_choice_is_in_the_figures():
    assert {row["world"] for row in ROWS} == set(WORLDS)
    assert {row["pairs"] for row in ROWS} == {"random", "5 nearest", "matched", "small estimates"}


def test_a_draw_is_measured_and_makes_a_table():
    rows = summed([{"world": "one", **asdict(one)} for one in measured(exact(0))])
    tables = generated_parts({"rows": rows})
    assert tables["intervals of random pairs"].count("\n") == 2 + 4 - 1
    assert tables["intervals of chosen pairs"].count("\n") == 2 + 6 - 1
