from itertools import pairwise

import pytest
from sklearn.neighbors import KNeighborsRegressor

from commensurate.errors import InvalidParameter
from commensurate.learning.forecasting.track_record import MEASURED, track_record


def test_a_record_says_which_forecasts_it_is_of():
    record = track_record("your answers", "gp")
    assert str(record) == f"{record.forecasts:,} forecasts for learner 'gp' in {record.worlds} worlds"


def test_a_learner_that_was_not_measured_has_the_record_of_a_gaussian_process():
    assert track_record("your answers", KNeighborsRegressor()) == track_record("your answers", "gp")


@pytest.mark.parametrize("kind", MEASURED, ids=str)
def test_the_larger_the_share_the_wider_the_band(kind):
    widenings = [one for _, one in sorted(MEASURED[kind].widenings.items())]
    assert all(one.down <= other.down and one.up <= other.up for one, other in pairwise(widenings))


def test_a_share_that_was_not_measured_takes_the_next_larger_one():
    between, above = (track_record("your answers", "gp", share) for share in (0.75, 0.8))
    assert (between.down, between.up) == (above.down, above.up)
    assert between.share == 0.75


@pytest.mark.parametrize("share", [0.0, 1.0, 80, True, "0.8", float("nan")])
def test_a_share_lies_between_0_and_1(share):
    with pytest.raises(InvalidParameter, match="band_share must be a share of forecasts between 0 and 1"):
        track_record("your answers", "gp", share)


def test_a_share_that_too_few_worlds_tell_of_is_refused():
    with pytest.raises(InvalidParameter, match="band_share must be at most 0.9.* too few to say"):
        track_record("your answers", "gp", 0.99)
