"""The benchmark of the audit runs, on few people, and finds what looking at every pair finds."""

from benchmarks.bench_audit import GOAL_SECONDS, Size, measure


def test_the_benchmark_of_the_audit_finds_the_same_worst_pairs_as_looking_at_every_pair():
    found = measure(Size(people=200, compared=40, delta=0.1))
    # across, and within either group
    assert found["pairs"] == 200 * 200 + 2 * (200 * 199 // 2)
    assert found["listed"] > 0
    assert found["worst excess"] > 0.0
    assert set(GOAL_SECONDS) < set(found["seconds"])
    assert set(found["steep"]["seconds"]) == set(found["seconds"])
    beside = found["beside every pair"]
    assert beside["pairs"] == 40 * 40 + 2 * (40 * 39 // 2)
    assert beside["same worst pairs"]
