"""Studies of version 1: found as they were, and brought up to date."""

import hashlib
import json
from dataclasses import replace

import pytest
from sqlalchemy import inspect, select, text

from commensurate.study.expert_desk import answer_before
from commensurate.study.invitations import invite, invited_expert
from commensurate.study.owner_desk import ask_again
from commensurate.study.settings import ONCE_NOT_KEPT
from commensurate.study.store.database import Database
from commensurate.study.store.files import new_file
from commensurate.study.store.location import Location
from commensurate.study.store.tables import metadata, questions
from commensurate.study.store.versions import version_1, version_2, version_3, version_4
from commensurate.study.store.versions.migrations import MIGRATIONS, migrate
from commensurate.study.study import Study
from worlds.study_places import create_small

NOW = "2026-03-01T09:00:00.000000+00:00"


def empty_database(place):
    location = Location.of(place)
    return Database.connect(location) if location.file is None else new_file(location.file)


def copy_as_version_1(study, place):
    """Put all that version 1 knew of a study into a database of version 1."""
    old = empty_database(place)
    with study._database.reading() as source, old.writing(locked=False) as connection:
        migrate(connection, NOW, MIGRATIONS[:1])
        for table in version_1.metadata.sorted_tables:
            rows = [dict(row._mapping) for row in source.execute(select(table).order_by(*table.primary_key.columns))]
            if table.name == "study":
                rows = [{**row, "settings": settings_of_version_1(row["settings"])} for row in rows]
            if table.name != "schema_versions" and rows:
                connection.execute(table.insert(), rows)
        if not old.is_file:
            # a server counts on from here
            for name in ("experts", "askings", "answers"):
                connection.execute(
                    text(f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), (SELECT max(id) FROM {name}))")
                )
    old.close()


def settings_of_version_1(text_of_now):
    later = {*ONCE_NOT_KEPT, "answer_kind", "grades", "boundaries", "known_pairs"}
    return json.dumps({name: value for name, value in json.loads(text_of_now).items() if name not in later})


def open_flags(study):
    with study._database.reading() as connection:
        return connection.execute(select(questions.c.open).order_by(questions.c.id)).scalars().all()


@pytest.fixture
def both(places):
    """A study in which much has happened, and the same as version 1 had it."""
    place = places.empty()
    with create_small(places.empty(), answers_per_question=2, repeats=0.3) as study:
        for expert, n in (("ana", 60), ("bob", 30)):
            for k, asked in enumerate(study.next_questions(expert, n)):
                study.record(asked.question_id, None if k % 7 == 0 else 0.5, unsure=k % 7 == 0, expert=expert)
        corrected = [one for one in study.stored_answers() if one.value is not None][:5]
        for one in corrected:
            study.record(one.question_id, None, unsure=True, expert=one.expert)
        study.skip(study.next_questions("eve")[0].question_id, expert="eve")
        study.forget(study.next_questions("eve")[0].left_id)
        copy_as_version_1(study, place)
        with Study(place) as old:
            yield study, old


def test_a_study_of_version_1_has_its_answers_and_goes_on(both):
    study, old = both
    assert old.stored_answers(history=True) == study.stored_answers(history=True)
    assert 0 < sum(open_flags(study)) < len(open_flags(study))
    assert open_flags(old) == open_flags(study)
    for expert in ("ana", "bob", "eve", "new"):
        assert old.counts(expert) == study.counts(expert)
        assert old.next_questions(expert, 9) == study.next_questions(expert, 9)


def test_a_study_of_version_1_has_its_settings_and_does_not_guess_the_others(both):
    study, old = both
    assert old.settings == replace(study.settings, **dict.fromkeys(ONCE_NOT_KEPT))
    assert old.fit().budget == study.fit().budget


def test_experts_of_a_study_of_version_1_are_invited_and_asked_again(both):
    _, old = both
    assert invited_expert(old, invite(old, "ana")) == "ana"
    answered = next(one for one in old.stored_answers() if not one.held_out and one.repeat_of is None)
    assert answered.expert in ask_again(old, answered.question_id)
    last = old.stored_answers(history=True)[-1]
    assert answer_before(old, None, expert=last.expert).number == last.number


def described(connection):
    """Return columns and indexes of all tables, as the database tells them."""
    found = inspect(connection)
    return {
        table: (
            [(c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(table)],
            sorted((i["name"], tuple(i["column_names"])) for i in found.get_indexes(table)),
            sorted(tuple(u["column_names"]) for u in found.get_unique_constraints(table)),
            sorted((tuple(k["constrained_columns"]), k["referred_table"]) for k in found.get_foreign_keys(table)),
        )
        for table in sorted(found.get_table_names())
    }


def test_the_steps_end_at_the_tables_that_this_version_knows(places):
    by_steps, at_once = empty_database(places.empty()), empty_database(places.empty())
    with by_steps.writing(locked=False) as connection:
        migrate(connection, NOW)
        found = described(connection)
    with at_once.writing(locked=False) as connection:
        metadata.create_all(connection)
        assert found == described(connection)
    by_steps.close()
    at_once.close()


@pytest.mark.parametrize(
    ("version", "digest"),
    [
        (version_1, "b630eef010477208"),
        (version_2, "be908e8c24b48a4a"),
        (version_3, "3e70b394474e40e4"),
        (version_4, "dae6370edbe755eb"),
    ],
)
def test_what_a_version_had_is_never_changed(version, digest):
    lines = [
        f"{table.name}.{column.name} {column.type} {column.nullable} {column.primary_key} {column.unique}"
        for table in version.metadata.sorted_tables
        for column in table.columns
    ]
    lines += sorted(
        f"{index.name} {index.columns.keys()}" for table in version.metadata.sorted_tables for index in table.indexes
    )
    lines += list(getattr(version, "CHANGES", ()))
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] == digest
