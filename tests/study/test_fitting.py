"""From what a study holds back to groups, the plan, and a fitted estimator."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.asking.questions import Answer
from commensurate.errors import MissingAnswers
from commensurate.groups.group import elements_of
from commensurate.study.fitting import estimator_of, fit_study, groups_of, plan_of
from commensurate.study.study import Study
from worlds.small_study import FEATURES, PEOPLE, questions_of, small_study


def estimator(questions=20, seed=5, **options):
    return cm.BudgetedSimilarity(budget=questions, learner="gp", answer_error="noise", random_state=seed, **options)


def plan_ids(plan):
    return [question.question_id for question in plan.questions]


def assert_same_groups(study, groups):
    for ours, theirs in zip(elements_of(groups_of(study)), elements_of(groups), strict=True):
        assert ours.name == theirs.name
        assert ours.ids.tolist() == theirs.ids.tolist()
        assert ours.space.columns == theirs.space.columns
        np.testing.assert_array_equal(ours.points, theirs.points)


def value_of(left, right):
    return float(np.abs(left - right).sum()) / 10.0 + 0.05


def answer_plan(study, plan, n=None):
    """Answer the questions of a plan by their points; return the answers."""
    given = [
        Answer(question.question_id, value_of(question.left, question.right), "ana")
        for question in list(plan.questions)[:n]
    ]
    for answer in given:
        study.record(answer.question_id, answer.value, expert="ana")
    return given


# --- plan ---


@pytest.mark.parametrize("metric", ["euclidean", "gower", "manhattan", {"yes": "euclidean", "no": "gower"}], ids=str)
@pytest.mark.parametrize("categories", ["integer", "one_hot"])
def test_the_plan_of_a_study_is_the_plan_of_the_same_groups(tmp_path, metric, categories):
    groups = cm.groups_from_table(PEOPLE, "married", features=FEATURES, metric=metric, categories=categories)
    plan = estimator().plan(groups)
    with small_study(tmp_path, metric=metric, categories=categories, repeats=0.5) as study:
        assert_same_groups(study, groups)
        assert plan_ids(plan_of(study)) == plan_ids(plan)
        assert plan_of(study).seed == plan.seed
        for between, part in plan_of(study).by_pair.items():
            np.testing.assert_array_equal(part.held_out, plan.by_pair[between].held_out)
            for ours, theirs in zip(part.rows, plan.by_pair[between].rows):
                np.testing.assert_array_equal(ours, theirs)
        plan_of(study).check_groups(groups)


def test_a_plan_of_three_groups_that_asks_pairs_twice_comes_back_whole(tmp_path):
    rng = np.random.default_rng(0)
    tables = {
        name: pd.DataFrame({"x": rng.random(n), "own_" + name: rng.random(n)}) for name, n in zip("abc", (3, 2, 4))
    }
    groups = cm.groups_from_tables(tables)
    plan = estimator(questions=60).plan(groups)
    assert len({(q.between, q.left_id, q.right_id) for q in plan.questions}) < 60
    with Study.create(
        tmp_path / "s.db", tables, questions=60, seed=5, learner="gp", repeats=1.0, answer_kind="numbers"
    ) as study:
        assert_same_groups(study, groups)
        assert plan_ids(plan_of(study)) == plan_ids(plan)
        assert list(plan_of(study).by_pair) == [("a", "b"), ("a", "c"), ("b", "c")]
        assert len(questions_of(study)) == 120


def test_the_points_of_a_sample_are_those_of_the_whole_table(tmp_path):
    whole = {group.name: group for group in elements_of(cm.groups_from_table(PEOPLE, "married", features=FEATURES))}
    with small_study(tmp_path, records=9) as study:
        for group in elements_of(groups_of(study)):
            rows = [whole[group.name].ids.tolist().index(name) for name in group.ids]
            assert len(rows) == 9
            np.testing.assert_array_equal(group.points, whole[group.name].points[rows])


# --- tables of all kinds ---


def from_csv(tmp_path, text, **options):
    (tmp_path / "people.csv").write_text(text, encoding="utf-8")
    options = {"questions": 8, "seed": 5, "learner": "gp", "answer_kind": "numbers", **options}
    return Study.create(tmp_path / "people.db", tmp_path / "people.csv", group="g", **options)


def test_cells_of_a_csv_file_are_shown_as_written_and_compared_as_numbers(tmp_path):
    rows = "".join(f"{'ab'[k % 2]},{k:03d},{k}.50,0{k % 7}\n" for k in range(30))
    with from_csv(
        tmp_path, "g,number,price,zip\n" + rows, features=["number", "price"], show=["number", "zip"]
    ) as study:
        for asked in study.next_questions("ana", 8):
            k = int(asked.left_id) - 1
            assert asked.left_record == {"number": f"{k:03d}", "zip": f"0{k % 7}"}
        table = pd.read_csv(tmp_path / "people.csv").rename(index=lambda k: k + 1)
        assert_same_groups(study, cm.groups_from_table(table, "g", features=["number", "price"]))


@pytest.mark.parametrize("words", [("True", "False"), ("true", "FALSE")])
def test_true_and_false_in_a_csv_file_are_numbers_as_pandas_reads_them(tmp_path, words):
    rows = "".join(f"{'ab'[k % 2]},{words[k % 3 == 0]},{k}\n" for k in range(30))
    with from_csv(tmp_path, "g,smokes,x\n" + rows) as study:
        table = pd.read_csv(tmp_path / "people.csv").rename(index=lambda k: k + 1)
        assert table["smokes"].dtype == bool
        assert_same_groups(study, cm.groups_from_table(table, "g"))
        assert {asked.left_record["smokes"] for asked in study.next_questions("ana", 8)} <= set(words)


def test_text_that_looks_like_true_stays_text_in_a_column_of_text(tmp_path):
    rows = "".join(f"{'ab'[k % 2]},{('true', '1', 'maybe')[k % 3]}\n" for k in range(30))
    with from_csv(tmp_path, "g,says\n" + rows) as study:
        table = pd.read_csv(tmp_path / "people.csv").rename(index=lambda k: k + 1)
        assert_same_groups(study, cm.groups_from_table(table, "g"))


@pytest.mark.parametrize("missing", ["median", "drop"])
def test_missing_cells_are_filled_or_their_rows_left_out(tmp_path, missing):
    rows = "".join(
        f"{'ab'[k % 2]},{'' if k % 5 == 0 else k},{'' if k % 7 == 0 else 'uvw'[k % 3]},{'' if k == 3 else k % 4 == 0}\n"
        for k in range(40)
    )
    with from_csv(tmp_path, "g,x,y,z\n" + rows, missing=missing) as study:
        table = pd.read_csv(tmp_path / "people.csv").rename(index=lambda k: k + 1)
        assert_same_groups(study, cm.groups_from_table(table, "g", missing=missing))
        shown = [asked.left_record for asked in study.next_questions("ana", 8)]
        assert any(None in record.values() for record in shown) == (missing == "median")


def test_a_frame_with_missing_cells_is_filled_as_groups_from_table_does(tmp_path):
    table = pd.DataFrame(
        {
            "g": ["a", "b"] * 20,
            "x": [None if k % 6 == 0 else k / 3.0 for k in range(40)],
            "flag": pd.array([None if k == 4 else k % 3 == 0 for k in range(40)], dtype="boolean"),
            "count": pd.array([None if k == 9 else k for k in range(40)], dtype="Int64"),
            "level": pd.Categorical(["low", "mid", "high", None] * 10, categories=["low", "mid", "high"], ordered=True),
        }
    )
    with Study.create(tmp_path / "s.db", table, group="g", questions=8, missing="median", seed=5) as study:
        assert_same_groups(study, cm.groups_from_table(table, "g", missing="median"))


def test_sources_may_have_different_columns(tmp_path):
    bureau = pd.DataFrame({"key": [f"b{k}" for k in range(15)], "age": range(15), "city": list("uvw") * 5})
    vendor = pd.DataFrame({"key": [f"v{k}" for k in range(12)], "income": np.arange(12) ** 1.5, "city": list("xu") * 6})
    for name, table in (("bureau", bureau), ("vendor", vendor)):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    paths = {name: tmp_path / f"{name}.csv" for name in ("bureau", "vendor")}
    groups = cm.groups_from_tables({"bureau": bureau.set_index("key"), "vendor": vendor.set_index("key")})
    with Study.create(
        tmp_path / "s.db", paths, ids="key", questions=12, seed=5, learner="gp", answer_kind="numbers"
    ) as study:
        assert_same_groups(study, groups)
        assert plan_ids(plan_of(study)) == plan_ids(estimator(questions=12).plan(groups))
        (asked,) = study.next_questions("ana")
        records = dict(zip(asked.between, (asked.left_record, asked.right_record)))
        assert list(records["bureau"]) == ["age", "city"]
        assert list(records["vendor"]) == ["income", "city"]


@pytest.mark.parametrize("dtype", [np.float32, np.longdouble, np.int8, np.uint64, object])
def test_numbers_of_any_type_are_kept_to_the_bit(tmp_path, dtype):
    numbers = (np.arange(40) ** 2 % 97 / 3.0).astype(dtype)
    table = pd.DataFrame({"g": ["a", "b"] * 20, "x": numbers})
    with Study.create(tmp_path / "s.db", table, group="g", questions=8, seed=5) as study:
        assert_same_groups(study, cm.groups_from_table(table, "g"))


# --- fitting ---


def test_a_study_learns_exactly_what_the_estimator_learns_from_the_same_answers(tmp_path):
    groups = cm.groups_from_table(PEOPLE, "married", features=FEATURES)
    plan = estimator().plan(groups)
    with small_study(tmp_path) as study:
        given = answer_plan(study, plan)
        ours = fit_study(study)
    theirs = estimator().fit(plan=plan, answers=given)
    left, right = PEOPLE[PEOPLE["married"] == "yes"], PEOPLE[PEOPLE["married"] == "no"]
    np.testing.assert_array_equal(ours.predict(left, right), theirs.predict(left, right))
    assert ours.n_questions_ == theirs.n_questions_ == 20


def test_several_answers_and_hidden_repeats_are_further_answers_to_the_same_question(tmp_path):
    groups = cm.groups_from_table(PEOPLE, "married", features=FEATURES)
    plan = estimator().plan(groups)
    with small_study(tmp_path, repeats=0.5) as study:
        given = answer_plan(study, plan)
        for k, question in enumerate(questions_of(study)):
            again = question.repeat_of or question.question_id
            if question.repeat_of is not None:
                study.record(question.question_id, 0.1 * k, expert="ana")
                given.append(Answer(again, 0.1 * k, "ana"))
            elif k % 3 == 0:
                study.record(question.question_id, 0.2 * k, expert="bob")
                given.append(Answer(again, 0.2 * k, "bob"))
        ours = fit_study(study)
    theirs = estimator().fit(plan=plan, answers=given)
    left, right = PEOPLE[PEOPLE["married"] == "yes"], PEOPLE[PEOPLE["married"] == "no"]
    np.testing.assert_array_equal(ours.predict(left, right), theirs.predict(left, right))
    log = ours.logs_["yes", "no"]
    assert (len(log), log.n_answered) == (len(given), 20)


def test_corrected_answers_count_as_corrected_and_unsure_ones_not_at_all(tmp_path):
    with small_study(tmp_path) as study:
        plan = plan_of(study)
        ids = plan_ids(plan)
        for name in ids:
            study.record(name, 9.0, expert="ana")
        answer_plan(study, plan)
        study.record(ids[0], None, unsure=True, expert="ana")
        study.record(ids[1], None, unsure=True, expert="bob")
        log = fit_study(study).logs_["yes", "no"]
    assert sorted(log.numbers.tolist()) == list(range(1, 20))
    assert 9.0 not in log.values


def test_nothing_is_learnt_from_nothing(tmp_path):
    with small_study(tmp_path) as study:
        with pytest.raises(MissingAnswers, match="there are no answers"):
            fit_study(study)
        study.record(questions_of(study)[0].question_id, None, unsure=True, expert="ana")
        with pytest.raises(MissingAnswers, match="there are no answers"):
            fit_study(study)


def test_a_fitted_study_can_be_kept_as_a_model_file(tmp_path):
    with small_study(tmp_path) as study:
        answer_plan(study, plan_of(study))
        fitted = fit_study(study)
    fitted.save(tmp_path / "people.cmsr")
    left, right = PEOPLE[PEOPLE["married"] == "yes"], PEOPLE[PEOPLE["married"] == "no"]
    again = cm.load(tmp_path / "people.cmsr")
    np.testing.assert_array_equal(again.predict(left, right), fitted.predict(left, right))


def test_the_estimator_has_the_settings_of_the_study(tmp_path):
    with small_study(tmp_path, calibration=0.25, answer_error=0.1) as study:
        chosen = estimator_of(study.settings)
    assert (chosen.budget, chosen.learner, chosen.calibration, chosen.answer_error) == (20, "gp", 0.25, 0.1)


# --- forgetting ---


def test_forgetting_a_record_takes_its_questions_out_of_the_plan_and_leaves_the_others_as_they_were(tmp_path):
    with small_study(tmp_path) as study:
        plan = plan_of(study)
        given = answer_plan(study, plan)
        gone = questions_of(study)[3].left_id
        study.forget(gone)
        kept = [question for question in plan.questions if question.left_id != gone]
        after = plan_of(study)
        assert plan_ids(after) == [question.question_id for question in kept]
        for question, before in zip(after.questions, kept):
            np.testing.assert_array_equal(question.left, before.left)
            np.testing.assert_array_equal(question.right, before.right)
        held_out = dict(zip(plan_ids(plan), plan.by_pair["yes", "no"].held_out))
        assert after.by_pair["yes", "no"].held_out.tolist() == [held_out[name] for name in plan_ids(after)]
        log = fit_study(study).logs_["yes", "no"]
        assert len(log) == len(kept) < len(given)


def test_a_study_keeps_its_claim_and_its_model_speaks_of_it(tmp_path):
    people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    options = {"group": "married", "questions": 100, "repeats": 0.0, "seed": 0, "learner": "gp"}
    claim = "pairs of these elements"
    with Study.create(tmp_path / "people.db", people, claim=claim, answer_kind="numbers", **options) as study:
        study.simulate(noise=0.05)
        est = study.fit()
    assert est.claim == claim
    assert str(est.population_) == "other pairs of these elements"
    assert next(iter(est.plan_.counts.values())).reserved == (0, 0)
    assert next(iter(est.plan_.counts.values())).held_out == 19
