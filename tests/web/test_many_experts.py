"""Fifty experts who answer at once, against the real server: no answer is lost, doubled or refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from worlds.load_client import answer_at_once, check_study
from worlds.study_clients import check_file
from worlds.study_places import Places, own_places
from worlds.web_pages import page_study, served

pytestmark = pytest.mark.slow

EXPERTS = [f"expert {k}" for k in range(50)]
# each answers three times or more, on a busy machine too, and every kind of act comes up;
# make soak goes on for a minute
SECONDS = 5.0


@pytest.fixture(params=["sqlite", "postgresql"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Places]:
    with own_places(request.param, tmp_path) as made:
        yield made


def test_fifty_experts_answer_at_once(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    place = places.empty()
    page_study(place, questions=3000).close()
    with served(place) as server:
        log = answer_at_once({name: server.link(name) for name in EXPERTS}, seconds=SECONDS)
    with capsys.disabled():
        print(f"\n{places.kind}: {len(log.acknowledged)} answers; {log.latency()}")
    assert not log.failures
    check_study(place, log)
    check_file(place)
    # each had a turn, with the mouse, by script and with a network that fails
    assert set(Counter(expert for expert, _, _ in log.acknowledged.values())) == set(EXPERTS)
    assert {"plainly", "by_script", "twice", "cut_off", "undo", "skip"} <= set(log.did)
