"""Learning from pairs that were answered before: what is read, what is held out, what is said."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter
from commensurate.groups.group import elements_of
from commensurate.learning.few_answers import limits
from commensurate.learning.few_answers.given_pairs import PairsTable, read_given_pairs
from worlds.few_answers import POINTS, A, B, budgeted, sigma

IDS = {name: [f"{name}{k}" for k in range(len(points))] for name, points in POINTS.items()}
GROUPS = [cm.Group(name, points, ids=IDS[name]) for name, points in POINTS.items()]
PAIRS_OF_THESE = "pairs of these elements"


def table(n, seed=0, *, every_element_once=False):
    rng = np.random.default_rng(seed)
    codes = rng.choice(120 * 90, n, replace=False)
    left, right = np.divmod(codes, 90)
    if every_element_once:
        left, right = rng.permutation(120)[:n], rng.permutation(90)[:n]
    answers = sigma(POINTS["a"][left], POINTS["b"][right])
    return pd.DataFrame(
        {"left_id": [f"a{k}" for k in left], "right_id": [f"b{k}" for k in right], "answer": answers, "expert": "ana"}
    )


def learnt(pairs, **options):
    return budgeted(**{"claim": PAIRS_OF_THESE, **options}).fit(GROUPS, pairs=pairs)


def test_answers_that_exist_already_are_learnt_from_and_a_share_judges():
    est = learnt(table(150))
    (part,) = est.plan_.by_pair.values()
    assert part.held_out.sum() == 19
    assert np.abs(est.predict(A, B) - sigma(A, B)).mean() < 0.2 * sigma(A, B).std()
    assert str(est.population_) == "pairs like those given, of these elements"
    assert "cover pairs like those given, of these elements" in str(est.guarantee())
    assert "of pairs like those given, of these elements" in str(est.explain(A[0], B[0]))


def test_a_mapping_of_columns_and_ids_that_are_row_numbers_do_as_well():
    left, right = np.arange(60), np.arange(60)
    columns = {"left_id": left, "right_id": right * 1.0, "answer": sigma(POINTS["a"][:60], POINTS["b"][:60])}
    est = budgeted(claim=PAIRS_OF_THESE).fit(POINTS, pairs=columns)
    assert est.n_questions_ == 60


def test_rows_of_one_pair_are_several_answers_and_rows_without_an_answer_are_passed_over():
    once = table(60)
    again = once.iloc[:5].assign(answer=lambda rows: rows["answer"] + 0.1, expert="ben")
    without = table(80).iloc[70:].assign(answer=np.nan)
    est = learnt(pd.concat([once, again, without]), answer_error="noise")
    counts = est.plan_.given["a", "b"]
    assert (counts.pairs, counts.answers, counts.unanswered, counts.dropped) == (60, 65, 10, 0)
    assert est.questions_asked()["answers given again"].item() == 5
    assert "10 rows without an answer were passed over" in str(est.guarantee())


def test_for_new_elements_no_element_of_a_held_out_pair_is_learnt_from():
    est = learnt(table(110), claim="new elements")
    (part,) = est.plan_.by_pair.values()
    assert part.held_out.sum() == 19
    for rows in part.rows:
        assert not set(rows[part.held_out]) & set(rows[~part.held_out])
        assert len(set(rows[part.held_out])) == 19
    counts = est.plan_.given["a", "b"]
    assert counts.dropped == 110 - est.n_questions_ > 0
    assert f"Of 110 pairs given, {counts.dropped} share an element with a held-out pair" in str(est.guarantee())


def test_where_every_element_is_in_one_pair_none_is_dropped():
    est = learnt(table(80, every_element_once=True), claim="new elements")
    assert est.plan_.given["a", "b"].dropped == 0
    assert est.n_questions_ == 80


def test_if_new_elements_would_cost_too_many_pairs_the_other_claim_is_advised():
    dense = table(2_000).query("left_id in @IDS['a'][:30]")
    with pytest.raises(InvalidInput, match="more than a third.*use claim='pairs of these elements'"):
        learnt(dense, claim="new elements")
    assert learnt(dense.iloc[:200]).plan_.by_pair["a", "b"].held_out.sum() == 39


def test_three_groups_name_theirs_and_a_pair_may_be_turned_but_not_both_ways():
    groups = [*GROUPS, cm.Group("c", POINTS["a"] + 0.1, ids=[f"c{k}" for k in range(120)])]
    rows = [
        (left, f"{left}{k}", right, f"{right}{k}", 0.1 * k)
        for left, right in (("a", "b"), ("c", "a"), ("b", "c"))
        for k in range(12)
    ]
    names = ["left_group", "left_id", "right_group", "right_id", "answer"]
    given = pd.DataFrame(rows, columns=names)
    est = budgeted(claim=PAIRS_OF_THESE, answer_error="noise").fit(groups, pairs=given)
    assert list(est.n_questions_by_pair_) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert est.plan_.by_pair["a", "c"].pairs.left.ids[0] == "a0"
    both = pd.concat([given, pd.DataFrame([("a", "a3", "c", "c3", 0.2)], columns=names)])
    with pytest.raises(InvalidInput, match="is there both ways, and symmetric=True"):
        budgeted().fit(groups, pairs=both)
    with pytest.raises(InvalidInput, match="no answer between 'b' and 'c'"):
        budgeted().fit(groups, pairs=given[:24])
    with pytest.raises(InvalidInput, match="of 3 groups it must say which.*missing: left_group, right_group"):
        budgeted().fit(groups, pairs=given[["left_id", "right_id", "answer"]])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"left_id": "nobody"},
            InvalidInput,
            "row 0 of pairs, column left_id: group 'a' has no element with the id 'nobody'",
        ),
        ({"answer": -1.0}, InvalidAnswer, "row 0 of pairs, column answer: an answer must be a finite number"),
        (
            {"answer": "far"},
            InvalidAnswer,
            "row 0 of pairs, column answer: an answer must be a finite number, .* got 'far'",
        ),
        (
            {"left_group": "x", "right_group": "b"},
            InvalidInput,
            "row 0 of pairs, column left_group, names a group 'x'; the groups are",
        ),
        ({"left_group": "b", "right_group": "b"}, InvalidInput, "about two elements of 'b'"),
        ({"left_group": "a"}, InvalidInput, "missing: right_group"),
    ],
)
def test_what_is_wrong_with_a_table_is_told_with_its_row(change, error, message):
    with pytest.raises(error, match=message):
        learnt(table(20).assign(**change))


def test_pairs_need_their_columns_their_groups_and_nothing_else():
    with pytest.raises(InvalidInput, match="must have the columns left_id, right_id, answer; missing: answer"):
        learnt(table(20).drop(columns="answer"))
    with pytest.raises(InvalidInput, match="pairs must be a DataFrame or a mapping of columns.*got str"):
        learnt("pairs.csv")
    with pytest.raises(InvalidInput, match="pairs need the groups"):
        budgeted().fit(pairs=table(20))
    with pytest.raises(InvalidInput, match="and nothing else"):
        budgeted().fit(GROUPS, sigma, pairs=table(20))


def test_the_limit_counts_the_different_pairs_that_are_learnt_from(monkeypatch):
    monkeypatch.setattr(limits, "most_answers", lambda learner: 49)
    twice = pd.concat([table(60)] * 2)
    assert learnt(twice).n_questions_ == 60, "120 answers about 60 pairs, of which 48 are learnt from"
    with pytest.raises(InvalidParameter, match="at most 49 answers .* there would be 64"):
        learnt(table(80))


def test_further_answers_are_taken_and_further_questions_are_refused(tmp_path):
    est = learnt(table(60), answer_error="noise")
    first = est.plan_.questions[0]
    assert est.update({first.question_id: 0.3}).n_questions_ == 60
    with pytest.raises(InvalidInput, match="the pairs of this model were given.*fit again"):
        est.extend(5)
    assert est.resume().n_questions_ == 60
    with pytest.raises(InvalidParameter, match="the pairs of this model were given"):
        est.predict_interval(A, B, interval="cv+")
    est.save(tmp_path / "m.cmz")
    loaded = cm.load(tmp_path / "m.cmz")
    assert loaded.population_ == est.population_
    assert str(loaded.guarantee()) == str(est.guarantee())
    np.testing.assert_array_equal(loaded.predict(A, B), est.predict(A, B))


def test_what_is_wrong_with_a_file_is_told_with_its_line():
    elements = elements_of(GROUPS)
    file = PairsTable(table(3).assign(answer=["0.1", "far", "0.3"]), "known.csv", lines=[2, 4, 5])
    with pytest.raises(InvalidAnswer, match=r"^line 4 of known.csv, column answer: .* got 'far'; correct it, or leave"):
        read_given_pairs(elements, file, symmetric=True)
    with pytest.raises(
        InvalidInput, match="^known.csv must have the columns left_id, right_id, answer; missing: right_id"
    ):
        read_given_pairs(elements, PairsTable(file.frame.drop(columns="right_id"), "known.csv"), symmetric=True)


def test_every_answer_knows_the_row_that_it_stands_in():
    rows = pd.concat([table(5), table(5).iloc[1:3].assign(answer=np.nan), table(5).iloc[:1]])
    (given,) = read_given_pairs(elements_of(GROUPS), PairsTable.of(rows), symmetric=True).values()
    assert (given.numbers.tolist(), given.from_rows) == ([0, 0, 1, 2, 3, 4], [0, 7, 1, 2, 3, 4])
    assert [one.lower for one in given.said] == rows["answer"].iloc[given.from_rows].tolist()
    assert given.unanswered == 2
