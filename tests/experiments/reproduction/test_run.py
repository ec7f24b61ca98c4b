"""A run: its settings, its steps, its folder."""

import json
from pathlib import Path

import pytest

import commensurate as cm
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.experiments.paper.published import TESTS
from commensurate.experiments.reproduction import run as module
from commensurate.experiments.reproduction.findings import AS_PRINTED, Findings
from commensurate.experiments.reproduction.run import PARTS, Run, RunSettings, reproduction_steps
from commensurate.experiments.reproduction.run_folder import open_run


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"parts": ("adults",)}, "no data set 'adults'; choose from credit-card-default, adult"),
        ({"parts": ("adult", "adult")}, "name each data set once"),
        ({"parts": ()}, "at least one"),
        ({"repeats": 0}, "repeats must be at least 1, got 0"),
        ({"baseline_points": 0}, "baseline_points must be at least 1"),
        ({"curve_points": 50}, "curve_points must be at least 100, got 50"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_settings_that_mean_nothing_are_refused(wrong, message):
    with pytest.raises(InvalidParameter, match=message):
        RunSettings(**wrong)


def test_steps_have_names_of_their_own_and_arguments_that_fit_into_json():
    steps = list(reproduction_steps(RunSettings(), None))
    assert len({step.name for step in steps}) == len(steps)
    for step in steps:
        assert json.loads(json.dumps(dict(step.arguments))) == step.arguments
        assert step.arguments["seed"] == 0
    assert {step.name.partition("/")[0] for step in steps} == set(PARTS)


def test_more_draws_keep_the_steps_of_fewer():
    few, many = ({step.name for step in reproduction_steps(RunSettings(repeats=n), None)} for n in (3, 7))
    assert {name for name in few if "/draw-" in name} < many


RECORD = {"seed": 0, "versions": {"numpy": "2"}}


def test_an_empty_or_new_folder_is_taken_and_recognised_later(tmp_path):
    for folder in (tmp_path, tmp_path / "new" / "deep"):
        open_run(folder, RECORD)
        open_run(folder, RECORD)


def test_what_a_kill_or_the_system_leaves_in_a_folder_does_not_stop_a_run(tmp_path):
    (tmp_path / ".DS_Store").touch()
    (tmp_path / ".commensurate-0123.part").touch()
    open_run(tmp_path, RECORD)
    (tmp_path / "steps").mkdir()
    (tmp_path / "steps" / ".commensurate-4567.part").touch()
    open_run(tmp_path, RECORD)
    assert {path.name for path in tmp_path.rglob("*")} == {".DS_Store", "run.json", "steps"}


def test_a_folder_with_something_else_in_it_is_left_as_it_is(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InvalidInput, match="is not empty and does not hold a run of this command"):
        open_run(tmp_path, RECORD)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    "content", ["{}", "nonsense", '{"made_by": "another", "record": {}}', '{"made_by": "commensurate reproduce"}']
)
def test_a_record_that_is_not_ours_is_not_taken_for_one(tmp_path, content):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(InvalidInput, match="choose an empty folder"):
        open_run(tmp_path, RECORD)
    assert (tmp_path / "run.json").read_text() == content


@pytest.mark.parametrize("other", [{"seed": 1}, {"versions": {"numpy": "3"}}])
def test_a_run_goes_on_only_with_the_settings_and_versions_that_it_began_with(tmp_path, other):
    open_run(tmp_path, RECORD)
    with pytest.raises(InvalidInput, match="holds a run with .* run with the same settings to continue"):
        open_run(tmp_path, RECORD | other)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="is a file; name a folder"):
        open_run(tmp_path / "file", RECORD)
    with pytest.raises(InvalidInput, match="cannot write into"):
        open_run(tmp_path / "file" / "folder", RECORD)


@pytest.mark.usefixtures("small_worlds")
def test_a_run_knows_its_data_by_their_digests(tmp_path):
    run = Run.open(RunSettings(parts=("adult",), repeats=1), tmp_path)
    assert run.provenance["data"] == {"adult": "digest of adult"}
    assert set(run.provenance["versions"]) >= {"commensurate", "python", "numpy", "scikit-learn", "numba"}
    assert len(run.provenance["code"]) == 64
    assert len(run.missing) == len(run.steps)


@pytest.mark.usefixtures("small_worlds")
def test_a_run_does_not_go_on_with_other_code(tmp_path, monkeypatch):
    Run.open(RunSettings(parts=("adult",), repeats=1), tmp_path)
    monkeypatch.setattr(module, "code_digest", lambda: "another")
    with pytest.raises(InvalidInput, match="holds a run with code"):
        Run.open(RunSettings(parts=("adult",), repeats=1), tmp_path)


@pytest.mark.slow
@pytest.mark.real_data
def test_a_data_set_of_the_paper_gives_what_is_known_of_it(tmp_path):
    settings = RunSettings(parts=("credit-card-default",), repeats=1, baseline_points=100, curve_points=100)
    run = Run.open(settings, tmp_path)
    findings = Findings.gather(run, run.compute())
    seen, unseen = (findings.error("credit-card-default", test, "NAIVE", "absolute_mean").median for test in TESTS)
    assert 0.1 < seen < unseen < 2.0
    assert 0.25 < findings.draws("credit-card-default", TESTS[0], "NAIVE", "exact")[0] < 0.5
    assert 79.0 < findings.decrease("credit-card-default", AS_PRINTED).median < 83.0


def test_every_room_that_decides_a_figure_is_part_of_the_digest():
    root = Path(cm.__file__).parent
    assert [room for room in module.COMPUTING if not (root / room).exists()] == []
