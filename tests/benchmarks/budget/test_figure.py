"""The figures: one for each part, one panel a world, each method that was measured."""

import pytest

from benchmarks.budget.draw import ALL_QUESTIONS, NAIVE
from benchmarks.budget.figure import budget_figures, draw_budget
from benchmarks.budget.ours import OURS
from benchmarks.budget.summary import DECIDING, Cell, OverDraws


def cell(world, answers, method, mean=2.0):
    return Cell(world, answers, method, {DECIDING: OverDraws(1, mean, None, None)})


def test_there_is_a_figure_for_each_part_that_was_measured():
    cells = [cell("adult", 100, OURS), cell("adult-merit", 100, OURS), cell("adult-merit", 400, OURS)]
    figures = budget_figures(cells)
    assert list(figures) == ["few-answers-1", "few-answers-2"]
    assert [axes.get_title(loc="left") for axes in figures["few-answers-2"].axes] == ["adult-merit"]


@pytest.mark.parametrize("counts", [(100,), (100, 400)])
def test_a_single_number_of_answers_can_be_drawn_too(counts):
    methods = [cell("adult", count, method) for count in counts for method in (NAIVE, OURS)]
    figure = draw_budget("the paper's worlds", [*methods, cell("adult", None, ALL_QUESTIONS)])
    figure.draw_without_rendering()
    low, high = figure.axes[0].get_xlim()
    assert low < min(counts) <= max(counts) < high


def test_the_legend_names_ours_first_and_only_what_was_measured():
    figure = draw_budget("x", [cell("adult", 100, NAIVE), cell("adult", 100, OURS), cell("adult", None, ALL_QUESTIONS)])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [OURS, NAIVE, ALL_QUESTIONS]


def test_curves_run_from_few_answers_to_many_whatever_the_order_of_the_cells():
    figure = draw_budget("x", [cell("adult", 400, OURS, 1.0), cell("adult", 100, OURS, 3.0)])
    line = figure.axes[0].containers[0].lines[0]
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([100, 400], [3.0, 1.0])
