"""What an answer says: numbers and ranges in every form, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import commensurate as cm
from commensurate.asking.questions import listed_answers
from commensurate.asking.said import Said, read_said
from commensurate.errors import InvalidAnswer
from worlds.few_answers import POINTS

ends = st.floats(min_value=0.0, max_value=1e6, allow_nan=False)


@given(ends, ends)
def test_what_is_written_is_read_again_to_the_last_digit(one, other):
    lower, upper = min(one, other), max(one, other)
    assert read_said(str(Said(lower, upper)), "the answer") == Said(lower, upper)
    if upper > 0.0:
        assert read_said(str(Said(upper, math.inf)), "the answer") == Said(upper, math.inf)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.4", Said(0.4, 0.4)),
        (" 1e-3 ", Said(1e-3, 1e-3)),
        ("0.2 .. 0.5", Said(0.2, 0.5)),
        ("<= 0.5", Said(0.0, 0.5)),
        ("≤0.5", Said(0.0, 0.5)),
        (">=.5", Said(0.5, math.inf)),
        ("≥2", Said(2.0, math.inf)),
        ("1..2.5", Said(1.0, 2.5)),
        (-0.0, Said(0.0, 0.0)),
        (Said(0.1, 0.2), Said(0.1, 0.2)),
        ("", None),
        (None, None),
        (float("nan"), None),
    ],
)
def test_every_form_is_read(text, said):
    assert read_said(text, "the answer") == said


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0.5..0.2", "from a number of at least 0 to one that is not smaller, got 0.5 to 0.2"),
        (">=0", "says nothing"),
        ("-1", "finite number, at least 0"),
        ("far", "or a range such as 0.2..0.5"),
        ("<=-0.5", "finite number, at least 0"),
        ("inf", "finite number"),
        ([0.1, 0.2], "finite number"),
    ],
)
def test_what_is_no_answer_is_refused_with_its_place(text, told):
    with pytest.raises(InvalidAnswer, match=f"^row 7 .*{told}"):
        read_said(text, "row 7")


def test_an_answer_is_a_number_or_a_range_and_never_both():
    assert cm.Answer("q", at_least=0.2, at_most=0.5).said == Said(0.2, 0.5)
    with pytest.raises(InvalidAnswer, match="a number or a range, got both"):
        _ = cm.Answer("q", 0.3, at_most=0.5).said
    with pytest.raises(InvalidAnswer, match="not smaller, got 0.6 to 0.5"):
        _ = cm.Answer("q", at_least=0.6, at_most=0.5).said


def test_only_a_ruler_narrows_a_range():
    grade = Said(0.2, 0.5)
    assert grade.narrowed_by(Said(0.3, math.inf, beside_ruler=True)) == Said(0.3, 0.5)
    # the same grade again is a second answer, and so is a ruler that says nothing new, or something else
    assert grade.narrowed_by(grade) is None
    assert grade.narrowed_by(Said(0.0, 0.6, beside_ruler=True)) is None
    assert grade.narrowed_by(Said(0.6, math.inf, beside_ruler=True)) is None
    assert Said(0.3, 0.3).narrowed_by(Said(0.0, 0.3, beside_ruler=True)) is None


def test_answers_in_every_form_say_the_same():
    as_text = listed_answers({"q": "0.2..0.5"})
    assert as_text == listed_answers([cm.Answer("q", at_least=0.2, at_most=0.5)]) == [("q", Said(0.2, 0.5))]


def test_naive_and_cluster_need_numbers_and_name_the_pair():
    with pytest.raises(InvalidAnswer, match="element .* must be one number here, got 0.1..0.2"):
        cm.NaiveSimilarity(epsilon=0.5, delta=0.3, random_state=0).fit(
            POINTS, oracle=lambda left, right, between: np.tile([0.1, 0.2], (len(left), 1))
        )


@pytest.mark.parametrize("ends", [(0.5, 0.2), (-0.1, 0.2), (0.0, math.inf), (math.nan, 0.2), (math.inf, math.inf)])
def test_an_oracle_that_returns_no_range_is_refused_and_nothing_is_kept(ends):
    est = cm.BudgetedSimilarity(budget=10, learner="gp", random_state=0)
    with pytest.raises(InvalidAnswer, match="ranges from a lower to an upper end, got"):
        est.fit(POINTS, oracle=lambda left, right, between: np.tile(ends, (len(left), 1)))
    with pytest.raises(cm.errors.NotFittedError):
        est.predict([[0.0, 0.0]], [[0.0, 0.0, 0.0]])
