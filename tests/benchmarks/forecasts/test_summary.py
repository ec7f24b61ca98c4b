"""What forecasts say together, by hand."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.forecasts.summary import (
    AFTER,
    BEFORE,
    ahead,
    forecast_table,
    held_alone,
    held_elsewhere,
    in_words,
    kinds,
    measured,
    worlds_table,
)
from commensurate.guarantees.new_world import Widening


def frame(outcomes, asked=60, budget=240):
    """Forecasts of 1, with a band from a half to 2: a list of outcomes for each world."""
    return pd.DataFrame(
        [
            {"world": world, "kind": "made up", "learner": "gp", "draw": draw, "asked": asked, "budget": budget}
            | {"expected": 1.0, "low": 0.5, "high": 2.0, "outcome": outcome}
            for world, each in outcomes.items()
            for draw, outcome in enumerate(each)
        ]
    )


# nine worlds in which errors come out four times as large, and one in which they are as forecast
OFF = frame({f"w{number}": [4.0, 4.0] for number in range(9)} | {"as forecast": [1.0]})


def test_what_was_forecast_of_answers_already_there_does_not_count():
    found = pd.concat([OFF, frame({"w0": [1.0]}, asked=60, budget=60), frame({"w0": [1.0]}, asked=0)])
    assert len(ahead(found, "gp", AFTER)) == len(OFF)
    assert len(ahead(found, "gp", BEFORE)) == 1
    assert list(kinds(found)) == [("gp", AFTER), ("gp", BEFORE)]


def test_a_record_is_widened_by_what_was_measured():
    record = measured(OFF, "gp", AFTER)
    assert (record.worlds, record.forecasts, record.ahead) == (10, 19, 4.0)
    assert record.widenings[0.8] == Widening(0.0, 2.0)
    assert 0.9 not in record.widenings, "ten worlds are too few"


def test_before_any_answer_widenings_are_factors_of_e():
    record = measured(OFF.assign(asked=0), "gp", BEFORE)
    assert not record.own_band
    assert record.widenings[0.8] == Widening(0.0, 1.39)
    assert record.ahead == 240 / 400


def test_every_world_counts_alike_in_what_bands_held():
    assert held_alone(OFF).mean() == pytest.approx(0.1)
    # without one of the nine, eight of nine worlds are four times off: the band still holds; the tenth always
    assert held_elsewhere(OFF, 0.5).mean() == pytest.approx(1.0)


def test_tables_have_a_row_for_each_kind():
    assert forecast_table(OFF).splitlines()[2:] == [
        "| after the first answers | gp | 10 | 19 | 240 questions | 1, 4, 4 | 10 % | 100 % | 0 % | 1 : 4 |"
    ]
    assert worlds_table(OFF).splitlines()[2:] == ["| made up | 100 % in 10 |", "| all | 100 % in 10 |"]
    assert '("your answers", "gp"): Measured("gp", 10, 19, 4.0, True, {0.5: Widening(0.0, 2.0)' in in_words(OFF)


def test_widenings_are_rounded_up():
    outcomes = {f"w{number}": [float(np.exp(0.1234 * number))] for number in range(30)}
    record = measured(frame(outcomes), "gp", AFTER)
    up = record.widenings[0.8].up
    assert up == round(up, 2)
    assert up >= 0.1234 * 27 / np.log(2.0)
