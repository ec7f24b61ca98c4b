"""Numbers in sentences are rounded so that the sentence stays true."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.wording import percent_down, percent_up, rounded_down, rounded_up

# what is written has 15 digits first, which is as much as a decimal number keeps
ROUNDING = 1e-14
values = st.floats(1e-12, 1e12)


@given(value=values, digits=st.integers(1, 5))
def test_a_bound_is_never_below_its_value_and_one_from_below_never_above(value, digits):
    up, down = float(rounded_up(value, digits)), float(rounded_down(value, digits))
    assert down <= value * (1.0 + ROUNDING)
    assert up >= value * (1.0 - ROUNDING)
    assert up - down <= 1.01 * value * 10.0 ** (1 - digits)


@given(share=st.floats(1e-9, 1.0))
def test_shares_are_rounded_to_either_side(share):
    down, up = (float(write(share).removesuffix(" %")) / 100.0 for write in (percent_down, percent_up))
    assert down <= share * (1.0 + ROUNDING)
    assert up >= share * (1.0 - ROUNDING)
    assert up - down <= 1.01e-3 * share


@pytest.mark.parametrize("value", [0.0, 0.07, 0.29, 0.95, 1.0])
def test_short_numbers_stay_as_they_are(value):
    assert rounded_up(value) == rounded_down(value) == f"{value:g}"
    assert percent_up(value) == percent_down(value) == f"{100 * value:g} %"
