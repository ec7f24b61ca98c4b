"""Questions in the terminal: what is typed, what is recorded, what is said."""

import io
from dataclasses import dataclass, field, replace
from itertools import count

import pytest
from rich.console import Console

from commensurate.cli.study.terminal_session import SessionCounts, TerminalSession
from commensurate.errors import StudyBusy, UnknownQuestion
from commensurate.study.messages import AskedQuestion, ExpertCounts, RecordedAnswer, RulerPair
from commensurate.study.settings import StudySettings

SECONDS_PER_LOOK = 2.5


@dataclass
class FakeStudy:
    """Hands out q0, q1, …; `failures` are raised by the next calls of record, before or after it has recorded."""

    n_questions: int = 3
    ruler_pairs: list[RulerPair] = field(default_factory=list)
    settings: StudySettings = field(
        default_factory=lambda: StudySettings(
            seed=0, plan_seed=0, scale_end=2.5, tolerance=0.1, title="Who is like whom?", answer_kind="numbers"
        )
    )
    calls: list[dict] = field(default_factory=list)
    rows: list[dict] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    receipt_is_lost: bool = False

    def __post_init__(self):
        self.waiting = [f"q{k}" for k in range(self.n_questions)]

    def ruler(self):
        return self.ruler_pairs

    def boundary_pairs(self):
        return []

    def next_questions(self, *, expert, n=1):
        return [question(name) for name in self.waiting[:n]]

    def record(self, question_id, value, **given):
        row = {"question_id": question_id, "value": value, **given}
        self.calls.append(row)
        if self.failures and not self.receipt_is_lost:
            raise self.failures.pop()
        if not any(row["key"] == before["key"] for before in self.rows):
            self.rows.append(row)
            self.waiting = [name for name in self.waiting if name != question_id]
        if self.failures:
            raise self.failures.pop()
        return RecordedAnswer(question_id, given["expert"], value, given["comment"], given["seconds"], "2024-01-01")

    def skip(self, question_id, *, expert):
        self.waiting.remove(question_id)
        self.waiting.append(question_id)

    def counts(self, expert):
        latest = {row["question_id"]: row["value"] for row in self.rows}
        return ExpertCounts(len(latest), list(latest.values()).count(None), len(self.waiting), 0)

    @property
    def values(self):
        return [(row["question_id"], row["value"]) for row in self.rows]


def question(name: str) -> AskedQuestion:
    k = int(name[1:])
    return AskedQuestion(name, ("married", "single"), "id-a", "id-b", {"age": 100 + k}, {"age": 200 + k})


def ruler_pair(distance: float, group: str = "married") -> RulerPair:
    return RulerPair(group, "id-a", "id-b", {"age": 30, "job": "cook"}, {"age": 31, "job": "cook"}, distance)


@dataclass
class Done:
    counts: SessionCounts
    text: str
    prompts: list[str]


def answer(study, *lines, expert="Ana", width=100) -> Done:
    """Type the lines, then Ctrl-D; an exception among them is raised instead."""
    stream = io.StringIO()
    typed, prompts = iter(lines), []
    ticks = count()

    def read_line(prompt: str) -> str:
        prompts.append(prompt)
        stream.write(prompt)
        line = next(typed, EOFError())
        if isinstance(line, BaseException):
            raise line
        stream.write(f"{line}\n")
        return line

    session = TerminalSession(
        study,
        expert,
        console=Console(file=stream, width=width),
        read_line=read_line,
        clock=lambda: SECONDS_PER_LOOK * next(ticks),
    )
    try:
        counts = session.run()
    except Exception as error:
        error.add_note(stream.getvalue())
        raise
    return Done(counts, stream.getvalue(), prompts)


def test_answers_are_recorded_one_by_one_and_thanked_for():
    study = FakeStudy()
    done = answer(study, "0.1", "0,2", "u", "")
    assert study.values == [("q0", 0.1), ("q1", 0.2), ("q2", None)]
    assert [row["unsure"] for row in study.rows] == [False, False, True]
    assert {row["origin"] for row in study.rows} == {"terminal"}
    assert "Thank you, Ana" in done.text
    assert "3 answers recorded, 3 of them now, 1 unsure" in done.text
    assert done.counts == SessionCounts("Ana", 3, 1, 0, answered_now=3, corrected_now=0, skipped_now=0)


def test_an_answer_is_acknowledged_before_the_next_question_is_shown():
    text = answer(FakeStudy(), "0.1", "q").text
    assert text.index("100") < text.index("recorded") < text.index("101")


def test_the_progress_counts_down():
    text = answer(FakeStudy(), "0.1", "q").text
    assert "0 answered, about 3 to go" in text
    assert "1 answered, about 2 to go" in text


def test_a_question_that_is_put_again_says_so():
    class PutAgain(FakeStudy):
        def next_questions(self, *, expert, n=1):
            return [replace(one, again=True) for one in super().next_questions(expert=expert, n=n)]

    words = "you have been asked about these two records before"
    assert words in answer(PutAgain(), "q").text
    assert words not in answer(FakeStudy(), "q").text


def test_every_answer_has_its_seconds_and_a_key_of_its_own():
    study = FakeStudy()
    answer(study, "0.1", "oops", "0.2")
    assert [row["seconds"] for row in study.rows] == [SECONDS_PER_LOOK] * 2
    assert len({row["key"] for row in study.rows}) == 2


@pytest.mark.parametrize("ending", ["q", EOFError(), KeyboardInterrupt()])
def test_quitting_in_any_way_says_what_is_recorded_and_how_to_go_on(ending):
    study = FakeStudy()
    done = answer(study, "0.1", ending)
    assert study.values == [("q0", 0.1)]
    assert "1 answer recorded, 1 of them now; run the same command to continue" in done.text
    assert done.counts.open == 2


@pytest.mark.parametrize("line", ["-1", "nan", "many", "", "y", "[red]", "\x1b[2J"])
def test_a_slip_is_answered_in_one_line_and_the_question_stays(line):
    study = FakeStudy()
    plain, slipped = answer(FakeStudy(), "0.4"), answer(study, line, "0.4")
    assert study.values == [("q0", 0.4)]
    assert slipped.text.count("expected 0 (alike) to 2.5 or more") == 1
    # the prompt, the line typed, and one line of explanation
    assert slipped.text.count("\n") == plain.text.count("\n") + 2
    assert "\x1b[2J" not in slipped.text.replace(f"q: {line}", "")


def test_a_number_beyond_the_scale_is_asked_about_once():
    for confirmed, value in (("y", 3.0), ("3", 3.0), ("0.3", 0.3), ("4", 4.0)):
        study = FakeStudy()
        done = answer(study, "3", confirmed)
        assert study.values == [("q0", value)]
        assert done.text.count("3 is beyond the end of the scale, 2.5") == 1


def test_the_end_of_the_scale_itself_needs_no_confirmation():
    study = FakeStudy()
    answer(study, "2.5")
    assert study.values == [("q0", 2.5)]


def test_a_skipped_question_comes_again_later():
    study = FakeStudy()
    done = answer(study, "s", "0.1", "0.2", "0.0")
    assert study.values == [("q1", 0.1), ("q2", 0.2), ("q0", 0.0)]
    assert done.counts.skipped_now == 1


def test_skipping_the_only_question_left_says_so():
    done = answer(FakeStudy(n_questions=1), "s", "q")
    assert "this is the last question" in done.text
    assert "this is the last question" not in answer(FakeStudy(), "s", "q").text


def test_going_back_shows_the_answer_and_records_a_correction():
    study = FakeStudy()
    done = answer(study, "0.1", "b", "0.7", "0.2")
    assert study.values == [("q0", 0.1), ("q0", 0.7), ("q1", 0.2)]
    assert len({row["key"] for row in study.rows}) == 3
    assert "your answer was: 0.1" in done.text
    assert (done.counts.answered, done.counts.answered_now, done.counts.corrected_now) == (2, 2, 1)


@pytest.mark.parametrize("keep", ["", "s"])
def test_going_back_and_keeping_the_answer_records_nothing(keep):
    study = FakeStudy()
    answer(study, "0.1", "b", keep, "0.2")
    assert study.values == [("q0", 0.1), ("q1", 0.2)]


def test_one_can_go_back_several_answers_and_returns_through_them():
    study = FakeStudy(n_questions=4)
    done = answer(study, "0.1", "u", "b", "b", "0.5", "", "0.3")
    assert study.values == [("q0", 0.1), ("q1", None), ("q0", 0.5), ("q2", 0.3)]
    assert done.text.count("your answer was: unsure") == 2


def test_a_corrected_answer_is_shown_when_one_comes_back_again():
    done = answer(FakeStudy(), "0.1", "b", "0.7", "b")
    assert "your answer was: 0.7" in done.text


def test_there_is_nothing_to_go_back_to_before_the_first_answer():
    study = FakeStudy()
    assert "you have not answered anything in this session yet" in answer(study, "b", "0.1").text
    assert study.values == [("q0", 0.1)]


def test_the_last_answer_can_be_corrected_too():
    study = FakeStudy(n_questions=1)
    done = answer(study, "0.1", "nonsense", "b", "0.9", "")
    assert study.values == [("q0", 0.1), ("q0", 0.9)]
    assert "Thank you" in done.text


def test_a_comment_goes_with_the_answer_it_was_made_for():
    study = FakeStudy()
    answer(study, "c the ages\tare guessed", "0.1", "c", "typed after", "u", "0.3")
    assert [row["comment"] for row in study.rows] == ["the ages are guessed", "typed after", None]


def test_a_comment_waits_while_one_goes_back():
    study = FakeStudy()
    answer(study, "0.1", "c about q1", "b", "0.2", "0.3")
    assert [(row["question_id"], row["comment"]) for row in study.rows] == [
        *(("q0", None), ("q0", None), ("q1", "about q1"))
    ]


def test_a_correction_keeps_the_comment_unless_there_is_a_new_one():
    study = FakeStudy()
    done = answer(study, "c first", "0.1", "b", "0.2", "b", "c second", "0.3")
    assert [row["comment"] for row in study.rows] == ["first", "first", "second"]
    assert "your answer was: 0.1 (first)" in done.text


def test_a_comment_alone_is_recorded_with_the_answer_that_is_kept():
    study = FakeStudy()
    answer(study, "0.1", "b", "c on second thoughts", "")
    assert study.values == [("q0", 0.1), ("q0", 0.1)]
    assert study.rows[1]["comment"] == "on second thoughts"


def test_a_comment_that_has_no_answer_is_not_lost_silently():
    assert "the comment was not recorded" in answer(FakeStudy(), "c so odd", "q").text
    assert "your comment was not recorded either" in answer(FakeStudy(), "c so odd", "s", "q").text


def test_control_characters_in_a_comment_are_written_out():
    study = FakeStudy()
    answer(study, "c \x1b[A up \ud800", "0.1")
    assert study.rows[0]["comment"] == r"\x1b[A up \ud800"


def test_the_ruler_tells_the_scale_before_the_first_question_and_on_demand():
    study = FakeStudy(ruler_pairs=[ruler_pair(0.12), ruler_pair(1.5, "single")])
    text = answer(study, "?", "q").text
    first_question = text.index("0 answered")
    assert text.index("these two married records are 0.12 apart") < first_question
    assert text.index("these two single records are 1.5 apart") < first_question
    assert text.index("from 0 to 2.5") < first_question
    assert text.count("0.12 apart") == 2
    # help pushes the question off the screen, so it is shown again
    assert text.count("200 (+100)") == 2


def test_a_long_ruler_is_shown_in_a_few_steps_from_the_nearest_to_the_farthest():
    study = FakeStudy(ruler_pairs=[ruler_pair(k / 10) for k in range(1, 21)])
    text = answer(study).text
    shown = [line.split()[-2] for line in text.splitlines() if line.endswith(" apart")]
    assert shown == ["0.1", "0.7", "1.4", "2"]


def test_hostile_names_show_harmlessly():
    study = FakeStudy(
        ruler_pairs=[ruler_pair(0.1, "[red]\x1b[2J")],
        settings=StudySettings(seed=0, plan_seed=0, scale_end=1.0, tolerance=0.1, title="[bold]\x1b]0;gone\a"),
    )
    text = answer(study, expert="[blink]Ana").text
    assert "\x1b" not in text
    assert r"[bold]\x1b]0;gone\x07" in text
    assert r"two [red]\x1b[2J records" in text
    assert "[blink]Ana, how" in text


def test_nothing_identifies_a_question_or_a_record():
    text = answer(FakeStudy(), "0.1", "0.2").text
    assert not any(secret in text for secret in ("q0", "q1", "id-a", "id-b"))


@pytest.mark.parametrize("width", [60, 200])
def test_no_line_is_wider_than_the_terminal(width):
    study = FakeStudy(ruler_pairs=[ruler_pair(0.12)])
    text = answer(study, "?", "0.1", "b", "x", "7", "y", width=width).text
    assert max(map(len, text.splitlines())) <= width


def test_nothing_to_ask_is_said_at_once():
    done = answer(FakeStudy(n_questions=0))
    assert "Thank you, Ana. There are no more questions for you" in done.text
    assert done.prompts == []


@pytest.mark.parametrize("receipt_is_lost", [False, True])
def test_trying_again_after_a_failure_is_one_answer(receipt_is_lost):
    study = FakeStudy(failures=[StudyBusy("the study is busy")], receipt_is_lost=receipt_is_lost)
    done = answer(study, "0.1", "", "0.2")
    assert study.values == [("q0", 0.1), ("q1", 0.2)]
    assert study.calls[0]["key"] == study.calls[1]["key"]
    assert "not recorded: the study is busy" in done.text


@pytest.mark.parametrize("line", ["0.2", "q", EOFError(), KeyboardInterrupt()])
def test_after_a_failure_no_other_line_is_taken_for_an_answer(line):
    study = FakeStudy(failures=[StudyBusy("the study is busy")])
    with pytest.raises(StudyBusy) as failed:
        answer(study, "0.1", line)
    assert study.values == []
    assert "0 answers recorded in this session" in failed.value.__notes__[0]


def test_a_question_that_was_closed_meanwhile_is_passed_over():
    study = FakeStudy(failures=[UnknownQuestion("its record was forgotten")])
    done = answer(study, "0.1", "0.2")
    assert "skipped: its record was forgotten" in done.text
    assert study.values == [("q0", 0.2)]  # the fake goes on asking it
    assert done.counts.answered_now == 1
