"""Rehearsals: simulated experts answer everything, as σ would, and never among people."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.study.fitting import fit_study
from commensurate.study.judging.check import check_study
from commensurate.study.kinds.content import range_of
from commensurate.study.simulate import simulate_study
from commensurate.study.study import Study
from worlds.answered_study import people_study

FAMILIES = ("paper", "chebyshev", "embedding", "mahalanobis", "prototypes", "merit")
RNG = np.random.default_rng(1)
APART = {
    "bureau": pd.DataFrame({"age": RNG.integers(18, 80, 60), "job": RNG.choice(["a", "b", "c"], 60)}),
    "vendor": pd.DataFrame({"income": RNG.random(50), "city": RNG.choice(["x", "y"], 50), "debt": RNG.random(50)}),
}
THREE = {name: pd.DataFrame({"x": RNG.random(40), "y": RNG.random(40)}) for name in ("a", "b", "c")}


def values(study):
    return [(one.question_id, one.expert, one.value, one.seconds) for one in study.stored_answers(history=True)]


def new_study(place, tables, **design):
    return Study.create(
        place,
        tables,
        **{"questions": 40, "learner": "gp", "seed": 3, "repeats": 0.0, "answer_kind": "numbers", **design},
    )


def test_every_question_gets_as_many_answers_as_it_wants_and_every_repeat_one(tmp_path):
    with people_study(tmp_path / "a.db", answers_per_question=3, repeats=0.2) as study:
        done = simulate_study(study)
        given = study.stored_answers(history=True)
    assert done.experts == ("simulated 1", "simulated 2", "simulated 3")
    assert done.answers == len(given) == 3 * 60 + 12
    times = Counter((one.repeat_of is not None, one.question_id) for one in given)
    assert {n for (repeat, _), n in times.items() if not repeat} == {3}
    assert {n for (repeat, _), n in times.items() if repeat} == {1}
    assert len({(one.question_id, one.expert) for one in given}) == len(given)
    assert {one.origin for one in given} == {"simulated"}


def test_what_was_left_open_is_answered_the_next_time(tmp_path):
    with people_study(tmp_path / "a.db") as study:
        held = study.next_questions("ana", 5)
        assert simulate_study(study).answers == 55
        for question in held:
            study.release(question.question_id, expert="ana")
        assert simulate_study(study).answers == 5
        assert simulate_study(study).answers == 0


@pytest.mark.parametrize("unsure", [False, True])
def test_it_does_not_mix_with_people(tmp_path, unsure):
    with people_study(tmp_path / "a.db") as study:
        (question,) = study.next_questions("ana")
        study.record(question.question_id, None if unsure else 0.5, expert="ana", unsure=unsure)
        with pytest.raises(InvalidInput, match="people have answered"):
            simulate_study(study)
        assert len(study.stored_answers()) == 1


def test_the_same_seed_gives_the_same_answers_and_another_gives_others(tmp_path):
    found = []
    for k, seed in enumerate((None, None, 1, 5, 5)):
        with people_study(tmp_path / f"{k}.db", questions=20, answers_per_question=2) as study:
            simulate_study(study, noise=0.1, seed=seed)
            found.append(values(study))
    assert found[0] == found[1] == found[2], "the study's own seed is 1"
    assert found[3] == found[4]
    assert found[0] != found[3]


def test_noise_has_about_the_size_that_was_wanted(tmp_path):
    answers = {}
    for noise in (0.0, 0.1):
        with people_study(tmp_path / f"{noise}.db", answers_per_question=4) as study:
            simulate_study(study, noise=noise, family="prototypes")
            answers[noise] = {(one.question_id, one.expert): one.value for one in study.stored_answers()}
    exact = {question: value for (question, _), value in answers[0.0].items()}
    errors = [value / exact[question] - 1.0 for (question, _), value in answers[0.1].items()]
    assert len(errors) == 240
    # five standard errors either way
    assert abs(np.std(errors) - 0.1) < 5 * 0.1 / np.sqrt(2 * 240)
    assert abs(np.mean(errors)) < 5 * 0.1 / np.sqrt(240)


def test_much_noise_makes_no_answer_negative(tmp_path):
    with people_study(tmp_path / "a.db") as study:
        simulate_study(study, noise=5.0)
        assert min(one.value for one in study.stored_answers()) == 0.0


def test_all_simulated_experts_have_the_same_sigma(tmp_path):
    with people_study(tmp_path / "a.db", answers_per_question=2, repeats=0.3) as study:
        simulate_study(study)
        said = {}
        for one in study.stored_answers():
            said.setdefault(one.repeat_of or one.question_id, set()).add(one.value)
    assert {len(different) for different in said.values()} == {1}


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "gower", "chebyshev"])
def test_answers_without_noise_obey_m1_and_m2_whatever_the_metric(tmp_path, metric):
    with people_study(tmp_path / "a.db", answer_error=0.0, metric=metric) as study:
        simulate_study(study)
        (found,) = check_study(study).contradictions
        assert (found.count, found.questions) == (0, ())
        assert len({one.value for one in study.stored_answers()}) > 30, "equal answers never contradict each other"


@pytest.mark.parametrize("family", FAMILIES)
def test_answers_without_noise_obey_m1_and_m2_whatever_the_family(tmp_path, family):
    with people_study(tmp_path / "a.db", answer_error=0.0) as study:
        assert simulate_study(study, family=family).family == family
        (found,) = check_study(study).contradictions
        assert found.count == 0


def test_groups_with_different_columns_and_metrics_obey_m1_and_m2(tmp_path):
    for k, metric in enumerate(("gower", {"bureau": "gower", "vendor": "manhattan"})):
        with new_study(tmp_path / f"{k}.db", APART, metric=metric, answer_error=0.0) as study:
            simulate_study(study)
            assert [pair.count for pair in check_study(study).contradictions] == [0]


def test_one_group_may_have_another_metric_than_the_other(tmp_path):
    metrics = {"a": "euclidean", "b": "gower", "c": "manhattan"}
    with new_study(tmp_path / "a.db", THREE, metric=metrics, answer_error=0.0) as study:
        simulate_study(study)
        assert [pair.count for pair in check_study(study).contradictions] == [0, 0, 0]


def test_three_groups_are_answered_between_each_two(tmp_path):
    with new_study(tmp_path / "a.db", THREE, answer_error=0.0) as study:
        done = simulate_study(study)
        assert done.answers == 40
        found = check_study(study)
        model = fit_study(study)
    assert [pair.between for pair in found.contradictions] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [pair.count for pair in found.contradictions] == [0, 0, 0]
    assert sum(model.n_questions_by_pair_.values()) == 40


def test_columns_that_are_not_shared_rule_out_experts_who_compare_columns(tmp_path):
    with new_study(tmp_path / "a.db", APART) as study:
        with pytest.raises(InvalidParameter, match="choose among"):
            simulate_study(study, family="paper")
        assert study.stored_answers() == []
        assert simulate_study(study).family not in ("paper", "chebyshev")


def test_records_that_were_forgotten_are_not_asked_about(tmp_path):
    with people_study(tmp_path / "a.db", repeats=1.0) as study:
        (question,) = study.next_questions("ana")
        study.forget(question.left_id)
        assert simulate_study(study).answers == 118


def test_a_simulated_study_can_be_learnt_from(tmp_path):
    with people_study(tmp_path / "a.db", questions=80) as study:
        simulate_study(study, noise=0.02, family="merit")
        model = fit_study(study)
        spread = np.std([one.value for one in study.stored_answers()])
        assert model.held_out_errors().mean() < spread / 2


@pytest.mark.parametrize(
    "wrong", [{"noise": -0.1}, {"noise": float("nan")}, {"noise": float("inf")}, {"seed": -1}, {"family": "nobody"}]
)
def test_what_cannot_be_simulated_is_told_before_anything_is_answered(tmp_path, wrong):
    with people_study(tmp_path / "a.db") as study:
        with pytest.raises(InvalidParameter, match=next(iter(wrong))[:5]):
            simulate_study(study, **wrong)
        assert study.stored_answers() == []


def test_people_do_not_answer_in_a_rehearsal(tmp_path):
    with people_study(tmp_path / "people.db", questions=20, repeats=0.0) as study:
        (question,) = study.next_questions("ana")
        simulate_study(study)
        with pytest.raises(InvalidInput, match="this study is a rehearsal"):
            study.record(question.question_id, 0.5, expert="ana")
        assert {one.origin for one in study.stored_answers()} == {"simulated"}


@pytest.mark.parametrize(("kind", "words"), [("grades", 3), ("comparisons", 2)])
def test_simulated_experts_answer_each_kind_as_they_perceive_it(tmp_path, kind, words):
    with people_study(tmp_path / "s.db", answer_kind=kind, questions=80) as study:
        done = simulate_study(study)
        given = study.stored_answers()
        exact = [one for one in given if one.known_distance is not None]
        assert done.answers == len(given) == 80 + len(exact)
        assert {one.kind for one in given} == {"number", kind.removesuffix("s")}
        said = {one.choice for one in given if one.kind != "number" and one.known_distance is None}
        assert len(said) >= words
        # without noise a pair of known distance is judged rightly
        for one in exact:
            found = range_of(one, study.settings, one.other_distance)
            assert found.lower <= one.known_distance * (1 + 1e-9)
            assert one.known_distance <= found.upper * (1 + 1e-9)
        assert 8 < study.status().seconds_by_kind["number"] < 40
        assert study.status().answers_left == 0
