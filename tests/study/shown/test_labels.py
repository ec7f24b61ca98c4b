"""Labels: what experts read instead of codes, and what is refused."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from commensurate.errors import CorruptStudy, InvalidInput, InvalidParameter
from commensurate.study.fitting import fit_study
from commensurate.study.sheets.exchange import export_study
from commensurate.study.shown.labels import checked_labels
from commensurate.study.store import reading
from commensurate.study.study import Study
from commensurate.study.study_file import merged, read_study_file

EDUCATION = {1: "graduate school", 2: "<b>university</b>", 3: "other", 4: "other"}
PEOPLE = pd.DataFrame(
    {"g": ["a", "b"] * 40, "education": [1, 2, 3, 4, 5] * 16, "age": range(80)}, index=[f"p{k}" for k in range(80)]
)


def make(place, data=PEOPLE, **options):
    chosen = {"group": "g", "questions": 20, "repeats": 0.0, "seed": 1, "learner": "gp", "answer_kind": "numbers"}
    return Study.create(place, data, **{**chosen, "labels": {"education": EDUCATION}, **options})


def seen_by_experts(study, column="education"):
    asked = study.next_questions("ana", 20)
    return {record[column] for question in asked for record in (question.left_record, question.right_record)}


def test_experts_read_labels_and_the_data_keeps_its_codes(tmp_path):
    with make(tmp_path / "s.db") as study:
        assert seen_by_experts(study) == {"graduate school", "<b>university</b>", "other", 5}
        assert {pair.left_record["education"] for pair in study.ruler()} <= {*EDUCATION.values(), 5}
        with study._database.reading() as connection:
            stored = {
                record["education"] for group in reading.read_groups(connection) for record in group.records.values()
            }
    assert stored == {1, 2, 3, 4, 5}


def test_labels_change_neither_the_questions_nor_what_is_learnt(tmp_path):
    fitted = []
    for name, labels in (("with.db", {"education": EDUCATION}), ("without.db", {})):
        with make(tmp_path / name, labels=labels) as study:
            asked = study.next_questions("ana", 20)
            for k, question in enumerate(asked):
                study.record(question.question_id, 0.1 * k, expert="ana")
            model = fit_study(study)
            fitted.append(
                (
                    [question.question_id for question in asked],
                    model.predict(
                        PEOPLE[["education", "age"]][:5], PEOPLE[["education", "age"]][5:10], between=("a", "b")
                    ),
                )
            )
    assert fitted[0][0] == fitted[1][0]
    np.testing.assert_array_equal(fitted[0][1], fitted[1][1])


@pytest.mark.parametrize("stored", [[1, 2], [1.0, 2.0], ["1", "2"], ["1.0", " 2 "]])
@pytest.mark.parametrize("codes", [(1, 2), (1.0, 2.0), ("1", "2"), (np.int64(1), np.float64(2.0))])
def test_a_code_is_the_same_however_it_is_written(tmp_path, stored, codes):
    people = pd.DataFrame({"g": ["a", "a", "b", "b"] * 10, "x": stored * 20, "age": range(40)})
    labels = {"x": dict(zip(codes, ("one", "two"), strict=True))}
    with make(tmp_path / "s.db", people, labels=labels) as study:
        assert seen_by_experts(study, "x") == {"one", "two"}


def test_a_code_with_leading_zeros_is_another_one(tmp_path):
    people = pd.DataFrame({"g": ["a", "a", "b", "b"] * 10, "x": ["007", "7"] * 20, "age": range(40)})
    with make(tmp_path / "s.db", people, labels={"x": {"007": "agent"}}) as study:
        assert seen_by_experts(study, "x") == {"agent", "7"}


def test_codes_of_a_csv_file_are_labelled(tmp_path):
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    with make(tmp_path / "s.db", tmp_path / "people.csv") as study:
        assert seen_by_experts(study) == {"graduate school", "<b>university</b>", "other", "5"}


def test_missing_values_stay_missing(tmp_path):
    people = PEOPLE.assign(education=[None, 1.0] * 40)
    with make(tmp_path / "s.db", people, features=["age"], show=["age", "education"]) as study:
        assert seen_by_experts(study) <= {None, "graduate school"}


def test_sheets_show_labels(tmp_path):
    with make(tmp_path / "s.db") as study:
        export_study(study, tmp_path / "answers.csv")
    text = (tmp_path / "answers.csv").read_text(encoding="utf-8")
    assert "graduate school" in text


def test_a_study_from_before_labels_opens(tmp_path):
    make(tmp_path / "s.db").close()
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        (text,) = connection.execute("SELECT settings FROM study").fetchone()
        settings = json.loads(text)
        del settings["labels"]
        connection.execute("UPDATE study SET settings = ?", (json.dumps(settings),))
        connection.commit()
    with Study(tmp_path / "s.db") as study:
        assert study.settings.labels == {}
        assert seen_by_experts(study) == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("damaged", [7, {"education": 7}, {"education": {"1": 7}}, {"education": {"1.0": "x"}}])
def test_damaged_labels_are_told_as_such(tmp_path, damaged):
    make(tmp_path / "s.db").close()
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        (text,) = connection.execute("SELECT settings FROM study").fetchone()
        text = json.dumps({**json.loads(text), "labels": damaged})
        connection.execute("UPDATE study SET settings = ?", (text,))
        connection.commit()
    with pytest.raises(CorruptStudy, match="labels"):
        Study(tmp_path / "s.db")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"degree": {1: "x"}}, "column 'degree', which experts do not see; they see 'education', 'age'"),
        ({"education": {1: 7}}, "the label of 1 must be text, got 7"),
        ({"education": {1: " "}}, "the label of 1 must be text, got ' '"),
        ({"education": {1: "\ud800"}}, "the label of 1 must be text"),
        ({"education": {None: "x"}}, "None is not a value"),
        ({"education": {float("nan"): "x"}}, "nan is not a value"),
        ({"education": {1: "x", "1.0": "y"}}, "'1' has two labels, 'x' and 'y'"),
        ({"education": ["x"]}, "labels of 'education' must be a dict by value"),
        (["education"], "labels must be a dict by column and value"),
    ],
)
def test_labels_that_cannot_be_meant_are_refused_and_nothing_is_made(tmp_path, labels, message):
    with pytest.raises(InvalidParameter) as refused:
        make(tmp_path / "s.db", labels=labels)
    assert message in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_one_group_that_shows_the_column_is_enough(tmp_path):
    tables = {"a": PEOPLE[["education", "age"]], "b": PEOPLE[["age"]]}
    with make(tmp_path / "s.db", tables, group=None, show=["education", "age"]) as study:
        assert study.shown == {"a": ("education", "age"), "b": ("age",)}


def test_the_same_label_twice_for_one_code_is_no_contradiction():
    assert checked_labels({"x": {1: "one", "1": "one"}}) == {"x": {"1": "one"}}


# --- study.toml ---


def test_labels_can_be_written_down(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(
        '[labels.education]\n1 = "graduate school"\n"2.5" = "a half 😀"\n[labels."a column"]\nx = "an x"\n',
        encoding="utf-8",
    )
    assert read_study_file(path) == {
        "labels": {"education": {"1": "graduate school", "2.5": "a half 😀"}, "a column": {"x": "an x"}}
    }


def test_a_file_with_nothing_but_labels_goes_with_a_command_line(tmp_path):
    path = tmp_path / "labels.toml"
    path.write_text('[labels.x]\n1 = "one"\n', encoding="utf-8")
    both = merged({"group": "g", "questions": 60}, read_study_file(path))
    assert both == {"group": "g", "questions": 60, "labels": {"x": {"1": "one"}}}


@pytest.mark.parametrize("text", ["labels = 1", "[labels]\nx = 'y'", "[labels.x]\n1 = 2", "[labels.x]\n1.5 = 'y'"])
def test_labels_of_another_shape_are_refused_with_an_example(tmp_path, text):
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"labels must be a table by column such as \{education = "):
        read_study_file(path)
