"""Opening a study: what is none, what is damaged, what another version has made, and what a server refuses."""

import shutil
import socket
import sqlite3
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from random import Random

import pytest
from sqlalchemy import inspect, text
from sqlalchemy.exc import NoResultFound

from commensurate.errors import CommensurateError, CorruptStudy, NewerStudy, StudyError, StudyExists, StudyNotFound
from commensurate.study.store import database
from commensurate.study.store.location import Location
from commensurate.study.store.versions import migrations
from commensurate.study.study import Study
from worlds.study_clients import check_file
from worlds.study_places import answer_some, create_small

SECRET = "s3cret"


# --- files that are no study ---


def test_a_missing_file_is_named_and_not_made(tmp_path):
    with pytest.raises(StudyNotFound, match="there is no study .*people.db; create one with"):
        Study(tmp_path / "people.db")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_study(tmp_path):
    with pytest.raises(StudyNotFound, match="cannot read"):
        Study(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"SQLite format 3\0", b"name,age\nana,4\n" * 50], ids=["empty", "cut", "text"]
)
def test_a_file_that_is_no_database_is_no_study(tmp_path, content):
    path = tmp_path / "people.db"
    path.write_bytes(content)
    with pytest.raises(CorruptStudy, match="is not a study; expected a file made by"):
        Study(path)
    assert path.read_bytes() == content


def test_the_database_of_another_program_is_no_study_and_stays_as_it_is(tmp_path):
    path = tmp_path / "people.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE answers (id INTEGER)")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(CorruptStudy, match="is not a study"):
        Study(path)
    with pytest.raises(CorruptStudy, match="is not a study"):
        create_small(path, force=True)
    assert path.read_bytes() == before


def test_a_study_opens_through_a_link_and_under_any_name(study_file, tmp_path):
    strange = tmp_path / "50% of #1?é&mode=ro.db"
    shutil.copy(study_file, strange)
    (tmp_path / "link.db").symlink_to(strange)
    with Study(tmp_path / "link.db") as study:
        answer_some(study, 2)
    with Study(strange) as study:
        assert len(study.answers()) == 2


# --- damage ---


def use_all(path):
    """Read and write wherever a study can be read and written."""
    with Study(path) as study:
        study.answers()
        study.ruler()
        study.counts("ana")
        answer_some(study, 5, expert="bob")
        study.answers(history=True)


@pytest.fixture
def answered(study_file):
    with Study(study_file) as study:
        answer_some(study, 20)
    return study_file


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_truncated_study_is_told_to_be_damaged(answered, share):
    content = answered.read_bytes()
    answered.write_bytes(content[: int(share * len(content))])
    with pytest.raises(CorruptStudy, match="the database is damaged; restore a backup"):
        use_all(answered)


def test_a_study_overwritten_in_the_middle_is_told_to_be_damaged(answered):
    content = answered.read_bytes()
    middle = slice(len(content) // 10, 9 * len(content) // 10)
    answered.write_bytes(content[: middle.start] + bytes(middle.stop - middle.start) + content[middle.stop :])
    with pytest.raises(CorruptStudy):
        use_all(answered)


def test_damage_anywhere_is_no_error_but_one_of_ours(answered):
    content, rng = answered.read_bytes(), Random(0)
    told = []
    for _ in range(40):
        damaged = bytearray(content)
        n = rng.choice([16, 400, 5000])
        start = rng.randrange(100, len(content) - n)
        damaged[start : start + n] = rng.choice([bytes(n), rng.randbytes(n)])
        for left in answered.parent.glob("people.db-*"):
            left.unlink()
        answered.write_bytes(damaged)
        try:
            use_all(answered)
        except CommensurateError as error:
            told.append(type(error))
    assert told.count(CorruptStudy) > 5


@pytest.mark.parametrize(
    "table",
    ["study", "groups", "records"],
)
def test_content_that_cannot_be_read_is_told_to_be_damaged(answered, table):
    column = {"study": "settings", "groups": "description", "records": "content"}[table]
    with closing(sqlite3.connect(answered)) as connection:
        connection.execute(f"UPDATE {table} SET {column} = '{{\"a'")
        connection.commit()
    with pytest.raises(CorruptStudy):
        use_all(answered)


def test_a_study_without_its_settings_is_told_to_be_damaged(place):
    run(place, "DELETE FROM study")
    with pytest.raises(CorruptStudy, match="a row is missing"):
        Study(place)


# --- other versions ---


def run(place, command):
    """Change a database behind the study's back."""
    opened = database.Database.connect(Location.of(place))
    with opened.engine.connect() as connection:
        connection.execute(text(command))
        connection.commit()
    opened.close()


PRESENT = list(range(1, len(migrations.MIGRATIONS) + 1))


def know_also(monkeypatch, *steps):
    """Let this version know more steps, as a later one will."""
    later = (*migrations.MIGRATIONS, *steps)
    monkeypatch.setattr(database, "check_version", partial(migrations.check_version, migrations=later))
    monkeypatch.setattr(database, "migrate", partial(migrations.migrate, migrations=later))


def versions(study):
    with study._database.reading() as connection:
        return list(connection.execute(text("SELECT version FROM schema_versions ORDER BY version")).scalars())


def columns(study, table):
    with study._database.reading() as connection:
        return {column["name"] for column in inspect(connection).get_columns(table)}


def add_mood(connection):
    connection.execute(text("ALTER TABLE answers ADD COLUMN mood TEXT"))


def test_a_study_of_a_later_version_is_left_alone(place):
    run(place, "INSERT INTO schema_versions VALUES (99, '2099-01-01', '99.0')")
    with pytest.raises(NewerStudy, match=r"made by a later version .*its tables have version 99.*upgrade commensurate"):
        Study(place)


def test_a_study_of_an_earlier_version_is_brought_up_to_date_with_all_its_answers(place, monkeypatch):
    with Study(place) as study:
        answer_some(study, 5)
        before = study.stored_answers(history=True)
        assert versions(study) == PRESENT
    know_also(monkeypatch, add_mood)
    for _ in range(2):
        with Study(place) as study:
            assert study.stored_answers(history=True) == before
            assert versions(study) == [*PRESENT, len(PRESENT) + 1]
            assert "mood" in columns(study, "answers")


def test_a_step_that_fails_leaves_the_study_as_it_was(place, monkeypatch):
    with Study(place) as study:
        answer_some(study, 5)
        before = study.stored_answers(history=True)

    def fail(connection):
        connection.execute(text("DELETE FROM answers"))
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        know_also(patch, add_mood, fail)
        with pytest.raises(ZeroDivisionError):
            Study(place)
    with Study(place) as study:
        assert study.stored_answers(history=True) == before
        assert versions(study) == PRESENT
        assert "mood" not in columns(study, "answers")
    check_file(place)


def test_several_who_open_an_earlier_study_at_once_take_each_step_once(place, monkeypatch):
    know_also(monkeypatch, add_mood)
    with ThreadPoolExecutor(6) as pool:
        opened = list(pool.map(lambda _: Study(place), range(6)))
    assert [versions(study) for study in opened] == [[*PRESENT, len(PRESENT) + 1]] * 6
    for study in opened:
        study.close()


# --- servers ---


def test_an_empty_database_has_no_study(postgres):
    with pytest.raises(StudyNotFound, match="is a database without a study"):
        Study(postgres.url(postgres.new_database()))


def test_a_database_that_does_not_exist_is_named(postgres):
    with pytest.raises(StudyError, match='database "nowhere" does not exist'):
        Study(postgres.url("nowhere"))


def test_a_second_study_in_one_database_is_refused(postgres):
    url = postgres.url(postgres.new_database())
    create_small(url).close()
    with pytest.raises(StudyExists, match="already has a study; use another database"):
        create_small(url, seed=2)
    with Study(url) as study:
        assert study.settings.seed == 1


def test_the_tables_of_another_program_are_never_filled(postgres):
    name = postgres.new_database()
    # just the columns that a study writes
    postgres.execute("CREATE TABLE groups (id INTEGER PRIMARY KEY, name TEXT, description TEXT)", name)
    with pytest.raises(StudyExists, match="another program has tables"):
        create_small(postgres.url(name))
    assert postgres.execute("SELECT * FROM groups", name) == []


def test_a_server_that_is_not_there_is_told_so():
    with pytest.raises(StudyError, match=r"postgresql://ana@127.0.0.1:1/people: the database cannot be reached"):
        Study("postgresql://ana@127.0.0.1:1/people")


@pytest.mark.slow
@pytest.mark.parametrize("option", ["", "?connect_timeout=2"])
def test_a_server_that_does_not_answer_is_not_waited_for_for_ever(monkeypatch, option):
    monkeypatch.setattr(database, "CONNECT_SECONDS", 600 if option else 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(StudyError, match="the database cannot be reached"):
            Study(f"postgresql://ana@127.0.0.1:{port}/people{option}")


@pytest.fixture(scope="module")
def guarded(postgres):
    """The URL of a user who needs a password."""
    postgres.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    rules = postgres.data / "pg_hba.conf"
    rules.write_text("local all guarded scram-sha-256\n" + rules.read_text())
    postgres.reload()
    return partial(postgres.url, "postgres", username="guarded")


def test_a_wrong_password_is_told_so_and_not_repeated(guarded):
    with pytest.raises(StudyError, match="password authentication failed") as caught:
        Study(guarded(password=SECRET))
    assert_silent(caught.value)
    with pytest.raises(StudyNotFound):
        Study(guarded(password="right"))


# --- secrets ---


def assert_silent(error):
    """Nothing that a user or a log gets to see has the password in it."""
    while error is not None:
        assert SECRET not in str(error)
        assert SECRET not in repr(error)
        assert SECRET not in "".join(traceback.format_exception(error))
        error = error.__cause__


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ana:{}@127.0.0.1:1/people",
        "postgres://ana:{}@127.0.0.1:1/people",
        "postgresql://127.0.0.1:1/people?user=ana&password={}",
        "postgresql://127.0.0.1:1/people?sslpassword={}",
        "postgresql://ana@127.0.0.1:1/people?nonsense={}",
        "postgresql://ana:{}@127.0.0.1:99999/people",
        "postgresql://ana:{}@127.0.0.1:port/people",
        "postgresql://ana:{}",
        "postgresql://ana:with/{}@127.0.0.1:1/people",
        "postgresql://ana:with?{}@127.0.0.1:1/people",
        "postgresql://ana:with@{}@127.0.0.1:1/people",
        "postgresql:///ana:{}@127.0.0.1:1/people",
        "postgresql:/ana:{}@127.0.0.1:1/people",
        "postgresql:ana:{}@127.0.0.1:1/people",
        "postgres//ana:{}@127.0.0.1:1/people",
        "host=127.0.0.1 port=1 user=ana password={}",
        "mysql://ana:{}@127.0.0.1:1/people",
        "sqlite:///people.db?key={}",
        "://ana:{}@127.0.0.1:1/people",
        "[postgresql]://ana:{}@127.0.0.1:1/people",
    ],
)
@pytest.mark.parametrize("act", [Study, create_small], ids=["open", "create"])
def test_a_password_is_in_no_message_and_no_traceback(url, act, tmp_path, monkeypatch):
    # what is taken for a file must not be made here
    monkeypatch.chdir(tmp_path)
    place = url.format(SECRET)
    with pytest.raises(CommensurateError) as caught:
        act(place)
    assert_silent(caught.value)


def test_an_open_study_does_not_show_its_password(postgres, guarded):
    name = postgres.new_database()
    create_small(postgres.url(name)).close()
    for kind in ("TABLES", "SEQUENCES"):
        postgres.execute(f"GRANT ALL ON ALL {kind} IN SCHEMA public TO guarded", name)
    postgres.execute(f"ALTER ROLE guarded PASSWORD '{SECRET}'")
    try:
        with Study(postgres.url(name, username="guarded", password=SECRET)) as study:
            answer_some(study, 1)
            assert SECRET not in f"{study!r} {study} {study._database.where} {study._database.engine!r}"
            assert "guarded" in repr(study)
    finally:
        postgres.execute("ALTER ROLE guarded PASSWORD 'right'")


def test_what_was_recorded_is_in_no_message_of_the_database(study_file):
    with Study(study_file) as study:
        (question,) = study.next_questions("ana")
    # a table that lacks a column makes the database complain about the whole command
    run(study_file, "ALTER TABLE answers RENAME COLUMN seconds TO minutes")
    with Study(study_file) as study, pytest.raises(StudyError) as caught:
        study.record(question.question_id, 0.5, expert="ana", comment=SECRET)
    assert_silent(caught.value)


def test_a_row_that_a_query_of_our_own_does_not_find_is_not_told_as_damage(place):
    with Study(place) as study, pytest.raises(NoResultFound), study._database.reading() as connection:
        connection.execute(text("SELECT 1 WHERE 1 = 2")).one()
