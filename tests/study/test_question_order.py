"""In which order questions are asked, and which are asked again."""

import numpy as np
import pytest

from commensurate.study.question_order import ordered_questions
from commensurate.study.store.asking import REPEAT_DISTANCE
from commensurate.study.store.making import NewQuestion
from worlds.few_answers import POINTS, budgeted

SMALL = {"a": np.linspace(0.0, 1.0, 3)[:, None], "b": np.linspace(0.0, 1.0, 2)[:, None]}
THREE = {**POINTS, "c": np.linspace(0.0, 1.0, 80)[:, None]}


def ordered(groups, repeats=0.0, seed=0, **options):
    plan = budgeted(answer_error="noise", **options).plan(groups)
    return plan, ordered_questions(plan, repeats, np.random.default_rng(seed))


def by_place(questions):
    return sorted(questions, key=lambda question: question.place)


def test_planned_questions_come_first_in_the_list_in_the_plans_order():
    plan, questions = ordered(THREE, repeats=0.3)
    n = len(plan.questions)
    assert [question.question_id for question in questions[:n]] == [q.question_id for q in plan.questions]
    assert all(question.repeat_of is None for question in questions[:n])
    assert all(question.repeat_of is not None for question in questions[n:])


@pytest.mark.parametrize("repeats", [0.0, 0.1, 1.0])
def test_places_count_from_0_and_each_is_taken_once(repeats):
    _, questions = ordered(POINTS, repeats)
    assert [question.place for question in by_place(questions)] == list(range(len(questions)))
    assert len(questions) == 60 + round(60 * repeats)


def test_within_a_pair_of_groups_the_plans_order_is_kept():
    plan, questions = ordered(THREE, repeats=0.5)
    for (left, right), part in plan.by_pair.items():
        mine = [q for q in by_place(questions) if (q.left[0], q.right[0]) == (left, right) and q.repeat_of is None]
        assert [q.left[1] for q in mine] == part.pairs.left.ids.tolist()
        assert [q.right[1] for q in mine] == part.pairs.right.ids.tolist()


@pytest.mark.parametrize("groups", [POINTS, THREE], ids=["two groups", "three groups"])
def test_any_first_part_has_its_share_of_held_out_questions_and_of_each_pair_of_groups(groups):
    plan, questions = ordered(groups, budget=240)
    order = by_place(questions)
    for between, part in plan.by_pair.items():
        mine = np.array([(q.left[0], q.right[0]) == between for q in order])
        held_out = np.array([q.held_out for q in order]) & mine
        expected = np.arange(1, len(order) + 1) / len(order)
        assert np.abs(mine.cumsum() - expected * len(part.pairs)).max() <= 1.0
        # one in each run of the plan's own order
        assert np.abs(held_out.cumsum() - expected * part.held_out.sum()).max() <= 1.5


def test_repeats_have_ids_that_the_plan_does_not_use_even_if_it_asks_a_pair_twice():
    _, questions = ordered(SMALL, repeats=1.0, budget=30, calibration=0.0)
    pairs = [(question.left, question.right) for question in questions if question.repeat_of is None]
    assert len(set(pairs)) < len(pairs)
    assert len({question.question_id for question in questions}) == 60
    planned = {q.question_id: q for q in questions if q.repeat_of is None}
    for question in questions:
        if question.repeat_of is not None:
            first = planned[question.repeat_of]
            assert (first.left, first.right, first.held_out) == (question.left, question.right, question.held_out)


def test_each_question_is_repeated_once_at_most():
    _, questions = ordered(POINTS, repeats=0.4)
    again = [question.repeat_of for question in questions if question.repeat_of is not None]
    assert len(again) == len(set(again)) == 24


def test_repeats_stand_well_behind_their_question_unless_the_end_comes_first():
    _, questions = ordered(POINTS, repeats=1.0, budget=100)
    place = {question.question_id: question.place for question in questions}
    planned_places = sorted(place[q.question_id] for q in questions if q.repeat_of is None)
    for question in questions:
        if question.repeat_of is not None:
            between = sum(place[question.repeat_of] < k < question.place for k in planned_places)
            after = sum(k > place[question.repeat_of] for k in planned_places)
            assert between >= min(REPEAT_DISTANCE, after) - 1


def test_the_generator_decides_about_repeats_and_the_plan_about_the_rest():
    (_, one), (_, same), (_, other) = (ordered(POINTS, 0.3, seed=seed) for seed in (0, 0, 1))
    assert one == same
    assert [q.repeat_of for q in one] != [q.repeat_of for q in other]
    assert [q.question_id for q in one[:60]] == [q.question_id for q in other[:60]]


def test_pairs_that_were_given_are_shuffled_and_what_nobody_is_asked_comes_last():
    table = {"left_id": np.arange(60), "right_id": np.arange(60), "answer": np.linspace(0.0, 1.0, 60)}
    plan = budgeted(claim="pairs of these elements", answer_error="noise").fit(POINTS, pairs=table).plan_
    further = [NewQuestion(f"q{k}", ("a", "0"), ("b", "0"), held_out=False, place=0, aside=True) for k in range(3)]
    questions = by_place(ordered_questions(plan, 0.5, np.random.default_rng(0), further))
    asked = [int(question.left[1]) for question in questions if question.repeat_of is None and not question.aside]
    assert asked != sorted(asked) == list(range(60))
    assert [question.question_id for question in questions[-3:]] == ["q0", "q1", "q2"]
    assert [question.place for question in questions] == list(range(93))
