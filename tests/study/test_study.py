"""Recording answers, and reading them again."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter, UnknownQuestion
from commensurate.study.sheets.sheet_format import COLUMNS
from commensurate.study.study import Study
from worlds.small_study import PEOPLE, Clock, asked_ids, questions_of, small_study


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(tmp_path, clock):
    with small_study(tmp_path, clock=clock) as made:
        yield made


@pytest.fixture
def question(study):
    return study.next_questions("ana")[0].question_id


# --- recording ---


def test_a_recorded_answer_is_returned_as_it_is_kept(study, question, clock):
    recorded = study.record(question, 0.25, expert=" ana ", comment="close", seconds=12.5, origin="page")
    assert (recorded.question_id, recorded.expert, recorded.value) == (question, "ana", 0.25)
    assert (recorded.comment, recorded.seconds, recorded.unsure) == ("close", 12.5, False)
    assert recorded.answered_at == "2026-03-01T09:00:00.000000+00:00"
    (stored,) = study.stored_answers()
    assert (stored.value, stored.expert, stored.comment, stored.seconds) == (0.25, "ana", "close", 12.5)
    assert (stored.answered_at, stored.origin, stored.repeat_of) == (recorded.answered_at, "page", None)


@pytest.mark.parametrize("value", [0, 1, 0.1 + 0.2, 5e-324, 1.7e308, np.float32(0.5), np.int64(3), Decimal("0.1")])
def test_numbers_come_back_to_the_bit(study, question, value):
    study.record(question, value, expert="ana")
    assert study.answers()["answer"].tolist() == [float(value)]


def test_minus_zero_is_zero(study, question):
    recorded = study.record(question, -0.0, expert="ana")
    assert not np.signbit(recorded.value)
    assert not np.signbit(study.answers()["answer"][0])


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -float("inf"), -1e-300, -1, "much", "", None, True, [0.5]]
)
def test_what_is_no_dissimilarity_is_refused_and_nothing_is_kept(study, question, value):
    with pytest.raises(InvalidAnswer, match="finite number"):
        study.record(question, value, expert="ana")
    assert study.answers(history=True).empty


def test_an_answer_is_a_number_or_unsure_not_both(study, question):
    with pytest.raises(InvalidAnswer, match="not both"):
        study.record(question, 0.5, unsure=True, expert="ana")
    recorded = study.record(question, None, unsure=True, expert="ana")
    assert recorded.unsure
    row = study.answers().iloc[0]
    assert row["status"] == "unsure"
    assert np.isnan(row["answer"])


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf"), "3", 10**400])
def test_seconds_are_a_finite_number(study, question, seconds):
    with pytest.raises(InvalidParameter, match="seconds"):
        study.record(question, 0.5, expert="ana", seconds=seconds)


def test_unknown_questions_are_refused_and_nobody_is_added(study):
    for name in ("nonsense", "", "x" * 10_000, None):
        with pytest.raises(UnknownQuestion):
            study.record(name, 0.5, expert="mallory")
    assert study.answers().empty


def test_a_question_may_be_answered_without_being_asked(study):
    # as when a sheet is imported
    last = questions_of(study)[-1].question_id
    study.record(last, 0.5, expert="ana")
    assert last not in asked_ids(study.next_questions("bob", 99))


def test_an_empty_comment_is_none_and_others_are_kept_to_the_letter(study, question):
    study.record(question, 0.5, expert="ana", comment="")
    assert study.answers()["comment"].tolist() == [None]
    for comment in ("שלום \u202eabc", "'; --", "line\nbreak\ttab", "=1+1", "🦉" * 1_000, " "):
        study.record(question, 0.5, expert="ana", comment=comment)
        assert study.answers()["comment"].tolist() == [comment]


# --- keys ---


def test_the_same_key_again_is_the_same_answer(study, question, clock):
    first = study.record(question, 0.5, expert="ana", key="k1", comment="so", seconds=3.0)
    clock.move(5.0)
    assert study.record(question, 0.5, expert="ana", key="k1", comment="so", seconds=9.0) == first
    assert len(study.answers(history=True)) == 1


def test_the_same_key_again_after_a_correction_does_not_undo_it(study, question):
    study.record(question, 0.5, expert="ana", key="k1")
    study.record(question, 0.7, expert="ana", key="k2")
    study.record(question, 0.5, expert="ana", key="k1")
    assert study.answers()["answer"].tolist() == [0.7]


@pytest.mark.parametrize(
    "other",
    [{"answer": 0.6}, {"answer": None, "unsure": True}, {"expert": "bob"}, {"comment": "other"}, {"question_id": None}],
    ids=["value", "unsure", "expert", "comment", "question"],
)
def test_the_same_key_with_other_content_is_an_error(study, question, other):
    given = {"question_id": question, "answer": 0.5, "expert": "ana", "key": "k1"}
    study.record(**given)
    if "question_id" in other:
        other = {"question_id": questions_of(study)[7].question_id}
    with pytest.raises(InvalidAnswer, match="key 'k1' belongs to another answer"):
        study.record(**{**given, **other})
    assert len(study.answers(history=True)) == 1


@pytest.mark.parametrize("key", ["", "x" * 129])
def test_keys_have_a_length(study, question, key):
    with pytest.raises(InvalidParameter, match="key"):
        study.record(question, 0.5, expert="ana", key=key)


def test_answers_without_a_key_are_answers_each(study, question):
    for _ in range(3):
        study.record(question, 0.5, expert="ana")
    assert len(study.answers(history=True)) == 3
    assert len(study.answers()) == 1


# --- reading ---


def test_a_correction_is_added_and_the_last_one_counts(study, question, clock):
    for value in (0.5, 0.6, None, 0.2):
        study.record(question, value, unsure=value is None, expert="ana")
        clock.move(1.0)
    study.record(question, 0.9, expert="bob")
    assert study.answers()[["expert", "answer"]].values.tolist() == [["ana", 0.2], ["bob", 0.9]]
    history = study.answers(history=True)
    assert history["answer"].fillna(-1.0).tolist() == [0.5, 0.6, -1.0, 0.2, 0.9]
    assert history["status"].tolist() == ["answered", "answered", "unsure", "answered", "answered"]
    assert history["answered_at"].is_monotonic_increasing


@pytest.mark.parametrize("history", [False, True])
def test_a_study_without_answers_has_an_empty_table_with_all_columns(study, history):
    table = study.answers(history=history)
    assert table.columns.tolist() == list(COLUMNS)
    assert len(table) == 0
    assert table["answer"].dtype == table["seconds"].dtype == np.float64


def test_columns_have_their_types_also_where_all_are_missing(study, question):
    study.record(question, None, unsure=True, expert="ana")
    table = study.answers()
    assert table.columns.tolist() == list(COLUMNS)
    assert table["answer"].dtype == table["seconds"].dtype == np.float64
    assert table.notna().sum()[["answer", "seconds", "comment"]].tolist() == [0, 0, 0]
    assert table["left_id"].tolist()[0] in PEOPLE.index


def test_times_are_in_utc_whatever_the_clock_says(tmp_path):
    small_study(tmp_path).close()
    moment = datetime(2026, 7, 1, 12, 0, 0, 5, tzinfo=timezone(timedelta(hours=2)))
    with Study(tmp_path / "people.db", clock=lambda: moment) as study:
        recorded = study.record(questions_of(study)[0].question_id, 0.5, expert="ana")
    assert recorded.answered_at == "2026-07-01T10:00:00.000005+00:00"
    assert datetime.fromisoformat(recorded.answered_at) == moment.astimezone(UTC)


def test_a_closed_study_opens_as_it_was(study, question, clock):
    study.record(question, 0.5, expert="ana", comment="so")
    held = study.next_questions("ana", 3)
    study.close()
    with Study(study._database.where, clock=clock) as again:
        assert again.settings == study.settings
        assert again.created_at == study.created_at == "2026-03-01T09:00:00.000000+00:00"
        pd.testing.assert_frame_equal(again.answers(), study.answers())
        assert again.next_questions("ana", 3) == held
        assert repr(again) == repr(study)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"key": 5}, InvalidParameter),
        ({"key": "a\0"}, InvalidParameter),
        ({"comment": 5}, InvalidInput),
        ({"comment": "a\0b"}, InvalidInput),
        ({"comment": "\ud800"}, InvalidInput),
        ({"comment": "x" * 10_001}, InvalidInput),
        ({"answer": 10**400}, InvalidAnswer),
        ({"answer": np.True_}, InvalidAnswer),
    ],
)
def test_what_no_database_keeps_is_refused_in_words(study, question, given, error):
    with pytest.raises(error):
        study.record(question, **{"answer": 0.5, "expert": "ana", **given})
    assert len(study.answers(history=True)) == 0


@pytest.mark.parametrize("name", ["\ud800", "a\0", 5, None])
def test_what_cannot_be_the_id_of_a_question_is_unknown(study, name):
    for use in (study.question, study.skip):
        with pytest.raises(UnknownQuestion):
            use(name, expert="ana")
    with pytest.raises(UnknownQuestion):
        study.record(name, 0.5, expert="ana")
