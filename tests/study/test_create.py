"""Making a study: what experts see, options, names, and what remains of one that cannot be made."""

import json
import stat
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from commensurate.errors import (
    CommensurateError,
    CorruptStudy,
    InvalidInput,
    InvalidParameter,
    InvalidTable,
    StudyExists,
    StudyUnwritable,
)
from commensurate.study.settings import OPTIONS, StudySettings, meaning_of
from commensurate.study.store import reading
from commensurate.study.study import Study
from worlds.small_study import PEOPLE, questions_of, small_study

# --- what experts see ---


def test_experts_see_the_features_by_default_and_else_what_is_to_be_shown(tmp_path):
    with small_study(tmp_path, name="one.db") as study:
        (asked,) = study.next_questions("ana")
        assert asked.left_record == PEOPLE.loc[asked.left_id, ["age", "city"]].to_dict()
    with small_study(tmp_path, name="two.db", show=["nickname", "age"]) as study:
        (asked,) = study.next_questions("ana")
        assert list(asked.right_record.items()) == [
            ("nickname", PEOPLE.loc[asked.right_id, "nickname"]),
            ("age", PEOPLE.loc[asked.right_id, "age"]),
        ]


@pytest.mark.parametrize(("show", "words"), [("age", "list of column names"), ([], "nothing"), (["shoe"], "no column")])
def test_experts_are_shown_something_that_is_there(tmp_path, show, words):
    with pytest.raises(CommensurateError, match=words):
        small_study(tmp_path, show=show)
    assert list(tmp_path.iterdir()) == []


def test_every_group_has_something_to_show(tmp_path):
    tables = {"a": pd.DataFrame({"x": range(20)}), "b": pd.DataFrame({"y": range(20), "z": "w"})}
    with pytest.raises(InvalidParameter, match="nothing of the records of group 'a'"):
        Study.create(tmp_path / "s.db", tables, questions=8, show=["z"])
    with Study.create(
        tmp_path / "s.db", tables, questions=8, features=["x", "y"], show=["x", "z"], known_pairs=0
    ) as study:
        (asked,) = study.next_questions("ana")
    records = dict(zip(asked.between, (asked.left_record, asked.right_record)))
    assert (list(records["a"]), records["b"]) == (["x"], {"z": "w"})


def test_columns_with_numbers_for_names_are_shown(tmp_path):
    table = pd.DataFrame({"g": ["a", "b"] * 10, 0: range(20)})
    with Study.create(tmp_path / "s.db", table, group="g", questions=8, show=[0]) as study:
        (asked,) = study.next_questions("ana")
    assert list(asked.left_record) == ["0"]


# --- making ---


def test_settings_survive(tmp_path):
    chosen = {
        "title": 'Wie ähnlich? "🦉"',
        "questions": 24,
        "calibration": 0.25,
        "metric": {"yes": "gower", "no": "manhattan"},
        "categories": "one_hot",
        "missing": "median",
        "records": 20,
        "learner": "auto-free",
        "answer_error": 0.125,
        "answers_per_question": 3,
        "repeats": 0.25,
        "lease_minutes": 7.5,
        "scale_end": 4.0,
        "tolerance": 0.3,
        "share": 0.8,
        "confidence_level": 0.9,
        "seed": 2**70,
    }
    small_study(tmp_path, **chosen).close()
    with Study(tmp_path / "people.db") as study:
        assert {name: getattr(study.settings, name) for name in chosen} == chosen


def test_without_a_seed_every_study_asks_other_questions(tmp_path):
    with (
        small_study(tmp_path, name="one.db", seed=None) as one,
        small_study(tmp_path, name="two.db", seed=None) as two,
    ):
        assert one.settings.seed != two.settings.seed
        assert questions_of(one) != questions_of(two)
        seed, known = one.settings.seed, questions_of(one)
    # the seed that was drawn makes the same study again
    with small_study(tmp_path, name="three.db", seed=seed) as three:
        assert questions_of(three) == known


def test_large_tables_are_sampled(tmp_path):
    with small_study(tmp_path, records=7) as study:
        with study._database.reading() as connection:
            assert reading.count_records(connection) == {"yes": (7, 0), "no": (7, 0)}
            assert {d["n_rows"] for d in reading.read_descriptions(connection).values()} == {24}
        ids = {question.left_id for question in questions_of(study)}
    with small_study(tmp_path, name="other.db", records=7, seed=6) as other:
        assert {question.left_id for question in questions_of(other)} != ids


BAD_OPTIONS = [
    {"group": "nobody"},
    {"group": None},
    {"features": ["shoe"]},
    {"features": []},
    {"ids": "city"},
    {"ids": "shoe"},
    {"questions": 3},
    {"questions": 4.5},
    {"questions": "many"},
    {"metric": "nonsense"},
    {"metric": "precomputed"},
    {"metric": {"yes": "euclidean"}},
    {"metric": lambda one, other: 0.0},
    {"categories": "two"},
    {"missing": "ignore"},
    {"calibration": 0.95},
    {"learner": "oracle"},
    {"answer_error": -1.0},
    {"answer_error": "some"},
    {"answer_error": 0.0, "questions": 400, "records": 3},
    {"answers_per_question": 0},
    {"answers_per_question": 1.5},
    {"answers_per_question": "2"},
    {"repeats": 1.5},
    {"repeats": float("nan")},
    {"repeats": "few"},
    {"lease_minutes": 0.0},
    {"lease_minutes": float("inf")},
    {"lease_minutes": 1e12},
    {"scale_end": 0.0},
    {"tolerance": -0.1},
    {"share": 1.0},
    {"share": float("nan")},
    {"confidence_level": 95},
    {"confidence_level": "high"},
    {"records": 0},
    {"records": 1.5},
    {"seed": -1},
    {"seed": 0.5},
    {"title": None},
]


@pytest.mark.parametrize("options", BAD_OPTIONS, ids="-".join)
def test_nothing_remains_of_a_study_that_cannot_be_made(tmp_path, options):
    chosen = {"group": "married", "questions": 20, "learner": "gp", "features": ["age", "city"], **options}
    with pytest.raises((InvalidParameter, InvalidInput)):
        Study.create(tmp_path / "people.db", PEOPLE, **chosen)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "group"),
    [
        (PEOPLE.head(0), "married"),
        (PEOPLE[PEOPLE["married"] == "yes"], "married"),
        ({"yes": PEOPLE}, None),
        ({}, None),
        ({"yes": PEOPLE, "no": "no.csv"}, None),
        ("nowhere.csv", "married"),
        (PEOPLE, None),
        ({"yes": PEOPLE, "no": PEOPLE}, "married"),
        (5, "married"),
    ],
    ids=["no rows", "one group", "one table", "no tables", "mixed", "no file", "no group", "group of tables", "number"],
)
def test_data_that_make_no_study_leave_nothing_behind(tmp_path, data, group):
    with pytest.raises((InvalidParameter, InvalidInput)):
        Study.create(tmp_path / "people.db", data, group=group, questions=8)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_exists_is_refused_and_left_as_it_is(tmp_path):
    small_study(tmp_path).close()
    before = (tmp_path / "people.db").read_bytes()
    with pytest.raises(StudyExists, match="already exists"):
        small_study(tmp_path, seed=6)
    assert (tmp_path / "people.db").read_bytes() == before


def test_force_replaces_a_study(tmp_path):
    with small_study(tmp_path) as old:
        old.record(questions_of(old)[0].question_id, 0.5, expert="ana")
    with small_study(tmp_path, force=True, title="new") as new:
        assert new.settings.title == "new"
        assert new.answers().empty


def test_force_without_a_study_makes_one(tmp_path):
    with small_study(tmp_path, force=True) as study:
        assert len(questions_of(study)) == 20


@pytest.mark.parametrize(
    "content", [b"", b"my thesis", b"SQLite format 3\0" + bytes(84)], ids=["empty", "text", "database"]
)
def test_force_never_replaces_anything_but_a_study(tmp_path, content):
    (tmp_path / "people.db").write_bytes(content)
    with pytest.raises(CorruptStudy):
        small_study(tmp_path, force=True)
    assert (tmp_path / "people.db").read_bytes() == content


def test_the_old_study_stays_if_the_new_one_cannot_be_made(tmp_path):
    with small_study(tmp_path) as old:
        old.record(questions_of(old)[0].question_id, 0.5, expert="ana")
    with pytest.raises(InvalidParameter):
        small_study(tmp_path, force=True, share=2.0)
    with Study(tmp_path / "people.db") as still:
        assert len(still.answers()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["people.db"]


def test_a_folder_is_no_place_and_a_missing_one_neither(tmp_path):
    with pytest.raises(StudyExists, match="folder"):
        Study.create(tmp_path, PEOPLE, group="married")
    with pytest.raises(StudyUnwritable, match="does not exist"):
        Study.create(tmp_path / "gone" / "people.db", PEOPLE, group="married")
    assert list(tmp_path.iterdir()) == []


def test_a_study_is_one_file_for_its_owner(tmp_path):
    small_study(tmp_path).close()
    (path,) = tmp_path.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_study_may_have_any_name_that_a_file_may_have(tmp_path):
    for name in ("a b?c=d#e%20.db", "ünï🦉.db", 'it\'s "quoted".db'):
        with small_study(tmp_path, name=name) as study:
            assert Path(study._database.where) == tmp_path / name


# --- groups, columns and ids with any names ---


def test_names_of_groups_columns_and_records_are_text_and_nothing_else(tmp_path):
    groups = ['עברית "x"', "'; DROP TABLE records; --"]
    table = pd.DataFrame(
        {"🦉 group": groups * 10, "it's": range(20), 'a "b"': [" lead", "ünï"] * 10},
        index=[f"{k} 'id' \u200f🦉" for k in range(20)],
    )
    with Study.create(tmp_path / "s.db", table, group="🦉 group", questions=8, seed=0, answer_kind="numbers") as study:
        for asked in study.next_questions("ana", 8):
            row = table.loc[asked.left_id]
            assert asked.left_record == {"it's": row["it's"], 'a "b"': row['a "b"']}
            study.record(asked.question_id, 0.5, expert="ana")
        answers = study.answers()
    assert set(answers["left_group"]) | set(answers["right_group"]) == set(groups)
    assert set(answers["left_id"]) <= set(table.index)


# --- settings ---


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"seed": "x"}', '{"seed": 1, "plan_seed": 1}'])
def test_settings_that_cannot_be_read_are_a_damaged_study(text):
    with pytest.raises(CorruptStudy, match="settings"):
        StudySettings.from_json(text)


def test_settings_of_a_later_version_lose_only_what_is_new():
    settings = StudySettings(seed=1, plan_seed=2, scale_end=1.0, tolerance=0.1)
    later = {**json.loads(settings.to_json()), "colour": "green"}
    assert StudySettings.from_json(json.dumps(later)) == settings


def test_settings_of_an_earlier_version_do_not_say_what_it_did_not_keep():
    settings = StudySettings(seed=1, plan_seed=2, scale_end=1.0, tolerance=0.1)
    unknown = dict.fromkeys(("metric", "categories", "missing", "records"))
    earlier = {name: value for name, value in json.loads(settings.to_json()).items() if name not in unknown}
    assert StudySettings.from_json(json.dumps(earlier)) == replace(settings, **unknown)


def test_a_mistake_of_our_own_is_not_told_as_damage(monkeypatch):
    text = StudySettings(seed=1, plan_seed=2, scale_end=1.0, tolerance=0.1).to_json()

    def mistaken(_labels):
        raise TypeError("a mistake")

    monkeypatch.setattr("commensurate.study.settings.checked_labels", mistaken)
    with pytest.raises(TypeError, match="a mistake"):
        StudySettings.from_json(text)


@pytest.mark.parametrize(
    "chosen", [{"questions": True}, {"answers_per_question": True}, {"records": True}, {"seed": True}]
)
def test_true_is_not_a_count(chosen):
    with pytest.raises(InvalidParameter, match="must be a whole number, at least .*, got True"):
        StudySettings(**chosen)


def test_counts_of_another_library_are_kept_as_numbers(tmp_path):
    with small_study(tmp_path, questions=np.int64(20), records=np.int32(15), seed=np.uint8(5)) as study:
        assert (study.settings.questions, study.settings.records, study.settings.seed) == (20, 15, 5)
    with Study(tmp_path / "people.db") as again:
        assert again.settings == study.settings


def test_every_option_says_what_it_means():
    described = str(StudySettings.__doc__)
    assert [name for name in OPTIONS if f"    {name}\n        {meaning_of(name)}" not in described] == []
    assert {one.name for one in fields(StudySettings)} - set(OPTIONS) == {"plan_seed", "given", "second_until"}


def test_a_table_without_a_feature_is_refused(tmp_path):
    with pytest.raises(InvalidTable, match="none of the features"):
        Study.create(tmp_path / "s.db", PEOPLE[["married"]], group="married", questions=8)


def test_a_metric_that_would_change_with_every_forgotten_record_is_refused(tmp_path):
    with pytest.raises(InvalidParameter, match="mahalanobis learns its covariance from the records"):
        Study.create(tmp_path / "people.db", PEOPLE, group="married", metric="mahalanobis")


def test_more_questions_than_anybody_can_draw_are_refused_at_once(tmp_path):
    with pytest.raises(InvalidParameter, match="questions must be at most 100,000, got 1,000,000"):
        Study.create(tmp_path / "people.db", PEOPLE, group="married", questions=10**6)
    with pytest.raises(InvalidParameter, match="questions must be a whole number, at least 4, got True"):
        Study.create(tmp_path / "people.db", PEOPLE, group="married", questions=True)
    with pytest.raises(InvalidParameter, match="learns from at most 5,000 answers.*this study has questions="):
        Study.create(
            tmp_path / "people.db", pd.concat([PEOPLE] * 8, ignore_index=True), group="married", questions=99_999
        )


def test_half_a_character_is_refused_and_nothing_remains(tmp_path):
    with pytest.raises(InvalidInput, match="half a character cannot be stored"):
        Study.create(tmp_path / "people.db", PEOPLE, group="married", questions=40, title="\ud800")
    assert list(tmp_path.iterdir()) == []
