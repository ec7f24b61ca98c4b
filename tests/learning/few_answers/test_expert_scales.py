"""Experts' scales, measured by pairs of known distance."""

import math

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.asking.said import Said
from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter
from commensurate.learning.few_answers.expert_scales import FEWEST, ExpertScale, learn_scales
from worlds.few_answers import POINTS, A, B, budgeted, sigma

DISTANCES = np.linspace(0.1, 1.0, 10)


def known(expert, answers, distances=DISTANCES):
    return pd.DataFrame({"expert": expert, "distance": distances, "answer": answers})


def test_shift_and_gain_are_found_through_noise():
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        said = (0.1 + 1.5 * DISTANCES) * (1.0 + 0.1 * rng.standard_normal(10))
        scale = learn_scales(known("ana", said))["ana"]
        found.append((scale.shift, scale.gain))
    # the prior holds both back a little
    assert np.mean(found, axis=0) == pytest.approx([0.1, 1.5], abs=0.06)


def test_grades_measure_a_scale_too():
    edges = np.array([0.0, 0.3, 0.6, 0.9, 1.2, np.inf])
    grade = np.searchsorted(edges[1:-1], 1.6 * DISTANCES)
    texts = [str(Said(float(edges[k]), float(edges[k + 1]))) for k in grade]
    assert learn_scales(known("ana", texts))["ana"].gain == pytest.approx(1.6, abs=0.25)
    unscaled = np.searchsorted(edges[1:-1], DISTANCES)
    texts = [str(Said(float(edges[k]), float(edges[k + 1]))) for k in unscaled]
    assert learn_scales(known("ana", texts))["ana"].gain == pytest.approx(1.0, abs=0.15)


def test_one_wild_answer_hardly_changes_a_scale():
    said = 1.5 * DISTANCES * (1.0 + 0.05 * np.random.default_rng(0).standard_normal(10))
    wild = said.copy()
    wild[4] *= 30.0
    usual, other = (learn_scales(known("ana", answers))["ana"] for answers in (said, wild))
    assert other.gain == pytest.approx(usual.gain, abs=0.25)


def test_few_known_pairs_tell_no_scale():
    assert learn_scales(known("ana", DISTANCES[: FEWEST - 1], DISTANCES[: FEWEST - 1])) == {}
    assert list(learn_scales(known("ana", DISTANCES[:FEWEST], DISTANCES[:FEWEST]))) == ["ana"]


def test_a_range_stays_a_range_and_a_comparison_with_a_ruler_stays_as_it_is():
    scale = ExpertScale("ana", shift=0.3, gain=2.0, n=10)
    assert scale.to_common(Said(0.5, 0.9)) == Said(0.1, pytest.approx(0.3))
    assert scale.to_common(Said(0.7, math.inf)) == Said(pytest.approx(0.2), math.inf)
    below = scale.to_common(Said(0.0, 0.2))
    assert below.lower == 0.0 < below.upper
    ruler = Said(0.0, 0.4, beside_ruler=True)
    assert scale.to_common(ruler) == ruler


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"expert": ["ana"], "distance": [0.5]}, "missing: answer"),
        ({"expert": [None], "distance": [0.5], "answer": [0.5]}, "row 0 of known_pairs must name an expert"),
        ({"expert": ["ana"], "distance": [-1.0], "answer": [0.5]}, "a distance of at least 0"),
        ({"expert": ["ana"], "distance": ["far"], "answer": [0.5]}, "got 'ana' and 'far'"),
        ([1, 2], "must be a DataFrame"),
    ],
)
def test_what_is_wrong_with_known_pairs_is_told(table, told):
    with pytest.raises(InvalidInput, match=told):
        learn_scales(table)


def test_what_is_no_answer_about_a_known_pair_is_told_with_its_row():
    with pytest.raises(InvalidAnswer, match="^the answer in row 1 of known_pairs must be a finite number"):
        learn_scales(known("ana", [0.1, "far", 0.3], [0.1, 0.2, 0.3]))


def test_answers_are_brought_to_the_scale_of_d_kept_as_given_and_saved_with_their_scale(tmp_path):
    plan = budgeted(answer_error="noise").plan(POINTS)
    experts = ("ana", "ben")
    answers = [
        cm.Answer(q.question_id, (1.0, 2.0)[k % 2] * float(sigma(q.left[None], q.right[None])[0]), experts[k % 2])
        for k, q in enumerate(plan.questions)
    ]
    table = pd.concat([known("ana", DISTANCES), known("ben", 2.0 * DISTANCES)])
    without = budgeted(answer_error="noise").fit(plan=plan, answers=answers)
    scaled = budgeted(answer_error="noise").fit(plan=plan, answers=answers, known_pairs=table)
    errors = [np.abs(est.predict(A, B) - sigma(A, B)).mean() for est in (without, scaled)]
    assert errors[1] < 0.25 * errors[0]
    assert scaled.logs_["a", "b"].ends.lower.tolist() == without.logs_["a", "b"].ends.lower.tolist()
    assert "ben says 2 times the distance" in str(scaled.guarantee())

    scaled.save(tmp_path / "model.cmz")
    loaded = cm.load(tmp_path / "model.cmz")
    assert loaded.predict(A, B).tolist() == scaled.predict(A, B).tolist()
    assert [(one.shift, one.gain, one.n) for one in loaded.scales_.values()] == [
        (one.shift, one.gain, one.n) for one in scaled.scales_.values()
    ]
    # learning again from what the file holds keeps the scales
    again = loaded.update({plan.questions[0].question_id: answers[0].value})
    assert np.abs(again.predict(A, B) - sigma(A, B)).mean() < 0.3 * errors[0]


def test_an_estimated_scale_bounds_no_error():
    plan = budgeted(answer_error=0.1).plan(POINTS)
    with pytest.raises(InvalidParameter, match="known_pairs needs answer_error='auto' or 'noise'"):
        budgeted(answer_error=0.1).fit(plan=plan, answers={}, known_pairs=known("ana", DISTANCES))
