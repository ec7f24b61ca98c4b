"""What a clustering claims, in worlds where the dissimilarity is known:
limits of its cost, and whose cluster is certain.
"""

import numpy as np
import pytest

from commensurate.applications import CrossGroupKMedoids
from commensurate.applications.clustering.weighted_subset import draw_subset
from commensurate.geometry.metrics import metric_named
from worlds.audit_worlds import Recorder, World, unfitted
from worlds.clustering_worlds import Segments, interval_to_medoids, true_dissimilarity, true_to_medoids

ROUNDING = 1e-9
MODELS = ["naive", "cluster", "budgeted"]


def clustered(name, world, seed, error=0.0, groups="ab", **options):
    est = unfitted(name, seed, answer_error=error)
    if name == "budgeted" and groups == "abc":
        est.set_params(budget=150)
    draw = world.people(40, seed)
    est.fit(draw[0] if isinstance(draw, tuple) else draw, Recorder(world.sigma, error, seed))
    draw = world.people(25, seed + 1000)
    people = draw[0] if isinstance(draw, tuple) else draw
    return est, people, CrossGroupKMedoids(**{"n_clusters": 4, "random_state": seed, **options}).fit(est, people)


def worlds(groups):
    for seed in (0, 1):
        yield seed, World.draw(seed, groups)
        yield seed, Segments.draw(seed, groups)


@pytest.mark.parametrize("representatives", [None, 10])
@pytest.mark.parametrize(("groups", "error"), [("ab", 0.0), ("ab", 0.05), ("abc", 0.0)])
@pytest.mark.parametrize("name", MODELS)
def test_the_true_cost_lies_between_the_limits(name, groups, error, representatives):
    narrowed = 0
    for seed, world in worlds(groups):
        _, people, clusters = clustered(name, world, seed, error, groups, representatives=representatives)
        truth = true_to_medoids(world.sigma, people, clusters.medoids_)
        cost = sum(each[np.arange(len(each)), clusters.labels_[group]].sum() for group, each in truth.items())
        best = sum(each.min(axis=1).sum() for each in truth.values())
        assert clusters.cost_bounds_[0] - ROUNDING <= cost <= clusters.cost_bounds_[1] + ROUNDING
        assert clusters.best_cost_bounds_[0] - ROUNDING <= best <= clusters.best_cost_bounds_[1] + ROUNDING
        assert clusters.cost_bounds_[0] - ROUNDING <= clusters.cost_ <= clusters.cost_bounds_[1] + ROUNDING
        narrowed += clusters.cost_bounds_[0] > 0.25 * cost
    assert narrowed, "a lower limit of 0 claims nothing"


@pytest.mark.parametrize(("groups", "error"), [("ab", 0.0), ("ab", 0.05), ("abc", 0.0)])
@pytest.mark.parametrize("name", MODELS)
def test_a_certain_element_is_nearest_to_its_own_medoid_in_truth(name, groups, error):
    n_across = 0
    for seed, world in worlds(groups):
        _, people, clusters = clustered(name, world, seed, error, groups)
        truth = true_to_medoids(world.sigma, people, clusters.medoids_)
        for group, distances in truth.items():
            certain, labels = clusters.certain_[group], clusters.labels_[group]
            own = distances[np.arange(len(labels)), labels]
            assert (own[certain] <= distances[certain].min(axis=1) + ROUNDING).all()
            n_across += int((clusters.medoids_["group"].to_numpy()[labels[certain]] != group).sum())
    assert n_across, "nothing is claimed of those whose medoid is of another group"


@pytest.mark.parametrize("groups", ["ab", "abc"])
@pytest.mark.parametrize("name", MODELS)
def test_no_function_within_the_intervals_moves_a_certain_element_and_some_function_moves_any_other(name, groups):
    counts = {True: 0, False: 0}
    for seed, world in worlds(groups):
        est, people, clusters = clustered(name, world, seed, groups=groups)
        lower, upper = interval_to_medoids(est, people, clusters.medoids_)
        rng = np.random.default_rng(seed)
        for group in people:
            labels, certain = clusters.labels_[group], clusters.certain_[group]
            every = np.arange(len(labels))
            # the worst for each: its own medoid as far as may be, all others as near as may be
            worst = lower[group].copy()
            worst[every, labels] = upper[group][every, labels]
            others = worst.copy()
            others[every, labels] = np.inf
            stays = worst[every, labels] < others.min(axis=1)
            assert stays[certain].all()
            assert not stays[~certain].any()
            for _ in range(50):
                # any value in each interval, often an end
                part = np.clip(rng.uniform(-0.5, 1.5, lower[group].shape), 0.0, 1.0)
                replaced = lower[group] + part * (upper[group] - lower[group])
                assert (replaced.argmin(axis=1) == labels)[certain].all()
            for kind in counts:
                counts[kind] += int((certain == kind).sum())
    assert min(counts.values()) > 0


@pytest.mark.parametrize("name", MODELS)
def test_new_elements_called_certain_stay_where_they_are_too(name):
    n_certain = 0
    for seed, world in worlds("ab"):
        _, people, clusters = clustered(name, world, seed)
        new = world.people(30, seed + 5000)
        new = new[0] if isinstance(new, tuple) else new
        medoids = {group: people[group] for group in people}
        for group, points in new.items():
            labels, certain = clusters.predict_certain(points, group)
            np.testing.assert_array_equal(labels, clusters.predict(points, group))
            truth = np.stack(
                [
                    world.sigma(points, np.repeat(medoids[m.group][[m.row]], len(points), axis=0), (group, m.group))
                    for m in clusters.medoids_.itertuples()
                ],
                axis=1,
            )
            own = truth[np.arange(len(points)), labels]
            assert (own[certain] <= truth[certain].min(axis=1) + ROUNDING).all()
            n_certain += int(certain.sum())
    assert n_certain > 0


@pytest.mark.parametrize("groups", ["ab", "abc"])
def test_for_any_medoids_representatives_change_the_true_cost_by_no_more_than_their_distances(groups):
    shares = []
    for seed in range(6):
        world = World.draw(seed, groups)
        people, rng = world.people(60, seed), np.random.default_rng(seed)
        truth = true_dissimilarity(world.sigma, people)
        starts = np.cumsum([0, *(len(points) for points in people.values())])
        drawn = [draw_subset(each, metric_named("euclidean", each), 9, rng) for each in people.values()]
        places = np.concatenate([start + each.rows for start, each in zip(starts, drawn)])
        weights = np.concatenate([each.weights for each in drawn])
        bound = sum(each.total_distance for each in drawn)
        for _ in range(40):
            medoids = rng.choice(len(truth), 4, replace=False)
            nearest = truth[:, medoids].min(axis=1)
            change = abs(nearest.sum() - weights @ nearest[places])
            assert change <= bound + ROUNDING
            shares.append(change / bound)
    assert max(shares) > 0.1, "a bound that is never approached tests nothing"


def test_the_bound_is_reached_where_all_elements_are_farther_from_the_medoid_than_their_representative():
    points = np.array([[0.0], [1.0], [2.0], [3.0]])
    found = draw_subset(points, metric_named("euclidean", points), 1, np.random.default_rng(1))
    first = points[found.rows[0], 0]
    to_medoid = np.abs(points[:, 0] - first)
    assert found.total_distance == to_medoid.sum()
    assert abs(to_medoid.sum() - found.weights @ to_medoid[found.rows]) == found.total_distance > 0
