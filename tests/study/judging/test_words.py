"""Agreement, disagreement and repeats where answers are words."""

from commensurate.study.judging.words import steps_between
from worlds.small_study import questions_of
from worlds.study_kinds import answer_everything, honest, kinds_study


def training(study, n):
    return [one.question_id for one in questions_of(study) if one.kind != "number" and one.about_sigma][:n]


def test_first_and_second_are_farther_apart_than_either_is_from_the_same():
    assert steps_between("first", "same", ()) == steps_between("same", "second", ()) == 1
    assert steps_between("second", "first", ()) == 2


def test_experts_who_choose_the_same_words_agree_and_those_far_apart_are_to_be_asked_again(tmp_path):
    with kinds_study(tmp_path / "s.db", "grades", answers_per_question=2, repeats=0.0) as study:
        for expert in ("ana", "bob"):
            answer_everything(study, expert)
        found = study.check()
        assert found.agreement.alpha == found.agreement_in_words.alpha == 1.0
        assert found.agreement_in_words.metric == "ordinal"
        assert (found.word_disagreements, found.ask_again) == ((), ())
        one, other = training(study, 2)
        standing = {answer.question_id: answer.choice for answer in study.stored_answers()}
        grades = study.settings.grades
        for name, steps in ((one, 2), (other, 1)):
            place = grades.index(standing[name])
            study.record(name, grades[place - steps if place >= steps else place + steps], expert="bob")
        found = study.check()
    assert [(each.question, each.steps) for each in found.word_disagreements] == [(one, 2), (other, 1)]
    assert [(each.question_id, each.why) for each in found.ask_again] == [(one, "experts' words are 2 steps apart")]
    assert 0.5 < found.agreement_in_words.alpha < 1.0


def test_hidden_repeats_of_words_are_compared_with_what_stood(tmp_path):
    with kinds_study(tmp_path / "s.db", "comparisons", repeats=0.5) as study:
        repeats = {one.question_id: one for one in questions_of(study) if one.repeat_of is not None}
        changed = 0
        first = {}
        while asked := study.next_questions("ana"):
            (question,) = asked
            said = honest(study, question)
            repeated = repeats.get(question.question_id)
            if repeated is not None and question.kind == "comparison":
                assert first[repeated.repeat_of][0] == question.other.distance, "the same comparison comes again"
                if changed < 3:
                    said = "second" if said == "first" else "first"
                    changed += 1
            elif question.other is not None:
                first[question.question_id] = question.other.distance, said
            study.record(question.question_id, said, expert="ana")
        (ana,) = study.check().word_repeats
    n = sum(one.kind == "comparison" for one in repeats.values())
    assert (ana.expert, ana.n, ana.same, ana.far) == ("ana", n, n - 3, 3)


def test_unsure_and_known_pairs_are_no_part_of_the_agreement(tmp_path):
    with kinds_study(tmp_path / "s.db", "grades", answers_per_question=2) as study:
        for expert in ("ana", "bob"):
            for question in study.next_questions(expert, 30):
                held = question.between[0] != question.between[1]
                said = honest(study, question) if held else study.settings.grades[expert == "bob"]
                study.record(question.question_id, said, expert=expert)
        unsure = training(study, 1)[0]
        study.record(unsure, None, unsure=True, expert="bob")
        found = study.check()
    assert found.word_disagreements == ()
    assert found.agreement_in_words.alpha == 1.0
