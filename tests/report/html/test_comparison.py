import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.errors import InvalidInput
from commensurate.report.html.comparison import Comparison, summary_of

figures = st.floats(min_value=-1e6, max_value=1e6)
draws = st.lists(figures, min_size=1, max_size=25).map(tuple)


@given(figures, draws)
def test_the_median_lies_between_the_lowest_and_the_highest_draw(paper, ours):
    cell = Comparison(paper, ours)
    assert cell.lowest <= cell.median <= cell.highest
    assert {cell.lowest, cell.highest} <= set(ours)


@given(figures, draws)
def test_the_order_of_the_draws_does_not_matter(paper, ours):
    one, other = Comparison(paper, ours), Comparison(paper, ours[::-1])
    assert (one.median, one.place, one.inside) == (other.median, other.place, other.inside)


@given(figures, draws)
def test_inside_and_place_never_disagree(paper, ours):
    cell = Comparison(paper, ours)
    outside = cell.place.startswith(("below all", "above all", "below the only", "above the only"))
    assert cell.inside is not outside


@given(figures, draws)
def test_the_count_in_words_is_the_number_of_draws_below_the_paper(paper, ours):
    cell = Comparison(paper, ours)
    if counted := re.fullmatch(r"above (\d+) of (\d+) draws", cell.place):
        assert int(counted[1]) == sum(draw < paper for draw in ours)
        assert int(counted[2]) == len(ours)


@given(draws)
def test_each_of_our_own_draws_is_inside(ours):
    assert all(Comparison(draw, ours).inside for draw in ours)


@pytest.mark.parametrize(
    ("paper", "ours", "words"),
    [
        (0.5, (1.0, 2.0), "below all 2 draws"),
        (2.5, (1.0, 2.0), "above all 2 draws"),
        (1.5, (1.0, 2.0, 3.0), "above 1 of 3 draws"),
        (1.0, (1.0, 2.0, 3.0), "equal to the lowest of 3 draws"),
        (3.0, (1.0, 2.0, 3.0), "above 2 of 3 draws"),
        (1.0, (1.0, 1.0), "equal to all 2 draws"),
        (0.5, (1.0,), "below the only draw"),
        (1.5, (1.0,), "above the only draw"),
        (1.0, (1.0,), "equal to the only draw"),
        (None, (1.0, 2.0), "no figure in the paper"),
    ],
)
def test_the_place_is_told_in_words(paper, ours, words):
    assert Comparison(paper, ours).place == words


def test_without_a_figure_in_the_paper_nothing_is_inside():
    assert not Comparison(None, (1.0, 2.0)).inside


@pytest.mark.parametrize(("paper", "ours"), [(1.0, ()), (float("nan"), (1.0,)), (1.0, (1.0, float("inf")))])
def test_a_comparison_needs_finite_figures(paper, ours):
    with pytest.raises(InvalidInput, match="leave the cell out"):
        Comparison(paper, ours)


def test_the_summary_counts_only_cells_with_a_figure_in_the_paper():
    inside, below, above = (Comparison(paper, (1.0, 2.0)) for paper in (1.5, 0.5, 2.5))
    nothing = Comparison(None, (1.0,))
    assert summary_of((inside, nothing)) == "The paper's figure lies within our range in 1 of 1 cells."
    assert summary_of((inside, below, above, above)) == (
        "The paper's figure lies within our range in 1 of 4 cells, below it in 1 and above it in 2."
    )
    assert summary_of((nothing,)) == "The paper gives no figure to compare with."
