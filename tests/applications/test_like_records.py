"""Records that go by while they are predicted are compared with those that a model rests on."""

from pathlib import Path

import numpy as np
import pytest

from commensurate.applications.like_records import PassingRecords, compare_files, compare_groups
from commensurate.applications.record_points import record_points
from commensurate.learning.compared_records import MOST_COMPARED
from worlds import few_answers

POINTS = np.random.default_rng(5).random((4 * MOST_COMPARED, 2))


@pytest.fixture(scope="module")
def model():
    return few_answers.budgeted(answer_error="auto").fit(few_answers.POINTS, few_answers.sigma)


def passed(parts):
    passing = PassingRecords(Path("a.csv"), "a")
    for part in parts:
        passing.see(part)
    return passing


def test_the_parts_in_which_records_go_by_do_not_matter(model):
    whole, parts = passed([POINTS]), passed(np.array_split(POINTS, 7))
    assert whole.compared(model, 0.01) == parts.compared(model, 0.01)
    assert whole.compared(model, 0.01).found.n_new == len(POINTS)


def test_a_record_in_several_pairs_counts_once(model):
    passing = PassingRecords(Path("a.csv"), "a")
    for rows in ([3, 3, 5], [5, 3, 8]):
        passing.see_rows(POINTS, np.array(rows))
    assert passing.compared(model, 0.01).found.n_new == 3


def test_a_file_without_records_is_not_compared(model):
    assert compare_files(model, ("a", "b"), (passed([]), passed([]))) == ()


def test_all_groups_together_have_the_false_alarms_of_one(model):
    compared = compare_groups(model, record_points(model, {"a": few_answers.A, "b": few_answers.B}), 0.02)
    assert [each.false_alarms for each in compared] == [0.01, 0.01]
