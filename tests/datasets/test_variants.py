"""What the loaders' arguments do, on tables of a few rows."""

import json

import numpy as np
import pandas as pd
import pytest

from commensurate.datasets import Dataset, load_adult, load_credit_card_default, load_give_me_some_credit
from commensurate.datasets.adult import ADULT
from commensurate.datasets.credit_card_default import CREDIT_CARD_DEFAULT
from commensurate.datasets.give_me_some_credit import GIVE_ME_SOME_CREDIT
from commensurate.errors import InvalidParameter

STATUSES = ["Married-civ-spouse", "Married-AF-spouse", "Never-married", "Divorced", "Widowed"]


@pytest.fixture
def adult(publish, tmp_path):
    numbers = {name: range(30, 35) for name in ADULT.columns if name not in ADULT.text}
    texts = dict.fromkeys(ADULT.text, "some") | {"workclass": ["?", "a", "b", "?", "c"], "marital-status": STATUSES}
    publish("adult", pd.DataFrame(numbers | texts))
    return tmp_path


@pytest.fixture
def credit(publish, tmp_path):
    publish(
        "credit-card-default",
        pd.DataFrame({"ID": [1, 2, 3, 4]} | {name: [0, 1, 2, 3] for name in CREDIT_CARD_DEFAULT.columns}),
    )
    return tmp_path


@pytest.fixture
def give_me_some_credit(publish, tmp_path):
    table = pd.DataFrame({name: np.arange(5.0) for name in GIVE_ME_SOME_CREDIT.columns})
    table["MonthlyIncome"] = [1000.0, np.nan, 3000.0, 5000.0, 5000.0]
    table["NumberOfDependents"] = [2.0, 1.0, 0.0, np.nan, 2.0]
    publish("give-me-some-credit", table)
    return tmp_path


def rows(dataset: Dataset) -> dict[str, int]:
    return {name: len(table) for name, table in dataset.tables.items()}


def features(dataset: Dataset) -> list[str]:
    first, second = (list(table.columns) for table in dataset.tables.values())
    assert first == second
    return first


def test_adult_is_married_or_not_with_the_married_first(adult):
    dataset = load_adult(data_home=adult, group_column=True)
    assert list(dataset.tables) == ["married", "not married"]
    assert set(dataset.tables["married"]["marital-status"]) == set(STATUSES[:2])
    assert set(dataset.tables["not married"]["marital-status"]) == set(STATUSES[2:])


@pytest.mark.parametrize(
    ("argument", "column"), [("label", "income"), ("fnlwgt", "fnlwgt"), ("group_column", "marital-status")]
)
def test_a_column_of_adult_is_a_feature_if_asked_for(adult, argument, column):
    with_it, without_it = (features(load_adult(data_home=adult, **{argument: keep})) for keep in (True, False))
    assert [name for name in with_it if name != column] == without_it
    assert column in with_it


def test_adult_keeps_unknown_categories_or_drops_their_rows(adult):
    kept = load_adult(data_home=adult, missing="keep")
    assert rows(kept) == {"married": 2, "not married": 3}
    assert (kept.tables["married"]["workclass"] == "?").sum() == 1
    dropped = load_adult(data_home=adult, missing="drop")
    assert rows(dropped) == {"married": 1, "not married": 2}
    assert all((table["workclass"] != "?").all() for table in dropped.tables.values())


def test_credit_is_married_if_marriage_is_1(credit):
    dataset = load_credit_card_default(data_home=credit)
    assert {name: list(table["MARRIAGE"]) for name, table in dataset.tables.items()} == {
        "married": [1],
        "not married": [0, 2, 3],
    }
    assert "ID" not in features(dataset)


@pytest.mark.parametrize(
    ("argument", "column"), [("label", "default.payment.next.month"), ("group_column", "MARRIAGE")]
)
def test_a_column_of_credit_is_a_feature_if_asked_for(credit, argument, column):
    with_it, without_it = (
        features(load_credit_card_default(data_home=credit, **{argument: keep})) for keep in (True, False)
    )
    assert [name for name in with_it if name != column] == without_it
    assert column in with_it


@pytest.mark.parametrize(
    ("argument", "column"),
    [("label", "SeriousDlqin2yrs"), ("monthly_income", "MonthlyIncome"), ("group_column", "NumberOfDependents")],
)
def test_a_column_of_give_me_some_credit_is_a_feature_if_asked_for(give_me_some_credit, argument, column):
    with_it, without_it = (
        features(load_give_me_some_credit(data_home=give_me_some_credit, **{argument: keep})) for keep in (True, False)
    )
    assert [name for name in with_it if name != column] == without_it
    assert column in with_it


@pytest.mark.parametrize(
    ("missing", "dependents", "incomes"),
    [
        ("zero", {"dependents": [2, 1, 2], "no dependents": [0, 0]}, [1000, 0, 5000, 3000, 5000]),
        ("median", {"dependents": [2, 1, 1.5, 2], "no dependents": [0]}, [1000, 4000, 5000, 5000, 3000]),
        ("drop", {"dependents": [2, 2], "no dependents": [0]}, [1000, 5000, 3000]),
    ],
)
def test_gaps_of_give_me_some_credit_are_filled_or_dropped(give_me_some_credit, missing, dependents, incomes):
    dataset = load_give_me_some_credit(data_home=give_me_some_credit, monthly_income=True, missing=missing)
    assert {name: list(table["NumberOfDependents"]) for name, table in dataset.tables.items()} == dependents
    assert [value for table in dataset.tables.values() for value in table["MonthlyIncome"]] == incomes


def test_a_row_is_not_dropped_for_an_income_that_is_not_used(give_me_some_credit):
    dataset = load_give_me_some_credit(data_home=give_me_some_credit, monthly_income=False, missing="drop")
    assert rows(dataset) == {"dependents": 3, "no dependents": 1}


def test_whole_numbers_are_integers_and_others_are_not(give_me_some_credit):
    dataset = load_give_me_some_credit(data_home=give_me_some_credit, missing="zero")
    assert all((table.dtypes == "int64").all() for table in dataset.tables.values())
    dataset = load_give_me_some_credit(data_home=give_me_some_credit, missing="median")
    assert {str(table["NumberOfDependents"].dtype) for table in dataset.tables.values()} == {"float64"}


def test_the_variant_tells_every_choice_and_can_be_written_as_json(adult, credit, give_me_some_credit):
    choices = {
        load_adult: {"label": False, "fnlwgt": True, "group_column": True, "missing": "drop"},
        load_credit_card_default: {"label": False, "group_column": False},
        load_give_me_some_credit: {"label": False, "monthly_income": True, "group_column": False, "missing": "drop"},
    }
    for load, variant in choices.items():
        dataset = load(data_home=adult, **variant)
        assert json.loads(json.dumps(dict(dataset.variant))) == variant
        assert dataset.digest == load(data_home=adult).digest


@pytest.mark.parametrize(
    ("load", "argument", "value", "says"),
    [
        (load_adult, "label", "no", "label must be True or False, got 'no'"),
        (load_adult, "fnlwgt", 1, "fnlwgt must be True or False, got 1"),
        (load_adult, "group_column", None, "group_column must be True or False, got None"),
        (load_adult, "missing", "zero", "missing must be one of 'keep', 'drop', got 'zero'"),
        (load_credit_card_default, "label", 0, "label must be True or False, got 0"),
        (load_credit_card_default, "group_column", "x", "group_column must be True or False, got 'x'"),
        (load_give_me_some_credit, "label", [], r"label must be True or False, got \[\]"),
        (load_give_me_some_credit, "monthly_income", "y", "monthly_income must be True or False, got 'y'"),
        (load_give_me_some_credit, "group_column", 2, "group_column must be True or False, got 2"),
        (load_give_me_some_credit, "missing", None, "missing must be one of 'zero', 'median', 'drop', got None"),
    ],
)
def test_a_bad_value_is_refused_before_any_table_is_looked_for(nowhere, load, argument, value, says):
    with pytest.raises(InvalidParameter, match=says):
        load(**{argument: value})
