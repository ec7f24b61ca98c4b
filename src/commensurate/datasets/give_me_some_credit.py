"""Give Me Some Credit: borrowers, with or without dependents."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import pandas as pd

from commensurate.checks import check_flags, checked_choice
from commensurate.datasets.dataset import Dataset, split_in_two
from commensurate.datasets.public_table import PublicTable
from commensurate.datasets.sources import read_public_table

Missing = Literal["zero", "median", "drop"]

GROUP, LABEL, INCOME = "NumberOfDependents", "SeriousDlqin2yrs", "MonthlyIncome"

GIVE_ME_SOME_CREDIT = PublicTable(
    name="give-me-some-credit",
    title="Give Me Some Credit",
    columns=(
        LABEL,
        "RevolvingUtilizationOfUnsecuredLines",
        "age",
        "NumberOfTime30-59DaysPastDueNotWorse",
        "DebtRatio",
        INCOME,
        "NumberOfOpenCreditLinesAndLoans",
        "NumberOfTimes90DaysLate",
        "NumberRealEstateLoansOrLines",
        "NumberOfTime60-89DaysPastDueNotWorse",
        GROUP,
    ),
    n_rows=150_000,
    digest="9b5fa352a679fb6301bd6985c69b7b69e164deb5771658efe90aeadbff545967",
    openml_id=46929,
    aliases={"FinancialDistressNextTwoYears": LABEL},
    # the original file numbers its rows in a column without a name, which pandas calls so
    row_numbers=("Unnamed: 0",),
    spellings={LABEL: {"No": "0", "Yes": "1"}},
)


def load_give_me_some_credit(
    *,
    data_home: str | Path | None = None,
    label: bool = True,
    monthly_income: bool = False,
    group_column: bool = True,
    missing: Missing = "zero",
) -> Dataset:
    """Load the training file of Give Me Some Credit (Kaggle 2011) as the groups "dependents" and "no dependents".

    The paper speaks of all rows, but not of what it did about missing values, which only two columns have: monthly
    income, often, and the number of dependents, seldom. The defaults keep all rows: the income is left out, and an
    unknown number of dependents is read as none. With them the number of questions comes as close to its Table 4 as
    with any other choice, within what draws differ by. With the income kept it is a little further away, without the
    group column far.

    Parameters
    ----------
    data_home
        A folder with give-me-some-credit.csv.gz or give-me-some-credit.csv; then the folder in COMMENSURATE_DATA, then
        OpenML (through scikit-learn, which keeps what it fetched).
    label
        Keep the class label, ``SeriousDlqin2yrs``, as a feature.
    monthly_income
        Keep ``MonthlyIncome``, the column with most of the missing values, as a feature.
    group_column
        Keep ``NumberOfDependents``, which tells the groups apart, as a feature; who has none has the same value.
    missing
        What to do about missing values in ``MonthlyIncome`` (if kept) and ``NumberOfDependents``: "zero" or "median"
        fill them before the groups are formed, "drop" leaves out the rows.

    Examples
    --------
    >>> credit = load_give_me_some_credit()  # doctest: +SKIP
    >>> {name: table.shape for name, table in credit.tables.items()}  # doctest: +SKIP
    {'dependents': (59174, 10), 'no dependents': (90826, 10)}
    """
    check_flags(label=label, monthly_income=monthly_income, group_column=group_column)
    checked_choice("missing", missing, get_args(Missing))
    table = read_public_table(GIVE_ME_SOME_CREDIT, data_home)
    # first, so that nobody's row is dropped for the lack of a column that is not used
    complete = _without_gaps(table if monthly_income else table.drop(columns=INCOME), missing)
    kept = {LABEL: label, GROUP: group_column}
    return split_in_two(
        GIVE_ME_SOME_CREDIT,
        complete,
        complete[GROUP] > 0,
        ("dependents", "no dependents"),
        without=[name for name, keep in kept.items() if not keep],
        variant={"label": label, "monthly_income": monthly_income, "group_column": group_column, "missing": missing},
    )


def _without_gaps(table: pd.DataFrame, missing: Missing) -> pd.DataFrame:
    if missing == "drop":
        return table.dropna()
    return table.fillna(0.0 if missing == "zero" else table.median())
