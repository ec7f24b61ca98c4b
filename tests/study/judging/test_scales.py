"""What pairs of known distance tell of an expert's scale and attention."""

import numpy as np
import pandas as pd
import pytest

from commensurate.study.judging.scales import known_pairs_of, scales_of
from worlds.study_kinds import answer_everything, kinds_study


def answers(factor=1.0, shift=0.0, noise=0.0, n=40, boundaries=None, seed=0):
    rng = np.random.default_rng(seed)
    distances = np.linspace(0.1, 1.0, n)
    perceived = (shift + factor * distances) * (1.0 + noise * rng.standard_normal(n))
    said = list(perceived)
    if boundaries is not None:
        ends = [0.0, *boundaries, np.inf]
        places = np.searchsorted(boundaries, perceived)
        said = [
            f"<={ends[1]}" if k == 0 else f">={ends[k]}" if k == len(boundaries) else f"{ends[k]}..{ends[k + 1]}"
            for k in places
        ]
    return pd.DataFrame({"expert": "ana", "distance": distances, "answer": said})


@pytest.mark.parametrize("boundaries", [None, (0.2, 0.4, 0.6, 0.8)])
@pytest.mark.parametrize("factor", [0.7, 1.0, 1.4])
def test_the_factor_of_an_expert_is_found_from_numbers_and_from_grades(factor, boundaries):
    (ana,) = scales_of(answers(factor, noise=0.1, boundaries=boundaries))
    assert ana.shift + ana.factor * 0.55 == pytest.approx(factor * 0.55, rel=0.1)
    assert ana.far_off == 0


def test_a_shift_is_told_from_a_factor():
    (ana,) = scales_of(answers(1.0, shift=0.2, noise=0.05))
    assert ana.shift == pytest.approx(0.2, abs=0.05)
    assert ana.factor == pytest.approx(1.0, abs=0.1)


def test_answers_that_are_wrong_by_more_than_a_factor_of_two_are_counted():
    table = pd.DataFrame(
        {
            "expert": ["ana"] * 4 + ["bob"],
            "distance": [0.5] * 5,
            "answer": [1.1, 0.2, "0.3..0.7", ">=1.2", "<=0.2"],
        }
    )
    ana, bob = scales_of(table)
    assert (ana.expert, ana.n, ana.far_off) == ("ana", 4, 3)
    assert (bob.n, bob.far_off, bob.factor) == (1, 1, None)
    assert "3 are wrong by more than a factor of 2" in str(ana)
    assert str(bob).startswith("bob: of 1 answer about pairs of known distance, 1 is wrong")


def test_comparisons_say_nothing_of_a_scale(tmp_path):
    with kinds_study(tmp_path / "s.db", "comparisons") as study:
        answer_everything(study)
        (ana,) = scales_of(known_pairs_of(study))
    assert (ana.n, ana.far_off, ana.shift, ana.factor) == (8, 0, None, None)


def test_the_table_of_known_pairs_has_the_last_answer_as_a_number_or_a_range(tmp_path):
    with kinds_study(tmp_path / "s.db", "grades") as study:
        known = next(one for one in study.next_questions("ana"))
        assert known_pairs_of(study).columns.tolist() == ["expert", "distance", "answer"]
        for said in ("hardly different", "clearly different"):
            study.record(known.question_id, said, expert="ana")
        table = known_pairs_of(study)
        lower, upper = study.settings.boundaries[1:3]
        assert table["answer"].tolist() == [f"{lower!r}..{upper!r}"]
        assert study.known_pairs().equals(table)
        study.record(known.question_id, None, unsure=True, expert="ana")
        assert len(known_pairs_of(study)) == 0
        study.record(known.question_id, "clearly different", expert="ana")
        study.forget(known.left_id)
        assert len(known_pairs_of(study)) == 0


def test_status_and_check_show_how_each_expert_judges_known_pairs_and_count_them_nowhere_else(tmp_path):
    seconds = {"number": 30.0, "grade": 6.0}
    with kinds_study(tmp_path / "s.db", "grades", answers_per_question=2) as study:
        answer_everything(study, "ana", seconds)
        status = study.status()
        assert (status.questions, status.answers, status.answers_left, status.known_pairs) == (40, 40, 40, 10)
        assert [(one.name, one.answered, one.known_pairs) for one in status.experts] == [("ana", 40, 8)]
        assert status.seconds_by_kind == seconds
        assert [one.n for one in status.scales] == [8]
        assert study.check().scales == status.scales
        heard = {one.question_id for one in study.answers().itertuples()}
        assert len(heard) == 40
        assert study.counts("ana").answered == 48
