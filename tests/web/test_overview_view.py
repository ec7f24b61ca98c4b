"""What the owner's page says, in words: ages, links, bounds, and figures that are not there yet."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from commensurate.learning.few_answers.guarantee import BoundedErrors
from commensurate.study.invitations import Invitation
from commensurate.study.judging.agreement import Disagreement
from commensurate.study.judging.overview import overview_of
from commensurate.study.judging.status import status_of
from commensurate.study.judging.trust import PairFigures, StudyLook
from commensurate.web.figures import Figures
from commensurate.web.overview_progress import freshness, progress_view
from commensurate.web.overview_view import as_json, figures_of, figures_view
from commensurate.web.refresher import Refreshed
from worlds.answered_study import answer, people_study
from worlds.owner_figures import MADE


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    with people_study(tmp_path_factory.mktemp("view") / "people.db") as made:
        answer(made, 12)
        yield made


@pytest.fixture(scope="module")
def seen(study):
    return overview_of(study)


@pytest.mark.parametrize(
    ("refreshed", "words"),
    [
        (Refreshed(None, None, True, None), "for the first time"),
        (Refreshed(MADE, 12.3, False, None), "Figures from 380 answers, 12 s ago."),
        (Refreshed(MADE, 600.0, True, None), "Figures from 380 answers, 10 min ago; new ones are being computed."),
        (
            Refreshed(MADE, 7200.0, False, "no memory"),
            "no memory. The server will try again in a minute. The figures shown are 2.0 h",
        ),
    ],
)
def test_it_is_told_how_old_figures_are(refreshed, words):
    assert words in freshness(refreshed, 380)


def test_new_figures_follow_where_there_are_new_answers():
    assert freshness(Refreshed(MADE, 1.0, False, None), 381).endswith("; new ones follow.")


def test_the_last_of_several_links_counts(study):
    links = [Invitation("ana", "2025-01-01T00:00", "2025-01-02T00:00"), Invitation("ana", "2025-01-02T00:00", None)]
    (row,) = progress_view(status_of(study), study.settings, links)["experts"].rows
    assert (row[0], row[-1]) == ("ana", "works")


def test_a_bound_is_rounded_up_and_an_infinite_one_is_said_to_be(study, seen):
    pair = PairFigures(("a", "b"), 10, 2, 0.12345, 0.30411, math.inf, None, guess_error=0.21)
    shown = figures_view(replace(seen, trust=replace(seen.trust, figures=(pair,))), study.settings)
    assert shown.trust.pairs.rows == [["a × b", "10", "2", "0", "0.123", "0.21", "0.305", "infinite", "–"]]


def test_what_holds_for_pairs_that_experts_can_judge_has_a_row_of_its_own(study, seen):
    judgeable = BoundedErrors(0.3, 0.5)
    pair = PairFigures(("a", "b"), 10, 20, 0.1, math.inf, math.inf, None, n_unanswered=3, judgeable=judgeable)
    shown = figures_view(replace(seen, trust=replace(seen.trust, figures=(pair,))), study.settings)
    assert shown.trust.pairs.rows == [
        ["a × b", "10", "23", "3", "0.1", "–", "infinite", "infinite", "–"],
        ["a × b, pairs that experts can judge", "10", "20", "0", "0.1", "–", "0.3", "0.5", "–"],
    ]


def test_what_to_know_about_the_answers_is_said_for_each_pair_of_groups(study, seen):
    pair = PairFigures(("a", "b"), 10, 2, 0.1, 0.3, 0.3, None, remarks=("The answers show nothing.",))
    shown = figures_view(replace(seen, trust=replace(seen.trust, figures=(pair,))), study.settings)
    assert shown.trust.remarks == ["a × b: The answers show nothing."]


def test_how_far_off_sigma_estimates_are_comes_before_other_remarks(study, seen):
    pair = PairFigures(("a", "b"), 10, 2, 0.1, 0.3, 0.3, None, remarks=("Far.",), against_sigma="Off by about 0.1.")
    shown = figures_view(replace(seen, trust=replace(seen.trust, figures=(pair,))), study.settings)
    assert shown.trust.remarks == ["a × b: Off by about 0.1.", "a × b: Far."]


def test_after_a_stop_no_further_look_is_announced(study, seen):
    looks = (StudyLook(5, False, True, "Not yet."), StudyLook(10, True, True, "Experts have answered enough."))
    shown = figures_view(replace(seen, trust=replace(seen.trust, looks=looks)), study.settings).trust
    assert (shown.stop, shown.verdict, shown.notes) == (True, "Experts have answered enough.", [])
    assert [row[0] for row in shown.looks.rows] == ["the first 5 questions", "the first 10 questions"]


def test_what_was_proved_before_what_comes_next_and_late_corrections_are_noted(study, seen):
    looks = (StudyLook(50, False, True, "Not yet.", judgeable=True), StudyLook(100, False, True, "Not yet."))
    trust = replace(seen.trust, looks=looks, next_look=200, next_is_last=True, n_waiting=7, n_corrected_late=2)
    notes = figures_view(replace(seen, trust=trust), study.settings).trust.notes
    assert [note.partition(",")[0] for note in notes[:2]] == [
        "After the first 50 questions",
        "The stopping rule is checked for the last time when every question has an answer",
    ]
    assert "(7 still to be dealt with)" in notes[1]
    assert notes[2].startswith("2 held-out answers were corrected after a check had judged by them.")


def test_answers_are_written_as_the_experts_saw_them(study, seen):
    differing = Disagreement(
        "7199e25f66cc2c0d", 2, 0.12345, 25_000.4, 25_000.27655, (("ana", 0.12345), ("ben", 25_000.4))
    )
    counts = replace(seen.histogram, edges=(0.0, 12_500.0, 25_000.0), counts=(1, 2), above=1_200, unsure=0)
    found = replace(seen, check=replace(seen.check, disagreements=(differing,)), histogram=counts)
    shown = figures_view(found, study.settings)
    assert shown.disagreements.rows == [["7199e25f…", "25000", "ana 0.1235, ben 25000"]]
    first_column = [row[0] for row in shown.histogram.table.rows]
    assert first_column == ["0 to 12500", "12500 to 25000", "above 25000", "unsure"]
    assert (shown.histogram.above, shown.histogram.unsure) == ("1,200", None)


def test_it_is_told_how_many_answers_were_left_out_of_the_agreement(study, seen):
    assert figures_view(seen, study.settings).agreement.left_out is None
    shown = figures_view(replace(seen, check=replace(seen.check, n_left_out=3)), study.settings)
    assert shown.agreement.left_out.startswith("3 answers given after their question was asked again are left out")


def test_infinity_is_null_in_json(seen):
    pair = PairFigures(("a", "b"), 10, 0, math.nan, math.inf, math.inf, None)
    found = as_json(replace(seen, trust=replace(seen.trust, figures=(pair,))))
    assert found["trust"]["figures"][0]["calibrated_width"] is None
    json.dumps(found, allow_nan=False)


def test_figures_come_back_from_json_as_they_were_sent(study, seen):
    figures = figures_of(seen, study.settings)
    assert (figures.answers, figures.forgotten, figures.complete) == (12, 0, True)
    assert Figures.from_plain(json.loads(json.dumps(figures.to_plain(), allow_nan=False))) == figures
