"""The chart of shares, the scale of L, and shares in words."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from commensurate.applications.fairness.lipschitz import LipschitzRange
from commensurate.report.audit.charts import draw_passing, draw_violated_shares
from commensurate.report.svg.figure_files import svg_of
from commensurate.wording import limits_of_share, share_in_words
from worlds.small_audit import small_audit


def bars(axes):
    return [(round(bar.get_x(), 6), round(bar.get_width(), 6)) for bar in axes.patches]


def test_the_undecided_part_follows_the_violated_one():
    (axes,) = draw_violated_shares({"": small_audit().shares}).axes
    assert bars(axes)[:2] == [(0.0, round(1 / 3, 6)), (round(1 / 3, 6), round(1 / 3, 6))]


def test_the_limits_are_drawn_over_the_bars():
    (axes,) = draw_violated_shares({"": small_audit().shares}).axes
    assert [list(line.get_xdata()) for line in axes.lines] == [[0.01, 0.95], [1.0, 1.0], [0.0, 0.0]]


def test_every_bar_has_its_groups_and_its_numbers_beside_it():
    (axes,) = draw_violated_shares({"": small_audit().shares}).axes
    words = [text.get_text() for text in axes.texts]
    assert words[:2] == ["a × b", "33.3 % violated, 33.3 % undecided; 1 % to 95 % of all 4 pairs"]
    assert words[2:4] == ["within a", "100 % violated, 0 % undecided; every pair was compared"]


def test_before_and_after_are_on_one_scale():
    audit = small_audit()
    before, after = draw_violated_shares({"before": audit.shares, "after": audit.shares.assign(share_upper=0.001)}).axes
    assert before.get_xlim() == after.get_xlim()
    assert [axes.get_title(loc="left") for axes in (before, after)] == ["before", "after"]


def test_groups_of_one_person_have_no_pairs_and_an_empty_bar():
    shares = small_audit().shares.assign(n_pairs=0, violated=0, undecided=0, share_lower=0.0, share_upper=1.0)
    (axes,) = draw_violated_shares({"": shares}).axes
    assert bars(axes) == [(0.0, 0.0)] * 6
    assert axes.texts[1].get_text() == "no pair was compared"


@given(st.integers(0, 1000), st.integers(1, 1000))
def test_a_share_is_nothing_or_all_in_words_only_if_it_is(count, more):
    total = count + more
    assert (share_in_words(count, total) == "0 %") == (count == 0)
    assert share_in_words(count, total) != "100 %"
    assert share_in_words(total, total) == "100 %"


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_limits_are_rounded_outwards(one, other):
    lower, upper = sorted((one, other))
    assume(lower < upper)
    numbers = [float(part.removesuffix(" %")) / 100 for part in limits_of_share(lower, upper).split(" to ")]
    assert numbers[0] <= lower + 1e-9
    assert upper - 1e-9 <= numbers[-1]
    assert numbers[-1] <= 1.0


def test_a_share_that_is_known_is_one_number():
    assert limits_of_share(1 / 3, 1 / 3) == "33.33 %"


@pytest.mark.parametrize(
    ("passing", "names"),
    [
        ((0.5, 2.0), ["fails", "undecided", "passes"]),
        ((0.5, float("inf")), ["fails", "undecided"]),
        ((2.0, 2.0), ["fails", "passes"]),
        ((0.0, 0.0), ["passes"]),
        ((float("inf"), float("inf")), ["fails"]),
    ],
)
def test_the_scale_of_l_names_the_parts_that_there_are(passing, names):
    figure = draw_passing(LipschitzRange(*passing, True), 1.0, "which L passes")
    assert [text.get_text() for text in figure.axes[0].texts] == [*names, "audited: L = 1"]
    assert "which L passes" in svg_of(figure)
