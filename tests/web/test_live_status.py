"""The owner's numbers are those of now, unless counting them takes so long that experts would feel it."""

from __future__ import annotations

import pytest

from commensurate.web import live_status
from commensurate.web.live_status import PAUSES_PER_COUNT, LiveStatus
from study.answered_study import answer, people_study


@pytest.fixture
def study(tmp_path):
    with people_study(tmp_path / "people.db") as made:
        yield made


@pytest.fixture
def slow(study, monkeypatch):
    """A status of which each count takes a second by its clock; and the clock."""
    now = [0.0]
    status_of = live_status.status_of

    def counting(counted):
        now[0] += 1.0
        return status_of(counted)

    monkeypatch.setattr(live_status, "status_of", counting)
    return LiveStatus(study, clock=lambda: now[0]), now


def test_what_takes_no_time_is_counted_for_each_request(study):
    live = LiveStatus(study, clock=lambda: 0.0)
    assert live.now().answers == 0
    answer(study, 2)
    assert live.now().answers == 2


def test_what_takes_long_is_counted_a_tenth_of_the_time(slow, study):
    live, now = slow
    live.now()
    answer(study, 2)
    assert live.now().answers == 0
    now[0] += PAUSES_PER_COUNT
    assert live.now().answers == 2


def test_a_forgotten_record_is_counted_at_once(slow, study):
    live, _ = slow
    live.now()
    study.forget("p0")
    assert sum(group.forgotten for group in live.now().groups) == 1
