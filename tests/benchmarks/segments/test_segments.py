"""The worked example of docs/segments.md: segments found with and without experts, and the committed figures again."""

import json

import numpy as np
import pytest

from benchmarks.bench_segments import RESULTS
from benchmarks.segments.compare import (
    BUDGETS,
    DRAWS,
    clusters_figures,
    few_answers,
    many_answers,
    nearest_medoids,
    plain_figures,
    rand_index,
    segment,
    small_sigma_figures,
    true_cost,
)
from benchmarks.segments.tables import certainty_table, found_table
from benchmarks.segments.without_experts import WITHOUT_EXPERTS, encoded, full, shared
from benchmarks.segments.world import BANK, LOYALTY, SEGMENTS, Analyst, SegmentsWorld

pytestmark = pytest.mark.slow


def committed(part):
    return json.loads(RESULTS.read_text(encoding="utf-8"))[part]


@pytest.fixture(scope="module")
def world():
    return SegmentsWorld.draw()


@pytest.fixture(scope="module")
def small():
    return SegmentsWorld.draw(n_customers=120, n_newcomers=40, seed=3)


@pytest.fixture(scope="module")
def estimator(small):
    return few_answers(400, "gp", seed=0)


@pytest.fixture(scope="module")
def found(small, estimator):
    return segment(small, estimator)


@pytest.mark.parametrize("unknown", [0.0, 0.25])
def test_sigma_obeys_m1_and_m2(unknown):
    world = SegmentsWorld.draw(n_customers=80, n_newcomers=0, unknown=unknown)
    across, points = world.true_matrix(), encoded(world)
    for values, name in ((across, LOYALTY), (across.T, BANK)):
        within = full(points[name], points[name], np.zeros((80, 80)))[:80, :80]
        steepest = np.abs(values[:, None, :] - values[None, :, :]).max(axis=2)
        assert (steepest <= within + 1e-12).all()


def test_the_analyst_answers_with_the_truth(small):
    plan = few_answers(50, "gp", seed=0).plan(small.groups())
    questions = list(plan.questions)
    answers = Analyst(small).ask(questions)
    truth = small.true_matrix()[
        [int(question.left_id) for question in questions], [int(question.right_id) for question in questions]
    ]
    np.testing.assert_allclose(answers, truth, rtol=1e-12)


def test_the_vendors_share_age_and_income_only_and_these_are_scaled_together(world):
    assert set(world.tables[LOYALTY].columns) & set(world.tables[BANK].columns) == {"age", "income"}
    lowest, highest = (getattr(np.vstack(list(shared(world).values())), end)(axis=0) for end in ("min", "max"))
    np.testing.assert_allclose(lowest, 0.0)
    np.testing.assert_allclose(highest, 1.0)


def test_every_segment_has_customers_of_both_vendors_and_in_other_shares(world):
    one, other = (np.bincount(each.segments, minlength=len(SEGMENTS)) for each in world.customers.values())
    assert min(one.min(), other.min()) >= 10
    assert (np.abs(one - other) > 0.1 * len(world.tables[LOYALTY])).sum() >= 3


def test_newcomers_are_none_of_the_customers(world):
    for name, customers in world.customers.items():
        rows = {tuple(row) for row in customers.table.to_numpy()}
        assert not rows & {tuple(row) for row in world.newcomers[name].table.to_numpy()}


def test_the_rand_index_is_1_for_the_segments_whatever_their_numbers_and_about_0_for_chance(world):
    segments = np.concatenate([each.segments for each in world.customers.values()])
    assert rand_index(world, (segments + 2) % len(SEGMENTS)) == 1.0
    assert abs(rand_index(world, np.random.default_rng(0).permutation(segments))) < 0.05


@pytest.mark.parametrize("draw", range(2))
def test_the_committed_figures_without_answers_are_what_the_example_gives(draw):
    by = {row["by"]: row["rand_index"] for row in committed("draws") if row["draw"] == draw}
    rows = plain_figures(SegmentsWorld.draw(seed=draw), draw)
    assert {row["by"] for row in rows} == {*WITHOUT_EXPERTS, "asked medoids", "truth"}
    for row in rows:
        assert row["rand_index"] == pytest.approx(by[row["by"]], abs=0.02)


def test_few_answers_find_the_segments_better_than_any_way_without_experts(small, found):
    by = {row["by"]: row["rand_index"] for row in plain_figures(small, 0)}
    truth, without = by["truth"], {name: by[name] for name in WITHOUT_EXPERTS}
    ours = clusters_figures(small, found)
    assert ours["rand_index"] > max(without.values()) + 0.1
    assert ours["rand_index"] == pytest.approx(truth, abs=0.15)
    assert ours["rand_index_of_newcomers"] > max(without.values())


def test_a_few_answers_about_medoids_tell_segments_apart_that_the_shared_columns_confuse(world):
    by = {row["by"]: row for row in plain_figures(world, 0)}
    assert by["asked medoids"]["rand_index"] > by["matched segments"]["rand_index"] + 0.2
    assert by["asked medoids"]["answers"] == len(SEGMENTS) ** 2


def test_the_true_cost_lies_within_the_certified_bounds(small, found):
    figures = clusters_figures(small, found)
    lower, upper = figures["cost_bounds"]
    assert 0.0 < lower <= figures["true_cost"] <= upper


def test_whoever_is_certain_is_with_the_medoid_that_is_truly_nearest(small):
    clusters = segment(small, many_answers(seed=0))
    figures = clusters_figures(small, clusters)
    assert figures["certain"] > 0.2
    assert figures["certain_but_wrong"] == 0


def test_a_certain_customer_with_another_medoid_counts_as_wrong(small, found):
    labels = {name: (labels + 1) % len(SEGMENTS) for name, labels in found.labels_.items()}

    class Elsewhere:
        labels_, certain_ = labels, {name: np.ones(len(each), dtype=bool) for name, each in labels.items()}
        medoids_, cost_, cost_bounds_ = found.medoids_, found.cost_, found.cost_bounds_
        predict = found.predict

    figures = clusters_figures(small, Elsewhere)
    nearest = nearest_medoids(small, found.medoids_)
    assert figures["certain_but_wrong"] == (np.concatenate(list(labels.values())) != nearest).sum() > 100
    assert figures["true_cost"] > true_cost(small, found.medoids_, nearest)


def test_the_committed_answers_are_those_of_every_budget_and_draw():
    for part in ("draws", "small sigma"):
        asked = [(row["draw"], row["answers"]) for row in committed(part) if row["by"] == "experts"]
        assert sorted(asked) == [(draw, budget) for draw in range(DRAWS) for budget in BUDGETS]


def test_in_the_committed_figures_every_bound_holds_and_nobody_certain_is_wrong():
    rows = [row for part in ("draws", "small sigma") for row in committed(part) if "certain" in row]
    assert len(rows) == DRAWS * (2 * len(BUDGETS) + 1)
    for row in rows:
        assert row["cost_bounds"][0] <= row["true_cost"] <= row["cost_bounds"][1]
        assert row["certain_but_wrong"] == 0


def test_where_sigma_is_small_it_is_drawn_without_what_is_unknown(monkeypatch):
    seen = []

    def remember(world, draw, learner):
        seen.append(world.true_matrix().min())
        return []

    monkeypatch.setattr("benchmarks.segments.compare.few_answers_figures", remember)
    rows = small_sigma_figures(draws=1)
    assert [row["by"] for row in rows] == ["truth"]
    assert seen[0] < 0.25


def test_tables_list_ways_in_one_order_and_answers_rising():
    def row(by, answers, found):
        extra = {"rand_index_of_newcomers": found} if answers else {}
        return {"by": by, "answers": answers, "rand_index": found, **extra}

    rows = [row("truth", 0, 0.9), row("experts", 400, 0.8), row("experts", 100, 0.7), row("transport", 0, 0.4)]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in found_table(rows).splitlines()[2:]]
    assert [cell[1] for cell in cells] == ["0", "100", "400", "all pairs"]
    assert [cell[2] for cell in cells] == [f"{x:.2f} ({x:.2f} to {x:.2f})" for x in (0.4, 0.7, 0.8, 0.9)]
    assert [cell[3] == "–" for cell in cells] == [True, False, False, True]


def test_the_table_of_certainty_adds_up_who_is_wrong():
    row = {
        "by": "NAIVE",
        "certain": 0.5,
        "certain_but_wrong": 2,
        "cost": 3.0,
        "cost_bounds": [1.0, 5.0],
        "true_cost": 4.0,
    }
    table = certainty_table([{**row, "answers": 9_000}, {**row, "answers": 11_000}])
    assert table.splitlines()[-1] == "| NAIVE | 9,000 to 11,000 | 50 % | 4 | 3 | 1 to 5 | 4 |"
