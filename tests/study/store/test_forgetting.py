"""Erasing a record: nothing of it is left in the study's files, and the numbers stay."""

import json

import pandas as pd
import pytest
from sqlalchemy import select, update

from commensurate.errors import InvalidInput, TooFewAnswers, UnknownQuestion
from commensurate.groups.group import elements_of
from commensurate.study.fitting import groups_of
from commensurate.study.judging.trust import trust_of
from commensurate.study.owner_desk import ask_again, waiting_again
from commensurate.study.store import reading, watching
from commensurate.study.store.tables import again as again_table
from commensurate.study.store.tables import askings
from commensurate.study.study import Study
from worlds.small_study import PEOPLE, Clock, asked_ids, questions_of, small_study

SHOWN = ["nickname", "city"]


@pytest.fixture
def study(tmp_path):
    with small_study(tmp_path, show=SHOWN, repeats=0.5, answers_per_question=2) as made:
        yield made


def files_with(folder, *texts):
    """Return which texts stand in which files of a folder, as UTF-8 or as JSON escapes."""
    found = set()
    for path in folder.iterdir():
        content = path.read_bytes()
        for text in texts:
            if text.encode() in content or json.dumps(text)[1:-1].encode() in content:
                found.add((path.name, text))
    return found


def answer_everything(study):
    for expert in ("ana", "bob"):
        for asked in study.next_questions(expert, 99):
            study.record(
                asked.question_id,
                0.5,
                expert=expert,
                comment=f"on {asked.left_id}|{asked.right_id}",
                key=f"{expert} {asked.left_id} {asked.right_id} {asked.question_id}",
            )


def ids_about(study, record_id):
    return [q.question_id for q in questions_of(study) if record_id in (q.left_id, q.right_id)]


def test_nothing_of_a_forgotten_record_is_left_in_any_byte_of_the_files(study, tmp_path):
    answer_everything(study)
    gone = questions_of(study)[4].left_id
    ids = ids_about(study, gone)
    # corrected since, and kept in the history
    study.record(ids[0], 0.7, expert="ana", comment="looks like zyzzyva")
    study.record(ids[0], 0.8, expert="ana")
    traces = (gone, PEOPLE.loc[gone, "nickname"], "zyzzyva", *ids)
    assert {text for _, text in files_with(tmp_path, *traces)} == set(traces)
    done = study.forget(gone)
    assert files_with(tmp_path, *traces) == set()
    study.close()
    assert files_with(tmp_path, *traces) == set()
    assert (done.group, done.questions) == ("yes", len(ids))
    assert done.answers >= len(ids)
    assert done.comments == done.answers - 1


def test_nothing_is_left_while_others_have_the_study_open(study, tmp_path):
    answer_everything(study)
    gone = questions_of(study)[4].left_id
    with Study(tmp_path / "people.db", clock=Clock()) as other:
        assert len(other.answers()) == len(study.answers())
        study.forget(gone)
        assert files_with(tmp_path, gone, PEOPLE.loc[gone, "nickname"]) == set()
        assert gone not in other.answers()["left_id"].tolist()


def test_answers_stay_in_number_about_nobody(study):
    answer_everything(study)
    before = study.answers(history=True)
    gone = questions_of(study)[4].left_id
    about = (before["left_id"] == gone).to_numpy()
    study.forget(gone)
    after = study.answers(history=True)
    assert len(after) == len(before)
    assert after["answer"].tolist() == before["answer"].tolist()
    pd.testing.assert_frame_equal(after[~about], before[~about])
    assert after.loc[about, "comment"].isna().all()
    assert after.loc[about, "left_id"].str.startswith("forgotten-").all()
    assert not set(after.loc[about, "question_id"]) & set(before.loc[about, "question_id"])
    # the other record of the pair is remembered
    assert after.loc[about, "right_id"].tolist() == before.loc[about, "right_id"].tolist()


def test_questions_about_it_are_closed_under_their_old_and_new_ids(study):
    gone = questions_of(study)[4].left_id
    old = ids_about(study, gone)
    study.forget(gone)
    new = [q.question_id for q in questions_of(study) if q.forgotten]
    assert len(new) == len(old)
    for name in (*old, *new):
        with pytest.raises(UnknownQuestion):
            study.record(name, 0.5, expert="ana")
        with pytest.raises(UnknownQuestion):
            study.question(name, expert="ana")
        with pytest.raises(UnknownQuestion):
            study.skip(name, expert="ana")
    assert not {*old, *new} & set(asked_ids(study.next_questions("ana", 99)))
    assert study.counts("bob").open == 0


def test_what_an_expert_holds_of_it_is_gone(study):
    asked = study.next_questions("ana", 5)
    gone = asked[2].left_id
    study.forget(gone)
    again = asked_ids(study.next_questions("ana", 99))
    assert again[: len(asked) - 1] == [q.question_id for q in asked if gone not in (q.left_id, q.right_id)]


def test_what_was_put_again_about_it_waits_no_more(tmp_path):
    with small_study(tmp_path, calibration=0.0) as study:
        (asked,) = study.next_questions("ana")
        study.record(asked.question_id, 0.5, expert="ana")
        ask_again(study, asked.question_id)
        study.next_questions("ana")
        study.forget(asked.left_id)
        assert waiting_again(study) == {}
        with study._database.reading() as connection:
            for table in (again_table, askings):
                assert None not in connection.execute(select(table.c.ended_at)).scalars().all()
        # as an earlier version left it
        with study._database.writing() as connection:
            connection.execute(update(again_table).values(ended_at=None))
        assert waiting_again(study) == {}


def test_what_waits_about_other_records_goes_on_waiting(tmp_path):
    with small_study(tmp_path, calibration=0.0) as study:
        gone, other = study.next_questions("ana", 2)
        assert {gone.left_id, gone.right_id}.isdisjoint({other.left_id, other.right_id})
        study.record(other.question_id, 0.5, expert="ana")
        ask_again(study, other.question_id)
        study.next_questions("ana", 2)
        study.forget(gone.left_id)
        assert waiting_again(study) == {other.question_id: ("ana",)}
        assert study.next_questions("ana")[0].question_id == other.question_id
        assert other.question_id not in asked_ids(study.next_questions("bob", 99))


def test_an_answer_that_is_sent_again_after_forgetting_is_refused(study):
    (asked,) = study.next_questions("ana")
    study.record(asked.question_id, 0.5, expert="ana", key="k1", comment="so")
    study.forget(asked.left_id)
    with pytest.raises(UnknownQuestion):
        study.record(asked.question_id, 0.5, expert="ana", key="k1", comment="so")
    assert study.answers(history=True)["comment"].tolist() == [None]


def test_hidden_repeats_of_forgotten_questions_are_closed_too(study):
    answer_everything(study)
    repeat = next(q for q in questions_of(study) if q.repeat_of is not None)
    study.forget(repeat.left_id)
    for question in questions_of(study):
        if question.repeat_of is not None:
            first = next(q for q in questions_of(study) if q.question_id == question.repeat_of)
            assert first.forgotten == question.forgotten
    assert any(q.forgotten and q.repeat_of is not None for q in questions_of(study))


def test_the_ruler_shows_no_forgotten_record(study):
    gone = study.ruler()[0].left_id
    others = [pair for pair in study.ruler() if gone not in (pair.left_id, pair.right_id)]
    study.forget(gone)
    assert study.ruler() == others


def test_a_record_can_be_forgotten_once(study):
    gone = questions_of(study)[0].left_id
    study.forget(gone)
    with pytest.raises(InvalidInput, match=f"has no record '{gone}'"):
        study.forget(gone)


def test_who_is_unknown_cannot_be_forgotten_and_nothing_changes(study):
    before = questions_of(study)
    for name, group in (("nobody", None), ("", None), ("%", None), (questions_of(study)[0].left_id, "no")):
        with pytest.raises(InvalidInput, match="has no record"):
            study.forget(name, group=group)
    assert questions_of(study) == before


def test_an_id_that_several_groups_have_needs_the_group(tmp_path):
    tables = {"a": pd.DataFrame({"x": range(12)}), "b": pd.DataFrame({"x": range(12)})}
    with Study.create(tmp_path / "s.db", tables, questions=12, seed=0) as study:
        with pytest.raises(InvalidInput, match="several groups have a record '7': a, b"):
            study.forget("7")
        assert study.forget("7", group="b").group == "b"
        with study._database.reading() as connection:
            assert reading.count_records(connection) == {"a": (12, 0), "b": (12, 1)}
        # now only one has it
        assert study.forget("7").group == "a"


def test_a_category_that_only_the_forgotten_record_had_is_erased_from_the_encoding(tmp_path):
    people = PEOPLE.assign(city=PEOPLE["city"].where(PEOPLE.index != "p06", "Ürümqi"))
    with Study.create(
        tmp_path / "s.db", people, group="married", features=["age", "city"], questions=8, seed=0
    ) as study:
        before = {group.name: group for group in elements_of(groups_of(study))}
        assert files_with(tmp_path, "Ürümqi", "Graz") == {("s.db", "Ürümqi"), ("s.db", "Graz")}
        study.forget("p06")
        assert files_with(tmp_path, "Ürümqi", "Graz") == {("s.db", "Graz")}
        for group in elements_of(groups_of(study)):
            kept = before[group.name].ids != "p06"
            assert group.ids.tolist() == before[group.name].ids[kept].tolist()
            assert group.points.tolist() == before[group.name].points[kept].tolist()


@pytest.mark.parametrize("metric", ["euclidean", "gower"])
def test_what_stands_in_for_missing_cells_stays_where_it_was(tmp_path, metric):
    table = pd.DataFrame({"g": ["a", "b"] * 6, "x": range(12), "c": ["first", *["u", None] * 5, "v"]})
    with Study.create(
        tmp_path / "s.db", table, group="g", questions=8, seed=0, missing="median", metric=metric
    ) as study:
        before = {group.name: group.points[1:].tolist() for group in elements_of(groups_of(study))}
        study.forget("0", group="a")
        assert files_with(tmp_path, "first") == set()
        after = {group.name: group.points.tolist() for group in elements_of(groups_of(study))}
        assert after["a"] == before["a"]


def test_figures_that_were_learnt_from_it_are_forgotten_and_looks_stay(study):
    answer_everything(study)
    with study._database.writing() as connection:
        watching.keep_snapshot(connection, 3, {"pairs": None}, study._now())
        watching.keep_look(connection, 50, {"stop": False}, study._now())
    study.forget(questions_of(study)[4].left_id)
    with study._database.reading() as connection:
        assert watching.read_snapshot(connection, 3) is None
        assert watching.read_looks(connection) == {50: {"stop": False}}


def test_all_records_can_be_forgotten(study):
    answer_everything(study)
    n = len(study.answers(history=True))
    for name in PEOPLE.index:
        study.forget(name)
    assert len(study.answers(history=True)) == n
    assert study.next_questions("eve", 99) == []
    assert study.ruler() == []


def test_no_look_names_a_record(tmp_path):
    # answers that contradict each other by far: what is said of them names records, but not where it stays
    with pytest.warns(TooFewAnswers, match="12 answers can be held out instead of 59"):
        created = small_study(tmp_path, questions=120, answer_error=0.0, calibration=0.5, share=0.5, learner="gp")
    with created as study:
        k = 0
        while asked := study.next_questions("ana", 40):
            for question in asked:
                study.record(question.question_id, float(k % 7), expert="ana")
                k += 1
        found = trust_of(study)
        assert any("contradict" in look.words for look in found.looks)
        assert found.figures is None
        name = questions_of(study)[0].left_id
        study.forget(name)
        with study._database.reading() as connection:
            kept = str(watching.read_looks(connection))
        assert not any(f"{one!r}" in kept for one in PEOPLE.index)
