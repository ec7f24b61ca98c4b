"""study.toml: what it may say, what goes before what, and what is refused."""

from pathlib import Path

import pytest

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.study.settings import OPTIONS, StudySettings
from commensurate.study.study_file import TABLE_KEYS, creation_arguments, merged, read_study_file

EVERY_KEY = """
data = "people.csv"
group = "married"
id = "who"
features = ["age", "income, yearly"]
show = ["age", "😀 note"]
known_answers = "known.csv"
title = "Who is like whom?"
questions = 60
metric = "gower"
categories = "one_hot"
missing = "median"
claim = "pairs of these elements"
calibration = 0.3
second_answers = 0.25
learner = "gp"
answer_error = "noise"
answers_per_question = 2
repeats = 0.1
lease_minutes = 5
answer_kind = "grades"
grades = ["alike", "similar", "different"]
boundaries = [0.5, 1]
known_pairs = 4
scale_end = 2
tolerance = 0.1
share = 0.8
confidence_level = 0.9
records = 500
seed = 7
labels = {age = {-1 = "not told"}}
instructions = "Alike means: *equally likely to pay back*."
strips = "all records"

[columns.age]
label = "Age"
unit = "years"
"""


@pytest.fixture
def written(tmp_path: Path):
    """Write a study.toml and return its path."""

    def write(text: str | bytes) -> Path:
        path = tmp_path / "study.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_every_decision_can_be_written_down(written):
    said = read_study_file(written(EVERY_KEY))
    assert {*said, "sources"} == {*OPTIONS, *TABLE_KEYS}
    settings = StudySettings.of({name: said[name] for name in OPTIONS})
    assert (settings.questions, settings.metric, settings.scale_end, settings.confidence_level) == (60, "gower", 2, 0.9)
    assert (settings.answer_kind, settings.known_pairs, settings.boundaries) == ("grades", 4, (0.5, 1.0))
    assert settings.grades == ("alike", "similar", "different")
    assert (said["group"], said["id"]) == ("married", "who")
    assert said["features"] == ["age", "income, yearly"]
    assert said["show"] == ["age", "😀 note"]


def test_paths_are_meant_from_the_folder_of_the_file(written, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = written('data = "tables/people.csv"\ngroup = "g"')
    monkeypatch.chdir(elsewhere)
    assert read_study_file(path)["data"] == tmp_path / "tables" / "people.csv"
    assert read_study_file("../study.toml")["data"] == Path("../tables/people.csv")
    assert read_study_file(written('known_answers = "known.csv"')) == {"known_answers": tmp_path / "known.csv"}


def test_an_absolute_path_stays_as_it_is(written, tmp_path):
    absolute = tmp_path / "far" / "people.csv"
    assert read_study_file(written(f"data = {str(absolute)!r}\ngroup = 'g'"))["data"] == absolute


def test_sources_are_files_by_group_in_their_order(written, tmp_path):
    said = read_study_file(written('[sources]\n"a b" = "b.csv"\n😀 = "a.csv"\n'.replace("😀", '"😀"')))
    assert creation_arguments(said)["data"] == {"a b": tmp_path / "b.csv", "😀": tmp_path / "a.csv"}
    assert list(creation_arguments(said)["data"]) == ["a b", "😀"]


def test_each_group_may_have_its_own_metric(written):
    said = read_study_file(written('metric = {a = "gower", b = "euclidean"}'))
    assert said == {"metric": {"a": "gower", "b": "euclidean"}}


def test_a_mark_in_front_of_utf_8_does_no_harm(written):
    assert read_study_file(written(b"\xef\xbb\xbfquestions = 60")) == {"questions": 60}


def test_an_empty_file_decides_nothing(written):
    assert read_study_file(written("")) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qestions = 60", ": unknown option 'qestions'; did you mean 'questions'?"),
        ("question = 60", ": unknown option 'question'; did you mean 'questions'?"),
        ("feature = ['age']", ": unknown option 'feature'; did you mean 'features'?"),
        ("plan_seed = 1", ": unknown option 'plan_seed'; "),
        ("[design]\nquestions = 60", ": unknown option 'design'; known: data, group, "),
        ("questions = sixty", "is not a TOML file"),
        ("questions = 60\nquestions = 70", "is not a TOML file"),
        (b"title = '\xff'", "is not a TOML file"),
        ("questions = 60.0", "questions must be a whole number, got 60.0"),
        ('questions = "60"', "questions must be a whole number, got '60'"),
        ("questions = true", "questions must be a whole number, got True"),
        ("seed = 1.5", "seed must be a whole number"),
        ('share = "much"', "share must be a number, got 'much'"),
        ("tolerance = false", "tolerance must be a number, got False"),
        ("title = 7", "title must be text in quotes, got 7"),
        ("data = 7", "data must be text in quotes"),
        ("group = ['married']", "group must be text in quotes"),
        ("missing = 0", "missing must be text in quotes"),
        ('features = "age"', "features must be a list of column names"),
        ("show = ['age', 7]", "show must be a list of column names"),
        ('sources = ["a.csv"]', "sources must be a table of files"),
        ("sources = {a = 1}", "sources must be a table of files"),
        ("metric = 2", "metric must be the name of a metric, or a table of names by group"),
        ("metric = {a = 2}", "metric must be the name of a metric, or a table of names by group"),
        ('answer_error = "small"', 'answer_error must be "auto", "noise" or a number, got \'small\''),
        ("answer_error = true", 'answer_error must be "auto", "noise" or a number'),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_name_of_the_file(written, text, message):
    path = written(text)
    with pytest.raises(InvalidInput) as refused:
        read_study_file(path)
    assert message in str(refused.value)
    assert str(refused.value).startswith(str(path))


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    for path in (tmp_path / "absent.toml", tmp_path):
        with pytest.raises(InvalidInput, match="cannot read"):
            read_study_file(path)


def test_what_is_said_first_goes_before_and_the_rest_is_kept():
    first = {"id": "nr", "questions": 60, "seed": None, "share": 0.8}
    second = {
        "data": Path("p.csv"),
        "group": "g",
        "id": "who",
        "show": ["age"],
        "questions": 400,
        "seed": 3,
        "title": "T",
    }
    assert merged(first, second) == {**second, "id": "nr", "questions": 60, "share": 0.8}


def test_zero_and_empty_are_said_too():
    first = {"seed": 0, "repeats": 0.0, "title": ""}
    assert merged(first, {"seed": 3, "repeats": 0.5, "title": "T"}) == first


def test_another_table_or_another_group_column_goes_before_that_of_the_file():
    in_file = {"data": Path("old.csv"), "group": "g"}
    assert merged({"data": Path("new.csv")}, in_file) == {"data": Path("new.csv"), "group": "g"}
    assert merged({"group": "h"}, in_file) == {"data": Path("old.csv"), "group": "h"}


def test_one_table_and_several_are_never_mixed():
    one = {"data": Path("p.csv"), "group": "g"}
    several = {"sources": {"a": Path("a.csv"), "b": Path("b.csv")}}
    assert merged(one, several) == one
    assert merged(several, one) == several


def test_what_was_said_is_what_a_study_is_made_of():
    said = {"data": Path("p.csv"), "group": "g", "id": "nr", "show": ["age"], "questions": 60}
    made_of = {"data": Path("p.csv"), "group": "g", "ids": "nr", "show": ["age"], "questions": 60}
    assert creation_arguments(said) == made_of


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"data": Path("p.csv")},
        {"group": "g"},
        {"sources": {}},
        {"sources": {"a": Path("a.csv")}, "group": "g"},
        {"sources": {"a": Path("a.csv")}, "data": Path("p.csv")},
        {"sources": {"a": Path("a.csv")}, "data": Path("p.csv"), "group": "g"},
    ],
)
def test_records_that_are_nowhere_or_twice_are_refused(said):
    with pytest.raises(InvalidParameter, match="^pass either a CSV file with its group column, data='FILE"):
        creation_arguments(said)


def test_the_tolerance_by_its_old_name_is_read_from_stored_settings_and_study_files(tmp_path):
    settings = StudySettings(seed=1, plan_seed=2, scale_end=1.0, tolerance=0.1)
    assert StudySettings.from_json(settings.to_json().replace('"tolerance"', '"within"')) == settings
    (tmp_path / "study.toml").write_text("within = 0.25")
    assert read_study_file(tmp_path / "study.toml") == {"tolerance": 0.25}


def test_the_tolerance_by_its_old_name_is_taken_with_a_warning():
    with pytest.warns(DeprecationWarning, match="within= is now tolerance="):
        assert StudySettings.of({"within": 0.1}).tolerance == 0.1
    with pytest.raises(InvalidParameter, match="both given"):
        StudySettings.of({"within": 0.1, "tolerance": 0.2})
