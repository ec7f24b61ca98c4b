"""The questions that a clustering proposes settle as many elements as it says, and no others settle more."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications import CrossGroupKMedoids
from commensurate.applications.clustering import next_questions
from commensurate.errors import InconsistentAnswers, InvalidParameter
from worlds.audit_worlds import Recorder, World, unfitted
from worlds.clustering_worlds import interval_to_medoids

COLUMNS = ["left_group", "left", "right_group", "right", "settles", "rules_out"]


def clustered(name="naive", groups="ab", seed=0, n=10, k=3, **options):
    world = World.draw(seed, groups)
    est = unfitted(name, seed, **options).fit(world.people(40, seed), Recorder(world.sigma))
    people = world.people(n, seed + 9)
    return est, people, world, CrossGroupKMedoids(k, random_state=seed).fit(est, people)


def possible(lower, upper, medoids):
    """By group and element, the clusters that it may belong to: by definition."""
    may = {
        (group, row): {c for c in range(lower[group].shape[1]) if lower[group][row, c] <= upper[group][row].min()}
        for group in lower
        for row in range(len(lower[group]))
    }
    return may | {(m.group, m.row): {c} for c, m in enumerate(medoids.itertuples())}


def narrowed(lower, upper, question, value, people, medoids):
    """The bounds after an answer, by M1 and M2, element by element."""
    lower, upper = ({group: ends.copy() for group, ends in each.items()} for each in (lower, upper))
    ends = {question["left_group"]: question["left"], question["right_group"]: question["right"]}
    for group in ends:
        for row, x in enumerate(people[group]):
            for c, m in enumerate(medoids.itertuples()):
                if m.group in ends and m.group != group:
                    way = np.linalg.norm(x - people[group][ends[group]])
                    way += np.linalg.norm(people[m.group][m.row] - people[m.group][ends[m.group]])
                    lower[group][row, c] = max(lower[group][row, c], value - way)
                    upper[group][row, c] = min(upper[group][row, c], value + way)
    return lower, upper


def gain(before, after):
    settled = sum(len(after[x]) == 1 < len(before[x]) for x in before)
    return settled, sum(len(before[x]) - len(after[x]) for x in before)


@pytest.mark.parametrize("groups", ["ab", "abc"])
@pytest.mark.parametrize("name", ["naive", "cluster"])
def test_each_question_settles_most_of_what_those_before_it_left(name, groups):
    est, people, _, clusters = clustered(name, groups, seed=3)
    medoids = clusters.medoids_
    lower, upper = interval_to_medoids(est, people, medoids)
    now = possible(lower, upper, medoids)
    questions = [
        {"left_group": group, "left": row, "right_group": medoids["group"][c], "right": medoids["row"][c], "c": c}
        for (group, row), clusters_left in now.items()
        for c in range(len(medoids))
        if group != medoids["group"][c]
        and (
            (len(clusters_left) > 1 and c in clusters_left)
            or ((medoids["group"] == group) & (medoids["row"] == row)).any()
        )
    ]
    assert 10 < len(questions) < next_questions.CANDIDATES, "all may be asked about, or the plain way is another"
    asked = clusters.next_questions(4)
    assert list(asked) == COLUMNS
    assert asked["settles"].iloc[0] > 0
    for row in asked.to_dict("records"):
        gains, chosen = [], None
        for question in questions:
            group, x, c = question["left_group"], question["left"], question["c"]
            pair = people[group][[x]], people[question["right_group"]][[question["right"]]]
            bounds = est.predict_interval(*pair, (group, question["right_group"]))
            value = np.clip(est.predict(*pair, (group, question["right_group"]))[0], bounds[0][0], bounds[1][0])
            value = np.clip(value, lower[group][x, c], upper[group][x, c])
            after = narrowed(lower, upper, question, value, people, medoids)
            gains.append(gain(now, possible(*after, medoids)))
            names = {(group, x), (question["right_group"], question["right"])}
            if names == {(row["left_group"], row["left"]), (row["right_group"], row["right"])}:
                chosen = after, gains[-1]
        assert chosen is not None
        assert (row["settles"], row["rules_out"]) == chosen[1] == max(gains)
        lower, upper = chosen[0]
        now = possible(lower, upper, medoids)


def constant_world(answer_error=0.0):
    """σ is the same for everybody, so that estimates are right; the certified intervals do not know."""
    rng = np.random.default_rng(1)
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.5, random_state=0, answer_error=answer_error)
    est.fit({"a": rng.random((10, 2)), "b": rng.random((10, 2))}, lambda left, right, between: np.full(len(left), 0.5))
    return est, {"a": rng.random((20, 2)), "b": rng.random((20, 2))}


def n_uncertain(clusters):
    return sum(int((~flags).sum()) for flags in clusters.certain_.values())


@pytest.mark.parametrize("answer_error", [0.0, 0.05])
def test_answers_settle_as_many_elements_as_was_said_where_the_estimates_are_right(answer_error):
    est, people = constant_world(answer_error)
    clusters = CrossGroupKMedoids(4, random_state=0).fit(est, people)
    before, limits = n_uncertain(clusters), clusters.cost_bounds_
    asked = clusters.next_questions(5)
    assert len(asked) == 5
    medoids = clusters.medoids_
    # two parts one after the other narrow as all at once
    clusters.narrow(asked[:2].assign(answer=0.5)).narrow(asked[2:].assign(answer=0.5))
    assert before - n_uncertain(clusters) == asked["settles"].sum() > 0
    assert limits[0] <= clusters.cost_bounds_[0] <= clusters.cost_bounds_[1] <= limits[1]
    pd.testing.assert_frame_equal(clusters.medoids_, medoids)


def test_answers_may_be_about_groups_named_either_way_round():
    est, people = constant_world()
    turned = {"left_group": "right_group", "left": "right", "right_group": "left_group", "right": "left"}
    one, other = (CrossGroupKMedoids(4, random_state=0).fit(est, people) for _ in range(2))
    asked = one.next_questions(5).assign(answer=0.5)
    one.narrow(asked)
    other.narrow(asked.rename(columns=turned))
    for group in people:
        np.testing.assert_array_equal(one.certain_[group], other.certain_[group])


def test_true_answers_keep_what_was_certain():
    _, people, world, clusters = clustered("budgeted", "abc", seed=2, n=15, budget=150)
    certain = {group: flags.copy() for group, flags in clusters.certain_.items()}
    labels = {group: of.copy() for group, of in clusters.labels_.items()}
    before = n_uncertain(clusters)
    asked = clusters.next_questions(8)
    answers = [
        world.sigma(people[q.left_group][[q.left]], people[q.right_group][[q.right]], (q.left_group, q.right_group))[0]
        for q in asked.itertuples()
    ]
    clusters.narrow(asked.assign(answer=answers))
    assert n_uncertain(clusters) < before
    for group, flags in certain.items():
        assert clusters.certain_[group][flags].all()
        np.testing.assert_array_equal(clusters.labels_[group][flags], labels[group][flags])


def test_an_answer_that_contradicts_the_others_changes_nothing():
    est, people = constant_world()
    clusters = CrossGroupKMedoids(4, random_state=0).fit(est, people)
    asked, limits = clusters.next_questions(1), clusters.cost_bounds_
    with pytest.raises(InconsistentAnswers):
        clusters.narrow(asked.assign(answer=9.0))
    clusters.narrow(asked.assign(answer=np.nan))
    assert clusters.cost_bounds_ == limits


def test_only_certified_intervals_are_narrowed():
    est, people = constant_world()
    clusters = CrossGroupKMedoids(4, random_state=0).fit(est, people)
    asked = clusters.next_questions(1).assign(answer=0.5)
    with pytest.raises(InvalidParameter, match="narrow only certified intervals"):
        CrossGroupKMedoids(4, interval="estimate", random_state=0).fit(est, people).narrow(asked)


def test_numbers_are_extrapolated_where_not_all_uncertain_elements_are_looked_at(monkeypatch):
    _, _, _, clusters = clustered("naive", n=60, k=4)
    whole = clusters.next_questions(1)["rules_out"].iloc[0]
    monkeypatch.setattr(next_questions, "JUDGED_ELEMENTS", n_uncertain(clusters) // 2)
    halves = [clusters.next_questions(1, random_state=seed)["rules_out"].iloc[0] for seed in range(5)]
    assert 0.5 * whole < np.mean(halves) < 1.5 * whole


def test_nothing_is_asked_where_everything_is_certain_or_nothing_wanted():
    est, people, _, clusters = clustered()
    assert len(clusters.next_questions(0)) == 0
    asked = CrossGroupKMedoids(3, random_state=0).fit(est, {"a": people["a"]}).next_questions()
    assert len(asked) == 0
    assert list(asked) == COLUMNS


@pytest.mark.parametrize("interval", ["estimate", "calibrated"])
def test_there_are_questions_for_certified_intervals_only(interval):
    est, people, _, _ = clustered("budgeted", budget=100)
    clusters = CrossGroupKMedoids(3, interval=interval, confidence_level=0.8, random_state=0).fit(est, people)
    with pytest.raises(
        InvalidParameter, match=f"needs interval='certified', got '{interval}': by M1 and M2, an answer narrows"
    ):
        clusters.next_questions()


def test_with_more_clusters_fewer_questions_are_compared(monkeypatch):
    _, _, _, clusters = clustered("naive", n=60, k=8)
    monkeypatch.setattr(next_questions, "MOST_BOUNDS", 0)
    monkeypatch.setattr(next_questions, "LEAST_CANDIDATES", 7)
    compared, gains = [], next_questions._Tracked.gains
    monkeypatch.setattr(
        next_questions._Tracked, "gains", lambda self, *pairs: compared.append(len(pairs[0])) or gains(self, *pairs)
    )
    clusters.next_questions(1)
    assert compared == [7]
