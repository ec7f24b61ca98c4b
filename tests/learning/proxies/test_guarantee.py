import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.errors import InvalidInput, InvalidParameter

RNG = np.random.default_rng(0)


def sigma(left, right, between):
    return np.abs(left[:, 0] - right[:, 0])


def fitted(n=4000, **options):
    groups = {name: RNG.random((n, 1)) for name in "ab"}
    return cm.NaiveSimilarity(**{"epsilon": 0.05, "delta": 0.05, "random_state": 0, **options}).fit(
        groups, sigma
    ), groups


def test_rows_that_were_not_drawn_speak_for_the_future_when_points_are_used_as_given():
    est, _ = fitted()
    (pair,) = est.guarantee().pairs
    undrawn = [4000 - len(np.unique(sample.drawn)) for sample in est.samples_.values()]
    assert pair.n_held_out == tuple(undrawn)
    assert np.isfinite(pair.future_tolerance)
    fresh = {name: RNG.random((5000, 1)) for name in "ab"}
    off = np.abs(est.predict(fresh["a"], fresh["b"]) - sigma(fresh["a"], fresh["b"], None))
    assert np.mean(off <= pair.future_tolerance) >= 0.99


def test_the_statement_about_the_table_is_counted():
    est, groups = fitted(n=200)
    guarantee = est.guarantee(share=0.9)
    distances = [est.proxy_distances(groups[name], name) for name in "ab"]
    sums = np.add.outer(*distances)
    (pair,) = guarantee.pairs
    assert np.mean(sums <= pair.table_tolerance) >= 0.9
    assert np.mean(sums < pair.table_tolerance) < 0.9


def test_scaled_tables_need_rows_set_aside_by_the_user():
    tables = {name: pd.DataFrame({"x": RNG.random(900)}) for name in "ab"}
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.05, random_state=0).fit(tables, sigma)
    assert est.guarantee().pairs[0].future_tolerance is None
    assert "no rows were set aside" in str(est.guarantee())
    held_out = {name: pd.DataFrame({"x": RNG.random(400)}) for name in "ab"}
    stated = est.guarantee(held_out=held_out)
    assert np.isfinite(stated.pairs[0].future_tolerance)
    assert "With confidence 95 %, at least 99 % of future pairs are off by at most" in str(stated)


def test_a_held_out_row_with_an_unseen_category_counts_as_infinitely_far():
    tables = {name: pd.DataFrame({"x": list("pq") * 100}) for name in "ab"}
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.05, random_state=0).fit(tables, sigma)
    seen = {name: pd.DataFrame({"x": ["p"] * 400}) for name in "ab"}
    assert est.guarantee(held_out=seen).pairs[0].future_tolerance == 0.0
    some = {**seen, "a": pd.DataFrame({"x": ["p"] * 380 + ["new"] * 20})}
    assert np.isinf(est.guarantee(held_out=some).pairs[0].future_tolerance)
    assert est.guarantee(held_out=some, share=0.9).pairs[0].future_tolerance == 0.0


def test_too_few_rows_set_aside_say_how_many_would_do():
    est, _ = fitted(n=200)
    text = str(est.guarantee(held_out={name: RNG.random((50, 1)) for name in "ab"}))
    assert "too few" in text
    assert "299" in text


def test_the_theorem_is_capped_and_says_so():
    est, _ = fitted(epsilon=1e-6)
    (pair,) = est.guarantee().pairs
    assert pair.theorem_failure == 1.0
    assert "The theorem gives no guarantee" in str(est.guarantee())


def test_the_theorem_speaks_where_nothing_is_rare():
    atoms = {name: np.repeat(np.arange(5.0), 40)[:, None] for name in "ab"}
    est = cm.ClusterSimilarity(epsilon=0.1, delta=0.05, dilation=2.0, random_state=0).fit(atoms, sigma)
    (pair,) = est.guarantee().pairs
    assert pair.rare_mass == (0.0, 0.0)
    assert pair.theorem_failure == pytest.approx(0.1)
    assert pair.theorem_bound == pytest.approx(2 * (3 + 2 * 2) * 0.1)
    assert "The theorem adds" in str(est.guarantee())


def test_given_samples_count_as_they_are():
    atoms = {name: np.repeat(np.arange(5.0), 40)[:, None] for name in "ab"}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.05, samples="given").fit(atoms, sigma)
    (pair,) = est.guarantee().pairs
    upper = cm.rare_mass(atoms["a"], 0.1, 0.05, random_state=0).upper
    assert pair.rare_mass == (upper, upper)
    assert 0.0 < upper < 1.0
    assert "confidence 95 % each" in str(est.guarantee())
    assert pair.theorem_failure == pytest.approx(2 * 20 * 0.95**200 + sum(pair.rare_mass))


def test_answer_error_is_added_to_every_statement():
    exact, groups = fitted(n=500)
    noisy = cm.NaiveSimilarity(epsilon=0.05, delta=0.05, random_state=0, answer_error=0.2).fit(groups, sigma)
    for field in ("table_tolerance", "future_tolerance", "theorem_bound"):
        difference = getattr(noisy.guarantee().pairs[0], field) - getattr(exact.guarantee().pairs[0], field)
        assert difference == pytest.approx(0.2)
    assert "no answer is off by more than 0.2" in str(noisy.guarantee())


def test_the_guarantee_checks_its_arguments():
    est, _ = fitted(n=200)
    with pytest.raises(InvalidInput, match="rows for each of"):
        est.guarantee(held_out={"a": [[0.5]]})
    with pytest.raises(InvalidParameter, match="share"):
        est.guarantee(share=1.0)
    with pytest.raises(InvalidParameter, match="confidence_level"):
        est.guarantee(confidence_level=95)


def test_every_pair_of_groups_gets_its_own_paragraph():
    groups = {name: RNG.random((500, 1)) for name in "abc"}
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.05, random_state=0).fit(groups, sigma)
    text = str(est.guarantee())
    assert [pair.between for pair in est.guarantee().pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert text.count("Between") == 3


def test_numbers_are_rounded_so_that_the_sentence_stays_true():
    est, _ = fitted(n=600)
    stated = est.guarantee(share=0.99999, confidence_level=0.99999)
    text = str(stated)
    assert "100 % of" not in text
    assert "confidence 100 %" not in text
    (pair,) = est.guarantee(share=0.9).pairs
    shown = float(str(est.guarantee(share=0.9)).split("90 % are off by at most ")[1].split(";")[0])
    assert pair.table_tolerance <= shown <= 1.01 * pair.table_tolerance


def test_a_plan_states_the_same_before_anyone_is_asked():
    est, groups = fitted(n=600)
    planned = cm.NaiveSimilarity(epsilon=0.05, delta=0.05, random_state=0).plan(groups)
    assert planned.guarantee() == est.guarantee()
    assert planned.question_counts == est.question_counts_


def test_no_rows_held_out_is_an_error():
    est, _ = fitted(n=200)
    with pytest.raises(InvalidInput, match="no rows of group 'a'"):
        est.guarantee(held_out={"a": np.empty((0, 1)), "b": [[0.5]]})
