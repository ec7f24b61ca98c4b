"""Adult: people in the census of the United States, married or not."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from commensurate.checks import check_flags, checked_choice
from commensurate.datasets.canonical import MISSING_CATEGORY
from commensurate.datasets.dataset import Dataset, split_in_two
from commensurate.datasets.public_table import PublicTable
from commensurate.datasets.sources import read_public_table

Missing = Literal["keep", "drop"]

WEIGHT, GROUP, LABEL = "fnlwgt", "marital-status", "income"

ADULT = PublicTable(
    name="adult",
    title="Adult",
    columns=(
        "age",
        "workclass",
        WEIGHT,
        "education",
        "education-num",
        GROUP,
        "occupation",
        "relationship",
        "race",
        "sex",
        "capital-gain",
        "capital-loss",
        "hours-per-week",
        "native-country",
        LABEL,
    ),
    text=frozenset(
        {"workclass", "education", GROUP, "occupation", "relationship", "race", "sex", "native-country", LABEL}
    ),
    n_rows=48_842,
    digest="cbff37e5047ddebd37470422031a0d90a261275e87c19098742172d0b693c3aa",
    openml_id=1590,
    aliases={"class": LABEL},
    # the test file of the original ends the label with a dot
    spellings={LABEL: {"<=50K.": "<=50K", ">50K.": ">50K"}},
)


def load_adult(
    *,
    data_home: str | Path | None = None,
    label: bool = True,
    fnlwgt: bool = False,
    group_column: bool = False,
    missing: Missing = "keep",
) -> Dataset:
    """Load Adult (Kohavi 1996), training and test file joined, as the groups "married" and "not married".

    Married is everyone whose marital status begins with "Married", whether or not the spouse is present. The paper does
    not say which columns it kept; with the defaults the number of questions comes as close to its Table 4 as with any
    other choice, within what draws differ by. Keeping ``fnlwgt`` moves it far away, all other choices a little.

    Parameters
    ----------
    data_home
        A folder with adult.csv.gz or adult.csv; then the folder in COMMENSURATE_DATA, then OpenML (through
        scikit-learn, which keeps what it fetched).
    label
        Keep the class label, ``income``, as a feature.
    fnlwgt
        Keep the census weight, which says for how many people a row stands and nothing about the person.
    group_column
        Keep ``marital-status``, which tells the groups apart, as a feature; it differs within each group too.
    missing
        "keep" the unknown value "?" as a category of its own, or "drop" the rows that have one.

    Examples
    --------
    >>> adult = load_adult()  # doctest: +SKIP
    >>> {name: table.shape for name, table in adult.tables.items()}  # doctest: +SKIP
    {'married': (23044, 13), 'not married': (25798, 13)}
    """
    check_flags(label=label, fnlwgt=fnlwgt, group_column=group_column)
    checked_choice("missing", missing, get_args(Missing))
    table = read_public_table(ADULT, data_home)
    if missing == "drop":
        table = table[(table != MISSING_CATEGORY).all(axis="columns")]
    kept = {LABEL: label, WEIGHT: fnlwgt, GROUP: group_column}
    return split_in_two(
        ADULT,
        table,
        table[GROUP].str.startswith("Married"),
        ("married", "not married"),
        without=[name for name, keep in kept.items() if not keep],
        variant={"label": label, "fnlwgt": fnlwgt, "group_column": group_column, "missing": missing},
    )
