"""``commensurate study create`` as a user types it."""

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from commensurate.study.settings import OPTIONS
from commensurate.study.study import Study
from worlds.study_places import PostgresServer, running_postgres

PEOPLE = ["--data", "people.csv", "--group", "married", "--id", "id", "--features", "age,income"]
QUICK = ["--questions", "60", "--learner", "gp", "--seed", "1"]
WITHOUT_PASSWORD, PASSWORD = "postgresql://ana@127.0.0.1:1/people", "hunter2"
STUDY_FILES = (
    "pass either a CSV file with its group column, --data FILE.csv and --group COLUMN, or one file per group, --source "
    "NAME=FILE.csv once per group"
)
UNREACHABLE = f"postgresql://ana:{PASSWORD}@127.0.0.1:1/people"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the user is in: people.csv, and the same people in two files whose columns differ."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    people = pd.DataFrame(
        {
            "id": [f"p{k}" for k in range(200)],
            "married": ["yes", "no"] * 100,
            "where": ["north", "south", "far away 😀", "east"] * 50,
            "age": rng.integers(20, 70, 200),
            "income": rng.integers(1_000, 9_000, 200),
            "note": ["plain", "😀"] * 100,
        }
    )
    people.to_csv("people.csv", index=False)
    people[people["married"] == "yes"][["id", "age", "note"]].to_csv("a.csv", index=False)
    people[people["married"] == "no"][["id", "income"]].to_csv("b.csv", index=False)
    return tmp_path


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A PostgreSQL server that asks for no password, and is given one."""
    with running_postgres() as running:
        yield running


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# --- what is made ---


def test_a_study_is_made_and_what_comes_next_is_told(run):
    done = run("study", "create", "s.db", *PEOPLE, "--show", "age, income, note", *QUICK)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:4] == [
        "yes: 100 records",
        "no: 100 records",
        "60 questions, 1 answer each, and 3 hidden repeats: 63 answers in all",
        "once there are two experts, a second one also answers 50 % of the held-out questions",
    ]
    assert "seed 1\n" in done.stdout
    with Study("s.db") as study:
        assert study.settings.learner == "gp"
        assert study.shown == {"yes": ("age", "income", "note"), "no": ("age", "income", "note")}
        (question,) = study.next_questions("Ana")
        assert len(study.answers()) == 0
    assert set(question.left_record) == {"age", "income", "note"}
    for line in done.stdout.splitlines()[-2:]:
        assert run(*shlex.split(line)[1:]).returncode == 0


def test_json_holds_the_numbers_and_nothing_else_is_printed(run):
    done = run("study", "create", "s.db", *PEOPLE, *QUICK, "--json", "--title", "Wer? 😀", "--share", "0.8")
    made = json.loads(done.stdout)
    assert done.stderr == ""
    assert made["study"] == "s.db"
    assert made["status"]["questions"] == 60
    assert made["status"]["answers_left"] == 63
    assert [(group["name"], group["records"]) for group in made["status"]["groups"]] == [("yes", 100), ("no", 100)]
    assert (made["settings"]["seed"], made["settings"]["share"], made["settings"]["title"]) == (1, 0.8, "Wer? 😀")


def test_defaults_are_those_that_the_help_tells(run):
    help_text = " ".join(run("study", "create", "--help").stdout.split())
    settings = json.loads(run("study", "create", "s.db", *PEOPLE, "--json").stdout)["settings"]
    for option, name, words in (
        ("--questions", "questions", "400 by default"),
        ("--answers-per-question", "answers_per_question", "1 by default"),
        ("--repeats", "repeats", "0.05 by default"),
        ("--calibration", "calibration", "0.2 by default"),
        ("--share", "share", "0.9 by default"),
        ("--confidence-level", "confidence_level", "0.95 by default"),
        ("--lease-minutes", "lease_minutes", "30 by default"),
    ):
        assert words in help_text.partition(f"{option} ")[2].partition(" --")[0], option
        assert settings[name] == float(words.split()[0]), name
    assert (settings["learner"], settings["answer_error"]) == ("auto", "auto")
    assert settings["tolerance"] == pytest.approx(settings["scale_end"] / 20)


def test_the_old_name_of_the_tolerance_is_taken_and_noted(run):
    made = run("study", "create", "s.db", *PEOPLE, "--within", "0.25", "--json")
    assert json.loads(made.stdout)["settings"]["tolerance"] == 0.25
    assert "--within is now --tolerance" in made.stderr
    assert "--within" not in run("study", "create", "--help").stdout


def test_the_same_seed_draws_the_same_questions_and_another_one_others(run):
    drawn = []
    for place, seed in (("s1.db", "5"), ("s2.db", "5"), ("s3.db", "6")):
        assert run("study", "create", place, *PEOPLE, "--questions", "60", "--seed", seed).returncode == 0
        assert run("study", "export", place, f"{place}.csv").returncode == 0
        drawn.append(Path(f"{place}.csv").read_text(encoding="utf-8"))
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


def test_the_seed_that_was_drawn_is_told_and_makes_the_study_again(run):
    first = json.loads(run("study", "create", "s1.db", *PEOPLE, "--questions", "60", "--json").stdout)
    again = run("study", "create", "s2.db", *PEOPLE, "--questions", "60", "--seed", str(first["settings"]["seed"]))
    assert f"seed {first['settings']['seed']}\n" in again.stdout
    with Study("s1.db") as one, Study("s2.db") as other:
        assert one.next_questions("Ana", 60) == other.next_questions("Ana", 60)


def test_singular_and_plural_are_told_apart(run):
    done = run("study", "create", "s.db", *PEOPLE, "--questions", "20", "--answers-per-question", "2")
    assert "20 questions, 2 answers each, and 1 hidden repeat: 41 answers in all" in done.stdout
    assert "a second one" not in done.stdout


def test_of_large_tables_a_random_part_is_kept_and_told(run):
    done = run("study", "create", "s.db", *PEOPLE, *QUICK, "--records", "30")
    assert "yes: 100 records, of which 30 were kept, chosen at random\n" in done.stdout


def test_files_whose_columns_differ_are_the_groups(run):
    sources = ("--source", "the bureau=a.csv", "--source", "vendor 😀=b.csv")
    done = run("study", "create", "s.db", *sources, "--id", "id", "--show", "note,income", *QUICK)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("the bureau: 100 records\nvendor 😀: 100 records\n")
    with Study("s.db") as study:
        assert study.shown == {"the bureau": ("note",), "vendor 😀": ("income",)}


def test_of_sources_each_gives_those_features_that_it_has(run):
    done = run(
        *("study", "create", "s.db", "--source", "a=a.csv", "--source", "b=b.csv", "--id", "id"),
        *("--features", "age,income", *QUICK),
    )
    assert done.returncode == 0, done.stderr
    with Study("s.db") as study:
        assert study.shown == {"a": ("age",), "b": ("income",)}


def test_four_groups_share_the_questions(run):
    words = ["--data", "people.csv", "--group", "where", "--id", "id", "--features", "age"]
    done = run("study", "create", "s.db", *words, *QUICK, "--json")
    assert len(json.loads(done.stdout)["status"]["groups"]) == 4
    run("study", "export", "s.db", "q.csv")
    pairs = pd.read_csv("q.csv")[["left_group", "right_group"]].drop_duplicates()
    # the others are pairs of known distance
    assert sum(pairs["left_group"] != pairs["right_group"]) == 6


def test_names_with_spaces_and_emoji_are_quoted_where_they_are_to_be_typed(run):
    done = run("study", "create", "my 😀 study.db", *PEOPLE, *QUICK)
    assert "Study created in my 😀 study.db. Next:" in done.stdout
    status = done.stdout.splitlines()[-1]
    assert shlex.split(status) == ["commensurate", "study", "status", "my 😀 study.db"]


def test_a_group_that_would_clear_the_screen_is_shown_harmlessly(run):
    pd.DataFrame({"g": ["\x1b[2J", "[red]b"] * 50, "x": range(100)}).to_csv("hostile.csv", index=False)
    done = run("study", "create", "s.db", "--data", "hostile.csv", "--group", "g", *QUICK)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("\\x1b[2J: 50 records\n[red]b: 50 records\n")


def test_a_long_path_stays_on_one_line(run, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    place = folder / ("long " * 10) / "study.db"
    place.parent.mkdir()
    assert f"Study created in {place}. Next:\n" in run("study", "create", str(place), *PEOPLE, *QUICK).stdout


# --- study.toml ---


def test_a_study_file_is_read_from_its_own_folder(run, folder, monkeypatch):
    Path("study.toml").write_text(
        'data = "people.csv"\ngroup = "married"\nid = "id"\nfeatures = ["age"]\nquestions = 60\nlearner = "gp"\n'
        'title = "From the file"\nmetric = {yes = "gower", no = "manhattan"}\n'
    )
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    done = run("study", "create", "s.db", "--config", "../study.toml", "--json")
    assert done.returncode == 0, done.stderr
    assert (elsewhere / "s.db").is_file()
    settings = json.loads(done.stdout)["settings"]
    assert (settings["questions"], settings["learner"], settings["title"]) == (60, "gp", "From the file")


def test_the_command_line_goes_before_the_study_file(run):
    shutil.copy("people.csv", "others.csv")
    Path("study.toml").write_text(
        'data = "absent.csv"\ngroup = "married"\nid = "id"\nfeatures = ["absent"]\nquestions = 90\ntitle = "kept"\n'
    )
    words = ("--config", "study.toml", "--data", "others.csv", "--group", "where", "--features", "age", *QUICK)
    done = run("study", "create", "s.db", *words, "--json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert (made["settings"]["questions"], made["settings"]["title"]) == (60, "kept")
    assert len(made["status"]["groups"]) == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qestions = 60", "study.toml: unknown option 'qestions'; did you mean 'questions'?"),
        ('questions = "many"', "study.toml: questions must be a whole number, got 'many'"),
        ("questions: 60", "study.toml is not a TOML file"),
        ("metric = {yes = 'gower'}", "there is also a group 'no'; give each group a metric"),
        ("data = 'absent.csv'\ngroup = 'g'", "absent.csv: No such file"),
    ],
)
def test_a_broken_study_file_is_one_clear_line(run, folder, text, message):
    Path("study.toml").write_text(text)
    before = names(folder)
    data = () if "data" in text else PEOPLE
    done = run("study", "create", "s.db", "--config", "study.toml", *data)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert names(folder) == before


# --- what is refused ---


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--data people.csv", STUDY_FILES),
        ("--group married", STUDY_FILES),
        ("", STUDY_FILES),
        ("--data people.csv --group married --source a=a.csv", STUDY_FILES),
        ("--source a=a.csv", "at least two groups"),
        ("--source a", "NAME=FILE.csv, got 'a'"),
        ("--source =a.csv", "NAME=FILE.csv, got '=a.csv'"),
        ("--source a=a.csv --source a=b.csv", "names the group 'a' twice"),
        ("--source a=a.csv --source b=absent.csv", "cannot read absent.csv"),
        ("--source a=a.csv --source b=b.csv --features age,incme", "no table has a column 'incme'"),
        ("--source a=a.csv --source b=b.csv --id id --features age", "b.csv has none of the features"),
        (
            "--source a=a.csv --source b=b.csv --id id --show note",
            "experts would see nothing of the records of group 'b'",
        ),
        ("--data absent.csv --group married", "cannot read absent.csv"),
        ("--data people.csv --group wed", "people.csv has no column 'wed'"),
        ("--data people.csv --group married --id nr", "people.csv has no column 'nr'"),
        ("--data people.csv --group married --features age,incme", "people.csv has no column 'incme'"),
        ("--data people.csv --group married --features age,age", "twice"),
        ("--data people.csv --group married --features age,married", "the group column 'married' cannot be a feature"),
        ("PEOPLE --show age,nothing", "people.csv has no column 'nothing'"),
        ("PEOPLE --metric nearness", "unknown metric 'nearness'"),
        ("PEOPLE --metric precomputed", "got 'precomputed'"),
        ("PEOPLE --metric minkowski(0)", "from 1 to 100"),
        ("PEOPLE --learner oracle", "learner must be one of auto, auto-free, gp, got 'oracle'"),
        ("PEOPLE --questions 1", "questions must be a whole number, at least 4, got 1"),
        ("PEOPLE --questions 0", "questions must be a whole number, at least 4, got 0"),
        ("PEOPLE --answers-per-question 0", "--answers-per-question must be a whole number, at least 1"),
        ("PEOPLE --repeats 2", "repeats must be a share from 0 to 1"),
        ("PEOPLE --calibration 1", "calibration must be the share"),
        ("PEOPLE --share 1.5", "share must lie strictly between 0 and 1"),
        ("PEOPLE --confidence-level 95", "--confidence-level must lie strictly between 0 and 1"),
        ("PEOPLE --tolerance 0", "--tolerance must be a finite number above 0"),
        ("PEOPLE --tolerance 0.5 --scale-end 1", "--tolerance must be less than half of the scale, which ends at 1"),
        ("PEOPLE --scale-end nan", "--scale-end must be a finite number above 0"),
        ("PEOPLE --lease-minutes -1", "--lease-minutes must be a number above 0"),
        ("PEOPLE --records 0", "records must be a whole number, at least 1, got 0"),
        ("PEOPLE --seed -1", "seed must be a whole number, at least 0"),
        ("PEOPLE --categories two_hot", "categories must be one of integer, one_hot"),
        ("PEOPLE --missing zero", "missing must be one of error, drop, median"),
        ("PEOPLE --answer-error maybe", "--answer-error must be auto, noise or a number, got 'maybe'"),
        ("PEOPLE --answer-error -1", "--answer-error must be a finite number, at least 0"),
        ("PEOPLE --config absent.toml", "cannot read absent.toml"),
    ],
)
def test_a_study_that_cannot_be_made_says_why_in_one_line_and_leaves_nothing(run, folder, words, message):
    before = names(folder)
    done = run("study", "create", "s.db", *words.replace("PEOPLE", " ".join(PEOPLE)).split())
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.startswith("commensurate: ")
    assert done.stderr.count("\n") == 1
    assert names(folder) == before


def test_one_group_only_has_nobody_to_be_compared_with(run, folder):
    table = pd.read_csv("people.csv")
    table[table["married"] == "yes"].to_csv("wed.csv", index=False)
    done = run("study", "create", "s.db", "--data", "wed.csv", "--group", "married")
    assert done.returncode == 1
    assert "at least two groups are needed" in done.stderr
    assert "s.db" not in names(folder)


@pytest.mark.parametrize("words", [["--questions", "many"], ["--nonsense"], ["--seed", "1.5"], ["--share"]])
def test_what_cannot_be_understood_is_a_usage_error(run, folder, words):
    done = run("study", "create", "s.db", *PEOPLE, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert words[0] in done.stderr
    assert "s.db" not in names(folder)


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [("--question", "--questions"), ("--quetsions", "--questions"), ("--feature", "--features")],
)
def test_a_misspelt_option_is_told_with_the_nearest_one(run, folder, misspelt, meant):
    done = run("study", "create", "s.db", *PEOPLE, misspelt, "60")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"No such option: {misspelt} " in done.stderr
    assert re.search(rf"{meant}\b", done.stderr.partition(misspelt)[2])
    assert "s.db" not in names(folder)


def test_every_setting_is_an_option_of_the_command(run):
    help_text = run("study", "create", "--help").stdout
    # a table of tables cannot be typed
    assert [name for name in OPTIONS if f" --{name.replace('_', '-')} " not in help_text] == ["labels", "columns"]


def test_a_setting_that_is_typed_is_the_one_that_the_study_keeps(run):
    typed = {
        "title": "T",
        "questions": 60,
        "answers_per_question": 2,
        "repeats": 0.1,
        "calibration": 0.3,
        "second_answers": 0.25,
        "metric": "gower",
        "categories": "one_hot",
        "missing": "drop",
        "learner": "gp",
        "answer_error": 0.5,
        "claim": "pairs of these elements",
        "scale_end": 2.0,
        "tolerance": 0.2,
        "share": 0.8,
        "confidence_level": 0.9,
        "lease_minutes": 5.0,
        "records": 90,
        "seed": 7,
        "strips": "all records",
        "answer_kind": "grades",
        "grades": ("alike", "similar", "different"),
        "boundaries": (0.2, 0.5),
        "known_pairs": 4,
    }
    assert {*typed, "labels", "columns", "instructions"} == set(OPTIONS)
    text = {
        name: ",".join(map(str, value)) if isinstance(value, tuple) else str(value) for name, value in typed.items()
    }
    words = [word for name, value in text.items() for word in (f"--{name.replace('_', '-')}", value)]
    made = json.loads(run("study", "create", "s.db", *PEOPLE, *words, "--json").stdout)
    in_json = {name: list(value) if isinstance(value, tuple) else value for name, value in typed.items()}
    assert {name: made["settings"][name] for name in typed} == in_json
    with Study("s.db") as study:
        assert {name: getattr(study.settings, name) for name in typed} == typed


def test_instructions_are_read_from_a_file(run, folder):
    (folder / "words.md").write_text("\ufeffAlike means *equally likely to pay back*.\n", encoding="utf-8")
    made = json.loads(run("study", "create", "s.db", *PEOPLE, *QUICK, "--instructions", "words.md", "--json").stdout)
    assert made["settings"]["instructions"] == "Alike means *equally likely to pay back*."
    with Study("s.db") as study:
        assert study.settings.instructions == made["settings"]["instructions"]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff", "is not a text in UTF-8"), (b"a" * 6_001, "at most 6,000 characters"), (None, "cannot read words.md")],
)
def test_instructions_that_nobody_could_read_are_refused(run, folder, content, message):
    if content is not None:
        (folder / "words.md").write_bytes(content)
    done = run("study", "create", "s.db", *PEOPLE, *QUICK, "--instructions", "words.md")
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert "s.db" not in names(folder)


@pytest.mark.parametrize(
    ("place", "message"),
    [("absent/s.db", "does not exist; create it first"), (".", "is a folder"), ("people.csv", "already exists")],
)
def test_a_place_that_cannot_be_used_is_refused(run, folder, place, message):
    before = (folder / "people.csv").read_bytes()
    done = run("study", "create", place, *PEOPLE)
    assert done.returncode == 1
    assert message in done.stderr
    assert (folder / "people.csv").read_bytes() == before


# --- what is there already ---


def test_a_study_is_replaced_with_force_only(run):
    assert run("study", "create", "s.db", *PEOPLE, *QUICK).returncode == 0
    before = Path("s.db").read_bytes()
    refused = run("study", "create", "s.db", *PEOPLE, "--questions", "70")
    assert refused.returncode == 1
    assert "s.db already exists" in refused.stderr
    assert "--force" in refused.stderr
    assert Path("s.db").read_bytes() == before
    assert run("study", "create", "s.db", *PEOPLE, "--questions", "70", "--force").returncode == 0
    with Study("s.db") as study:
        assert study.settings.questions == 70


def test_force_replaces_nothing_but_a_study(run, folder):
    before = Path("people.csv").read_bytes()
    done = run("study", "create", "people.csv", *PEOPLE, "--force")
    assert done.returncode == 1
    assert "people.csv is not a study" in done.stderr
    assert Path("people.csv").read_bytes() == before


def test_a_failure_leaves_the_study_that_was_to_be_replaced(run, folder):
    assert run("study", "create", "s.db", *PEOPLE, *QUICK).returncode == 0
    before, beside = Path("s.db").read_bytes(), names(folder)
    assert run("study", "create", "s.db", *PEOPLE, "--metric", "nearness", "--force").returncode == 1
    assert Path("s.db").read_bytes() == before
    assert names(folder) == beside


# --- databases on a server ---


@pytest.mark.parametrize(
    "place",
    [
        UNREACHABLE,
        f"{WITHOUT_PASSWORD}?password={PASSWORD}",
        f"{UNREACHABLE}?sslmode=nonsense",
        f"postgresql://ana:{PASSWORD}@127.0.0.1:port/people",
        f"mysql://ana:{PASSWORD}@127.0.0.1/people",
    ],
)
@pytest.mark.parametrize("debug", [[], ["--debug"]])
def test_the_password_of_a_server_that_cannot_be_used_is_never_printed(run, place, debug):
    made = run("study", "create", place, *PEOPLE, *QUICK, *debug)
    others = [run("study", command, place, *debug) for command in ("status", "check", "simulate")]
    for done in (made, *others):
        assert (done.returncode, done.stdout) == (1, "")
        assert PASSWORD not in done.stderr
        assert done.stderr.count("\n") == 1 or debug


def test_a_study_on_a_server_is_not_replaced(run):
    done = run("study", "create", UNREACHABLE, *PEOPLE, "--force")
    assert done.returncode == 1
    assert "a study on a server cannot be replaced" in done.stderr


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_password_that_was_typed_is_not_printed_either(run, server, as_json):
    place = server.url(server.new_database(), password=PASSWORD)
    assert PASSWORD in place
    shown = [run("study", "create", place, *PEOPLE, *QUICK, *as_json)]
    shown += [run("study", command, place, *as_json) for command in ("simulate", "status", "check")]
    shown += [run("study", "backup", place, "copy.db", *as_json), run("study", "create", place, *PEOPLE)]
    assert [done.returncode for done in shown] == [0, 0, 0, 0, 0, 1]
    assert "already has a study" in shown[-1].stderr
    assert PASSWORD not in "".join(done.stdout + done.stderr for done in shown)
