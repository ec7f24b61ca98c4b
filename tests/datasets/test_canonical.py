"""One form and one digest for a table, however a source stores it."""

import numpy as np
import pandas as pd
import pytest

from commensurate.datasets.canonical import canonical_table, check_content, content_digest
from commensurate.datasets.public_table import PublicTable
from commensurate.errors import InvalidTable

PETS = PublicTable(
    name="pets",
    title="Pets",
    columns=("kind", "legs", "weight"),
    n_rows=3,
    digest="",
    openml_id=7,
    text=frozenset({"kind"}),
    aliases={"x1": "kind"},
    row_numbers=("ID",),
    spellings={"kind": {"hound": "dog"}, "legs": {"four": "4"}},
)
PLAIN = pd.DataFrame({"kind": ["?", "cat", "dog"], "legs": [2.0, 4.0, 4.0], "weight": [0.5, np.nan, 10.1]})


def canonical(raw: pd.DataFrame) -> pd.DataFrame:
    return canonical_table(raw, PETS, "the test")


@pytest.mark.parametrize(
    "raw",
    [
        PLAIN,
        PLAIN.iloc[[2, 0, 1]],
        PLAIN[["weight", "kind", "legs"]],
        PLAIN.rename(columns={"kind": "x1"}),
        PLAIN.assign(ID=[3, 1, 2]),
        PLAIN.assign(kind=[None, "cat", "dog"]),
        PLAIN.assign(kind=[" ?", "cat ", " hound "]),
        PLAIN.assign(kind=pd.Categorical([np.nan, "cat", "dog"], categories=["dog", "cat"])),
        PLAIN.assign(legs=[2, 4, 4]),
        PLAIN.assign(legs=np.array([2, 4, 4], dtype=np.uint8)),
        PLAIN.assign(legs=pd.Categorical(["2", "four", "4"])),
        PLAIN.assign(weight=pd.array([0.5, None, 10.1], dtype="Float64")),
        PLAIN.assign(weight=["0.5", None, " 10.1"]),
        # a parser that is off by the last bit
        PLAIN.assign(weight=[np.nextafter(0.5, 1.0), np.nan, np.nextafter(10.1, 0.0)]),
    ],
)
def test_every_source_yields_the_same_table_and_digest(raw):
    pd.testing.assert_frame_equal(canonical(raw), PLAIN, check_exact=True)
    assert content_digest(canonical(raw)) == content_digest(PLAIN)


def test_the_raw_table_is_left_as_it_was():
    raw = PLAIN.assign(weight=[np.nextafter(0.5, 1.0), np.nan, 10.1])
    before = raw.copy()
    canonical(raw)
    pd.testing.assert_frame_equal(raw, before, check_exact=True)


@pytest.mark.parametrize(
    "other",
    [
        PLAIN.rename(columns={"legs": "feet"}),
        PLAIN[["legs", "kind", "weight"]],
        PLAIN.iloc[:2],
        PLAIN.iloc[[1, 0, 2]],
        PLAIN.assign(kind=["?", "cat", "dot"]),
        PLAIN.assign(kind=["?", "catd", "og"]),
        PLAIN.assign(weight=[0.5, 0.0, 10.1]),
        PLAIN.assign(weight=[0.5, np.nan, 10.1000001]),
        PLAIN.assign(legs=["2.0", "4.0", "4.0"]),
    ],
)
def test_another_name_value_or_order_has_another_digest(other):
    assert content_digest(other) != content_digest(PLAIN)


def test_zero_and_missing_numbers_have_one_form_each():
    minus_zero, other_nan = -0.0, np.array([0xFFF8000000000001], dtype=np.uint64).view(np.float64)[0]
    assert np.isnan(other_nan)
    assert content_digest(pd.DataFrame({"x": [minus_zero, other_nan]})) == content_digest(
        pd.DataFrame({"x": [0.0, np.nan]})
    )


def test_the_digest_of_a_known_table_never_changes():
    # result files name their data by it
    assert content_digest(PLAIN) == "4235c1360c188807ce00a5c7edfb8dbcfc5d89f760757d71e4041dc2a8c4a09f"


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (PLAIN.drop(columns="legs"), r"missing \['legs'\], unknown \[\]"),
        (PLAIN.assign(tail=1), r"missing \[\], unknown \['tail'\]"),
        (PLAIN.assign(x1="dog"), r"got \['kind', 'legs', 'weight', 'kind'\]"),
        (
            PLAIN.rename(columns={"legs": "feet"}),
            r"expected \['kind', 'legs', 'weight'\], got \['kind', 'feet', 'weight'\]",
        ),
    ],
)
def test_other_columns_are_refused_with_what_is_missing_and_unknown(raw, says):
    with pytest.raises(InvalidTable, match=says):
        canonical(raw)


def test_a_word_among_numbers_is_refused_with_its_column():
    with pytest.raises(InvalidTable, match="column 'legs' of the test must hold numbers.*many"):
        canonical(PLAIN.assign(legs=["2", "many", "4"]))


def test_other_content_is_refused_with_both_digests_and_sizes():
    with pytest.raises(
        InvalidTable, match=r"the test is not the published.*expected 3 rows.*got 2 rows.*replace it"
    ) as refused:
        check_content(PLAIN.iloc[:2], PETS, "the test")
    assert content_digest(PLAIN.iloc[:2]) in str(refused.value)
