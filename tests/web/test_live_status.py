"""The owner's numbers are those of now, unless counting them takes so long that experts would feel it."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from commensurate.web import overview_page
from commensurate.web.overview_page import PAUSES_PER_COUNT, LiveStatus
from worlds.answered_study import answer, people_study


@pytest.fixture
def study(tmp_path):
    with people_study(tmp_path / "people.db") as made:
        yield made


@pytest.fixture
def slow(study, monkeypatch):
    """A status of which each count takes a second by its clock; and the clock."""
    now = [0.0]
    status_of = overview_page.status_of

    def counting(counted):
        now[0] += 1.0
        return status_of(counted)

    monkeypatch.setattr(overview_page, "status_of", counting)
    return LiveStatus(study, clock=lambda: now[0]), now


def held_up(monkeypatch):
    """Let a count wait; return what tells that it has begun, and what lets it go on."""
    counting, go_on = Event(), Event()
    status_of = overview_page.status_of

    def slowly(counted):
        counting.set()
        assert go_on.wait(60.0)
        return status_of(counted)

    monkeypatch.setattr(overview_page, "status_of", slowly)
    return counting, go_on


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


def test_who_asks_while_it_is_counted_gets_what_was_counted_last(study, monkeypatch):
    live = LiveStatus(study, clock=lambda: 0.0)
    before = live.now()
    counting, go_on = held_up(monkeypatch)
    answer(study, 2)
    found = []
    first = Thread(target=lambda: found.append(live.now()))
    first.start()
    try:
        assert counting.wait(60.0)
        second = Thread(target=lambda: found.append(live.now()), daemon=True)
        second.start()
        second.join(10.0)
        assert found == [before], "it does not wait"
    finally:
        go_on.set()
        first.join(60.0)
    assert [one.answers for one in found] == [0, 2]


def test_who_asks_while_it_is_counted_for_the_first_time_waits_for_it(study, monkeypatch):
    live = LiveStatus(study, clock=lambda: 0.0)
    counting, go_on = held_up(monkeypatch)
    found = []
    both = [Thread(target=lambda: found.append(live.now().answers)) for _ in range(2)]
    both[0].start()
    assert counting.wait(60.0)
    both[1].start()
    go_on.set()
    for one in both:
        one.join(60.0)
    assert found == [0, 0]


def test_a_count_that_fails_lets_the_next_one_count(study, monkeypatch):
    live = LiveStatus(study, clock=lambda: 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(overview_page, "status_of", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            live.now()
    assert live.now().answers == 0
