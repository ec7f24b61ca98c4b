"""Who is asked what, and when."""

from collections import Counter

import pytest

from commensurate.errors import InvalidParameter, UnknownQuestion
from commensurate.study.store import reading
from commensurate.study.study import Study
from worlds.small_study import (
    answer_all,
    asked_ids,
    questions_of,
    sides_in_the_data,
    small_study,
)

# --- order ---


def test_questions_come_in_the_order_of_their_places_and_that_is_random(study):
    ids = asked_ids(study.next_questions("ana", 20))
    assert ids == [question.question_id for question in questions_of(study)]
    records = [question.left_id for question in questions_of(study)]
    assert records != sorted(records)


def test_the_same_seed_asks_the_same_questions_in_the_same_order(tmp_path):
    with (
        small_study(tmp_path, name="one.db", repeats=0.5) as one,
        small_study(tmp_path, name="two.db", repeats=0.5) as two,
    ):
        assert questions_of(one) == questions_of(two)
        assert one.next_questions("ana", 20) == two.next_questions("ana", 20)
        known = questions_of(one)
    with small_study(tmp_path, name="three.db", seed=6, repeats=0.5) as three:
        assert questions_of(three) != known


def test_asking_for_more_than_there_is_gives_all_there_is(study):
    assert len(study.next_questions("ana", 1_000)) == 20
    assert study.next_questions("bob", 1) == []


def test_what_an_expert_holds_comes_first(study, clock):
    held = asked_ids(study.next_questions("ana", 3))
    assert asked_ids(study.next_questions("ana", 5))[:3] == held
    study.close()
    with Study(study._database.where, clock=clock) as again:
        assert asked_ids(again.next_questions("ana", 1)) == held[:1]


def test_a_held_question_comes_before_one_that_has_become_free_since(study, clock):
    first = asked_ids(study.next_questions("ana", 4))
    clock.move(20.0)
    (held,) = asked_ids(study.next_questions("bob"))
    clock.move(15.0)
    # ana's have expired and stand before bob's in the order
    assert asked_ids(study.next_questions("bob", 3)) == [held, *first[:2]]


def test_a_held_early_repeat_comes_before_what_has_become_free_since(tmp_path, clock):
    with small_study(tmp_path, clock=clock, questions=8, repeats=1.0) as study:
        free = asked_ids(study.next_questions("bob", 1))
        clock.move(25.0)
        for asked in study.next_questions("ana", 7):
            study.record(asked.question_id, 0.5, expert="ana")
        (early,) = asked_ids(study.next_questions("ana"))
        assert early in {question.question_id for question in questions_of(study) if question.repeat_of is not None}
        clock.move(10.0)
        # bob's question is free now, and no repeat; yet reloading shows ana the question she was looking at
        assert asked_ids(study.next_questions("ana", 2)) == [early, *free]


# --- leases ---


def test_two_experts_never_hold_the_same_question(study):
    shares = [asked_ids(study.next_questions(expert, 7)) for expert in ("ana", "bob", "eve")]
    assert [len(share) for share in shares] == [7, 7, 6]
    assert max(Counter(question for share in shares for question in share).values()) == 1


def test_several_answers_a_question_are_still_given_one_after_another(tmp_path):
    with small_study(tmp_path, answers_per_question=2) as study:
        held = asked_ids(study.next_questions("ana", 20))
        assert study.next_questions("bob", 20) == []
        study.record(held[4], 0.5, expert="ana")
        assert asked_ids(study.next_questions("bob", 20)) == [held[4]]


def test_a_lease_ends_when_its_time_has_passed_and_not_before(study, clock):
    held = asked_ids(study.next_questions("ana", 20))
    clock.move(29.9)
    assert study.next_questions("bob", 20) == []
    assert study.counts("bob").open == 0
    clock.move(0.1)
    assert study.counts("bob").open == 20
    assert asked_ids(study.next_questions("bob", 20)) == held
    assert study.next_questions("ana") == []


def test_looking_again_keeps_a_question_for_longer(study, clock):
    held = asked_ids(study.next_questions("ana", 20))
    clock.move(20.0)
    assert asked_ids(study.next_questions("ana", 2)) == held[:2]
    clock.move(15.0)
    assert asked_ids(study.next_questions("bob", 20)) == held[2:]


def test_the_length_of_a_lease_can_be_chosen(tmp_path, clock):
    with small_study(tmp_path, clock=clock, lease_minutes=2.0) as study:
        study.next_questions("ana", 20)
        clock.move(2.0)
        assert len(study.next_questions("bob", 10)) == 10
        assert len(study.next_questions("ana", 10, minutes=60.0)) == 10
        clock.move(30.0)
        assert len(study.next_questions("eve", 20)) == 10


def test_an_answer_after_the_lease_has_passed_to_another_still_counts(study, clock):
    (question,) = asked_ids(study.next_questions("ana"))
    clock.move(31.0)
    assert asked_ids(study.next_questions("bob")) == [question]
    study.record(question, 0.5, expert="ana")
    # what bob holds has its answer now
    assert question not in asked_ids(study.next_questions("bob", 20))
    study.record(question, 0.7, expert="bob")
    assert study.answers()["expert"].tolist() == ["ana", "bob"]


def test_looking_at_one_question_keeps_it_for_nobody(study):
    (asked,) = study.next_questions("ana")
    assert study.question(asked.question_id, expert="ana") == asked
    other = questions_of(study)[5].question_id
    study.question(other, expert="ana")
    assert other in asked_ids(study.next_questions("bob", 20))
    with pytest.raises(UnknownQuestion, match="has no question 'nonsense'"):
        study.question("nonsense", expert="ana")


# --- skipping ---


def test_what_was_skipped_comes_last(study):
    ids = [question.question_id for question in questions_of(study)]
    study.next_questions("ana", 2)
    study.skip(ids[0], expert="ana")
    assert asked_ids(study.next_questions("ana", 20)) == [ids[1], *ids[2:], ids[0]]


def test_skipping_is_one_experts_matter_and_frees_the_question(study):
    (question,) = asked_ids(study.next_questions("ana"))
    study.skip(question, expert="ana")
    assert asked_ids(study.next_questions("bob")) == [question]


def test_what_was_skipped_more_often_comes_later(study):
    ids = asked_ids(study.next_questions("ana", 20))
    for question in (ids[0], ids[1]):
        study.skip(question, expert="ana")
    study.next_questions("ana", 20)
    study.skip(ids[0], expert="ana")
    assert asked_ids(study.next_questions("ana", 20))[-2:] == [ids[1], ids[0]]


def test_a_question_shown_again_after_its_lease_is_skipped_once(study, clock):
    (question,) = asked_ids(study.next_questions("ana"))
    clock.move(31.0)
    assert asked_ids(study.next_questions("ana")) == [question]
    study.skip(question, expert="ana")
    with study._database.reading() as connection:
        (ana,) = reading.read_experts(connection, study._now())
    assert (ana.skipped, ana.held_now) == (1, 0)


def test_only_questions_of_the_study_can_be_skipped_and_nobody_is_added_by_trying(study):
    with pytest.raises(UnknownQuestion):
        study.skip("nonsense", expert="mallory")
    question = study.next_questions("ana")[0].question_id
    study.record(question, 0.5, expert="ana")
    study.skip(question, expert="ana")
    assert study.counts("ana").answered == 1


# --- how many answers ---


@pytest.mark.parametrize("k", [1, 2, 3])
def test_each_question_is_answered_by_as_many_different_experts_as_wanted(tmp_path, k):
    with small_study(tmp_path, answers_per_question=k) as study:
        given = {expert: answer_all(study, expert) for expert in ("ana", "bob", "eve", "dan")}
        assert all(len(set(ids)) == len(ids) for ids in given.values())
        assert set(Counter(q for ids in given.values() for q in ids).values()) == {k}
        assert len(study.answers()) == 20 * k
        assert study.counts("new").open == 0


def test_unsure_is_no_answer_for_others_and_not_asked_again_of_the_same_expert(study):
    (question,) = asked_ids(study.next_questions("ana"))
    study.record(question, None, unsure=True, expert="ana")
    assert asked_ids(study.next_questions("bob")) == [question]
    study.record(question, 0.5, expert="bob")
    assert question not in asked_ids(study.next_questions("eve", 5))
    assert question not in asked_ids(study.next_questions("ana", 20))


def test_a_number_corrected_to_unsure_opens_the_question_again(study):
    (question,) = asked_ids(study.next_questions("ana"))
    study.record(question, 0.5, expert="ana")
    assert question not in asked_ids(study.next_questions("bob"))
    study.record(question, None, unsure=True, expert="ana")
    assert question in asked_ids(study.next_questions("bob", 20))
    assert question not in asked_ids(study.next_questions("ana", 20))


def test_counts_tell_answered_unsure_and_what_is_open_now(study):
    assert (study.counts("ana").answered, study.counts("ana").unsure, study.counts("ana").open) == (0, 0, 20)
    ids = asked_ids(study.next_questions("ana", 4))
    study.record(ids[0], 0.5, expert="ana")
    study.record(ids[0], 0.6, expert="ana")
    study.record(ids[1], None, unsure=True, expert="ana")
    counts = study.counts("ana")
    assert (counts.answered, counts.unsure, counts.open) == (2, 1, 18)
    # two are answered or held by ana; of the one she is unsure of bob may be asked
    assert study.counts("bob").open == 17


# --- sides ---


def test_sides_are_swapped_for_about_half_of_experts_and_questions(tmp_path):
    with small_study(tmp_path, answers_per_question=10) as study:
        swapped = [
            study.question(question.question_id, expert=expert).between != (question.left_group, question.right_group)
            for expert in (f"expert {k}" for k in range(10))
            for question in questions_of(study)
        ]
    # 200 coins: 70 to 130 heads in all but one of 50,000 draws
    assert 70 <= sum(swapped) <= 130


def test_an_expert_sees_a_question_the_same_way_each_time(study):
    (asked,) = study.next_questions("ana")
    assert study.next_questions("ana") == [asked]
    assert study.question(asked.question_id, expert=" ana ") == asked


def test_records_move_with_their_sides_and_answers_are_by_the_data(study):
    for asked in study.next_questions("ana", 20):
        study.record(asked.question_id, 0.5, expert="ana")
    shown = {q.question_id: study.question(q.question_id, expert="ana") for q in questions_of(study)}
    table = study.answers()
    assert {(row.left_group, row.right_group) for row in table.itertuples()} == {("yes", "no")}
    for row in table.itertuples():
        assert sides_in_the_data(shown[row.question_id]) == {"yes": row.left_id, "no": row.right_id}
    assert len({asked.between for asked in shown.values()}) == 2


# --- arguments ---


@pytest.mark.parametrize("n", [0, -1, 2.5, "2", None, 10**20])
def test_a_whole_number_of_questions_must_be_asked_for(study, n):
    with pytest.raises(InvalidParameter, match="n must be a whole number from 1"):
        study.next_questions("ana", n)


@pytest.mark.parametrize("minutes", [0.0, -1.0, float("nan"), float("inf"), 1e12, "5"])
def test_a_lease_lasts_some_minutes_and_no_more_than_a_year(study, minutes):
    with pytest.raises(InvalidParameter, match="minutes must be a number above 0 and at most one year"):
        study.next_questions("ana", minutes=minutes)


def test_a_name_is_the_same_however_a_keyboard_spells_it(study):
    (question,) = study.next_questions("José")
    assert study.next_questions("Jose\u0301") == [question]


@pytest.mark.parametrize("expert", ["", "  ", "a\nb", "a\0b", "x" * 201, None, 5, "\ud800"])
def test_an_expert_needs_a_printable_name(study, expert):
    for call in (
        lambda: study.next_questions(expert),
        lambda: study.counts(expert),
        lambda: study.question(questions_of(study)[0].question_id, expert=expert),
        lambda: study.skip(questions_of(study)[0].question_id, expert=expert),
        lambda: study.record(questions_of(study)[0].question_id, 0.5, expert=expert),
    ):
        with pytest.raises(InvalidParameter, match="name"):
            call()
    assert study.answers().empty


@pytest.mark.parametrize("expert", ["Żaneta O'Neill", '"; DROP TABLE answers; --', "🦉", "עדה לאבלייס", "%s ? :name"])
def test_names_are_text_and_nothing_else(study, expert):
    (asked,) = study.next_questions(f"  {expert} ")
    study.record(asked.question_id, 0.5, expert=expert)
    assert study.answers()["expert"].tolist() == [expert]
    assert study.counts(expert).answered == 1


def test_looking_never_shortens_a_lease(study, clock):
    taken_home = study.next_questions("ana", 3, minutes=7 * 24 * 60.0)
    study.next_questions("ana", 3)
    clock.move(60.0)
    assert not {one.question_id for one in study.next_questions("ben", 100)} & set(asked_ids(taken_home))


def test_counts_tell_what_is_with_others(study, clock):
    every = study.counts("ben").open
    study.next_questions("ana", 2)
    assert (study.counts("ben").open, study.counts("ben").with_others) == (every - 2, 2)
    clock.move(31.0)
    assert (study.counts("ben").open, study.counts("ben").with_others) == (every, 0)
