"""The columns that tell a cluster from its group are found, and those that do not are left out."""

import numpy as np
import pandas as pd
import pytest

from commensurate.report.clusters.profile import telling_columns

N = 200
IN_CLUSTER = np.arange(N) < 50


def found(**columns):
    return {each.column: each for each in telling_columns(pd.DataFrame(columns), IN_CLUSTER, most=10)}


def test_a_number_is_compared_by_its_mean_in_standard_deviations_of_the_group():
    pay = np.where(IN_CLUSTER, 3_000.0, 1_000.0) + np.arange(N) % 2
    column = found(pay=pay)["pay"]
    assert column.effect == pytest.approx((pay[:50].mean() - pay.mean()) / pay.std())
    assert column.here == "3,000"
    assert column.in_group == "1,500"
    assert column.difference == "much higher (+1.73 sd)"


def test_a_lower_mean_is_called_lower():
    assert found(pay=np.where(IN_CLUSTER, 0.0, 1.0))["pay"].difference == "much lower (−1.73 sd)"


def test_other_columns_are_compared_by_the_share_of_the_most_frequent_value_in_the_cluster():
    job = np.where(np.arange(N) < 40, "cook", "judge")
    column = found(job=job)["job"]
    assert (column.here, column.in_group) == ("cook: 80.0 %", "cook: 20.0 %")
    assert column.difference == "much more frequent (+60 points)"
    assert column.effect == pytest.approx(2 * (np.arcsin(np.sqrt(0.8)) - np.arcsin(np.sqrt(0.2))))


def test_a_most_frequent_value_may_be_less_frequent_than_in_the_group():
    job = np.where(IN_CLUSTER & (np.arange(N) % 5 < 2), "cook", "judge")
    assert found(job=job)["job"].difference == "less frequent (−30 points)"


def test_numbers_and_other_columns_are_in_one_order_the_most_telling_first():
    columns = telling_columns(
        pd.DataFrame(
            {
                "little": np.where(np.arange(N) % 2 == 0, 0.0, 1.0) + 0.4 * IN_CLUSTER,
                "kind": np.where(IN_CLUSTER, "x", "y"),
                "much": np.where(IN_CLUSTER, 1.0, 0.0) + 0.01 * (np.arange(N) % 3),
            }
        ),
        IN_CLUSTER,
    )
    assert [each.column for each in columns] == ["kind", "much", "little"]
    assert len(telling_columns(pd.DataFrame(dict.fromkeys("abcdef", IN_CLUSTER * 1.0)), IN_CLUSTER, most=4)) == 4


def test_what_hardly_differs_is_left_out():
    assert not found(age=np.arange(N) % 7, town=np.where(np.arange(N) % 2 == 0, "Bern", "Zug"))


def test_a_difference_that_few_elements_have_by_chance_is_left_out():
    ages = np.arange(N) % 10
    few = np.isin(np.arange(N), [5, 6, 7])
    # half a standard deviation, of three elements
    assert abs(ages[few].mean() - ages.mean()) / ages.std() > 0.5
    assert not telling_columns(pd.DataFrame({"age": ages}), few)
    many = ages >= 3
    assert telling_columns(pd.DataFrame({"age": ages}), many)


def test_columns_that_do_not_vary_and_names_are_passed_over():
    assert not found(
        constant=np.full(N, 0.1 + 0.2),
        name=[f"person {k}" for k in range(N)],
        empty=[None] * N,
    )


def test_numbers_written_as_text_are_numbers():
    assert found(pay=np.where(IN_CLUSTER, "30", "10.0"))["pay"].here == "30"


def test_yes_and_no_are_compared_by_shares():
    assert found(member=IN_CLUSTER)["member"].here == "True: 100 %"


def test_missing_values_are_left_aside():
    pay = np.where(IN_CLUSTER, 3.0, 1.0)
    pay[::3] = np.nan
    assert found(pay=pay)["pay"].here == "3"


def test_a_column_that_is_missing_in_the_whole_cluster_is_passed_over():
    assert not found(pay=np.where(IN_CLUSTER, np.nan, np.arange(N)))


@pytest.mark.parametrize("everybody", [True, False])
def test_nothing_marks_a_cluster_of_everybody_or_of_nobody(everybody):
    assert telling_columns(pd.DataFrame({"pay": np.arange(N)}), np.full(N, everybody)) == []


def test_categories_of_pandas_and_dates_can_be_compared():
    days = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(np.where(IN_CLUSTER, 0, 5), unit="D"))
    columns = found(kind=pd.Categorical(np.where(IN_CLUSTER, "x", "y")), day=days)
    assert columns["kind"].here == "x: 100 %"
    assert "2024-01-01" in columns["day"].here


@pytest.mark.slow
def test_a_random_choice_of_elements_is_told_of_one_time_in_twenty_at_most():
    rng = np.random.default_rng(0)
    n = 300
    table = pd.DataFrame(
        {f"number {k}": rng.normal(size=n) for k in range(20)}
        | {f"kind {k}": rng.choice(list("abcdefgh"[: 2 + k]), size=n) for k in range(6)}
        | {"mostly missing": np.where(rng.random(n) < 0.9, np.nan, rng.normal(size=n))}
    )
    for size in (5, 20, 80):
        told = [
            bool(telling_columns(table, np.isin(np.arange(n), rng.choice(n, size, replace=False)))) for _ in range(100)
        ]
        # 5 expected at most; more than 12 of 100 would come once in 700 times
        assert sum(told) <= 12


def test_the_more_columns_there_are_the_larger_a_difference_has_to_be():
    members = np.arange(N) < 16
    table = pd.DataFrame({"age": np.where(np.arange(N) % 2, 1.0, -1.0) + 0.6 * members})
    assert telling_columns(table, members)
    others = {f"other {k}": np.arange(N) % 2 for k in range(50)}
    assert not telling_columns(table.assign(**others), members)


def test_a_difference_is_judged_by_the_members_that_have_a_value():
    pay = np.where(np.arange(N) % 2, 1.0, -1.0) + 0.6 * IN_CLUSTER
    assert found(pay=pay)
    pay[:44] = np.nan
    assert not found(pay=pay)


def test_two_elements_are_too_few_to_tell_anything_of():
    pay = np.where(np.arange(N) < 3, 100.0, np.arange(N) % 2)
    assert telling_columns(pd.DataFrame({"pay": pay}), np.arange(N) < 3)
    assert not telling_columns(pd.DataFrame({"pay": pay}), np.arange(N) < 2)
    pay[2] = np.nan
    assert not telling_columns(pd.DataFrame({"pay": pay}), np.arange(N) < 3)
