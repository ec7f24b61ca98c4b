"""What the questions of a new study ask for, and which pairs are shown for their distance."""

import numpy as np
import pandas as pd
import pytest

from commensurate.asking.questions import question_id
from commensurate.errors import InvalidParameter
from commensurate.groups.group import elements_of
from commensurate.study.fitting import groups_of, plan_of
from commensurate.study.kinds.known_pairs import due_after
from commensurate.study.store import reading
from commensurate.study.study import Study
from worlds.small_study import questions_of
from worlds.study_kinds import PEOPLE, kinds_study


def distance_within(study, group, one, other):
    points = {
        (part.name, name): part.points[[row]]
        for part in elements_of(groups_of(study))
        for row, name in enumerate(part.ids)
    }
    return float(np.linalg.norm(points[group, one] - points[group, other]))


def of_sigma(study):
    return [one for one in questions_of(study) if one.about_sigma]


@pytest.mark.parametrize(("kind", "word"), [("grades", "grade"), ("numbers", "number"), ("comparisons", "comparison")])
def test_training_questions_ask_for_the_chosen_kind_and_held_out_ones_for_numbers(tmp_path, kind, word):
    with kinds_study(tmp_path / "s.db", kind, repeats=0.5) as study:
        asked = {one.question_id: one for one in of_sigma(study)}
    assert {one.kind for one in asked.values() if one.held_out} == {"number"}
    assert {one.kind for one in asked.values() if not one.held_out} == {word}
    repeats = [one for one in asked.values() if one.repeat_of is not None]
    assert len(repeats) == 20
    assert all(
        (one.kind, one.other_distance) == (asked[one.repeat_of].kind, asked[one.repeat_of].other_distance)
        for one in repeats
    )


def test_the_same_pairs_are_asked_whatever_the_kind_and_only_comparisons_have_other_ids(tmp_path):
    ids = {}
    for kind in ("numbers", "grades", "comparisons"):
        with kinds_study(tmp_path / f"{kind}.db", kind) as study:
            ids[kind] = [one.question_id for one in of_sigma(study)]
            pairs = [
                question_id((one.left_group, one.right_group), one.left_id, one.right_id) for one in of_sigma(study)
            ]
            assert pairs == ids["numbers"]
            assert [one.question_id for one in plan_of(study).questions] == sorted(pairs, key=ids_in_plan(study))
    assert ids["grades"] == ids["numbers"]
    assert len(set(ids["comparisons"]) & set(ids["numbers"])) == 8, "held-out questions ask for numbers"


def ids_in_plan(study):
    order = [one.question_id for one in plan_of(study).questions]
    return order.index


def test_the_distances_of_the_pairs_at_boundaries_are_the_boundaries(tmp_path):
    with kinds_study(tmp_path / "s.db", "grades") as study:
        pairs, boundaries = study.boundary_pairs(), study.settings.boundaries
        assert [pair.distance for pair in pairs] == list(boundaries)
        assert list(boundaries) == sorted(boundaries)
        for pair in pairs:
            assert pair.distance == pytest.approx(distance_within(study, pair.group, pair.left_id, pair.right_id))
        assert {pair.group for pair in pairs} == {"old", "new"}
        points = [part.points for part in elements_of(groups_of(study))]
    within = np.concatenate(
        [np.linalg.norm(a[:, None] - a[None, :], axis=2)[np.triu_indices(len(a), 1)] for a in points]
    )
    shares = np.histogram(within, bins=[0.0, *boundaries, np.inf])[0] / len(within)
    assert shares.min() > 0.12, "each grade is used"


def test_boundaries_that_the_owner_chose_are_kept_and_shown_where_a_pair_is_as_far_apart(tmp_path):
    chosen = {"grades": ["alike", "similar", "different"], "boundaries": [0.3, 50.0]}
    with kinds_study(tmp_path / "s.db", "grades", **chosen) as study:
        near, none = study.boundary_pairs()
        assert study.settings.boundaries == (0.3, 50.0)
    assert near.distance == pytest.approx(0.3, rel=0.05)
    assert none is None, "no two records of a group are so far apart"


def test_grades_need_as_many_distances_as_boundaries_and_the_error_says_what_to_do(tmp_path):
    table = pd.DataFrame({"g": ["a", "b"] * 20, "x": ["u", "v", "v", "u"] * 10})
    with pytest.raises(InvalidParameter, match="5 grades need 4 different distances.*answer_kind='numbers'"):
        Study.create(tmp_path / "s.db", table, group="g", questions=10)
    assert list(tmp_path.iterdir()) == []


def test_a_comparison_shares_a_record_with_its_question_and_tells_the_distance_of_the_other_pair(tmp_path):
    with kinds_study(tmp_path / "s.db", "comparisons") as study:
        compared = [one for one in study.next_questions("ana", 60) if one.kind == "comparison"]
        for one in compared:
            other = one.other
            assert other.distance == pytest.approx(distance_within(study, other.group, other.left_id, other.right_id))
            assert other.distance > 0.0
            assert one.shared in ("left", "right")
            shown = (one.left_id, one.left_record) if one.shared == "left" else (one.right_id, one.right_record)
            assert (other.left_id, other.left_record) == shown
            asked_twice = {one.left_id, one.right_id} == {other.left_id, other.right_id}
            assert not asked_twice, "a pair is not compared with itself"
        distances = [one.other.distance for one in compared]
    # over the whole range: no ruler is at the estimate as long as there is none
    assert max(distances) > 4 * min(distances)
    assert {one.other_first for one in compared} == {True, False}


def test_comparisons_of_records_that_are_all_alike_are_refused(tmp_path):
    table = pd.DataFrame({"g": ["a", "b"] * 20, "x": [1.0] * 40})
    with pytest.raises(InvalidParameter, match="comparisons need records of one group that differ"):
        Study.create(tmp_path / "s.db", table, group="g", questions=10, answer_kind="comparisons")


@pytest.mark.parametrize("kind", ["grades", "comparisons"])
def test_known_pairs_are_spread_over_the_range_and_no_ruler_shows_them(tmp_path, kind):
    with kinds_study(tmp_path / "s.db", kind) as study:
        with study._database.reading() as connection:
            known = [one for one in reading.read_questions(connection) if one.known_distance is not None]
        shown = {frozenset((one.left_id, one.right_id)) for one in [*study.ruler(), *study.boundary_pairs()]}
        for one in known:
            within = distance_within(study, one.left_group, one.left_id, one.right_id)
            assert one.known_distance == pytest.approx(within)
    assert len(known) == study.settings.known_pairs == 10
    assert all(one.left_group == one.right_group and not one.held_out for one in known)
    assert {one.kind for one in known} == {kind.removesuffix("s")}
    assert {one.left_group for one in known} == {"old", "new"}
    distances = sorted(one.known_distance for one in known)
    assert distances[-1] > 5 * distances[0]
    assert not shown & {frozenset((one.left_id, one.right_id)) for one in known}


def test_numbers_have_known_pairs_only_if_asked_for(tmp_path):
    with kinds_study(tmp_path / "a.db", "numbers") as study:
        assert study.settings.known_pairs == 0
    with kinds_study(tmp_path / "b.db", "numbers", known_pairs=3) as study:
        known = [one for one in questions_of(study) if one.known_distance is not None]
    assert [one.kind for one in known] == ["number"] * 3


def test_more_known_pairs_than_there_are_pairs_are_refused(tmp_path):
    few = PEOPLE.iloc[:8]
    with pytest.raises(InvalidParameter, match=r"known_pairs must be at most \d+ for these records, got 50"):
        Study.create(tmp_path / "s.db", few, group="kind", questions=8, known_pairs=50)
    with Study.create(tmp_path / "s.db", few, group="kind", questions=8, answer_kind="comparisons") as study:
        assert 0 < study.settings.known_pairs <= 10, "by default as many as there are"


def test_half_of_the_known_pairs_come_early_and_the_others_now_and_then():
    assert due_after(5) == [0, 2, 4, 14, 24]
    assert due_after(0) == []
