"""Which kind of answer tells the most in the same time."""

import pytest

from commensurate.errors import InvalidParameter
from commensurate.learning.forecasting.kinds import compare_kinds


def worth(found):
    return {one.kind: one.worth / one.answers for one in found.kinds}


def test_an_answer_is_worth_what_theory_says():
    # five grades at percepts of half the spread, and a ruler as noisy as σ at the estimate
    found = worth(compare_kinds(60, noise=0.5))
    assert found["grades"] == pytest.approx(0.72, abs=0.04)
    assert found["comparisons"] == pytest.approx(0.318, abs=0.002)
    assert found["numbers"] == 1.0
    assert worth(compare_kinds(60, noise=0.1))["grades"] == pytest.approx(0.24, abs=0.03)


def test_more_grades_are_worth_more_and_never_more_than_numbers():
    found = [worth(compare_kinds(60, grades=grades))["grades"] for grades in (2, 3, 5, 9, 50)]
    assert found == sorted(found)
    assert found[-1] < 1.0


def test_the_kind_that_tells_most_comes_first_and_depends_on_the_seconds():
    assert compare_kinds(60).kinds[0].kind == "grades"
    slow = compare_kinds(60, seconds={"numbers": 5.0, "grades": 5.0, "comparisons": 5.0})
    assert [one.kind for one in slow.kinds] == ["numbers", "grades", "comparisons"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"minutes": 0}, "minutes must be"),
        ({"minutes": 60, "noise": -1.0}, "noise must be"),
        ({"minutes": 60, "grades": 1}, "grades must be at least 2"),
        ({"minutes": 60, "seconds": {"words": 3.0}}, "got 'words'"),
        ({"minutes": 60, "seconds": {"grades": 0.0}}, "seconds of grades must be"),
    ],
)
def test_what_cannot_be_compared_is_told(options, told):
    with pytest.raises(InvalidParameter, match=told):
        compare_kinds(**options)
