"""Copies of a study: all of it, from one moment, in a file of their own."""

from __future__ import annotations

import os
import shutil
import stat

import pytest
from sqlalchemy import select

from commensurate.errors import CorruptStudy, StudyExists, StudyUnwritable
from commensurate.study import owner_desk
from commensurate.study.invitations import invite
from commensurate.study.judging.trust import trust_of
from commensurate.study.owner_desk import ask_again, back_up
from commensurate.study.store.tables import askings, metadata, study
from commensurate.study.study import Study
from worlds.answered_study import answer, people_study
from worlds.study_places import create_small


def content(opened):
    with opened._database.reading() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key.columns))]
            for table in metadata.sorted_tables
        }


def lived_through(place):
    """A study in which everything has happened that leaves a row."""
    opened = create_small(place, questions=60, learner="gp", repeats=0.2, title="Ünal’s =study 🦊")
    first, *_ = answer(opened, 55, value=lambda question: 0.1 + 0.2)
    opened.record(first.question_id, None, expert="ana", unsure=True, comment="no\nidea\r\n‮", key="k")
    asked = opened.next_questions("ben", 2)
    opened.skip(asked[0].question_id, expert="ben")
    opened.forget(asked[1].left_id, group=asked[1].between[0])
    invite(opened, "Ünal")
    ask_again(
        opened, next(one.question_id for one in opened.stored_answers() if not one.held_out and not one.repeat_of)
    )
    trust_of(opened)
    return opened


def test_a_copy_has_every_row_of_every_table(places, tmp_path):
    with lived_through(places.empty()) as opened:
        back_up(opened, tmp_path / "copy.db")
        with Study(tmp_path / "copy.db") as copy:
            expected, found = content(opened), content(copy)
            assert found == expected
            assert all(found.values()), "a table without rows proves nothing"
            assert copy.settings == opened.settings


def test_a_copy_goes_on_where_the_study_was(places, tmp_path):
    with lived_through(places.empty()) as opened:
        back_up(opened, tmp_path / "copy.db")
        open_before = opened.counts("ana").open
        answers_before = opened.stored_answers(history=True)
        with Study(tmp_path / "copy.db") as copy:
            answer(copy, 3)
            assert copy.counts("ana").open == open_before - 3
            assert copy.stored_answers(history=True)[: len(answers_before)] == answers_before
        assert opened.stored_answers(history=True) == answers_before


def test_a_copy_is_of_one_moment_although_others_go_on_writing(places, tmp_path, monkeypatch):
    place = places.empty()
    copy_tables = owner_desk.copy_tables

    def copy_while_others_write(source, target):
        source.execute(select(study.c.id)).all()
        with Study(place) as another:
            answer(another, 2, expert="ben")
        copy_tables(source, target)

    monkeypatch.setattr(owner_desk, "copy_tables", copy_while_others_write)
    with create_small(place) as opened:
        answer(opened, 3, value=lambda question: 1.0)
        expected = content(opened)
        back_up(opened, tmp_path / "copy.db")
        with Study(tmp_path / "copy.db") as copy:
            assert content(copy) == expected
        assert len(opened.stored_answers()) == 5


def test_only_its_owner_may_read_a_copy(tmp_path):
    with people_study(tmp_path / "people.db") as opened:
        path = back_up(opened, tmp_path / "copy.db")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_copy_is_one_file(tmp_path):
    (tmp_path / "copies").mkdir()
    with people_study(tmp_path / "people.db") as opened:
        back_up(opened, tmp_path / "copies" / "copy.db")
    assert os.listdir(tmp_path / "copies") == ["copy.db"]


def test_a_file_that_is_there_is_not_replaced_unasked(tmp_path):
    (tmp_path / "copy.db").write_text("mine")
    with people_study(tmp_path / "people.db") as opened, pytest.raises(StudyExists, match="force"):
        back_up(opened, tmp_path / "copy.db")
    assert (tmp_path / "copy.db").read_text() == "mine"


def test_nothing_but_a_study_is_replaced_even_if_asked(tmp_path):
    (tmp_path / "copy.db").write_text("mine")
    with people_study(tmp_path / "people.db") as opened, pytest.raises(CorruptStudy, match="is not a study"):
        back_up(opened, tmp_path / "copy.db", force=True)
    assert (tmp_path / "copy.db").read_text() == "mine"


def test_a_file_that_comes_into_being_meanwhile_is_left_alone(tmp_path, monkeypatch):
    copy_tables = owner_desk.copy_tables

    def copy_too_slowly(source, target):
        copy_tables(source, target)
        (tmp_path / "copy.db").write_text("mine")

    monkeypatch.setattr(owner_desk, "copy_tables", copy_too_slowly)
    with people_study(tmp_path / "people.db") as opened:
        with pytest.raises(StudyExists, match="meanwhile"):
            back_up(opened, tmp_path / "copy.db")
        assert (tmp_path / "copy.db").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["copy.db", "people.db"]


def test_an_earlier_copy_is_replaced_if_asked(tmp_path):
    with people_study(tmp_path / "people.db") as opened:
        back_up(opened, tmp_path / "copy.db")
        answer(opened, 4)
        back_up(opened, tmp_path / "copy.db", force=True)
        with Study(tmp_path / "copy.db") as copy:
            assert content(copy) == content(opened)


def test_what_a_killed_program_left_beside_the_replaced_file_does_not_get_into_the_copy(tmp_path):
    # as after kill -9: the file, and its log with answers
    with people_study(tmp_path / "another.db", seed=2) as another:
        answer(another, 10, expert="ben")
        for ending in ("", "-wal"):
            shutil.copy(tmp_path / f"another.db{ending}", tmp_path / f"copy.db{ending}")
    with people_study(tmp_path / "people.db") as opened:
        answer(opened, 3)
        back_up(opened, tmp_path / "copy.db", force=True)
        with Study(tmp_path / "copy.db") as copy:
            assert content(copy) == content(opened)


def test_a_study_is_not_replaced_by_its_own_copy(tmp_path):
    with people_study(tmp_path / "people.db") as opened:
        (tmp_path / "alias.db").symlink_to(tmp_path / "people.db")
        for name in ("people.db", "alias.db"):
            with pytest.raises(StudyExists, match="the study itself"):
                back_up(opened, tmp_path / name, force=True)


def test_a_copy_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    copy_tables = owner_desk.copy_tables

    def copy_and_fail(source, target):
        copy_tables(source, target)
        raise KeyboardInterrupt

    with people_study(tmp_path / "people.db") as opened:
        back_up(opened, tmp_path / "old.db")
        before = (tmp_path / "old.db").read_bytes()
        answer(opened, 1)
        monkeypatch.setattr(owner_desk, "copy_tables", copy_and_fail)
        for name, force in (("new.db", False), ("old.db", True)):
            with pytest.raises(KeyboardInterrupt):
                back_up(opened, tmp_path / name, force=force)
        assert (tmp_path / "old.db").read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["old.db", "people.db"]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with people_study(tmp_path / "people.db") as opened, pytest.raises(StudyUnwritable, match="nowhere"):
        back_up(opened, tmp_path / "nowhere" / "copy.db")


def test_who_holds_a_question_holds_it_in_the_copy_too(tmp_path):
    with people_study(tmp_path / "people.db") as opened:
        (held,) = opened.next_questions("ana")
        back_up(opened, tmp_path / "copy.db")
        with Study(tmp_path / "copy.db", clock=opened._clock) as copy:
            assert copy.next_questions("ana") == [held]
            assert held not in copy.next_questions("ben", 100)
            with copy._database.reading() as connection:
                assert len(connection.execute(select(askings).where(askings.c.expert == 1)).all()) == 1
