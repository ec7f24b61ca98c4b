"""Questions of every kind, asked and answered: once in a file, once on a server."""

import pytest

from commensurate.errors import InvalidAnswer, InvalidInput, UnknownQuestion
from commensurate.study.expert_desk import put_question
from commensurate.study.study import Study
from worlds.small_study import questions_of
from worlds.study_kinds import answer_everything, honest, kinds_study

KINDS = ("grades", "numbers", "comparisons")


@pytest.fixture(params=KINDS)
def study(request, places):
    with kinds_study(places.empty(), request.param) as made:
        yield made


def known_ids(study):
    return {one.question_id for one in questions_of(study) if one.known_distance is not None}


def one_of(study, kind, expert="ana"):
    return next(one for one in study.next_questions(expert, 40) if one.kind == kind)


def test_answers_of_every_kind_come_back_as_they_were_given(study):
    given = {one.question_id: honest(study, one) for one in answer_everything(study)}
    with Study(str(study.file) if study.file else study._database.engine.url.render_as_string(False)) as again:
        assert {one.question_id: one.answer for one in again.stored_answers()} == given
        table = again.answers()
    of_sigma = {name: said for name, said in given.items() if name not in known_ids(study)}
    assert dict(zip(table["question_id"], table["answer"])) == of_sigma
    assert len(of_sigma) == 40
    assert (table["answer"].dtype == "float64") == (study.settings.answer_kind == "numbers")


def test_a_correction_with_a_range_and_unsure_are_kept_in_their_order(study):
    number = next(one for one in questions_of(study) if one.kind == "number").question_id
    for said in (0.3, "0.2..0.5", "<=0.5", None, ">=0.1"):
        recorded = study.record(number, said, expert="ana", unsure=said is None)
        assert (recorded.answer, recorded.unsure) == (said, said is None)
    assert [one.answer for one in study.stored_answers(history=True)] == [0.3, "0.2..0.5", "<=0.5", None, ">=0.1"]
    assert study.counts("ana").unsure == 0


@pytest.mark.parametrize(
    ("kind", "asked", "wrong"),
    [
        ("grades", "grade", 0.5),
        ("grades", "grade", "first"),
        ("grades", "number", "very different"),
        ("grades", "number", "0.5..0.2"),
        ("comparisons", "comparison", "very different"),
        ("comparisons", "comparison", 0.5),
        ("comparisons", "number", "first"),
    ],
)
def test_an_answer_of_the_wrong_kind_records_nothing_and_the_question_stays(places, kind, asked, wrong):
    with kinds_study(places.empty(), kind) as study:
        question = next(one for one in questions_of(study) if one.kind == asked and one.known_distance is None)
        before = study.counts("ana")
        with pytest.raises(InvalidAnswer, match="must be"):
            study.record(question.question_id, wrong, expert="ana")
        assert study.stored_answers(history=True) == []
        assert study.counts("ana") == before


def test_a_word_closes_a_question_and_unsure_leaves_it_to_others(places):
    with kinds_study(places.empty(), "grades", known_pairs=0) as study:
        first, second = study.next_questions("ana", 2)
        study.record(first.question_id, honest(study, first), expert="ana")
        study.record(second.question_id, None, unsure=True, expert="ana")
        waiting = {one.question_id for one in study.next_questions("bob", 60)}
    assert first.question_id not in waiting
    assert second.question_id in waiting


def test_the_same_key_is_one_answer_also_where_it_is_a_word(places):
    with kinds_study(places.empty(), "grades") as study:
        grade = one_of(study, "grade").question_id
        first = study.record(grade, "very different", expert="ana", key="k")
        assert study.record(grade, "VERY different", expert="ana", key="k") == first
        with pytest.raises(InvalidAnswer, match="belongs to another answer .*very different"):
            study.record(grade, "hardly different", expert="ana", key="k")
        assert len(study.stored_answers(history=True)) == 1


# --- pairs of known distance ---


def test_known_pairs_come_to_every_expert_early_and_now_and_then(places):
    with kinds_study(places.empty(), "grades", answers_per_question=2, known_pairs=6) as study:
        known = known_ids(study)
        for expert in ("ana", "bob"):
            order = [one.question_id in known for one in answer_everything(study, expert)]
            assert len(order) == 46
            assert [place for place, is_known in enumerate(order) if is_known] == [0, 2, 4, 14, 24, 34]


def test_counts_go_down_by_one_with_each_answer_whether_its_distance_is_known_or_not(places):
    with kinds_study(places.empty(), "grades", known_pairs=6) as study:
        left = [study.counts("ana").open]
        while asked := study.next_questions("ana"):
            study.record(asked[0].question_id, honest(study, asked[0]), expert="ana")
            left.append(study.counts("ana").open)
    assert left == list(range(46, -1, -1))


def test_two_experts_may_have_the_same_known_pair_before_them_at_once(places):
    with kinds_study(places.empty(), "grades") as study:
        known = known_ids(study)
        (first,), (second,) = study.next_questions("ana"), study.next_questions("bob")
        assert first.question_id == second.question_id
        assert first.question_id in known
        assert study.next_questions("ana")[0].question_id == first.question_id, "shown again until it is answered"
        study.record(first.question_id, honest(study, first), expert="ana")
        study.record(second.question_id, honest(study, second), expert="bob")
        assert study.next_questions("ana")[0].question_id not in known


def test_who_comes_when_all_is_answered_is_not_asked_known_pairs_alone(places):
    with kinds_study(places.empty(), "grades") as study:
        answer_everything(study)
        assert study.next_questions("late", 20) == []
        assert study.counts("late").open == 0


def test_a_known_pair_that_was_skipped_is_not_asked_again(places):
    with kinds_study(places.empty(), "grades", known_pairs=1) as study:
        (known,) = study.next_questions("ana")
        study.skip(known.question_id, expert="ana")
        order = answer_everything(study)
    assert known.question_id not in {one.question_id for one in order}
    assert len(order) == 40


def test_a_known_pair_is_not_put_again(places):
    with kinds_study(places.empty(), "grades") as study:
        (known,) = study.next_questions("ana")
        study.record(known.question_id, honest(study, known), expert="ana")
        with pytest.raises(InvalidInput, match="known distance"):
            study.ask_again(known.question_id)


# --- forgetting ---


def test_forgetting_closes_the_comparisons_that_are_made_with_a_record(places):
    with kinds_study(places.empty(), "comparisons") as study:
        asked = [one for one in study.next_questions("ana", 60) if one.kind == "comparison"]
        for one in asked:
            study.record(one.question_id, honest(study, one), expert="ana")
        # the third record of a comparison, which its own pair does not have
        gone = next(one for one in asked if one.between[0] != one.between[1])
        about = [one for one in asked if gone.other.right_id in (one.left_id, one.right_id, one.other.right_id)]
        done = study.forget(gone.other.right_id, group=gone.other.group)
        assert done.questions >= len(about) >= 1
        with pytest.raises(UnknownQuestion):
            study.question(gone.question_id, expert="ana")
        assert put_question(study, gone.question_id, expert="ana") is None
        closed = {one.place for one in questions_of(study) if one.forgotten}
        assert len(closed) == done.questions
        assert len(study.stored_answers()) == len(asked), "answers stay"


def test_a_boundary_whose_pair_was_forgotten_stays_a_number(places):
    with kinds_study(places.empty(), "grades") as study:
        before = study.boundary_pairs()
        study.forget(before[1].left_id, group=before[1].group)
        after = study.boundary_pairs()
        assert after[1] is None
        assert len(study.settings.boundaries) == 4
        question = one_of(study, "grade")
        assert study.record(question.question_id, "very different", expert="ana").answer == "very different"


def test_a_backup_has_every_kind_of_answer_and_every_pair_that_is_shown(study, tmp_path):
    answer_everything(study)
    study.backup(tmp_path / "copy.db")
    with Study(tmp_path / "copy.db") as copy:
        assert copy.stored_answers(history=True) == study.stored_answers(history=True)
        assert copy.boundary_pairs() == study.boundary_pairs()
        assert questions_of(copy) == questions_of(study)
