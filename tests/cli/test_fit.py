"""``commensurate fit``, and ``predict`` with what it wrote: from the answers of a study to estimates."""

import json
import shlex
import shutil
from pathlib import Path

import pandas as pd
import pytest

from commensurate import load
from commensurate.study.simulate import simulate_study
from commensurate.study.study import Study

DESIGN = {
    "ids": "id",
    "features": ["age", "income"],
    "questions": 60,
    "learner": "gp",
    "repeats": 0.0,
    "seed": 1,
    "answer_kind": "numbers",
}


def people(groups: list[str]) -> pd.DataFrame:
    n = 40 * len(groups)
    return pd.DataFrame(
        {
            "id": [f"p{k}" for k in range(n)],
            "kind": groups * 40,
            "age": [(7 * k) % 50 + 20 for k in range(n)],
            "income": [(13 * k) % 90 for k in range(n)],
        }
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three studies: answered by a simulated expert, not answered, and with three groups."""
    folder = tmp_path_factory.mktemp("made")
    two, three = people(["yes", "no"]), people(["north", "far away 😀", "south"])
    Study.create(folder / "open.db", two, group="kind", **DESIGN, share=0.8, confidence_level=0.9).close()
    shutil.copy(folder / "open.db", folder / "done.db")
    with Study(folder / "done.db") as study:
        simulate_study(study, noise=0.05)
    with Study.create(folder / "three.db", three, group="kind", **DESIGN) as study:
        simulate_study(study)
    for name, table in three.groupby("kind"):
        table.drop(columns="kind").to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Path) -> Path:
    """The folder that the user is in."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def record_all(place: str, *rounds: float, expert: str = "Ana") -> None:
    """Answer every question once a round; the k-th with k hundredths and what the round adds."""
    with Study(place) as study:
        asked = study.next_questions(expert, 60)
        for extra in rounds:
            for k, question in enumerate(asked):
                study.record(question.question_id, k / 100 + extra, expert=expert)


def test_answers_of_two_people_tell_how_far_off_sigma_estimates_are_and_the_next_command_says_it_too(run):
    record_all("open.db", 0.0)
    record_all("open.db", 0.1, expert="Ben")
    done = run("fit", "open.db", "-o", "m.model")
    assert (done.returncode, done.stderr) == (0, "")
    assert "from 6 pairs answered by two people" in done.stdout
    assert "each with confidence 90 %" in done.stdout
    (report,) = (line for line in done.stdout.splitlines() if line.startswith("  commensurate report"))
    assert "each with confidence 95 %" in run(*shlex.split(report)[1:]).stdout


def test_a_model_is_written_and_how_far_it_can_be_trusted_is_said(run):
    done = run("fit", "done.db", "-o", "m.model")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "yes × no: learnt from the answers to 48 questions and tested on the answers to 12 others"
    )
    # as the study was designed
    assert "Calibrated intervals of a new answer by the same experts at level 90 %" in done.stdout
    assert "This is a rehearsal: some answers are simulated." in done.stdout
    assert "60 answered questions, model written to m.model; next:" in done.stdout
    assert load("m.model").groups_ == ("yes", "no")


def test_json_holds_the_numbers_and_nothing_else_is_printed(run):
    done = run("fit", "done.db", "--output", "m 😀.model", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert (told["file"], told["questions"], told["simulated"]) == ("m 😀.model", 60, True)
    (pair,) = told["guarantee"]["pairs"]
    assert (pair["between"], pair["n_training"], pair["n_held_out"]) == (["yes", "no"], 48, 12)
    assert (told["guarantee"]["share"], told["guarantee"]["confidence_level"]) == (0.8, 0.9)
    assert Path("m 😀.model").is_file()


def test_answers_of_people_are_no_rehearsal(run):
    record_all("open.db", 0.0)
    done = run("fit", "open.db", "-o", "m.model")
    assert done.returncode == 0
    assert "rehearsal" not in done.stdout
    assert json.loads(run("fit", "open.db", "-o", "m2.model", "--json").stdout)["simulated"] is False


def test_the_last_answer_of_every_expert_counts(run):
    shutil.copy("open.db", "corrected.db")
    record_all("open.db", 0.0)
    record_all("corrected.db", 5.0, 0.0)
    straight, corrected = (
        json.loads(run("fit", place, "-o", f"{place}.model", "--json").stdout) for place in ("open.db", "corrected.db")
    )
    assert corrected["guarantee"] == straight["guarantee"]
    assert corrected["questions"] == 60


def test_a_study_that_nobody_answered_has_nothing_to_learn_from(run, folder):
    before = names(folder)
    done = run("fit", "open.db", "-o", "m.model")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("commensurate: there are no answers yet")
    assert done.stderr.count("\n") == 1
    assert names(folder) == before


def test_a_model_is_replaced_with_force_only(run):
    Path("m.model").write_text("precious")
    refused = run("fit", "done.db", "-o", "m.model")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "m.model already exists; choose another name, or pass --force" in refused.stderr
    assert run("fit", "open.db", "-o", "m.model", "--force").returncode == 1
    assert Path("m.model").read_text() == "precious"
    assert run("fit", "done.db", "-o", "m.model", "--force").returncode == 0
    assert load("m.model").n_questions_ == 60


def test_a_model_never_takes_the_place_of_a_study(run):
    for study in ("done.db", "open.db"):
        before = Path(study).read_bytes()
        done = run("fit", "done.db", "-o", study, "--force")
        assert (done.returncode, done.stdout) == (1, "")
        assert f"{study} is a study, and writing to it would lose its answers" in done.stderr
        assert Path(study).read_bytes() == before


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["done.db"], 2, "Missing option '--output'"),
        (["-o", "m.model"], 2, "STUDY"),
        (["absent.db", "-o", "m.model"], 1, "there is no study absent.db"),
        (["done.db", "-o", "absent/m.model"], 1, "does not exist; create it first"),
        (["done.db", "-o", "."], 1, "is a folder"),
    ],
)
def test_what_cannot_be_done_is_refused_and_leaves_nothing(run, folder, words, code, message):
    before = names(folder)
    done = run("fit", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert names(folder) == before


def test_what_is_to_be_typed_next_works_as_it_is_printed(run):
    done = run("fit", "three.db", "-o", "my 😀.model")
    command = shlex.split(done.stdout.splitlines()[-1])
    assert command[:3] == ["commensurate", "predict", "my 😀.model"]
    left, right = command[command.index("--between") + 1].split(",")
    shutil.copy(f"{left}.csv", "A.csv")
    shutil.copy(f"{right}.csv", "B.csv")
    predicted = run(*command[1:])
    assert predicted.returncode == 0, predicted.stderr
    assert "40 pairs written to estimates.csv" in predicted.stdout
    assert (pd.read_csv("estimates.csv")["estimate"] >= 0.0).all()


def test_a_group_that_would_clear_the_screen_is_shown_harmlessly(run):
    with Study.create("hostile.db", people(["\x1b[2J", "[red]b", "c"]), group="kind", **DESIGN) as study:
        simulate_study(study)
    done = run("fit", "hostile.db", "-o", "m.model")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "\\x1b[2J × [red]b: learnt from" in done.stdout


def test_what_is_learnt_from_a_study_predicts_alike_after_a_backup(run):
    run("study", "backup", "three.db", "copy.db")
    words = ("--left", "north.csv", "--right", "south.csv", "--between", "north,south", "--id", "id", "--all")
    for place in ("three.db", "copy.db"):
        assert run("fit", place, "-o", f"{place}.model").returncode == 0
        done = run("predict", f"{place}.model", *words, "-o", f"{place}.csv", "--json")
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert (told["pairs"], told["between"]) == (1_600, ["north", "south"])
    assert Path("three.db.csv").read_bytes() == Path("copy.db.csv").read_bytes()


def test_a_model_never_takes_the_place_of_a_study_nor_do_estimates(run, folder):
    run("fit", "done.db", "-o", "m.cmz")
    before = Path("open.db").read_bytes()
    for words in (
        ("fit", "done.db", "-o", "open.db", "--force"),
        ("predict", "m.cmz", "--left", "north.csv", "--right", "north.csv", "-o", "open.db", "--force"),
    ):
        done = run(*words)
        assert (done.returncode, "is a study" in done.stderr) == (1, True)
    assert Path("open.db").read_bytes() == before


def test_answers_that_contradict_each_other_can_be_learnt_from_as_noisy_ones(run):
    with Study.create("exact.db", people(["yes", "no"]), group="kind", **DESIGN, answer_error=0.0) as study:
        for k, question in enumerate(study.next_questions("Ana", 60)):
            study.record(question.question_id, float(k % 5), expert="Ana")
    refused = run("fit", "exact.db", "-o", "m.cmz")
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
    assert "contradict M1 and M2: the answer about" in refused.stderr
    assert "if experts err at random, use --answer-error noise; if no answer is off by more than" in refused.stderr
    assert not Path("m.cmz").exists()
    assert run("fit", "exact.db", "-o", "m.cmz", "--answer-error", "noise").returncode == 0
    assert run("fit", "exact.db", "-o", "a.cmz", "--answer-error", "auto").returncode == 0
    assert run("fit", "exact.db", "-o", "n.cmz", "--answer-error", "much").returncode == 1
    enough = refused.stderr.split("use --answer-error ")[2].split(";")[0]
    assert run("fit", "exact.db", "-o", "n.cmz", "--answer-error", enough).returncode == 0


def test_simulated_answers_without_noise_look_exact(run):
    with Study.create("exact.db", people(["yes", "no"]), group="kind", **DESIGN) as study:
        study.simulate(family="paper")
    told = run("fit", "exact.db", "-o", "m.cmz").stdout
    assert "The answers look exact" in told
    assert "if you know that they are exact, set --answer-error 0 for certified intervals" in told
    assert "The answers look exact" in run("study", "status", "exact.db").stdout.replace("\n", " ")
    certified = run("fit", "exact.db", "-o", "c.cmz", "--answer-error", "0").stdout
    assert "Certified intervals are" in certified


def test_pairs_that_nobody_can_judge_are_told(run):
    with Study("open.db") as study:
        for k, question in enumerate(study.next_questions("Ana", 60)):
            study.record(question.question_id, None if k < 2 else k / 100, expert="Ana", unsure=k < 2)
    assert "All experts were unsure about 2 questions" in run("fit", "open.db", "-o", "m.cmz").stdout
    assert json.loads(run("fit", "open.db", "-o", "n.cmz", "--json").stdout)["unsure_only"] == 2
