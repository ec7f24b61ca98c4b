"""Fifty experts who answer at once for a minute, against the real server."""

import pytest

from worlds.load_client import answer_at_once, check_study
from worlds.study_clients import check_file
from worlds.study_places import own_places
from worlds.web_pages import page_study, served


@pytest.fixture(params=["sqlite", "postgresql"])
def places(request, tmp_path):
    with own_places(request.param, tmp_path) as made:
        yield made


def test_fifty_experts_answer_at_once_for_a_minute(places, capsys):
    place = places.empty()
    page_study(place, questions=4000, answers_per_question=2).close()
    with served(place) as server:
        # the owner looks on: what is computed for them is in nobody's way
        log = answer_at_once(
            {f"expert {k}": server.link(f"expert {k}") for k in range(50)}, seconds=60.0, owner_link=server.owner_link
        )
    with capsys.disabled():
        print(f"\n{places.kind}: {len(log.acknowledged)} answers; {log.latency()}")
    assert not log.failures
    check_study(place, log)
    check_file(place)
