"""Steps are computed once, kept whole, and computed again only where nothing is kept."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from commensurate.errors import CommensurateError, InvalidInput
from commensurate.experiments.reproduction.steps import Step, missing_steps, run_steps

PROVENANCE = {"seed": 0}


def square(number: int, log: str) -> dict[str, object]:
    with open(log, "a") as file:
        file.write(f"{number}\n")
    return {"square": number * number}


def fail_at_zero(number: int, log: str) -> dict[str, object]:
    if number == 0:
        raise ValueError("nothing is too little")
    return square(number, log)


def end_the_process(number: int, log: str) -> dict[str, object]:
    os._exit(9)


def steps(log: Path, n: int = 4, run=square) -> list[Step]:
    return [Step(f"part/{k}", run, {"number": k}, {"log": str(log)}, weight=float(k)) for k in range(n)]


@pytest.fixture
def log(tmp_path) -> Path:
    path = tmp_path / "log"
    path.touch()
    return path


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_step_is_computed_once_and_then_read(tmp_path, log, jobs):
    told = []
    for _ in range(2):
        results = run_steps(
            steps(log), tmp_path / "run", provenance=PROVENANCE, jobs=jobs, done=lambda step: told.append(step.name)
        )
        assert list(results) == [f"part/{k}" for k in range(4)]
        assert [result["square"] for result in results.values()] == [0, 1, 4, 9]
    assert sorted(log.read_text().split()) == ["0", "1", "2", "3"]
    assert sorted(told) == [f"part/{k}" for k in range(4)]


def test_the_longest_step_comes_first(tmp_path, log):
    run_steps(steps(log), tmp_path / "run", provenance=PROVENANCE)
    assert log.read_text().split() == ["3", "2", "1", "0"]


def test_a_file_tells_its_arguments_and_what_it_rests_on_but_not_where_the_data_were(tmp_path, log):
    run_steps(steps(log, 1), tmp_path, provenance=PROVENANCE)
    kept = json.loads((tmp_path / "part/0.json").read_text())
    assert kept == {"step": "part/0", "provenance": PROVENANCE, "arguments": {"number": 0}, "result": {"square": 0}}


@pytest.mark.parametrize("jobs", [1, 2])
def test_when_a_step_fails_those_before_it_are_kept(tmp_path, log, jobs):
    with pytest.raises(ValueError, match="nothing is too little"):
        run_steps(steps(log, run=fail_at_zero), tmp_path / "run", provenance=PROVENANCE, jobs=jobs)
    kept = {path.stem for path in (tmp_path / "run/part").iterdir()}
    # the last step begins when at most one other is still under way
    assert len(kept) >= 4 - jobs
    assert "0" not in kept
    told = []
    results = run_steps(
        steps(log), tmp_path / "run", provenance=PROVENANCE, done=lambda step: told.append(step.file(Path()).stem)
    )
    assert results["part/0"] == {"square": 0}
    assert set(told) == {"0", "1", "2", "3"} - kept


def test_a_worker_that_is_ended_from_outside_is_named_as_the_cause(tmp_path, log):
    with pytest.raises(CommensurateError, match="ended from outside.*run the same command again with fewer jobs"):
        run_steps(steps(log, run=end_the_process), tmp_path / "run", provenance=PROVENANCE, jobs=2)


def test_a_result_of_other_arguments_is_refused(tmp_path, log):
    run_steps(steps(log, 1), tmp_path, provenance=PROVENANCE)
    other = [Step("part/0", square, {"number": 7}, {"log": str(log)})]
    with pytest.raises(InvalidInput, match="was computed with {'number': 0}, not with {'number': 7}"):
        missing_steps(other, tmp_path)


def test_a_full_disk_leaves_no_half_written_step(tmp_path, log, monkeypatch):
    def full(*words: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        run_steps(steps(log, 2), tmp_path / "run", provenance=PROVENANCE)
    assert not list((tmp_path / "run/part").iterdir())
    monkeypatch.undo()
    assert run_steps(steps(log, 2), tmp_path / "run", provenance=PROVENANCE)["part/1"] == {"square": 1}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"result": 1}', "\x00\x01"])
def test_a_damaged_file_is_an_error_that_names_it(tmp_path, log, content):
    (tmp_path / "part").mkdir()
    (tmp_path / "part/0.json").write_text(content)
    with pytest.raises(InvalidInput, match=r"part/0\.json.*delete it to compute it again"):
        run_steps(steps(log, 1), tmp_path, provenance=PROVENANCE)


SLOW_RUN = """
import signal, sys, time
from pathlib import Path
from commensurate.experiments.reproduction.steps import Step, run_steps

def slow(number, seconds):
    Path(sys.argv[1], f"worker-{__import__('os').getpid()}").touch()
    time.sleep(seconds)
    return {"number": number}

if __name__ == "__main__":
    # a shell starts what runs in the background deaf to interruptions, and its children inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)
    steps = [Step(str(k), slow, {"number": k, "seconds": 0.0 if k < 2 else 60.0}, weight=9.0 - k) for k in range(6)]
    run_steps(steps, Path(sys.argv[1], "run"), provenance={}, jobs=2)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_a_run_that_is_stopped_and_what_was_finished_is_kept(tmp_path, how):
    script = tmp_path / "slow_run.py"
    script.write_text(SLOW_RUN)
    process = subprocess.Popen([sys.executable, str(script), str(tmp_path)], stderr=subprocess.DEVNULL)
    kept = [tmp_path / "run/0.json", tmp_path / "run/1.json"]
    _wait_until(lambda: all(path.exists() for path in kept) and len(list(tmp_path.glob("worker-*"))) == 2)
    workers = [int(path.name.removeprefix("worker-")) for path in tmp_path.glob("worker-*")]
    process.send_signal(how)
    process.wait(timeout=30)
    _wait_until(lambda: not any(_alive(worker) for worker in workers))
    assert all(json.loads(path.read_text())["result"] for path in kept)
    assert len(list((tmp_path / "run").iterdir())) == 2, "nothing half-written remains"


def _wait_until(met, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end, "it never came to pass"
        time.sleep(0.05)


def _alive(pid: int) -> bool:
    # a zombie has ended; only its parent has not looked yet
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
