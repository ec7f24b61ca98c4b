"""The arithmetic of the summary."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.budget.ours import OURS
from benchmarks.budget.summary import Measured, OverDraws, cells_of, duels_of, measured_in, scores_of


def errors(method, values, answers=100, world="adult"):
    return [
        Measured(world, answers, draw, method, {"error_in_epsilon": value, "width": None if draw else 2.0})
        for draw, value in enumerate(values)
    ]


def test_a_cell_averages_the_draws_in_which_a_figure_is_known():
    (cell,) = cells_of(errors("NAIVE", [1.0, 2.0, 3.0]))
    assert cell.measures["error_in_epsilon"] == OverDraws(3, 2.0, 1.0 / math.sqrt(3), 1.0)
    assert cell.measures["width"] == OverDraws(1, 2.0, None, None)


def test_a_duel_is_paired_by_draw():
    measured = errors(OURS, [1.0, 2.0, 4.0]) + errors("NAIVE", [2.0, 4.0, 2.0, 9.0])
    (duel,) = duels_of(measured)
    assert (duel.wins, duel.losses) == (2, 1)
    assert duel.difference.mean == pytest.approx(-1.0 / 3.0)
    assert duel.difference.draws == 3
    assert duel.ratio == pytest.approx((0.5 * 0.5 * 2.0) ** (1 / 3))
    assert duel.verdict == "open"


def test_naive_with_all_questions_is_met_at_every_number_of_answers():
    measured = errors(OURS, [1.0], 100) + errors(OURS, [0.5], 400) + errors("NAIVE, all questions", [0.7], None)
    assert {(duel.answers, duel.wins) for duel in duels_of(measured)} == {(100, 0), (400, 1)}


def test_other_worlds_and_other_numbers_of_answers_are_no_match():
    measured = errors(OURS, [1.0], 100) + errors("NAIVE", [2.0], 400) + errors("NAIVE", [2.0], 100, world="merit")
    assert duels_of(measured) == []


def test_a_clear_lead_is_counted_and_an_equal_error_is_neither_won_nor_lost():
    measured = errors(OURS, [1.0, 1.1, 1.2]) + errors("XGBoost", [2.0, 2.2, 2.1]) + errors("NAIVE", [1.0, 1.1, 1.2])
    duels = {duel.other: duel for duel in duels_of(measured)}
    assert (duels["NAIVE"].wins, duels["NAIVE"].losses) == (0, 0)
    counts = {score["other"]: score["worlds"] for score in scores_of(list(duels.values()))}
    assert counts["XGBoost"] == {"ours": 1, "other": 0, "open": 0}
    assert counts["NAIVE"] == {"ours": 0, "other": 0, "open": 1}


def test_results_are_read_by_the_names_of_their_steps():
    method = {"figures": {"error_in_epsilon": 1.0}, "fit_seconds": 0.5}
    results = {
        "adult/draw-012/400-ours": {"methods": {OURS: method}},
        "adult/draw-012/all-questions": {"methods": {"NAIVE, all questions": method}},
    }
    one, everything = measured_in(results)
    assert (one.world, one.draw, one.answers, one.figures["fit_seconds"]) == ("adult", 12, 400, 0.5)
    assert everything.answers is None
    assert duels_of([one, everything])[0].difference.mean == 0.0


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=6),
    st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=6),
)
def test_figures_over_some_draws_and_over_others_join_to_those_over_all(some, others):
    joined, whole = OverDraws.of(some).joined(OverDraws.of(others)), OverDraws.of(some + others)
    assert joined.draws == whole.draws
    assert joined.mean == pytest.approx(whole.mean, abs=1e-9)
    assert joined.sd == pytest.approx(whole.sd, rel=1e-6, abs=1e-6)
    assert joined.standard_error == pytest.approx(whole.standard_error, rel=1e-6, abs=1e-6)
