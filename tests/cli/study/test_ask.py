"""``commensurate study ask`` on a real study: through a terminal, and through a pipe."""

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import psutil
import pytest

from commensurate.cli.study.ask import ask
from commensurate.errors import InvalidParameter
from commensurate.study.study import Study

pytestmark = pytest.mark.slow

RUN = "import typer; from commensurate.cli.study.ask import ask; typer.run(ask)"
# Ctrl-C reaches only whom the terminal belongs to, and who was not started with it ignored,
# as jobs in the background are
HEED_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
RUN_IN_TERMINAL = f"import os; os.login_tty(0); {HEED_CTRL_C}; {RUN}"
PROMPT = "? q: "
LONGEST_WAIT = 60.0


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A study with five questions, and records that would clear the screen."""
    people = pd.DataFrame(
        {"married": ["yes", "no"] * 20, "age": range(20, 60), "note": ["[red]x[/red] \x1b[2J", "plain"] * 20}
    )
    path = tmp_path / "people.db"
    shown = {"features": ["age"], "show": ["age", "note"]}
    Study.create(
        path, people, group="married", **shown, questions=5, repeats=0.0, scale_end=2.5, seed=0, answer_kind="numbers"
    ).close()
    return path


def answers_of(place: Path) -> pd.DataFrame:
    with Study(place) as study:
        return study.answers(history=True)


def piped(place: Path, lines: bytes, *options: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", RUN, str(place), "--expert", "Ana", *options],
        input=lines,
        capture_output=True,
        check=False,
        timeout=LONGEST_WAIT,
        env={**os.environ, "COLUMNS": "60", "PYTHONIOENCODING": "utf-8", **variables},
    )


class Terminal:
    """The command in a terminal of its own."""

    def __init__(self, *words: str) -> None:
        pty = pytest.importorskip("pty")
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN_IN_TERMINAL, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "60", "PYTHONIOENCODING": "utf-8"},
        )
        os.close(theirs)

    def read_until(self, awaited: str | None) -> str:
        """Return what is shown up to these words, or up to the end."""
        shown, end = b"", time.monotonic() + LONGEST_WAIT
        while awaited is None or awaited.encode() not in shown:
            ready, _, _ = select.select([self.ours], [], [], max(end - time.monotonic(), 0.0))
            assert ready, f"waited in vain for {awaited!r} after {shown.decode()!r}"
            try:
                piece = os.read(self.ours, 4096)
            except OSError:  # what Linux says when the other side is closed
                piece = b""
            if not piece:
                assert awaited is None, f"ended before {awaited!r}: {shown.decode()!r}"
                break
            shown += piece
        return shown.decode()

    def type(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def press_ctrl_c(self) -> None:
        """Press it once the command waits for a line:
        between showing the prompt and reading, Python only takes note of it.
        """
        process, asleep = psutil.Process(self.process.pid), 0
        while asleep < 10:
            asleep = asleep + 1 if process.status() == psutil.STATUS_SLEEPING else 0
            time.sleep(0.02)
        self.type("\x03")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.ours)


@pytest.fixture
def terminal(place):
    one = Terminal(str(place), "--expert", "Ana")
    yield one
    one.close()


def test_in_a_terminal_answers_are_on_the_disk_before_the_next_question_and_ctrl_c_loses_none(place, terminal):
    first = terminal.read_until(PROMPT)
    assert "0 answered, about 5 to go" in first
    assert "apart" in first
    assert "\x1b[1m≠" in first
    assert r"[red]x[/red]" in first
    assert "\x1b[2J" not in first

    terminal.type("0,25\n")
    assert "recorded" in terminal.read_until(PROMPT)
    assert list(answers_of(place)["answer"]) == [0.25]

    terminal.type("b\n")
    assert "your answer was: 0.25" in terminal.read_until(PROMPT)
    terminal.type("0.5\n")
    terminal.read_until(PROMPT)
    terminal.press_ctrl_c()
    last = " ".join(terminal.read_until(None).split())
    assert "1 answer recorded, 1 of them now; run the same command to continue" in last
    assert terminal.process.wait(LONGEST_WAIT) == 0
    answers = answers_of(place)
    assert list(answers["answer"]) == [0.25, 0.5]
    assert answers["question_id"].nunique() == 1
    assert (answers["expert"] == "Ana").all()
    assert (answers["seconds"] >= 0.0).all()


def test_piped_answers_are_recorded_and_counted_as_json_in_the_last_line(place):
    done = piped(place, b"0.1\nc odd \xff byte\n0.2\nu\n", "--json")
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert json.loads(text.splitlines()[-1]) == {
        **{"expert": "Ana", "answered": 3, "unsure": 1, "open": 2},
        **{"answered_now": 3, "corrected_now": 0, "skipped_now": 0},
    }
    assert "\x1b" not in text
    assert f"{PROMPT}0.1\nrecorded" in text
    answers = answers_of(place)
    assert list(answers["status"]) == ["answered", "answered", "unsure"]
    assert answers["comment"][1] == "odd \N{REPLACEMENT CHARACTER} byte"


def test_the_same_command_goes_on_until_nothing_is_left(place):
    piped(place, b"0.1\n0.2\n")
    done = piped(place, b"0.3\ns\n0.4\n0.5\n\n")
    assert "Thank you, Ana" in done.stdout.decode()
    answers = answers_of(place)
    assert list(answers["answer"]) == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert answers["question_id"].nunique() == 5


def test_a_terminal_that_knows_ascii_only_is_served_too(place):
    done = piped(place, b"0.1\nq\n", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "1 answer recorded" in done.stdout.decode("ascii")
    assert "!=" in done.stdout.decode("ascii")


def test_answering_imports_neither_scikit_learn_nor_numba(place):
    code = (
        "import sys, typer\n"
        "from commensurate.cli.study.ask import ask\n"
        "try:\n    typer.run(ask)\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'sklearn', 'numba'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    words = [sys.executable, "-c", code, str(place), "--expert", "Ana"]
    done = subprocess.run(words, input=b"0.1\n", capture_output=True, check=False, timeout=LONGEST_WAIT)
    assert done.returncode == 0, done.stderr
    assert len(answers_of(place)) == 1


def test_a_bad_name_is_refused_before_anything_is_shown(place, capsys):
    with pytest.raises(InvalidParameter, match="an expert's name"):
        ask(str(place), expert=" ")
    assert capsys.readouterr().out == ""


def test_named_questions_are_asked_again_and_nothing_else(place):
    with Study(place) as study:
        first, second = (one.question_id for one in study.next_questions("Ana", 2))
        study.record(first, 2.0, expert="Ana")
    done = piped(place, b"0.25\n\n", "--question", first)
    assert done.returncode == 0, done.stderr
    answers = answers_of(place)
    assert answers["question_id"].tolist() == [first, first]
    assert answers["answer"].tolist() == [2.0, 0.25]
    done = piped(place, b"0.5\n", "--question", second, "--question", "no such question")
    assert b"no question" in done.stderr
    assert len(answers_of(place)) == 2
