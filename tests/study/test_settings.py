"""study.toml: what it may say, what goes before what, and what is refused."""

from dataclasses import fields
from pathlib import Path

import pytest

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.study.settings import StudyDesign, StudyOptions, merged, read_study_file

EVERY_KEY = """
data = "people.csv"
group = "married"
id = "who"
features = ["age", "income, yearly"]
show = ["age", "😀 note"]
title = "Who is like whom?"
questions = 60
metric = "gower"
categories = "one_hot"
missing = "median"
calibration = 0.3
learner = "gp"
answer_error = "noise"
answers_per_question = 2
repeats = 0.1
lease_minutes = 5
scale_end = 2
within = 0.1
share = 0.8
confidence_level = 0.9
records = 500
seed = 7
labels = {age = {-1 = "not told"}}
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
    options = read_study_file(written(EVERY_KEY))
    assert set(options.chosen()) == {field.name for field in fields(StudyDesign)}
    design = StudyDesign(**options.chosen())
    assert (design.questions, design.metric, design.scale_end, design.confidence_level) == (60, "gower", 2, 0.9)
    assert (options.group, options.id) == ("married", "who")
    assert options.features == ["age", "income, yearly"]
    assert options.show == ["age", "😀 note"]


def test_paths_are_meant_from_the_folder_of_the_file(written, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = written('data = "tables/people.csv"\ngroup = "g"')
    monkeypatch.chdir(elsewhere)
    assert read_study_file(path).tables() == tmp_path / "tables" / "people.csv"
    assert read_study_file("../study.toml").tables() == Path("../tables/people.csv")


def test_an_absolute_path_stays_as_it_is(written, tmp_path):
    absolute = tmp_path / "far" / "people.csv"
    assert read_study_file(written(f"data = {str(absolute)!r}\ngroup = 'g'")).tables() == absolute


def test_sources_are_files_by_group_in_their_order(written, tmp_path):
    options = read_study_file(written('[sources]\n"a b" = "b.csv"\n😀 = "a.csv"\n'.replace("😀", '"😀"')))
    assert options.tables() == {"a b": tmp_path / "b.csv", "😀": tmp_path / "a.csv"}
    assert list(options.tables()) == ["a b", "😀"]


def test_each_group_may_have_its_own_metric(written):
    options = read_study_file(written('metric = {a = "gower", b = "euclidean"}'))
    assert options.chosen() == {"metric": {"a": "gower", "b": "euclidean"}}


def test_a_mark_in_front_of_utf_8_does_no_harm(written):
    assert read_study_file(written(b"\xef\xbb\xbfquestions = 60")).chosen() == {"questions": 60}


def test_an_empty_file_decides_nothing(written):
    assert read_study_file(written("")) == StudyOptions()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qestions = 60", "has the key 'qestions', which is not known; known: data, group, "),
        ("[design]\nquestions = 60", "has the key 'design', which is not known"),
        ("questions = sixty", "is no TOML file"),
        ("questions = 60\nquestions = 70", "is no TOML file"),
        (b"title = '\xff'", "is no TOML file"),
        ("questions = 60.0", "questions must be a whole number, got 60.0"),
        ('questions = "60"', "questions must be a whole number, got '60'"),
        ("questions = true", "questions must be a whole number, got True"),
        ("seed = 1.5", "seed must be a whole number"),
        ('share = "much"', "share must be a number, got 'much'"),
        ("within = false", "within must be a number, got False"),
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
        ('answer_error = "small"', "answer_error must be \"noise\" or a number, got 'small'"),
        ("answer_error = true", 'answer_error must be "noise" or a number'),
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
    first = StudyOptions(id="nr", design={"questions": 60, "seed": None, "share": 0.8})
    second = StudyOptions(
        data=Path("p.csv"), group="g", id="who", show=["age"], design={"questions": 400, "seed": 3, "title": "T"}
    )
    both = merged(first, second)
    assert (both.data, both.group, both.id, both.show) == (Path("p.csv"), "g", "nr", ["age"])
    assert both.chosen() == {"questions": 60, "share": 0.8, "seed": 3, "title": "T"}


def test_zero_and_empty_are_said_too():
    both = merged(
        StudyOptions(design={"seed": 0, "repeats": 0.0, "title": ""}),
        StudyOptions(design={"seed": 3, "repeats": 0.5, "title": "T"}),
    )
    assert both.chosen() == {"seed": 0, "repeats": 0.0, "title": ""}


def test_another_table_or_another_group_column_goes_before_that_of_the_file():
    in_file = StudyOptions(data=Path("old.csv"), group="g")
    assert merged(StudyOptions(data=Path("new.csv")), in_file) == StudyOptions(data=Path("new.csv"), group="g")
    assert merged(StudyOptions(group="h"), in_file) == StudyOptions(data=Path("old.csv"), group="h")


def test_one_table_and_several_are_never_mixed():
    one = StudyOptions(data=Path("p.csv"), group="g")
    several = StudyOptions(sources={"a": Path("a.csv"), "b": Path("b.csv")})
    assert merged(one, several) == one
    assert merged(several, one) == several


@pytest.mark.parametrize(
    "options",
    [
        StudyOptions(),
        StudyOptions(data=Path("p.csv")),
        StudyOptions(group="g"),
        StudyOptions(sources={}),
        StudyOptions(sources={"a": Path("a.csv")}, group="g"),
        StudyOptions(sources={"a": Path("a.csv")}, data=Path("p.csv")),
        StudyOptions(sources={"a": Path("a.csv")}, data=Path("p.csv"), group="g"),
    ],
)
def test_records_that_are_nowhere_or_twice_are_refused(options):
    with pytest.raises(InvalidParameter, match="either a CSV file with its group column"):
        options.tables()
