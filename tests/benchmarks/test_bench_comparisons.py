"""The benchmark of comparisons runs, and its committed figures are those that it finds."""

import json

from benchmarks.bench_comparisons import (
    HALF_WIDTH,
    HARD,
    RESULTS,
    generated_parts,
    measured_hard,
    measured_noise,
    measured_world,
)

COMMITTED = json.loads(RESULTS.read_text(encoding="utf-8"))


def test_in_the_hard_world_the_committed_counts_are_found_again():
    assert [measured_hard(error) for error in HARD] == COMMITTED["hard"]


def test_one_world_is_measured_as_it_was():
    committed = [one for one in COMMITTED["worlds"] if (one["columns"], one["family"], one["draw"]) == (1, "merit", 0)]
    found = measured_world(1, "merit", 0)
    assert [{**one, "seconds": 0.0} for one in found] == [{**one, "seconds": 0.0} for one in committed]


def test_all_intervals_held_and_no_answer_was_off_by_more_than_was_wanted():
    assert {one["intervals that hold"] for one in COMMITTED["worlds"]} == {1.0}
    assert max(one["answer error"] for one in COMMITTED["worlds"]) <= HALF_WIDTH * (1.0 + 1e-9)


def test_worlds_of_one_or_two_columns_take_no_more_comparisons_than_was_aimed_at():
    for columns, aim in ((1, 0.5), (2, 1.5)):
        some = [one for one in COMMITTED["worlds"] if one["columns"] == columns and one["algorithm"] == "CLUSTER"]
        assert sum(one["comparisons"] / one["numbers"] for one in some) / len(some) <= aim


def test_larger_errors_take_more_comparisons():
    assert measured_noise(0.02, 20)["comparisons"] < measured_noise(0.1, 20)["comparisons"]
    assert set(generated_parts(COMMITTED)) == {
        "comparisons",
        "fewest comparisons",
        "comparisons that err",
        "worth of answers",
    }
