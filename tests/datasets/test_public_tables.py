"""The published tables themselves: from a file, and as OpenML stores them."""

import doctest

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.datasets import load_adult, load_credit_card_default, load_give_me_some_credit
from commensurate.datasets.adult import ADULT
from commensurate.datasets.credit_card_default import CREDIT_CARD_DEFAULT
from commensurate.datasets.give_me_some_credit import GIVE_ME_SOME_CREDIT
from commensurate.errors import InvalidTable

pytestmark = [pytest.mark.real_data, pytest.mark.slow]

LOADERS = [load_adult, load_credit_card_default, load_give_me_some_credit]
N_TEST_ROWS_OF_ADULT = 16_281


def raw(name, folder):
    return pd.read_csv(folder / f"{name}.csv.gz")


def adult_on_openml(table):
    """The test file first; unknown values missing; text as categories."""
    table = pd.concat([table[-N_TEST_ROWS_OF_ADULT:], table[:-N_TEST_ROWS_OF_ADULT]], ignore_index=True)
    texts = table[list(ADULT.text)].replace("?", np.nan).astype("category")
    return table.assign(**texts).rename(columns={"income": "class"})


def credit_on_openml(table):
    """Numbered features, no row numbers, the label as categories."""
    names = [*(f"x{place}" for place in range(1, 24)), "y"]
    renamed = table.drop(columns="ID").set_axis(names, axis="columns").astype("int64")
    return renamed.assign(y=renamed["y"].astype(str).astype("category"))


def give_me_some_credit_on_openml(table):
    """The label renamed, as words, and in the last place; small integers."""
    words = table["SeriousDlqin2yrs"].map({0: "No", 1: "Yes"}).astype("category")
    counts = dict.fromkeys(("age", "NumberOfTimes90DaysLate"), "uint8")
    features = table.drop(columns="SeriousDlqin2yrs").astype(counts)
    return features.assign(FinancialDistressNextTwoYears=words).sample(frac=1.0, random_state=0)


@pytest.mark.parametrize(
    ("load", "name", "title", "variant"),
    [
        (load_adult, "adult", "Adult", {"label": True, "fnlwgt": False, "group_column": False, "missing": "keep"}),
        (load_credit_card_default, "credit-card-default", "Credit Card Default", {"label": True, "group_column": True}),
        (
            load_give_me_some_credit,
            "give-me-some-credit",
            "Give Me Some Credit",
            {"label": True, "monthly_income": False, "group_column": True, "missing": "zero"},
        ),
    ],
)
def test_the_defaults_are_those_that_the_documentation_tells(load, name, title, variant):
    dataset = load()
    assert (dataset.name, dataset.title, dataset.variant) == (name, title, variant)


@pytest.mark.parametrize("load", LOADERS)
def test_the_example_in_the_documentation_is_right(load):
    text = load.__doc__.replace("# doctest: +SKIP", "")
    example = doctest.DocTestParser().get_doctest(text, {load.__name__: load}, load.__name__, None, 0)
    assert len(example.examples) == 2
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("load", LOADERS)
def test_the_tables_are_ready_to_become_groups(load):
    dataset = load()
    groups = cm.groups_from_tables(dataset.tables)
    assert [group.name for group in groups] == list(dataset.tables)
    first, second = dataset.tables.values()
    assert not set(first.index) & set(second.index)


def test_groups_have_the_published_sizes_whatever_is_dropped():
    def sizes(dataset):
        return [len(table) for table in dataset.tables.values()]

    assert sizes(load_adult(missing="drop")) == [21_639, 23_583]
    assert sizes(load_give_me_some_credit(missing="median")) == [59_174, 90_826]
    assert sizes(load_give_me_some_credit(missing="drop")) == [59_174, 86_902]
    assert sizes(load_give_me_some_credit(missing="drop", monthly_income=True)) == [54_813, 65_456]


@pytest.mark.parametrize(
    ("load", "public", "on_openml"),
    [
        (load_adult, ADULT, adult_on_openml),
        (load_credit_card_default, CREDIT_CARD_DEFAULT, credit_on_openml),
        (load_give_me_some_credit, GIVE_ME_SOME_CREDIT, give_me_some_credit_on_openml),
    ],
)
def test_openml_yields_the_same_dataset_as_the_file(load, public, on_openml, data_folder, openml):
    from_file = load(data_home=data_folder)
    asked = openml(on_openml(raw(public.name, data_folder)))
    from_openml = load()
    assert [how["data_id"] for how in asked] == [public.openml_id]
    assert from_openml.digest == from_file.digest == public.digest
    assert list(from_openml.tables) == list(from_file.tables)
    for name, table in from_file.tables.items():
        pd.testing.assert_frame_equal(from_openml.tables[name], table, check_exact=True)


def test_the_original_spellings_of_the_publishers_are_understood(tmp_path, data_folder):
    adult, credit, give = (
        raw(public.name, data_folder) for public in (ADULT, CREDIT_CARD_DEFAULT, GIVE_ME_SOME_CREDIT)
    )
    dotted = adult["income"].where(adult.index < len(adult) - N_TEST_ROWS_OF_ADULT, adult["income"] + ".")
    adult.assign(income=" " + dotted).to_csv(tmp_path / "adult.csv", index=False)
    credit = credit.rename(columns={"default.payment.next.month": "default payment next month"})
    credit.to_csv(tmp_path / "credit-card-default.csv", index=False)
    give.to_csv(tmp_path / "give-me-some-credit.csv", na_rep="NA", index_label="")
    for load in LOADERS:
        assert load(data_home=tmp_path).digest == load(data_home=data_folder).digest


def test_one_altered_value_is_refused(tmp_path, data_folder):
    table = raw("credit-card-default", data_folder)
    table.loc[17, "AGE"] += 1
    table.to_csv(tmp_path / "credit-card-default.csv.gz", index=False)
    with pytest.raises(InvalidTable, match="is not the published Credit Card Default table"):
        load_credit_card_default(data_home=tmp_path)
