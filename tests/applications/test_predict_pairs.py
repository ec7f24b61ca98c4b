"""Predictions for files: equal to those of predict to the bit, however the files are cut;
what is wrong is told with its line.
"""

import io

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications import predict_pairs as module
from commensurate.applications.predict_pairs import COLUMNS, predict_pairs
from commensurate.arrays import PAIRS_COMPUTED_AT_ONCE
from commensurate.errors import InvalidInput, InvalidParameter, InvalidTable, NotFittedError, UnknownGroup
from commensurate.records.table_file import MISSING
from worlds import few_answers
from worlds.small_world import naive

RNG = np.random.default_rng(5)


def people(n):
    """Raw rows; the codes of the first half look like whole numbers."""
    codes = np.where(np.arange(n) < n // 2, RNG.choice(["1", "2"], n), RNG.choice(["1", "2", "x", "NA"], n))
    return pd.DataFrame({"age": RNG.random(n), "code": codes, "job": RNG.choice(["cook", "nurse, night"], n)})


PEOPLE = {"married": people(80), "single": people(70)}
LEFT, RIGHT = people(50), people(50)


def ages_apart(left, right, between=None):
    return np.abs(left[:, 0] - right[:, 0])


@pytest.fixture(scope="module")
def of_tables():
    groups = cm.groups_from_tables(PEOPLE, missing="median")
    return cm.ClusterSimilarity(epsilon=0.1, delta=0.2, dilation=2.0, random_state=0).fit(groups, ages_apart)


@pytest.fixture(scope="module")
def of_points():
    return few_answers.budgeted(budget=120).fit(few_answers.POINTS, few_answers.sigma)


def csv(path, table, **options):
    table.to_csv(path, index=False, **options)
    return path


def point_files(folder, n_left, n_right=None):
    rng = np.random.default_rng(n_left)
    a, b = rng.random((n_left, 2)), rng.random((n_right or n_left, 3))
    paths = [csv(folder / f"{k}.csv", pd.DataFrame(x).add_prefix("x")) for k, x in (("a", a), ("b", b))]
    return a, b, *paths


def predicted_table(*arguments, **options):
    predicted = predict_pairs(*arguments, **options)
    tables = list(predicted.tables)
    assert all(tuple(table.columns) == COLUMNS for table in tables)
    assert predicted.n_pairs == sum(map(len, tables))
    return pd.concat(tables, ignore_index=True)


def assert_predicts(table, est, left, right, between=None):
    """Compare to the bit with one call for all pairs."""
    np.testing.assert_array_equal(table["estimate"], est.predict(left, right, between))
    kinds = {"certified": ["lower", "upper"]}
    if isinstance(est, cm.BudgetedSimilarity):
        kinds["calibrated"] = ["calibrated_lower", "calibrated_upper"]
    for kind, columns in kinds.items():
        np.testing.assert_array_equal(
            table[columns], np.column_stack(est.predict_interval(left, right, between, interval=kind))
        )


@pytest.mark.parametrize("at_once", [1, 7, 25, 50, 1000])
def test_rows_in_step_are_predicted_as_in_one_call_however_the_file_is_cut(of_tables, tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", at_once)
    files = csv(tmp_path / "l.csv", LEFT), csv(tmp_path / "r.csv", RIGHT)
    table = predicted_table(of_tables, *files)
    assert_predicts(table, of_tables, LEFT, RIGHT)
    assert table["left_id"].tolist() == table["right_id"].tolist() == [str(k) for k in range(1, 51)]
    assert table["calibrated_lower"].isna().all()


@pytest.mark.parametrize("every", [False, True])
def test_a_learnt_function_is_rounded_as_in_one_call(of_points, tmp_path, monkeypatch, every):
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", PAIRS_COMPUTED_AT_ONCE)
    a, b, *files = point_files(tmp_path, 2 * PAIRS_COMPUTED_AT_ONCE + 300, 3 if every else None)
    table = predicted_table(of_points, *files, every=every)
    if every:
        a, b = np.repeat(a, 3, axis=0), np.tile(b, (len(a), 1))
    assert_predicts(table, of_points, a, b)


def test_so_many_pairs_at_once_are_rounded_as_in_one_call():
    assert module.PAIRS_AT_ONCE % PAIRS_COMPUTED_AT_ONCE == 0


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_every_pair_is_every_left_row_with_every_right_row_in_order(of_tables, tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", at_once)
    left, right = LEFT[:11], RIGHT[:9]
    table = predicted_table(of_tables, csv(tmp_path / "l.csv", left), csv(tmp_path / "r.csv", right), every=True)
    i, j = np.divmod(np.arange(99), 9)
    assert_predicts(table, of_tables, left.iloc[i], right.iloc[j])
    assert table["left_id"].tolist() == [str(k + 1) for k in i]
    assert table["right_id"].tolist() == [str(k + 1) for k in j]
    np.testing.assert_array_equal(table["estimate"], of_tables.predict_matrix(left, right).ravel())


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_named_pairs_are_found_by_id_in_the_order_of_their_file(of_tables, tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", at_once)
    i, j = RNG.integers(50, size=(2, 40))
    named = pd.DataFrame({"note": "", "right_id": [f"r{k}" for k in j], "left_id": [f"0{k}" for k in i]})
    table = predicted_table(
        of_tables,
        csv(tmp_path / "l.csv", LEFT.assign(who=[f"0{k}" for k in range(50)])),
        csv(tmp_path / "r.csv", RIGHT.assign(who=[f"r{k}" for k in range(50)])),
        pairs=csv(tmp_path / "p.csv", named),
        id_column="who",
    )
    assert_predicts(table, of_tables, LEFT.iloc[i], RIGHT.iloc[j])
    assert table["left_id"].tolist() == named["left_id"].tolist()
    assert table["right_id"].tolist() == named["right_id"].tolist()


def test_either_group_may_be_on_the_left_and_both_may_be_the_same(of_tables, tmp_path):
    files = csv(tmp_path / "l.csv", LEFT), csv(tmp_path / "r.csv", RIGHT)
    for between in ("single", "married"), ("single", "single"):
        assert_predicts(predicted_table(of_tables, *files, between=between), of_tables, LEFT, RIGHT, between)


def test_within_a_group_noise_leaves_no_interval_empty(tmp_path):
    est = few_answers.budgeted(answer_error="noise").fit(few_answers.POINTS, few_answers.sigma)
    _, _, file, _ = point_files(tmp_path, 5)
    table = predicted_table(est, file, file, between=("a", "a"))
    assert (table[list(COLUMNS[2:])] == 0.0).all(axis=None)


def test_other_columns_their_order_and_a_byte_order_mark_change_nothing(of_tables, tmp_path):
    shuffled = LEFT.assign(note='"so"\n')[["note", "job", "age", "code"]]
    files = csv(tmp_path / "l.csv", shuffled, encoding="utf-8-sig"), csv(tmp_path / "r.csv", RIGHT)
    files[1].write_text(files[1].read_text().replace("\n", "\n\n"))
    assert_predicts(predicted_table(of_tables, *files), of_tables, LEFT, RIGHT)


def test_numbers_are_read_to_the_last_bit(of_points, tmp_path):
    (tmp_path / "a.csv").write_text("x0,x1\n0.1234567890123456789e-0,.30000000000000004\n")
    (tmp_path / "b.csv").write_text("x0,x1,x2\n1,True,false\n")
    table = predicted_table(of_points, tmp_path / "a.csv", tmp_path / "b.csv")
    assert_predicts(table, of_points, [[0.1234567890123456789, 0.30000000000000004]], [[1.0, 1.0, 0.0]])


def test_a_whole_number_with_a_point_is_the_category_without_it_but_a_leading_zero_is_not(of_tables, tmp_path):
    right = csv(tmp_path / "r.csv", RIGHT[:1])
    (tmp_path / "l.csv").write_text("age,code,job\n0.5,2.0,cook\n")
    meant = pd.DataFrame({"age": [0.5], "code": ["2"], "job": ["cook"]})
    assert_predicts(predicted_table(of_tables, tmp_path / "l.csv", right), of_tables, meant, RIGHT[:1])
    (tmp_path / "l.csv").write_text("age,code,job\n0.5,02,cook\n")
    with pytest.raises(InvalidTable, match="category '02'"):
        predicted_table(of_tables, tmp_path / "l.csv", right)


def test_a_missing_value_is_filled_as_in_predict_and_a_category_called_na_is_none(of_tables, tmp_path):
    (tmp_path / "l.csv").write_text("age,code,job\n,NA,cook\nnull,,nan\n")
    meant = pd.DataFrame({"age": [np.nan, np.nan], "code": ["NA", None], "job": ["cook", None]})
    table = predicted_table(of_tables, tmp_path / "l.csv", csv(tmp_path / "r.csv", RIGHT[:2]))
    assert_predicts(table, of_tables, meant, RIGHT[:2])


def test_what_is_taken_for_a_missing_value_is_one_to_pandas_too():
    read = pd.read_csv(io.StringIO("x,y\n" + "".join(f"{text},1\n" for text in sorted(MISSING))))
    assert read["x"].isna().all()


def test_no_rows_are_no_pairs(of_tables, tmp_path):
    empty = csv(tmp_path / "l.csv", LEFT[:0])
    for options in ({}, {"every": True}, {"pairs": csv(tmp_path / "p.csv", pd.DataFrame(columns=COLUMNS[:2]))}):
        predicted = predict_pairs(of_tables, empty, empty, **options)
        assert predicted.n_pairs == 0
        assert list(predicted.tables) == []


# --- which intervals there are ---


def test_a_model_of_proxies_says_that_it_has_no_calibrated_intervals(of_tables, tmp_path):
    predicted = predict_pairs(of_tables, csv(tmp_path / "l.csv", LEFT), csv(tmp_path / "r.csv", RIGHT))
    assert predicted.intervals["certified"] == module.IntervalsGiven()
    assert not predicted.intervals["calibrated"].given
    assert "ClusterSimilarity holds none out" in predicted.intervals["calibrated"].note


def test_noisy_answers_certify_nothing(tmp_path):
    est = few_answers.budgeted(budget=120, answer_error="noise").fit(few_answers.POINTS, few_answers.sigma)
    a, b, *files = point_files(tmp_path, 6)
    predicted = predict_pairs(est, *files, confidence_level=0.8)
    assert "answer_error='noise' sets none" in predicted.intervals["certified"].note
    (table,) = predicted.tables
    assert table[["lower", "upper"]].isna().all(axis=None)
    bounds = est.predict_interval(a, b, interval="calibrated", confidence_level=0.8)
    np.testing.assert_array_equal(table[["calibrated_lower", "calibrated_upper"]], np.column_stack(bounds))


def test_contradicting_answers_certify_nothing_but_there_are_estimates(tmp_path):
    groups = {"a": [[0.0], [0.01]], "b": [[0.0]]}
    est = naive(samples="given").fit(groups, lambda left, right, between: 100.0 * left[:, 0])
    (tmp_path / "x.csv").write_text("x0\n0.01\n")
    predicted = predict_pairs(est, tmp_path / "x.csv", tmp_path / "x.csv")
    assert "contradict M1 and M2" in predicted.intervals["certified"].note
    (table,) = predicted.tables
    assert table["estimate"].tolist() == [1.0]
    assert table[["lower", "upper"]].isna().all(axis=None)


def test_too_few_held_out_answers_are_told_once_and_make_infinite_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", 2)
    est = few_answers.budgeted(budget=40).fit(few_answers.POINTS, few_answers.sigma)
    _, _, *files = point_files(tmp_path, 6)
    predicted = predict_pairs(est, *files, confidence_level=0.99)
    assert predicted.intervals["calibrated"].given
    assert "needs at least 99 held-out answers" in predicted.intervals["calibrated"].note
    table = pd.concat(predicted.tables)  # a warning here would be an error
    assert np.isinf(table["calibrated_upper"]).all()


# --- what is refused ---


def refused(
    tmp_path, est, left="age,code,job\n0.5,1,cook\n", right="age,code,job\n0.5,1,cook\n", pairs=None, **options
):
    """Return what a list of the tables raises, for files with these texts."""
    for name, text in (("l.csv", left), ("r.csv", right), ("p.csv", pairs)):
        if text is not None:
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    if pairs is not None:
        options["pairs"] = tmp_path / "p.csv"
    with pytest.raises((InvalidInput, InvalidParameter, UnknownGroup)) as caught:
        list(predict_pairs(est, tmp_path / "l.csv", tmp_path / "r.csv", **options).tables)
    return str(caught.value).replace(f"{tmp_path}/", "")


GOOD = "0.5,1,cook\n"
HEADER = "age,code,job\n"


@pytest.mark.parametrize(
    ("left", "message"),
    [
        (HEADER + 9 * GOOD + "0.5,y,cook\n", "column 'code' of l.csv has the category 'y' at row 10 (line 11)"),
        (HEADER + 9 * GOOD + "old,1,cook\n", "l.csv, line 11: the column 'age' must hold numbers, got 'old'"),
        (HEADER + 9 * GOOD + "1_0,1,cook\n", "l.csv, line 11: the column 'age' must hold numbers, got '1_0'"),
        (
            HEADER + 9 * GOOD + "inf,1,cook\n",
            "column 'age' of l.csv must be finite, got an infinite value at row 10 (line 11)",
        ),
        (HEADER + "\n\n" + GOOD + '0.5,1,"co\nok"\n', "at row 2 (line 5)"),
        (HEADER + '0.5,1,"co\nok"\n', "at row 1 (line 2)"),
        (HEADER + 9 * GOOD + "0.5,1\n", "l.csv, line 11: the header has 3 fields, but this row has 2"),
        (HEADER + 9 * GOOD + "0.5,1,nurse, night\n", "l.csv, line 11: the header has 3 fields, but this row has 4"),
        (HEADER + 9 * GOOD + '0.5,1,"cook\n', "l.csv, line 11: this is not valid CSV"),
        ((HEADER + 9 * GOOD).encode() + b"0.5,1,\xff\n", "l.csv must be a CSV file in UTF-8"),
        ("", "l.csv is empty"),
        (
            "age,work\n1,2\n",
            "for records of the fitted group 'married'; missing: ['code', 'job']; its columns are 'age', 'work'",
        ),
        ("age,code,job,age\n", "l.csv has two columns named 'age'"),
    ],
)
def test_a_bad_row_is_told_with_its_file_and_line(of_tables, tmp_path, monkeypatch, left, message):
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", 4)
    assert message in refused(tmp_path, of_tables, left, every=True)


def test_a_bad_row_in_the_middle_is_told_with_its_line_also_where_files_are_read_in_step(
    of_tables, tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", 4)
    bad = HEADER + 5 * GOOD + "0.5,y,cook\n" + 5 * GOOD
    assert "of r.csv has the category 'y' at row 6 (line 7)" in refused(tmp_path, of_tables, HEADER + 11 * GOOD, bad)


@pytest.mark.parametrize("text", ["", "nan", "inf"])
def test_points_must_be_finite_numbers(of_points, tmp_path, text):
    message = refused(tmp_path, of_points, f"x0,x1\n1,1\n1,{text}\n", "x0,x1,x2\n1,1,1\n1,1,1\n")
    assert "l.csv, line 3: the column 'x1' must hold finite numbers, got" in message


def test_a_missing_value_that_nothing_stands_in_for_is_told_with_its_line(tmp_path):
    est = naive().fit(cm.groups_from_tables({"u": LEFT, "v": RIGHT}), ages_apart)
    assert "column 'age' of l.csv has a missing value at row 1 (line 2)" in refused(tmp_path, est, HEADER + ",1,cook\n")


def test_files_of_unequal_length_are_refused_before_anything_is_predicted(of_tables, tmp_path):
    for n_left, n_right in ((3, 2), (2, 3)):
        files = csv(tmp_path / "l.csv", LEFT[:n_left]), csv(tmp_path / "r.csv", RIGHT[:n_right])
        with pytest.raises(InvalidInput, match=rf"{n_left} and {n_right} rows; .*pairs=.*every=True"):
            predict_pairs(of_tables, *files)


def test_a_file_that_grows_meanwhile_is_refused(of_tables, tmp_path):
    left, right = csv(tmp_path / "l.csv", LEFT), csv(tmp_path / "r.csv", RIGHT)
    predicted = predict_pairs(of_tables, left, right)
    with left.open("a") as file:
        file.write(GOOD)
    with pytest.raises(InvalidInput, match="changed while being read"):
        list(predicted.tables)


def test_unknown_ids_are_told_with_their_lines_before_anything_is_predicted(of_tables, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", 2)
    files = csv(tmp_path / "l.csv", LEFT[:2]), csv(tmp_path / "r.csv", RIGHT[:2])
    (tmp_path / "p.csv").write_text("left_id,right_id\n1,1\n3,1\n1,0\n2,2\n1.0,01\n")
    with pytest.raises(InvalidInput) as caught:
        predict_pairs(of_tables, *files, pairs=tmp_path / "p.csv")
    message = str(caught.value).replace(f"{tmp_path}/", "")
    assert (
        "line 3: '3' is not in l.csv; line 4: '0' is not in r.csv; line 6: '1.0' is not in l.csv, and 1 more" in message
    )
    assert "row numbers from 1; name a column of ids with id_column=" in message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pairs": "left,right\n"}, "p.csv must have the columns ['left_id', 'right_id'] for the ids of each pair"),
        ({"pairs": "left_id,right_id\n", "every": True}, "pass only one of the two"),
        ({"id_column": "who"}, "missing: ['who']"),
        ({"between": ("married", "divorced")}, "unknown group 'divorced'; fitted groups are ['married', 'single']"),
        ({"confidence_level": 1.5}, "confidence_level must"),
        ({"left": HEADER + GOOD + GOOD, "pairs": "left_id,right_id\n", "id_column": "job"}, "in rows 1 and 2"),
        (
            {"left": HEADER + "1,,cook\n", "id_column": "code"},
            "l.csv, line 2: the id column 'code' has a missing value",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(of_tables, tmp_path, options, message):
    assert message in refused(tmp_path, of_tables, **options)


def test_only_ordinary_files_are_read(of_tables, tmp_path):
    right = csv(tmp_path / "r.csv", RIGHT)
    with pytest.raises(InvalidInput, match="the file does not exist"):
        predict_pairs(of_tables, tmp_path / "absent.csv", right)
    with pytest.raises(InvalidInput, match="save the table to a file first"):
        predict_pairs(of_tables, tmp_path, right)


def test_a_model_that_was_not_fitted_is_refused(tmp_path):
    with pytest.raises(NotFittedError):
        predict_pairs(naive(), tmp_path / "l.csv", tmp_path / "r.csv")
