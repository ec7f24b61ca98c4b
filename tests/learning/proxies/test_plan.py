"""Questions known before anyone is asked, and answered later."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.errors import InvalidAnswer, InvalidInput, MissingAnswers
from worlds.small_world import GROUPS, A, B, Recorder, naive, sigma


def test_a_plan_is_answered_later():
    est = naive()
    plan = est.plan(GROUPS)
    answers = {q.question_id: float(sigma(q.left[None], q.right[None])[0]) for q in plan.questions}
    expected = naive().fit(GROUPS, sigma).predict(A, B)
    np.testing.assert_array_equal(naive().fit(GROUPS, plan=plan, answers=answers).predict(A, B), expected)
    listed = [cm.Answer(name, value) for name, value in answers.items()]
    np.testing.assert_array_equal(naive().fit(plan=plan, answers=listed).predict(A, B), expected)
    series = naive().fit(plan=plan, answers=pd.Series(answers))
    np.testing.assert_array_equal(series.predict(A, B), expected)
    with pytest.raises(InvalidInput, match="must be Answer objects.*got tuple"):
        naive().fit(plan=plan, answers=[("q", 1.0)])
    table = plan.to_frame()
    table["answer"] = table["question_id"].map(answers)
    np.testing.assert_array_equal(naive().fit(plan=plan, answers=table).predict(A, B), expected)


def test_a_plan_counts_and_lists_its_questions():
    plan = naive().plan({**GROUPS, "c": GROUPS["a"]})
    assert len(plan.questions) == sum(len(grid) for grid in plan.blocks) == len(plan.to_frame())
    assert {q.question_id for q in plan.questions} == set(plan.to_frame()["question_id"])
    assert [q.question_id for q in naive().plan(GROUPS).questions] == naive().plan(GROUPS).to_frame()[
        "question_id"
    ].tolist()
    assert plan.to_frame()["question_id"].is_unique
    assert f"in all {len(plan.questions):,} questions" in str(plan)
    with pytest.raises(IndexError):
        plan.questions[len(plan.questions)]
    assert next(iter(plan.questions)).question_id == plan.questions[0].question_id


def test_a_plan_with_missing_or_foreign_answers_says_which():
    plan = naive().plan(GROUPS)
    answers = {q.question_id: 0.5 for q in plan.questions}
    dropped, _ = answers.popitem()
    with pytest.raises(MissingAnswers, match=f"1 of the plan's questions.*{dropped}"):
        naive().fit(plan=plan, answers=answers)
    with pytest.raises(InvalidAnswer, match="do not belong to any question"):
        naive().fit(plan=plan, answers={**answers, dropped: 1.0, "nonsense": 1.0})
    with pytest.raises(InvalidAnswer, match="two answers"):
        naive().fit(plan=plan, answers=[cm.Answer("q", 1.0), cm.Answer("q", 2.0)])
    with pytest.raises(InvalidAnswer, match="at least 0.*got -1"):
        naive().fit(plan=plan, answers={dropped: -1.0})
    with pytest.raises(InvalidAnswer, match="got 'far'"):
        naive().fit(plan=plan, answers={dropped: "far"})
    with pytest.raises(InvalidInput, match="question_id and answer"):
        naive().fit(plan=plan, answers=pd.DataFrame({"id": []}))


def test_an_oracle_answers_what_a_plan_left_open():
    plan = naive().plan(GROUPS)
    known = {q.question_id: float(sigma(q.left[None], q.right[None])[0]) for q in plan.questions[:100]}
    recorder = Recorder()
    est = naive().fit(plan=plan, answers=known, oracle=recorder)
    assert len(recorder.pairs) == est.n_questions_ - 100


def test_partial_answers_serve_on_demand_estimators():
    est = naive(ask="on_demand")
    plan = est.plan(GROUPS)
    first = plan.questions[0]
    est.fit(plan=plan, answers={first.question_id: 0.25})
    assert est.predict(first.left[None], first.right[None]) == 0.25
    with pytest.raises(MissingAnswers):
        est.predict(A, B)


def test_a_plan_for_other_groups_is_refused():
    plan = naive().plan(GROUPS)
    with pytest.raises(InvalidInput, match="'b' is different or missing"):
        naive().fit({**GROUPS, "b": GROUPS["b"] + 1.0}, plan=plan, answers={})
    with pytest.raises(InvalidInput, match="does not contain the group 'c'"):
        naive().fit({**GROUPS, "c": GROUPS["b"]}, plan=plan, answers={})


def test_a_plan_of_another_algorithm_or_with_other_parameters_is_refused():
    plan = cm.ClusterSimilarity(epsilon=0.1, delta=0.1, random_state=0).plan(GROUPS)
    with pytest.raises(InvalidInput, match="made by CLUSTER with dilation=8.*but this is NAIVE"):
        naive().fit(plan=plan, oracle=sigma)
    plan = naive().plan(GROUPS)
    for other in ({"epsilon": 0.2}, {"delta": 0.2}, {"samples": "given"}, {"symmetric": False}):
        with pytest.raises(InvalidInput, match="make a new plan"):
            naive(**other).fit(plan=plan, oracle=sigma)
    with pytest.raises(InvalidInput, match="plan must be the result of plan"):
        naive().fit(plan="plan", oracle=sigma)


def test_a_plan_notices_another_metric_or_matrix():
    matrix = np.abs(GROUPS["a"][:, :1] - GROUPS["a"][:, 0])
    plan = naive().plan([cm.Group("a", matrix, metric="precomputed"), cm.Group("b", GROUPS["b"])])
    with pytest.raises(InvalidInput, match="'a' is different or missing"):
        naive().fit(
            [cm.Group("a", 7 * matrix, metric="precomputed"), cm.Group("b", GROUPS["b"])], plan=plan, answers={}
        )
    plan = naive().plan(GROUPS)
    for other in ({"metric": "manhattan"}, {"ids": range(100, 170)}, {"columns": ["u", "v"]}):
        with pytest.raises(InvalidInput, match="'b' is different or missing"):
            naive().fit({**GROUPS, "b": cm.Group("b", GROUPS["b"], **other)}, plan=plan, answers={})


def test_with_one_seed_the_questions_of_cluster_are_some_of_those_of_naive():
    rng = np.random.default_rng(0)
    groups = {name: rng.random((300, 2)).round(1) for name in ("a", "b", "c")}
    asked = [
        set(est.plan(groups).to_frame()["question_id"])
        for est in (
            cm.NaiveSimilarity(epsilon=0.05, delta=0.1, random_state=3),
            cm.ClusterSimilarity(epsilon=0.05, delta=0.1, dilation=2.0, random_state=3),
        )
    ]
    assert asked[1] < asked[0]


def test_in_a_sheet_the_pairs_of_groups_take_turns():
    sheet = naive().plan({**GROUPS, "c": GROUPS["a"]}).to_frame()
    half = sheet[: len(sheet) // 2]
    counts = [rows.groupby(["left_group", "right_group"]).size() for rows in (half, sheet)]
    assert (abs(counts[0] / counts[1] - 0.5) < 0.01).all()
