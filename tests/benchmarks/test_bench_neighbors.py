"""The benchmark of retrieval and matching runs, on few people, and finds what comparing every pair finds."""

from benchmarks.bench_neighbors import K, Size, measure


def test_the_benchmark_of_neighbours_finds_those_that_comparing_every_pair_finds():
    found = measure(Size(people=200, compared=40, delta=0.1))
    assert found["neighbours"] == 200 * K
    assert found["beside every pair"]["notes"]["identical estimates"]
    matching = found["matching"]
    assert matching["a side"] == 40
    low, high = matching["optimum bounds"]
    assert low <= high
