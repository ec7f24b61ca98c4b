"""Clusters across groups: known segments are found again, and whatever is asked for is checked."""

import numpy as np
import pandas as pd
import pytest
import sklearn.exceptions
from sklearn.metrics import adjusted_rand_score

import commensurate as cm
from commensurate.applications import CrossGroupKMedoids, full_dissimilarity
from commensurate.applications.clustering import weighted_subset
from commensurate.errors import InvalidInput, InvalidParameter, NotFittedError, UnknownGroup
from worlds.audit_worlds import Recorder, World, unfitted
from worlds.clustering_worlds import Segments


def segmented(name="naive", groups="ab", seed=0, **options):
    world = Segments.draw(seed, groups)
    est = unfitted(name, seed, **options).fit(world.people(60, seed)[0], world.sigma)
    return est, *world.people(40, seed + 1)


@pytest.mark.parametrize("representatives", [None, 15])
@pytest.mark.parametrize("groups", ["ab", "abc"])
@pytest.mark.parametrize("name", ["naive", "cluster", "budgeted"])
def test_segments_that_all_groups_have_are_found_again(name, groups, representatives):
    est, people, segments = segmented(name, groups, **({"budget": 150} if name == "budgeted" else {}))
    clusters = CrossGroupKMedoids(3, representatives=representatives, random_state=0).fit(est, people)
    found, known = (np.concatenate([by_group[name] for name in people]) for by_group in (clusters.labels_, segments))
    assert adjusted_rand_score(known, found) > 0.95


def test_everybody_is_with_the_nearest_medoid_and_medoids_with_themselves():
    est, people, _ = segmented("cluster", "abc")
    clusters = CrossGroupKMedoids(5, random_state=0).fit(est, people)
    table = clusters.distances_to_medoids()
    assert list(table) == ["group", "row", "cluster", "estimate", "lower", "upper"]
    assert (table["lower"] <= table["estimate"]).all()
    assert (table["estimate"] <= table["upper"]).all()
    nearest = table.loc[table.groupby(["group", "row"], sort=False)["estimate"].idxmin()]
    for group, part in nearest.groupby("group"):
        np.testing.assert_array_equal(part["cluster"], clusters.labels_[group])
    assert clusters.cost_ == pytest.approx(nearest["estimate"].sum())
    for cluster, medoid in clusters.medoids_.iterrows():
        assert clusters.labels_[medoid["group"]][medoid["row"]] == cluster


def test_assignments_have_the_line_of_everybodys_own_medoid():
    est, people, _ = segmented("cluster", "abc")
    clusters = CrossGroupKMedoids(5, random_state=0).fit(est, people)
    found, every = clusters.assignments(), clusters.distances_to_medoids()
    assert list(found) == ["group", "row", "cluster", "medoid", "certain", "estimate", "lower", "upper"]
    own = found[["group", "row", "cluster"]].merge(every)
    pd.testing.assert_frame_equal(own, found.drop(columns=["medoid", "certain"]))
    pd.testing.assert_frame_equal(
        found.loc[found["medoid"], ["group", "row"]].reset_index(drop=True), clusters.medoids_
    )
    np.testing.assert_array_equal(found["certain"], np.concatenate(list(clusters.certain_.values())))


def test_medoids_that_coincide_each_have_a_cluster_of_their_own_for_certain():
    points = {"a": [[0.0], [0.0], [5.0]], "b": [[0.0], [0.0]]}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    est.fit(points, lambda left, right, between: abs(left - right)[:, 0])
    clusters = CrossGroupKMedoids(4, random_state=0).fit(est, points)
    for cluster, (group, row) in enumerate(clusters.medoids_.itertuples(index=False)):
        assert clusters.labels_[group][row] == cluster
        assert clusters.certain_[group][row]
    assert clusters.cost_ == 0.0
    assert clusters.cost_bounds_ == clusters.best_cost_bounds_ == (0.0, 0.0)
    found = clusters.assignments()
    assert found["medoid"].sum() == 4
    # the fifth element is at three medoids at once
    assert not found["certain"][~found["medoid"]].any()


def test_a_tie_at_0_that_is_broken_by_rounding_is_a_tie():
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    est.fit({"a": [[0.1]], "b": [[-0.2]]}, lambda left, right, between: abs(left - right)[:, 0])
    clusters = CrossGroupKMedoids(2, random_state=0).fit(est, {"a": [[0.0]], "b": [[0.0]]})
    lower = clusters.distances_to_medoids()["lower"].max()
    assert 0.0 < lower < 1e-15, "rounding, or nothing is tried here"
    for group in "ab":
        # an element like the medoid, but none
        assert not clusters.predict_certain([[0.0]], group)[1][0]


def test_the_table_has_the_estimates_and_intervals_of_the_model():
    est, people, _ = segmented("cluster")
    clusters = CrossGroupKMedoids(4, random_state=0).fit(est, people)
    for row in clusters.distances_to_medoids().sample(40, random_state=0).itertuples():
        medoid = clusters.medoids_.loc[row.cluster]
        pair = people[row.group][[row.row]], people[medoid["group"]][[medoid["row"]]]
        between = (row.group, medoid["group"])
        lower, upper = est.predict_interval(*pair, between)
        assert (row.lower, row.upper) == (pytest.approx(lower[0]), pytest.approx(upper[0]))
        assert row.estimate == pytest.approx(np.clip(est.predict(*pair, between)[0], lower[0], upper[0]))


def test_the_same_rows_are_predicted_where_they_were_put():
    est, people, _ = segmented("naive", "abc")
    clusters = CrossGroupKMedoids(4, random_state=1).fit(est, people)
    for group, points in people.items():
        labels, certain = clusters.predict_certain(points, group)
        np.testing.assert_array_equal(labels, clusters.labels_[group])
        np.testing.assert_array_equal(certain, clusters.certain_[group])
        np.testing.assert_array_equal(clusters.predict(points[:5], group), labels[:5])


def test_a_group_without_elements_in_the_data_can_be_predicted():
    est, people, segments = segmented("naive", "abc")
    clusters = CrossGroupKMedoids(3, random_state=0).fit(est, {"a": people["a"], "b": people["b"]})
    assert set(clusters.labels_) == {"a", "b"}
    assert adjusted_rand_score(segments["c"], clusters.predict(people["c"], "c")) > 0.9


def test_a_seed_gives_the_same_clusters():
    world = World.draw(0)
    est = unfitted("naive").fit(world.people(40, 0), world.sigma)
    people = world.people(60, 1)
    options = {"n_clusters": 6, "representatives": 12, "n_init": 1}
    one, other = (CrossGroupKMedoids(**options, random_state=7).fit(est, people) for _ in range(2))
    pd.testing.assert_frame_equal(one.medoids_, other.medoids_)
    assert one.cost_ == other.cost_
    seeds = {CrossGroupKMedoids(**options, random_state=seed).fit(est, people).cost_ for seed in range(5)}
    assert len(seeds) > 1


def test_without_representatives_nothing_is_lost_and_with_all_elements_for_them_neither():
    est, people, _ = segmented()
    exact = CrossGroupKMedoids(3, random_state=0).fit(est, people)
    assert exact.representation_cost_ == 0.0
    every = CrossGroupKMedoids(3, representatives=1000, random_state=0).fit(est, people)
    assert every.representation_cost_ == 0.0
    assert every.cost_ == exact.cost_


def test_many_elements_are_clustered_by_representatives(monkeypatch):
    est, people, _ = segmented()
    monkeypatch.setattr(weighted_subset, "EXACT_UP_TO", 50)
    monkeypatch.setattr(weighted_subset, "REPRESENTATIVES_OF_A_GROUP", 10)
    clusters = CrossGroupKMedoids(3, random_state=0).fit(est, people)
    distances = 0.0
    drawn = weighted_subset.choose_subsets(clusters.records_, None, np.random.default_rng(0))
    for group, each in drawn.items():
        assert len(each.rows) == 10
        assert each.weights.sum() == len(people[group])
        gaps = np.linalg.norm(people[group][:, None] - people[group][each.rows], axis=2)
        distances += gaps.min(axis=1).sum()
        ours = clusters.medoids_.loc[clusters.medoids_["group"] == group, "row"]
        assert set(ours) <= set(each.rows.tolist())
    assert clusters.representation_cost_ == pytest.approx(distances)
    assert {group: len(labels) for group, labels in clusters.labels_.items()} == {"a": 40, "b": 43}


def test_no_other_representative_would_be_a_better_medoid_for_the_elements_that_each_counts_for():
    world = World.draw(0)
    est = unfitted("naive").fit(world.people(40, 0), world.sigma)
    people = world.people(150, 1)
    for seed in range(5):
        clusters = CrossGroupKMedoids(4, representatives=9, n_init=1, random_state=seed).fit(est, people)
        drawn = weighted_subset.choose_subsets(clusters.records_, 9, np.random.default_rng(seed))
        weights = np.concatenate([each.weights for each in drawn.values()])
        matrix, index = full_dissimilarity(est, {name: people[name][each.rows] for name, each in drawn.items()})
        index["row"] = np.concatenate([each.rows for each in drawn.values()])
        medoids = index.reset_index().merge(clusters.medoids_)["index"].to_numpy()
        assert len(medoids) == 4
        cost = weights @ matrix[:, medoids].min(axis=1)
        for place in range(4):
            for other in range(len(weights)):
                swapped = np.concatenate([np.delete(medoids, place), [other]])
                assert weights @ matrix[:, swapped].min(axis=1) >= cost - 1e-9


def test_calibrated_intervals_and_mere_estimates_are_possible():
    est, people, _ = segmented("budgeted", budget=100, answer_error="noise")
    with pytest.raises(InvalidParameter, match="need a bound on the error of an answer"):
        CrossGroupKMedoids(3, interval="certified", random_state=0).fit(est, people)
    assert CrossGroupKMedoids(3, random_state=0).fit(est, people).interval_ == "calibrated"
    calibrated = CrossGroupKMedoids(3, interval="calibrated", confidence_level=0.8, random_state=0).fit(est, people)
    estimate = CrossGroupKMedoids(3, interval="estimate", random_state=0).fit(est, people)
    assert estimate.cost_bounds_ == (estimate.cost_, estimate.cost_)
    assert all(flags.all() for flags in estimate.certain_.values())
    assert calibrated.cost_bounds_[0] < calibrated.cost_ < calibrated.cost_bounds_[1]


def test_tables_are_encoded_as_when_fitted():
    rng = np.random.default_rng(0)
    tables = {
        "a": pd.DataFrame({"income": rng.random(40), "job": rng.choice(["x", "y"], 40)}),
        "b": pd.DataFrame({"spending": rng.random(30)}),
    }
    groups = [cm.Group(name, table, metric="gower") for name, table in tables.items()]
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.3, random_state=0)
    est.fit(groups, lambda left, right, between: np.abs(left[:, 0] - right[:, 0]) / 3)
    clusters = CrossGroupKMedoids(3, random_state=0).fit(est, tables)
    np.testing.assert_array_equal(clusters.predict(tables["a"], "a"), clusters.labels_["a"])


def test_precomputed_distances_go_by_row_numbers():
    world = World.draw(3)
    people = world.people(30, 3)
    gaps = np.linalg.norm(people["a"][:, None] - people["a"], axis=2)

    def sigma(left, right, between):
        return world.sigma(people["a"][left], right, between)

    est = unfitted("naive").fit([cm.Group("a", gaps, metric="precomputed"), cm.Group("b", people["b"])], sigma)
    clusters = CrossGroupKMedoids(4, random_state=0).fit(est, {"a": np.arange(20), "b": people["b"]})
    np.testing.assert_array_equal(clusters.predict(np.arange(20), "a"), clusters.labels_["a"])
    assert len(clusters.next_questions(3)) == 3


def test_one_group_alone_is_clustered_by_its_distances():
    est, people, segments = segmented()
    clusters = CrossGroupKMedoids(3, random_state=0).fit(est, {"b": people["b"]})
    assert adjusted_rand_score(segments["b"], clusters.labels_["b"]) > 0.95
    assert clusters.certain_["b"].all()
    assert clusters.cost_bounds_ == (clusters.cost_, clusters.cost_)


def test_one_cluster_is_always_certain():
    est, people, _ = segmented()
    clusters = CrossGroupKMedoids(1).fit(est, people)
    assert all(flags.all() for flags in clusters.certain_.values())
    assert len(clusters.next_questions()) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number, at least 1, got 0"),
        ({"n_clusters": -1}, "n_clusters must be a whole number, at least 1, got -1"),
        ({"n_clusters": True}, "n_clusters must be a whole number, at least 1, got True"),
        ({"n_clusters": 84}, "at most the number of records, or of representatives, 83, got 84"),
        ({"n_clusters": 2.5}, "n_clusters must be a whole number"),
        ({"n_init": 0}, "n_init must be a whole number, at least 1"),
        ({"max_iter": 0}, "max_iter must be a whole number, at least 1"),
        ({"representatives": 0}, "representatives must be at least 1 per group"),
        ({"representatives": 1}, "or of representatives, 2, got 8"),
        ({"interval": "proxy"}, "interval must be one of"),
        ({"interval": "calibrated"}, "holds none out"),
        ({"confidence_level": 95}, "confidence_level must lie strictly"),
        ({"random_state": "x"}, "random_state must be"),
    ],
)
def test_parameters_are_checked_when_fitted(options, message):
    est, people, _ = segmented()
    with pytest.raises(InvalidParameter, match=message):
        CrossGroupKMedoids(**options).fit(est, people)


@pytest.mark.parametrize("model", [None, {}, "model.cmz", CrossGroupKMedoids(2)])
def test_what_is_no_model_is_refused(model):
    with pytest.raises(
        InvalidParameter, match=f"model must be a fitted or loaded NaiveSimilarity.* got {type(model).__name__}"
    ):
        CrossGroupKMedoids(2).fit(model, {"a": [[0.0]], "b": [[0.0]]})


def test_a_model_that_is_not_fitted_says_so():
    with pytest.raises(NotFittedError, match="NaiveSimilarity is not fitted yet"):
        CrossGroupKMedoids(2).fit(unfitted("naive"), {"a": [[0.0]], "b": [[0.0]]})


def test_a_dissimilarity_that_differs_by_who_is_named_first_is_refused():
    world = World.draw(0, "ab", symmetric=False)
    est = unfitted("naive", symmetric=False).fit(world.people(20, 0), world.sigma)
    with pytest.raises(InvalidParameter, match="symmetric=False"):
        CrossGroupKMedoids(3).fit(est, world.people(20, 0))


def test_more_representatives_than_a_matrix_may_have_are_refused(monkeypatch):
    est, people, _ = segmented()
    monkeypatch.setattr(weighted_subset, "MOST_ELEMENTS", 40)
    with pytest.raises(InvalidParameter, match="got 30 per group, 60 in all"):
        CrossGroupKMedoids(3, representatives=30).fit(est, people)


def test_what_is_not_fitted_or_not_known_is_said():
    est, people, _ = segmented()
    for use in (
        lambda it: it.predict([[0.0, 0.0]], "a"),
        lambda it: it.next_questions(),
        lambda it: it.distances_to_medoids(),
        lambda it: it.narrow(pd.DataFrame()),
    ):
        with pytest.raises(NotFittedError, match="not fitted yet") as raised:
            use(CrossGroupKMedoids(3))
        assert isinstance(raised.value, sklearn.exceptions.NotFittedError)
    clusters = CrossGroupKMedoids(3, random_state=0).fit(est, people)
    with pytest.raises(UnknownGroup, match="unknown group 'z'"):
        clusters.predict(people["a"], "z")
    with pytest.raises(InvalidInput, match="dict by group"):
        CrossGroupKMedoids(3).fit(est, people["a"])


def test_parameters_are_stored_as_given():
    assert CrossGroupKMedoids(3, n_init=2).get_params()["n_init"] == 2
    assert repr(CrossGroupKMedoids(3)) == "CrossGroupKMedoids(n_clusters=3)"


def test_an_oracle_that_is_asked_on_demand_is_asked_for_what_is_missing():
    world = World.draw(2)
    oracle = Recorder(world.sigma)
    est = unfitted("naive", ask="on_demand").fit(world.people(30, 2), oracle)
    assert est.n_questions_ == 0
    clusters = CrossGroupKMedoids(3, random_state=0).fit(est, world.people(10, 3))
    assert est.n_questions_ > 0
    assert clusters.cost_bounds_[1] < np.inf
