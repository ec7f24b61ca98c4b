"""What the terminal shows of a study: at any width, in whole sentences, and whatever people are called."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from commensurate.report.terminal.study import check_view, status_view
from commensurate.study.judging.agreement import AlphaInterval, Disagreement, ExpertShift, SelfConsistency
from commensurate.study.judging.check import AskAgain, PairContradictions, StudyCheck
from commensurate.study.judging.status import ExpertStatus, GroupStatus, StudyStatus
from commensurate.study.judging.trust import PairFigures, StudyLook, StudyTrust
from commensurate.study.settings import StudySettings
from worlds.golden import assert_golden

SETTINGS = StudySettings(
    seed=1, plan_seed=1, scale_end=1.0, tolerance=0.05, answers_per_question=2, confidence_level=0.975
)
EXPERT = ExpertStatus("Ana", 120, 3, 4, 5, 6, 1, "2025-03-01T09:30:12.000000+00:00", 12.3456)
STATUS = StudyStatus(
    title="Who is like whom?",
    created_at="2025-03-01T09:00:00.000000+00:00",
    groups=(GroupStatus("married", 119, 1, 3_000), GroupStatus("single", 120, 0, 120)),
    questions=400,
    answered=119,
    repeats=20,
    repeats_answered=3,
    closed=2,
    answers=122,
    answers_left=298,
    unsure_only=0,
    simulated=0,
    experts=(EXPERT, replace(EXPERT, name="Ben", seconds=None, last_answer_at=None)),
    seconds=12.3456,
    hours_left=1.0219,
)
FIGURES = PairFigures(("married", "single"), 95, 24, 0.04321, 0.1, 0.2345, 0.0123, guess_error=0.21)
TRUST = StudyTrust((FIGURES,), None, (StudyLook(50, False, False, "Too early to tell."),), 200)
CHECK = StudyCheck(
    contradictions=(
        PairContradictions(("married", "single"), 2, "2 pairs contradict:\n  1. one.\n  2. two.", ("q1",)),
    ),
    not_compared=None,
    agreement=AlphaInterval(0.8, 0.7, 0.9, 0.95, 10, 20),
    disagreements=(Disagreement("q2", 2, 0.1, 0.9, 0.8, (("Ana", 0.1), ("Ben", 0.9))),),
    shifts=(ExpertShift("Ana", 10, -0.1, 0.01), ExpertShift("Ben", 10, 0.1, None)),
    repeats=(SelfConsistency("Ana", 1, 0.1, 0.07, 0.1, None),),
    ask_again=(
        AskAgain("q1", "7", "8", "its answer contradicts others"),
        AskAgain("q2", "9", "10", "experts differ by 0.8"),
    ),
)
NOTHING = StudyCheck((), "nobody has answered yet", None, (), (), (), ())
HOSTILE = "[red]x[/red] [link=http://evil]:skull: \x1b[2J\u202egone\nnew line"
WIDTHS = (60, 80, 200)


def shown(view, width=200):
    """Render as a colour terminal would, and return the text that is to be read."""
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False, force_terminal=True, color_system=None)
    console.print(view)
    return file.getvalue()


def words(text):
    return " ".join(text.split())


def status_text(status=STATUS, trust=TRUST, width=200, where="people.db", settings=SETTINGS):
    return shown(status_view(where, status, settings, trust), width)


# --- status ---


def test_second_answers_are_counted_and_what_they_tell_is_said():
    told = replace(TRUST, figures=(replace(FIGURES, against_sigma="Off by about 0.1."),))
    text = status_text(replace(STATUS, twice=40, twice_answered=12), told)
    assert "held-out questions for two experts: 12 of 40 answered by both" in text
    assert "  Off by about 0.1." in text.splitlines()
    assert "for two experts" not in status_text()


def test_known_answers_that_are_not_used_are_counted_and_the_pairs_are_named():
    assert "known answers" not in status_text()
    text = words(status_text(replace(STATUS, aside=1), settings=replace(SETTINGS, given=(("a", "b", 3, 0),))))
    assert "1 pair with known answers is kept but not used" in text
    assert "These figures are about pairs like those given, of new elements." in text


@pytest.mark.parametrize("width", WIDTHS)
def test_the_status_fits_every_width_and_loses_no_word_of_it(width):
    text = status_text(width=width)
    assert max(map(len, text.splitlines())) <= width
    for part in (
        "Who is like whom?",
        "119 of 400 questions answered (29 %)",
        "records: married 119 (1 forgotten), single 120",
        "hidden repeats: 3 of 20 answered; answers wanted per question: 2",
        "2 questions are closed: a record was forgotten",
        "pace: 12.3 s per answer; 298 answers left, about 62 min",
        "married × single: learnt from 95 answers; 24 held-out ones are missed by 0.0432 on average",
        "calibrated intervals at level 97.5 % are 0.234 wide on average",
        "the estimated standard deviation of an answer's error is 0.0123",
        "After the first 50 questions: Too early to tell.",
        "The stopping rule is checked next when each of the first 200 questions has been answered, skipped or marked unsure.",
    ):
        assert part in words(text)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_expert_has_a_row_and_no_number_is_cut_off(width):
    lines = status_text(width=width).splitlines()
    (ana,) = [line.split() for line in lines if line.startswith("Ana")]
    (ben,) = [line.split() for line in lines if line.startswith("Ben")]
    assert ana[:6] == ["Ana", "120", "1", "12.3", "2025-03-01", "09:30"]
    assert ben[:5] == ["Ben", "120", "1", "–", "–"]


@pytest.mark.parametrize("width", [80, 200])
def test_what_an_expert_did_besides_is_told_in_words(width):
    text = status_text(replace(STATUS, experts=(EXPERT,)), width=width)
    for part in ("3 unsure", "4 comments", "5 corrections", "6 skipped"):
        assert part in words(text.replace("Ana", ""))
    assert "1 correction" in words(status_text(replace(STATUS, experts=(replace(EXPERT, corrections=1),))))


def test_what_nobody_did_has_no_column():
    quiet = replace(EXPERT, unsure=0, comments=0, corrections=0, skipped=0)
    assert "also" in status_text()
    assert "also" in status_text(replace(STATUS, experts=(quiet, EXPERT)))
    assert "also" not in status_text(replace(STATUS, experts=(quiet,)))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_long_name_is_broken_and_stays_whole(width):
    name = "Maria-Antonia-Wilhelmina" * 3
    text = status_text(replace(STATUS, experts=(replace(EXPERT, name=name),)), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "2025-03-01 09:30" in text
    column = [line[: line.index("answered")] for line in text.splitlines() if line.lstrip().startswith("expert")]
    assert len(column) == 1
    rows = text.splitlines()
    start = next(k for k, row in enumerate(rows) if row.startswith("Maria"))
    assert "".join(row[: len(column[0])].rstrip() for row in rows[start : rows.index("", start)]).startswith(name)


def test_one_is_not_many():
    status = replace(
        STATUS, questions=1, answered=0, closed=1, simulated=1, answers=1, answers_left=1, seconds=None, hours_left=None
    )
    trust = StudyTrust(
        (replace(FIGURES, n_training=1, n_held_out=1),), None, (StudyLook(1, False, False, "Too early."),), 1
    )
    text = words(status_text(status, trust))
    for part in (
        "0 of 1 question answered",
        "1 question is closed",
        "1 of 1 answer is simulated",
        "1 answer left",
        "learnt from 1 answer; 1 held-out one is missed",
        "After the first question: Too early.",
    ):
        assert part in text


def test_a_finished_study_says_so_and_names_no_time():
    text = status_text(replace(STATUS, answered=400, answers_left=0, hours_left=0.0))
    assert "every question is answered" in text
    assert "400 of 400 questions answered (100 %)" in words(text)
    assert "pace" not in text


def test_nearly_all_is_not_all():
    assert "(99 %)" in status_text(replace(STATUS, questions=10_000, answered=9_999))


def test_a_new_study_is_shown_without_experts_and_trust():
    new = replace(STATUS, title="", answered=0, experts=(), seconds=None, hours_left=None, closed=0)
    text = status_text(new, None)
    assert text.startswith("people.db")
    assert "298 answers left" in text
    for word in ("expert", "closed", "pace", "stopping"):
        assert word not in text


def test_a_study_without_questions_left_can_be_shown():
    assert "0 of 0 questions answered (0 %)" in words(status_text(replace(STATUS, questions=0, answered=0)))


def test_what_is_missing_and_infinite_is_told():
    assert "No statement is possible yet: nobody" in status_text(trust=StudyTrust(None, "nobody", (), 50))
    few = replace(FIGURES, calibrated_width=float("inf"), n_held_out=0, mean_error=float("nan"), noise=None)
    text = status_text(trust=StudyTrust((few,), None, (), 50))
    assert "infinite, because too few answers" in text
    for word in ("nan", "missed", "inf ", "estimated standard deviation"):
        assert word not in text


def test_after_a_stop_no_next_look_is_announced():
    text = status_text(
        trust=StudyTrust((FIGURES,), None, (StudyLook(100, True, True, "Experts have answered enough."),), 200)
    )
    assert "Experts have answered enough." in text
    assert "next" not in text


def harmless(text):
    """Tell whether a text shows what hostile names say, and does nothing of it."""
    assert "[red]x[/red] [link=http://evil]:skull:" in text
    assert "\\x1b[2J\\u202egone new line" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    "status",
    [
        replace(STATUS, title=HOSTILE),
        replace(STATUS, groups=(GroupStatus(HOSTILE, 1, 0, 1),)),
        replace(STATUS, experts=(replace(EXPERT, name=HOSTILE),)),
    ],
    ids=["title", "group", "expert"],
)
def test_names_in_a_status_do_nothing_to_the_terminal(status):
    harmless(words(status_text(status)))


@pytest.mark.parametrize(
    "trust",
    [
        replace(TRUST, figures=(replace(FIGURES, between=(HOSTILE, "b")),)),
        replace(TRUST, looks=(StudyLook(50, False, True, f"about {HOSTILE} and b"),)),
        StudyTrust(None, f"the answers between {HOSTILE} and b", (), 50),
    ],
    ids=["figures", "look", "missing"],
)
def test_names_in_what_was_learnt_do_nothing_to_the_terminal(trust):
    harmless(words(status_text(trust=trust)))


def test_the_name_of_a_file_does_nothing_to_the_terminal():
    harmless(words(status_text(replace(STATUS, title=" "), where=HOSTILE)))


# --- check ---


@pytest.mark.parametrize("width", WIDTHS)
def test_a_check_fits_every_width_and_loses_no_word_of_it(width):
    text = shown(check_view(CHECK), width)
    assert max(map(len, text.splitlines())) <= width
    for part in (
        "Contradictions of M1 and M2 2 pairs contradict: 1. one. 2. two.",
        "Krippendorff's α is 0.800 (95 % interval 0.700 to 0.900), from 20 answers to 10 questions.",
        "Ana answers 0.1 lower than the others on average (standard error 0.01), over 10 questions.",
        "The 2 answers to question q2 are up to 0.8 apart: Ana 0.1, Ben 0.9.",
        "Ana repeated 1 answer,",
        "Ask again q1 (7 and 8): its answer contradicts others q2 (9 and 10): experts differ by 0.8",
    ):
        assert part in words(text)


def test_a_check_says_how_many_answers_it_left_out():
    assert "left out" not in words(shown(check_view(CHECK)))
    text = words(shown(check_view(replace(CHECK, n_left_out=2))))
    assert "2 answers given after their question was asked again are left out, because agreement" in text


def test_a_check_that_found_nothing_says_so():
    text = words(shown(check_view(NOTHING)))
    assert "Contradictions of M1 and M2 nobody has answered yet" in text
    assert "No two experts have answered enough questions in common." in text
    assert "disagree about most none" in text
    assert "No hidden repeat has been answered yet." in text
    assert text.endswith("Ask again none")


@pytest.mark.parametrize(
    "found",
    [
        replace(CHECK, shifts=(ExpertShift(HOSTILE, 1, 0.1, None),)),
        replace(CHECK, repeats=(SelfConsistency(HOSTILE, 1, 0.1, 0.1, 0.1, None),)),
        replace(CHECK, disagreements=(Disagreement("q", 2, 0.0, 1.0, 1.0, ((HOSTILE, 0.0), ("b", 1.0))),)),
        replace(CHECK, contradictions=(PairContradictions((HOSTILE, "b"), 1, f"about {HOSTILE}.", ()),)),
        replace(NOTHING, not_compared=f"needs answers between {HOSTILE} and b"),
    ],
    ids=["shift", "repeats", "disagreement", "contradiction", "not compared"],
)
def test_names_in_a_check_do_nothing_to_the_terminal(found):
    harmless(words(shown(check_view(found))))


# --- word for word ---


def test_the_status_and_the_check_read_as_agreed():
    assert_golden(status_text(width=100), "study_status")
    assert_golden(shown(check_view(CHECK), 100), "study_check")
    assert_golden(shown(check_view(NOTHING), 100), "study_check_of_nothing")
