"""Nothing that was acknowledged is ever lost: kill -9, full disks and files that may not be written."""

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import pytest

from commensurate.errors import StudyError, StudyExists, StudyUnwritable
from commensurate.study.store.answering import GivenAnswer
from commensurate.study.study import Study
from worlds.study_clients import check_file, kill_again_and_again
from worlds.study_places import answer_some, create_small

pytestmark = pytest.mark.slow

# --- kill -9 ---


def test_every_acknowledged_answer_survives_kill_9_at_any_moment(places, clients):
    rounds = 15 if places.kind == "sqlite" else 5
    place = places.study(questions=400)
    acknowledged = kill_again_and_again(clients, place, rounds, Random(1))
    # else nothing was tested
    assert acknowledged > 2 * rounds


@pytest.mark.parametrize("seed", range(3))
def test_a_block_of_answers_killed_within_leaves_none_of_them(places, clients, seed):
    place = places.study(questions=400)
    client = clients.start("record_block", place, expert="ana", start=0, n=100_000)
    client.wait_until(lambda: len(client.all_said("within")) > Random(seed).randrange(1, 10))
    client.kill()
    assert client.all_said("within")
    assert not client.all_said("error")
    check_file(place)
    with Study(place) as study:
        assert study.stored_answers(history=True) == []


def test_a_block_of_answers_is_whole_once_it_has_ended(places, clients):
    place = places.study(questions=400)
    client = clients.start("record_block", place, expert="ana", start=0, n=200)
    client.wait_until(lambda: client.all_said("block"))
    client.kill()
    with Study(place) as study:
        assert len(study.stored_answers(history=True)) == 200


def test_a_block_that_raises_keeps_none_of_its_answers(place):
    with Study(place) as study:
        first, second = (question.question_id for question in study.next_questions("ana", n=2))

        def record_and_fail():
            with study._recording() as record:
                record([GivenAnswer(first, "ana", 1.0), GivenAnswer(second, "ana", 2.0)])
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            record_and_fail()
        assert study.stored_answers() == []
        study.record(first, 3.0, expert="ana")
        assert [answer.value for answer in study.stored_answers()] == [3.0]


def test_a_study_killed_while_it_is_made_is_whole_or_not_there(creators, tmp_path):
    rng = Random(2)
    outcomes = []
    for turn in range(12):
        place = tmp_path / f"people{turn}.db"
        before = set(tmp_path.iterdir())
        client = creators.start("create", place)
        client.wait_until(lambda before=before: set(tmp_path.iterdir()) != before)
        time.sleep(rng.uniform(0.0, 0.15))
        client.kill()
        outcomes.append(place.exists())
        if place.exists():
            check_file(place)
            Study(place).close()
        else:
            assert not client.all_said("created")
    # else no kill came between
    assert False in outcomes
    left_over = [path for path in tmp_path.iterdir() if path.name.startswith(".commensurate-")]
    assert left_over
    # what the killed have left is in nobody's way, and nobody else may read it
    create_small(tmp_path / "people0.db", force=(tmp_path / "people0.db").exists()).close()
    assert {stat.S_IMODE(path.stat().st_mode) for path in left_over} == {0o600}


def test_a_study_on_a_server_killed_while_it_is_made_is_whole_or_not_there(creators, postgres):
    rng = Random(3)
    for _ in range(4):
        place = postgres.url(postgres.new_database())
        client = creators.start("create", place)
        time.sleep(rng.uniform(0.2, 0.8))
        client.kill()
        try:
            Study(place).close()
        except StudyError:
            assert not client.all_said("created")
            create_small(place).close()


def killed_while_writing(path, n):
    """Make a study with n answers that are in the log beside the file only, as after a kill."""
    copy = path.with_name("while-open.db")
    with create_small(copy) as study:
        answer_some(study, n)
        for suffix in ("", "-wal"):
            shutil.copy(f"{copy}{suffix}", f"{path}{suffix}")
    for left in path.parent.glob("while-open.db*"):
        left.unlink()


def test_answers_beside_the_file_are_read_after_a_kill(tmp_path):
    killed_while_writing(tmp_path / "people.db", 7)
    with Study(tmp_path / "people.db") as study:
        assert len(study.answers()) == 7


def test_a_study_that_replaces_a_killed_one_has_none_of_its_answers(tmp_path):
    path = tmp_path / "people.db"
    killed_while_writing(path, 7)
    with create_small(path, seed=2, force=True) as study:
        assert study.settings.seed == 2
        assert study.stored_answers(history=True) == []
    check_file(path)


def test_no_study_is_made_beside_the_log_of_one_that_was_removed_by_hand(tmp_path):
    path = tmp_path / "people.db"
    killed_while_writing(path, 7)
    path.unlink()
    with pytest.raises(StudyExists, match="people.db-wal"):
        create_small(path, seed=2)
    assert not path.exists()


# --- a full disk ---


def test_on_a_full_disk_recording_says_so_and_loses_nothing(study_file, clients):
    client = clients.start("answer_within", study_file, expert="ana", bytes_a_file=300_000)
    error = client.error()
    assert error["error"] == "StudyUnwritable"
    assert "disk is full" in error["message"]
    recorded = client.all_said("recorded")
    assert len(recorded) > 3
    check_file(study_file)
    with Study(study_file) as study:
        assert [answer.comment.rstrip(",") for answer in study.stored_answers(history=True)] == recorded
        # and now that there is room again
        answer_some(study, 5, expert="bob")
        assert len(study.answers()) == len(recorded) + 5


def test_on_a_full_disk_no_half_study_is_made(creators, tmp_path):
    client = creators.start("create_within", tmp_path / "people.db", bytes_a_file=50_000)
    error = client.error()
    assert error["error"] == "StudyUnwritable"
    assert "disk is full" in error["message"]
    assert list(tmp_path.iterdir()) == []


# --- without the right to write ---


@pytest.fixture
def readable_folder():
    """A folder that everybody may enter, unlike those of pytest."""
    folder = Path(mkdtemp())
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(folder)


def make_read_only(folder):
    """Take from everybody but root the right to write in a folder; its owner here is whoever runs the tests."""
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)


@pytest.mark.skipif(sys.platform == "win32", reason="rights are others there")
def test_a_read_only_study_is_read_and_not_written(readable_folder, study_file, clients):
    with Study(study_file) as study:
        answer_some(study, 5)
    shutil.copy(study_file, readable_folder / "people.db")
    make_read_only(readable_folder)
    client = clients.start("read_and_record_as_stranger", readable_folder / "people.db")
    error = client.error()
    assert client.all_said("answers") == [5]
    assert client.all_said("open") == [95]
    assert error["error"] == "StudyUnwritable"
    assert "cannot write" in error["message"]
    assert "permissions" in error["message"]
    assert [path.name for path in readable_folder.iterdir()] == ["people.db"]


@pytest.mark.skipif(sys.platform == "win32", reason="rights are others there")
def test_whoever_may_only_read_the_file_leaves_nothing_beside_it(readable_folder, study_file, clients):
    with Study(study_file) as study:
        answer_some(study, 5)
    shutil.copy(study_file, readable_folder / "people.db")
    (readable_folder / "people.db").chmod(0o444)
    # files of a stranger would keep the owner from writing
    readable_folder.chmod(0o777)
    client = clients.start("read_and_record_as_stranger", readable_folder / "people.db")
    assert client.error()["error"] == "StudyUnwritable"
    assert client.all_said("answers") == [5]
    assert [path.name for path in readable_folder.iterdir()] == ["people.db"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can be two users")
def test_a_study_is_read_by_who_may_only_read_while_its_owner_writes(readable_folder, study_file, clients):
    path = Path(shutil.copy(study_file, readable_folder / "people.db"))
    path.chmod(0o644)
    readable_folder.chmod(0o755)
    with Study(path) as study:
        answer_some(study, 6)
        client = clients.start("read_and_record_as_stranger", path)
        assert client.error()["error"] == "StudyUnwritable"
        assert client.all_said("answers") == [6]
        answer_some(study, 2)
        client = clients.start("read_and_record_as_stranger", path)
        assert client.error()["error"] == "StudyUnwritable"
        assert client.all_said("answers") == [8]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can be two users")
def test_answers_beside_a_read_only_file_are_never_left_out_silently(readable_folder, tmp_path, clients):
    killed_while_writing(tmp_path / "people.db", 7)
    for suffix in ("", "-wal"):
        shutil.copy(tmp_path / f"people.db{suffix}", readable_folder)
    make_read_only(readable_folder)
    client = clients.start("read_and_record_as_stranger", readable_folder / "people.db")
    error = client.error()
    assert client.all_said("answers") in ([], [7])
    assert error["error"] == "StudyUnwritable"
    assert "permissions" in error["message"]


@pytest.mark.skipif(sys.platform == "win32", reason="rights are others there")
def test_making_a_study_in_a_read_only_folder_says_so(readable_folder, creators):
    readable_folder.chmod(0o555)
    client = creators.start("create_as_stranger", readable_folder / "people.db")
    error = client.error()
    assert error["error"] == "StudyUnwritable"
    assert list(readable_folder.iterdir()) == []


def test_only_the_owner_may_read_a_study_and_what_is_beside_it_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        with create_small(tmp_path / "people.db") as study:
            answer_some(study, 1)
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("people.db", "people.db-wal", "people.db-shm"), 0o600)


def test_a_closed_study_is_one_file(study_file):
    with Study(study_file) as study:
        answer_some(study, 3)
    assert [path.name for path in study_file.parent.iterdir()] == ["people.db"]


# --- a server that goes away ---


def test_a_lost_connection_is_made_again(postgres):
    name = postgres.new_database()
    with create_small(postgres.url(name)) as study:
        answer_some(study, 2)
        end_connections(postgres, name)
        answer_some(study, 2)
        assert len(study.answers()) == 4


def test_a_connection_lost_within_a_step_is_an_error_that_does_not_claim_to_know_more_than_it_does(postgres):
    name = postgres.new_database()
    with create_small(postgres.url(name)) as study:
        (question,) = study.next_questions("ana")

        def lose_it():
            with study._recording() as record:
                end_connections(postgres, name)
                record([GivenAnswer(question.question_id, "ana", 1.0)])

        with pytest.raises(StudyError, match="connection.*was lost"):
            lose_it()
        assert study.stored_answers() == []


def end_connections(postgres, name):
    postgres.execute(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{name}'")


def test_a_database_that_is_made_read_only_says_so(postgres):
    name = postgres.new_database()
    create_small(postgres.url(name)).close()
    postgres.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with Study(postgres.url(name)) as study:
        with pytest.raises(StudyUnwritable, match="the database is read-only"):
            study.next_questions("ana")
        assert len(study.answers()) == 0


# --- what recording loads ---

RECORD = """
import sys
from commensurate.study.study import Study
with Study(sys.argv[1]) as study:
    (question,) = study.next_questions("ana")
    study.record(question.question_id, 0.5, expert="ana")
    study.skip(study.next_questions("ana")[0].question_id, expert="ana")
    study.counts("ana"), study.ruler(), study.answers()
print(*sorted({"sklearn", "numba", "scipy"} & set(sys.modules)))
"""


def test_recording_loads_nothing_that_learning_needs(study_file):
    done = subprocess.run(
        [sys.executable, "-c", RECORD, str(study_file)], check=True, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "\n"
