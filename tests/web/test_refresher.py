"""Figures are computed beside the server: only while somebody looks,
only when something changed, and whatever goes wrong.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from commensurate.errors import CommensurateError
from commensurate.study.study import Study
from commensurate.web.child_process import COMMAND, ChildFailed, ChildProcess
from commensurate.web.figures import Figures
from commensurate.web.refresher import INTEREST_SECONDS, Refreshed, Refresher
from worlds.answered_study import answer, people_study
from worlds.owner_figures import MADE
from worlds.study_places import answer_some, running_postgres, server_places

pytestmark = pytest.mark.slow

PATIENCE = 60.0


def eventually(happened):
    """Wait until something has happened, and return what it is."""
    until = time.monotonic() + PATIENCE
    while not (found := happened()):
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)
    return found


@pytest.fixture
def study(tmp_path):
    with people_study(tmp_path / "people.db") as made:
        yield made


class Computer:
    """A script that stands in for the process which computes: it counts its runs, and then does what it was told."""

    def __init__(self, folder: Path) -> None:
        self._runs, self._script = folder / "runs", folder / "computer.py"
        self.does("print(json.dumps({'result': figures()}))")

    def does(self, what: str) -> None:
        self._script.write_text(
            "import json, os, sys, time\n"
            "order = sys.stdin.readline()\n"
            f"runs = open({str(self._runs)!r}, 'a+')\n"
            "print(order.strip(), file=runs, flush=True)\n"
            "runs.seek(0)\n"
            "run = len(runs.readlines())\n"
            f"made = json.loads({json.dumps(MADE.to_plain())!r})\n"
            "def figures(complete=True, curve=True, forgotten=0):\n"
            "    view = made['view'] if curve else {**made['view'], 'curve': None}\n"
            "    return {**made, 'answers': run, 'complete': complete, 'forgotten': forgotten, 'view': view}\n"
            f"{what}\n"
        )

    @property
    def command(self) -> tuple[str, ...]:
        return (sys.executable, str(self._script))

    @property
    def orders(self) -> list[str]:
        return self._runs.read_text().splitlines() if self._runs.exists() else []


@pytest.fixture
def computer(tmp_path):
    return Computer(tmp_path)


@pytest.fixture
def refreshing(study, computer):
    """Make refreshers of the study that look often."""
    made = []

    def one(**options):
        chosen = {"poll_seconds": 0.01, "command": computer.command, **options}
        made.append(Refresher(str(study.file), **chosen))
        return made[-1]

    yield one
    for refresher in made:
        refresher.stop()


def run_of(refresher):
    figures = refresher.latest().figures
    return None if figures is None else figures.answers


# --- when ---


def test_nothing_is_computed_before_somebody_looks(refreshing, computer):
    refresher = refreshing()
    time.sleep(0.2)
    assert computer.orders == []
    assert refresher.latest() == Refreshed(None, None, False, None)


def test_figures_come_once_somebody_looks_and_again_after_each_change(refreshing, computer, study):
    refresher = refreshing()
    refresher.wanted(study)
    eventually(lambda: run_of(refresher) == 1)
    (question,) = answer(study, 1)
    eventually(lambda: run_of(refresher) == 2)
    study.forget(question.left_id)
    eventually(lambda: run_of(refresher) == 3)


def test_nothing_is_computed_twice_from_the_same_answers(refreshing, computer, study):
    refresher = refreshing()
    refresher.wanted(study)
    eventually(lambda: run_of(refresher) == 1 and not refresher.latest().computing)
    refresher.wanted(study)
    time.sleep(0.3)
    assert len(computer.orders) == 1


def test_nothing_is_computed_for_an_owner_who_has_not_looked_for_half_an_hour(refreshing, computer, study):
    now = [0.0]
    refresher = refreshing(clock=lambda: now[0])
    refresher.wanted(study)
    eventually(lambda: run_of(refresher) == 1 and not refresher.latest().computing)
    now[0] += INTEREST_SECONDS + 1.0
    answer(study, 1)
    time.sleep(0.3)
    assert len(computer.orders) == 1
    refresher.wanted(study)
    eventually(lambda: run_of(refresher) == 2)


def test_there_is_a_pause_as_long_as_the_computation_took(refreshing, computer, study):
    now = [0.0]
    refresher = refreshing(clock=lambda: now[0])
    computer.does("time.sleep(0.3); print(json.dumps({'result': figures()}))")
    refresher.wanted(study)
    eventually(lambda: refresher.latest().computing)
    now[0] = 100.0
    eventually(lambda: run_of(refresher) == 1 and not refresher.latest().computing)
    answer(study, 1)
    now[0] = 199.0
    time.sleep(0.2)
    assert len(computer.orders) == 1
    now[0] = 201.0
    eventually(lambda: len(computer.orders) == 2)


def test_the_age_of_figures_is_told(refreshing, study):
    now = [0.0]
    refresher = refreshing(clock=lambda: now[0])
    refresher.wanted(study)
    eventually(lambda: run_of(refresher) == 1)
    now[0] += 12.0
    assert refresher.latest().age_seconds == 12.0


def test_all_but_the_curve_is_shown_with_the_curve_before(refreshing, computer, study):
    refresher = refreshing()
    refresher.wanted(study)
    eventually(lambda: run_of(refresher) == 1)
    computer.does("print(json.dumps({'result': figures(False, False)}), flush=True); time.sleep(60)")
    answer(study, 1)
    eventually(lambda: run_of(refresher) == 2)
    found = refresher.latest()
    assert found.figures.view.curve == MADE.view.curve
    assert found.computing


def test_a_curve_that_knew_a_forgotten_record_is_not_shown_with_later_figures(refreshing, computer, study):
    refresher = refreshing()
    refresher.wanted(study)
    eventually(lambda: run_of(refresher) == 1)
    computer.does("print(json.dumps({'result': figures(False, False, 1)}), flush=True); time.sleep(60)")
    study.forget("p0")
    eventually(lambda: run_of(refresher) == 2)
    assert refresher.latest().figures.view.curve is None


# --- what goes wrong ---


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("os.kill(os.getpid(), 9)", "status -9"),
        ("print(json.dumps({'failure': 'the disk is full'}))", "the disk is full"),
        ("print('no JSON')", "cannot read the result"),
        ("print('7')", "neither a result nor an error"),
        ("print(json.dumps(['failure']))", "neither a result nor an error"),
        ("print('{}')", "neither a result nor an error"),
        ("print(json.dumps({'result': {'no': 'figures'}}))", "KeyError"),
        ("sys.stdout.buffer.write(bytes([255, 10]))", "UnicodeDecodeError"),
        ("pass", "status 0"),
        ("raise SystemExit(3)", "status 3"),
    ],
)
def test_a_process_that_fails_leaves_the_figures_before_and_its_reason(refreshing, computer, study, what, words):
    refresher = refreshing()
    refresher.wanted(study)
    eventually(lambda: run_of(refresher) == 1)
    computer.does(what)
    answer(study, 1)
    assert words in eventually(lambda: refresher.latest().failure)
    assert run_of(refresher) == 1
    assert not refresher.latest().computing
    computer.does("print(json.dumps({'result': figures()}))")
    answer(study, 1)
    eventually(lambda: run_of(refresher) == 3)
    assert eventually(lambda: refresher.latest().failure is None)


def test_what_failed_is_tried_again_after_a_while_though_nothing_changed(refreshing, computer, study):
    computer.does("raise SystemExit(1) if run == 1 else print(json.dumps({'result': figures()}))")
    refresher = refreshing(retry_seconds=0.2)
    refresher.wanted(study)
    eventually(lambda: run_of(refresher) == 2)


def test_what_failed_is_not_tried_again_at_once(refreshing, computer, study):
    computer.does("raise SystemExit(1)")
    refresher = refreshing(retry_seconds=1e6)
    refresher.wanted(study)
    eventually(lambda: refresher.latest().failure)
    time.sleep(0.3)
    assert len(computer.orders) == 1


def test_a_command_that_cannot_be_started_is_a_failure(refreshing, study, tmp_path):
    refresher = refreshing(command=(str(tmp_path / "nothing"),))
    refresher.wanted(study)
    assert "cannot start a process" in eventually(lambda: refresher.latest().failure)


def test_a_study_that_cannot_be_looked_at_for_a_moment_does_not_end_the_watching(refreshing, study, monkeypatch):
    def broken(_):
        raise ZeroDivisionError("with something secret")

    with monkeypatch.context() as patched:
        patched.setattr("commensurate.web.refresher.last_change", broken)
        refresher = refreshing()
        refresher.wanted(study)
        assert eventually(lambda: refresher.latest().failure) == "ZeroDivisionError"
    eventually(lambda: run_of(refresher) == 1)


# --- the end ---


def test_stopping_ends_the_process_and_the_thread(refreshing, computer, study):
    computer.does("print(json.dumps({'result': {**figures(), 'answers': os.getpid()}}), flush=True); time.sleep(600)")
    refresher = refreshing()
    refresher.wanted(study)
    pid = eventually(lambda: refresher.latest().figures).answers
    refresher.stop()
    assert not psutil.pid_exists(pid)
    assert not refresher._thread.is_alive()
    refresher.wanted(study)
    assert not refresher._thread.is_alive()


def test_stopping_what_never_began_is_harmless(refreshing):
    refreshing().stop()


# --- the process itself ---


def test_the_real_process_computes_the_overview_of_a_study(study):
    answer(study, 12)
    first, *_ = found = list(ChildProcess(study.file, "overview").results())
    assert Figures.from_plain(first).answers == 12
    assert Figures.from_plain(found[-1]).complete
    assert Figures.from_plain(found[-1]).view.histogram.svg.startswith("<svg")
    json.dumps(found, allow_nan=False)


def test_the_place_is_not_among_the_arguments_of_the_process(computer, tmp_path):
    computer.does("print(json.dumps({'result': 1}), flush=True); time.sleep(600)")
    child = ChildProcess("postgresql://ana:secret@host/people", "overview", command=computer.command)
    results = child.results()
    next(results)
    assert not [part for part in psutil.Process(child._process.pid).cmdline() if "secret" in part]
    assert "secret" in computer.orders[0]
    results.close()
    assert not any("secret" in part for part in COMMAND)


def test_a_study_that_cannot_be_reached_is_told_without_its_password():
    child = ChildProcess("postgresql://ana:secret@127.0.0.1:1/people", "overview")
    with pytest.raises(ChildFailed) as told:
        list(child.results())
    assert "secret" not in str(told.value)
    assert "127.0.0.1" in str(told.value)


def test_an_error_nobody_thought_of_is_told_by_its_kind_and_place_alone(study):
    with pytest.raises(ChildFailed, match=r"KeyError in child_tasks.py, line \d+$"):
        list(ChildProcess(study.file, "no such task").results())


def test_the_process_ends_when_the_server_is_gone(computer, study):
    child = ChildProcess(study.file, "overview")
    process = psutil.Process(child._process.pid)
    # what happens to its pipe when the server is killed
    child._process.stdin.write(f"{child._order}\n")
    child._process.stdin.close()
    assert child._process.wait(PATIENCE) == 1
    child._process.stdout.close()
    assert not process.is_running()


def test_ctrl_c_in_the_terminal_reaches_the_server_alone(computer):
    computer.does("print(json.dumps({'result': os.getsid(0)}))")
    assert list(ChildProcess("x.db", "overview", command=computer.command).results()) != [os.getsid(0)]


def test_a_failure_is_one_of_ours():
    assert issubclass(ChildFailed, CommensurateError)


def test_a_study_on_a_server_is_copied_to_a_file(tmp_path):
    with running_postgres() as server:
        place = server_places(server).study()
        with Study(place) as study:
            answer_some(study, 3)
            (copied,) = ChildProcess(place, "backup", str(tmp_path / "copy.db")).results()
    with Study(copied) as copy:
        assert len(copy.stored_answers()) == 3
