from commensurate.asking.questions import question_id


def test_a_question_id_tells_pairs_and_repeats_apart_and_never_changes():
    one = question_id(("a", "b"), "1", "2")
    assert one == question_id(("a", "b"), "1", "2") == "382bee408244f1f18aea6a992f3fe32b"
    others = [
        question_id(("b", "a"), "1", "2"),
        question_id(("a", "b"), "2", "1"),
        question_id(("a", "b"), "1", "2", repeat=1),
        question_id(("a", "b,1"), "", "2"),
    ]
    assert len({one, *others}) == 5


def test_ids_that_are_no_proper_unicode_have_a_question_id_too():
    assert question_id(("a", "b"), "\udcff", "2") != question_id(("a", "b"), "\udcfe", "2")
