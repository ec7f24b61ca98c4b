"""``commensurate reproduce`` as a user types it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest

from commensurate.cli import main

pytestmark = pytest.mark.slow

SUITE = ("reproduce", "--quick", "--dataset", "synthetic", "--repeats", "1", "--jobs", "1", "--seed", "5")


@dataclass(frozen=True)
class Finished:
    folder: Path
    stdout: str
    stderr: str


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that nothing interrupted: its folder, and what the command printed."""
    folder = tmp_path_factory.mktemp("finished") / "out"
    stdout, stderr = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(stdout), redirect_stderr(stderr):
        patch.delenv("COMMENSURATE_DATA", raising=False)
        patch.setenv("COLUMNS", "200")
        patch.setattr(sys, "argv", ["commensurate", *SUITE, "--out", str(folder)])
        with pytest.raises(SystemExit) as stopped:
            main.run()
    assert not stopped.value.code, stderr.getvalue()
    return Finished(folder, stdout.getvalue(), stderr.getvalue())


@pytest.fixture
def copied(finished, tmp_path):
    """The folder of a finished run, to do something with."""
    return shutil.copytree(finished.folder, tmp_path / "copied")


def test_the_suite_alone_needs_no_data_and_ends_with_the_page(run, finished, copied):
    assert f"Full report: {finished.folder / 'index.html'}" in finished.stdout
    assert re.search(r"12 of 12 steps, about 0 min left: synthetic/", finished.stderr), "a log tells how far it is"
    again = run(*SUITE, "--out", str(copied))
    assert "12 of 12 steps are already done" in again.stdout


def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_results(run, finished, tmp_path):
    killed = tmp_path / "killed"
    command = [sys.executable, "-m", "commensurate", *SUITE, "--out", str(killed)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60.0
    while not any((killed / "steps").glob("*/*.json")):
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (killed / "index.html").exists()
    assert "steps are already done" in run(*SUITE, "--out", str(killed)).stdout
    for name in ("results.json", "index.html", "report.md"):
        assert (killed / name).read_bytes() == (finished.folder / name).read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--dataset", "iris"),
            "there is no data set 'iris'; choose from credit-card-default, adult, give-me-some-credit",
        ),
        (("--dataset", "adult", "--dataset", "adult"), "name each data set once"),
    ],
)
def test_a_data_set_that_means_nothing_is_one_line(run, tmp_path, words, message):
    done = run("reproduce", *words, "--out", str(tmp_path / "out"))
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_with_other_files_is_refused_and_left_alone(run, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    done = run(*SUITE, "--out", str(tmp_path))
    assert done.returncode == 1
    assert "choose an empty folder" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_another_seed_in_the_same_folder_is_refused(run, copied):
    before = (copied / "results.json").read_bytes()
    done = run(*SUITE[:-1], "6", "--out", str(copied))
    assert done.returncode == 1
    assert "holds a run with seed = 5, this one has 6" in done.stderr
    assert (copied / "results.json").read_bytes() == before


def test_data_that_are_nowhere_are_named_before_anything_is_written(run, tmp_path, monkeypatch):
    import sklearn.datasets

    def no_network(**options: object) -> object:
        raise OSError("no route to host")

    from commensurate.experiments.paper import world

    world.load_dataset.cache_clear()
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", no_network)
    monkeypatch.delenv("COMMENSURATE_DATA", raising=False)
    done = run(
        "reproduce", "--quick", "--dataset", "adult", "--out", str(tmp_path / "out"), "--data-home", str(tmp_path)
    )
    assert done.returncode == 1
    assert "put adult.csv.gz" in done.stderr
    assert str(tmp_path) in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_console_that_cannot_show_greek_letters_still_shows_the_help():
    words = [sys.executable, "-m", "commensurate", "reproduce", "--help"]
    done = subprocess.run(words, env={**os.environ, "PYTHONIOENCODING": "cp1252"}, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"--baseline-points" in done.stdout
