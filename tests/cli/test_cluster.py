"""The command that clusters records of several groups, as a user types it."""

import json
import os
import sys

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
import few_answers
from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids
from page_reader import Reader

pytest.importorskip("kmedoids")

RNG = np.random.default_rng(8)
N = 60
FEATURES = ["age", "income"]
PEOPLE = pd.DataFrame(
    {
        "age": RNG.random(N),
        "income": RNG.choice(["low", "high"], N),
        "married": RNG.choice(["yes", "no"], N),
        "who": [f"<b>ß{k}</b>" for k in range(N)],
    }
)
ONE_FILE = ("cluster", "model.cmz", "people.csv", "--group", "married", "-k", "3", "-o", "out.csv")
WORDS = ("cluster", "model.cmz", "--source", "a=a.csv", "--source", "b=b.csv", "-k", "3", "-o", "out.csv")
COLUMNS = ["group", "id", "cluster", "medoid", "certain", "to_medoid", "lower", "upper"]
DATA = {"a": few_answers.A, "b": few_answers.B}


@pytest.fixture(scope="module")
def naive():
    est = cm.ClusterSimilarity(epsilon=0.1, delta=0.1, dilation=0.5, random_state=0)
    return est.fit(few_answers.POINTS, few_answers.sigma)


@pytest.fixture(scope="module")
def of_tables():
    groups = cm.groups_from_table(PEOPLE, group="married", features=FEATURES)
    est = cm.ClusterSimilarity(epsilon=0.1, delta=0.1, dilation=0.5, random_state=0)
    return est.fit(groups, lambda left, right, between: 0.7 * np.abs(left[:, 0] - right[:, 0]))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_sources():
    for name, points in DATA.items():
        table = pd.DataFrame(points).add_prefix("x")
        table.assign(who=[f"{name}ß{k}" for k in range(len(points))], same="x").to_csv(f"{name}.csv", index=False)


@pytest.fixture
def model(naive, here):
    """Groups with different columns."""
    naive.save("model.cmz")
    write_sources()
    return naive


@pytest.fixture
def one_file(of_tables, here):
    of_tables.save("model.cmz")
    PEOPLE.to_csv("people.csv", index=False)
    return of_tables


def expected(est, data=DATA, n_clusters=3, **options):
    return CrossGroupKMedoids(n_clusters, random_state=0, **options).fit(est, data)


def read(path="out.csv"):
    return pd.read_csv(path, dtype={"id": str})


def told(run, *words):
    done = run(*words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_the_help_says_what_small_means_and_which_columns_there_are(run):
    words = " ".join(run("cluster", "--help").stdout.split())
    assert "Small dissimilarity means similar" in words
    assert ", ".join(COLUMNS) in words


# --- what is written ---


@pytest.mark.parametrize("interval", ["certified", "estimate"])
def test_what_is_written_is_what_the_library_finds(run, model, interval):
    done = run(*WORDS, "--id", "who", "--interval", interval)
    assert (done.returncode, done.stderr) == (0, "")
    table, found = read(), expected(model, interval=interval)
    assert table.columns.tolist() == COLUMNS
    assert table["group"].tolist() == ["a"] * len(DATA["a"]) + ["b"] * len(DATA["b"])
    assert table["id"].tolist() == [f"{name}ß{k}" for name in DATA for k in range(len(DATA[name]))]
    np.testing.assert_array_equal(table["cluster"], np.concatenate([found.labels_[name] for name in DATA]))
    np.testing.assert_array_equal(table["certain"], np.concatenate([found.certain_[name] for name in DATA]))
    medoids = [f"{group}ß{row}" for group, row in found.medoids_.itertuples(index=False)]
    assert table["id"][table["medoid"]].tolist() == medoids
    assert table["to_medoid"].sum() == pytest.approx(found.cost_)
    assert (table["lower"].sum(), table["upper"].sum()) == pytest.approx(found.cost_bounds_)


def test_true_and_false_are_written_in_small_letters(run, model, here):
    run(*WORDS)
    fields = [line.split(",") for line in (here / "out.csv").read_text().splitlines()[1:]]
    assert {field for line in fields for field in line[3:5]} == {"true", "false"}


def test_one_file_with_a_column_of_groups_is_clustered_too(run, one_file):
    done = run(*ONE_FILE, "--id", "who")
    assert (done.returncode, done.stderr) == (0, "")
    found = expected(one_file, {name: rows[FEATURES] for name, rows in PEOPLE.groupby("married")})
    table = read().set_index("id")
    for name, labels in found.labels_.items():
        whose = PEOPLE["who"][PEOPLE["married"] == name]
        np.testing.assert_array_equal(table["cluster"][whose], labels)


def test_without_an_id_column_records_are_called_by_their_row(run, model):
    run(*WORDS)
    assert read()["id"].tolist()[:2] == ["1", "2"]


def test_the_seed_and_the_representatives_are_those_that_were_asked_for(run, model):
    words = (*WORDS, "--representatives", "10", "--seed", "3")
    assert run(*words).returncode == 0
    found = CrossGroupKMedoids(3, representatives=10, random_state=3).fit(model, DATA)
    np.testing.assert_array_equal(read()["cluster"], np.concatenate([found.labels_[name] for name in DATA]))
    again = told(run, *words, "--force")
    assert again["representation_cost"] == found.representation_cost_ > 0.0


# --- what is printed ---


def test_the_summary_tells_sizes_cost_certainty_questions_and_files(run, model):
    done = run(*WORDS, "--id", "who")
    found, shown = expected(model), " ".join(done.stdout.split())
    for cluster, (group, row) in enumerate(found.medoids_.itertuples(index=False)):
        sizes = [int((found.labels_[name] == cluster).sum()) for name in DATA]
        assert f"{cluster} {group}ß{row} ({group}) {sizes[0]} {sizes[1]} {sum(sizes)}" in shown
    uncertain = sum(int((~certain).sum()) for certain in found.certain_.values())
    assert f"for the other {uncertain} a different one is possible" in shown
    assert f"is estimated at {found.cost_:.4g}" in shown
    assert "Under the true dissimilarities it is between" in shown
    assert "they are true if M1 and M2 hold" in shown
    question = found.next_questions(1).iloc[0]
    assert f"aß{question['left']} (a) bß{question['right']} (b) {question['settles']}" in shown
    assert "clusters written to out.csv" in done.stdout
    assert "--report clusters.html" in done.stdout
    assert "--questions next_questions.csv" in done.stdout


def test_what_representatives_cost_is_told_where_there_are_some(run, model):
    assert "among all elements" in run(*WORDS).stdout
    cost = expected(model, representatives=10).representation_cost_
    shown = " ".join(run(*WORDS, "--representatives", "10", "--force").stdout.split())
    assert f"These are {cost:.4g} from their representatives in all" in shown


def test_estimates_alone_tell_neither_limits_nor_questions(run, model):
    done = run(*WORDS, "--interval", "estimate")
    shown = " ".join(done.stdout.split())
    assert "Estimates were taken for the truth" in shown
    assert "between" not in shown
    assert "uncertain" not in shown
    assert "The next questions" not in shown
    assert "--questions" not in shown


def test_ids_that_a_terminal_would_obey_are_shown(run, model, here):
    table = pd.read_csv("a.csv")
    table.assign(who=[f"\x1b[2J{k}" for k in range(len(table))]).to_csv("a.csv", index=False)
    done = run(*WORDS, "--id", "who")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout


def test_calibrated_intervals_are_called_an_indication(run, here):
    few_answers.budgeted(budget=120).fit(few_answers.POINTS, few_answers.sigma).save("model.cmz")
    write_sources()
    done = run(*WORDS, "--interval", "calibrated", "--confidence-level", "0.8")
    assert (done.returncode, done.stderr) == (0, "")
    shown = " ".join(done.stdout.split())
    assert "an indication, not as a promise" in shown
    assert "If every calibrated interval held, which is not promised," in shown
    assert "The next questions" not in shown
    assert "--questions" not in shown
    refused = run(*WORDS, "--interval", "calibrated", "--questions", "q.csv", "--force")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "use --interval certified, got calibrated" in refused.stderr
    done = run(*WORDS, "--interval", "calibrated", "--confidence-level", "0.999", "--force")
    assert done.stderr.startswith("commensurate: a calibrated interval at level 0.999 needs at least 999 answers")
    assert done.stderr.count("\n") == 1


def test_who_is_left_out_and_which_group_nobody_is_of_are_told(run, one_file):
    PEOPLE.assign(married=PEOPLE["married"].where(PEOPLE["married"] == "no", "divorced")).to_csv(
        "people.csv", index=False
    )
    assert "were not fitted: " in run(*ONE_FILE).stderr
    done = run(*ONE_FILE, "--drop-others")
    n = int((PEOPLE["married"] == "yes").sum())
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        f"commensurate: left out, because their groups were not fitted: divorced {n}",
        "commensurate: nobody of the fitted groups ['yes'] is among the people",
    ]


def test_json_tells_what_the_library_finds(run, model):
    found, said = expected(model), told(run, *WORDS, "--id", "who")
    assert said["groups"] == {"a": 60, "b": 60}
    assert (said["cost"], said["representation_cost"]) == (found.cost_, 0.0)
    assert said["cost_bounds"] == list(found.cost_bounds_)
    assert said["best_cost_bounds"] == list(found.best_cost_bounds_)
    assert said["uncertain"] == {name: int((~certain).sum()) for name, certain in found.certain_.items()}
    assert [f"{each['medoid_id']}" for each in said["clusters"]] == [
        f"{group}ß{row}" for group, row in found.medoids_.itertuples(index=False)
    ]
    assert sum(each["uncertain"] for each in said["clusters"]) == sum(said["uncertain"].values())
    assert sum(sum(each["sizes"].values()) for each in said["clusters"]) == 120
    questions = found.next_questions(10)
    assert [each["left_id"] for each in said["next_questions"]] == [f"aß{row}" for row in questions["left"]]
    assert said["files"] == ["out.csv"]


# --- questions and answers ---


def test_answered_questions_make_more_clusters_certain(run, model):
    words = (*WORDS, "--id", "who", "--force")
    before = told(run, *words, "--questions", "questions.csv")
    questions = pd.read_csv("questions.csv")
    assert questions.columns.tolist() == [
        *("left_group", "left_id", "right_group", "right_id", "settles", "rules_out", "answer")
    ]
    assert questions["answer"].isna().all()
    left, right = (questions[f"{side}_id"].str.partition("ß")[2].astype(int) for side in ("left", "right"))
    questions["answer"] = few_answers.sigma(few_answers.A[left], few_answers.B[right])
    # the last one was left open
    questions.iloc[-1, questions.columns.get_loc("answer")] = np.nan
    questions.to_csv("answered.csv", index=False)
    after = told(run, *words, "--answers", "answered.csv")
    assert sum(after["uncertain"].values()) < sum(before["uncertain"].values())
    assert [each["medoid_id"] for each in after["clusters"]] == [each["medoid_id"] for each in before["clusters"]]
    assert after["cost_bounds"][0] >= before["cost_bounds"][0]
    assert after["cost_bounds"][1] <= before["cost_bounds"][1]


def answer(path, questions):
    left, right = (questions[f"{side}_id"].str.partition("ß")[2].astype(int) for side in ("left", "right"))
    questions.assign(answer=few_answers.sigma(few_answers.A[left], few_answers.B[right])).to_csv(path, index=False)


def test_the_answers_of_several_rounds_are_passed_together(run, model):
    words = (*WORDS, "--id", "who", "--force")
    told(run, *words, "--questions", "first.csv")
    answer("first.csv", pd.read_csv("first.csv"))
    once = told(run, *words, "--answers", "first.csv", "--questions", "second.csv")
    answer("second.csv", pd.read_csv("second.csv"))
    done = run(*words, "--answers", "first.csv", "--answers", "second.csv", "--report", "clusters.html", "--json")
    twice = json.loads(done.stdout)
    assert sum(twice["uncertain"].values()) < sum(once["uncertain"].values())
    width_once, width_twice = (np.diff(each["cost_bounds"])[0] for each in (once, twice))
    assert width_twice < width_once


# --- the report ---


def test_the_foot_of_the_report_tells_people_and_answers_apart_and_no_level_that_does_not_count(run, model, here):
    pytest.importorskip("matplotlib")
    run(*WORDS, "--id", "who", "--questions", "first.csv")
    answer("first.csv", pd.read_csv("first.csv"))
    run(*WORDS, "--id", "who", "--answers", "first.csv", "--report", "clusters.html", "--force")
    text = Reader((here / "clusters.html").read_text(encoding="utf-8")).text
    foot = text[text.rindex("model.cmz") :]
    assert "peoplea.csv, b.csvclusters3" in foot
    assert "answersfirst.csv" in foot
    assert "confidence level" not in foot


def test_the_report_is_one_page_that_names_records_by_id_and_shows_their_columns(run, one_file, here):
    pytest.importorskip("matplotlib")
    done = run(*ONE_FILE, "--id", "who", "--report", "clusters.html")
    assert (done.returncode, done.stderr) == (0, "")
    assert "report written to clusters.html" in done.stdout
    page = (here / "clusters.html").read_text(encoding="utf-8")
    group, row = expected(one_file, {name: rows[FEATURES] for name, rows in PEOPLE.groupby("married")}).medoids_.iloc[0]
    medoid = PEOPLE["who"][PEOPLE["married"] == group].iloc[row]
    assert f"&lt;b&gt;{medoid[3:-4]}&lt;/b&gt;" in page
    assert "<b>ß" not in page
    assert "income" in page
    assert "people.csv" in page
    assert "<script" not in page


# --- files ---


def test_existing_files_are_overwritten_by_force_only(run, model, here):
    (here / "questions.csv").write_text("precious")
    words = (*WORDS, "--questions", "questions.csv")
    done = run(*words)
    assert (done.returncode, done.stdout) == (1, "")
    assert "questions.csv exists already" in done.stderr
    assert (here / "questions.csv").read_text() == "precious"
    assert not (here / "out.csv").exists()
    assert run(*words, "--force").returncode == 0
    assert (here / "questions.csv").read_text() != "precious"


def test_a_full_disk_leaves_everything_as_it_was(run, model, here, monkeypatch):
    (here / "out.csv").write_text("precious")
    before, synced = sorted(os.listdir()), []

    def full_disk(file):
        synced.append(file)
        if len(synced) > 1:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    done = run(*WORDS, "--questions", "questions.csv", "--force")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "commensurate: cannot write questions.csv: No space left on device\n"
    assert sorted(os.listdir()) == before
    assert (here / "out.csv").read_text() == "precious"


# --- what is refused ---


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-k", "121"], "n_clusters must be at most the number of elements, or of representatives, 120, got 121"),
        (["--representatives", "1", "-k", "3"], "or of representatives, 2, got 3"),
        (["--interval", "none"], "--interval must be one of"),
        (["--interval", "calibrated"], "ClusterSimilarity holds none out; use --interval certified"),
        (["--interval", "estimate", "--questions", "q.csv"], "use --interval certified, got estimate"),
        (["--interval", "estimate", "--answers", "a.csv"], "--answers narrow certified intervals only"),
        (["--answers", "a.csv"], "a.csv must have the columns"),
        (["--confidence-level", "2"], "confidence_level must"),
        (["--id", "nr"], "lacks ['nr']"),
        (["--id", "same"], "'x' of group 'a' stands twice in a.csv: in lines 2 and 3"),
        (["--source", "z=a.csv"], "unknown group 'z'"),
        (["--group", "who"], "give either a CSV file of people and --group COLUMN, or --source"),
        (["--report", "clusters.txt"], "--report must end in .html, got clusters.txt"),
        (["-o", "absent/out.csv"], "no folder"),
        (["-o", "a.csv", "--force"], "a.csv is read by this command"),
        (["--questions", "./model.cmz", "--force"], "model.cmz is read by this command"),
        (["--questions", "out.csv"], "two outputs would be written to"),
    ],
)
def test_what_cannot_be_clustered_says_why_in_one_line_and_writes_nothing(run, model, words, message):
    before = sorted(os.listdir())
    done = run(*WORDS, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize("words", [["-k", "0"], ["--seed", "-1"], ["--representatives", "0"]])
def test_numbers_that_mean_nothing_are_usage_errors(run, model, words):
    done = run(*WORDS, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert words[0] in done.stderr


def test_noisy_answers_give_no_certified_intervals_and_the_error_names_calibrated_ones(run, here):
    est = few_answers.budgeted(budget=120, answer_error="noise").fit(few_answers.POINTS, few_answers.sigma)
    est.save("model.cmz")
    write_sources()
    done = run(*WORDS)
    assert (done.returncode, done.stdout) == (1, "")
    assert "use --interval calibrated" in done.stderr
    assert run(*WORDS, "--interval", "calibrated").returncode == 0


def test_a_dissimilarity_that_is_not_the_same_both_ways_is_refused(run, here):
    est = cm.NaiveSimilarity(epsilon=0.2, delta=0.2, symmetric=False, random_state=0)
    est.fit(few_answers.POINTS, few_answers.sigma).save("model.cmz")
    write_sources()
    done = run(*WORDS)
    assert (done.returncode, done.stdout) == (1, "")
    assert "symmetric=False" in done.stderr


def test_without_kmedoids_the_extra_is_named(run, model, monkeypatch):
    monkeypatch.setitem(sys.modules, "kmedoids", None)
    done = run(*WORDS)
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install 'commensurate[cluster]'" in done.stderr
    assert not os.path.exists("out.csv")


def test_a_model_with_a_metric_of_ones_own_says_what_to_do(run, here):
    def metric(u, v):
        return np.abs(u[:, :1] - v[:, 0])

    groups = [cm.Group("a", [[0.0], [1.0]], metric), cm.Group("b", [[0.0], [1.0]])]
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0).fit(groups, lambda u, v, b: abs(u - v)[:, 0])
    est.save("model.cmz")
    write_sources()
    done = run(*WORDS)
    assert done.returncode == 1
    assert "load the model in Python, and call commensurate.applications.CrossGroupKMedoids" in done.stderr


def test_records_that_coincide_are_called_a_medoid_only_if_they_are_one(run, model):
    for name in DATA:
        table = pd.read_csv(f"{name}.csv")
        pd.concat([table, table.assign(who=table["who"] + "again")]).to_csv(f"{name}.csv", index=False)
    assert run(*WORDS, "--id", "who").returncode == 0
    table = read()
    assert table["medoid"].sum() == 3
    assert sorted(table["cluster"][table["medoid"]]) == [0, 1, 2]
    assert table["certain"][table["medoid"]].all()


def test_a_cluster_with_nobody_but_its_medoid_because_of_ties_is_noted(run, model):
    for name, source in (("a", "a"), ("b", "b")):
        table = pd.read_csv(f"{source}.csv").iloc[[0] * 3]
        table.assign(who=[f"{name}{k}" for k in range(3)]).to_csv(f"{name}.csv", index=False)
    done = run(*WORDS, "--id", "who")
    assert done.returncode == 0
    assert "nobody but its medoid, because of ties" in done.stderr or "nobody but their medoids" in done.stderr
