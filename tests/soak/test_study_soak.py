"""A study under kill -9, hundreds of times, and under sixteen people who never stop."""

from collections import Counter
from random import Random

import pytest

from commensurate.study.study import Study
from worlds.study_clients import check_file, kill_again_and_again, running_clients
from worlds.study_places import own_places


@pytest.fixture(params=["sqlite", "postgresql"])
def places(request, tmp_path):
    with own_places(request.param, tmp_path) as made:
        yield made


@pytest.fixture
def clients(tmp_path_factory):
    with running_clients(tmp_path_factory.mktemp("clients")) as started:
        yield started


def test_every_acknowledged_answer_survives_three_hundred_kills(places, clients):
    acknowledged = kill_again_and_again(clients, places.study(questions=400), rounds=150, rng=Random(300))
    assert acknowledged > 300


def test_sixteen_people_answer_a_thousand_questions_twice(places, clients):
    place = places.study(questions=1000, answers_per_question=2)
    started = [clients.start("answer_all", place, expert=f"expert {k}") for k in range(16)]
    for client in started:
        client.join(seconds=900.0)
    assert [client.said()[-1] for client in started] == [{"done": True}] * 16
    check_file(place)
    with Study(place) as study:
        given = study.stored_answers(history=True)
    assert Counter(Counter(answer.question_id for answer in given).values()) == {2: 1000}
    assert len({(answer.question_id, answer.expert) for answer in given}) == 2000
