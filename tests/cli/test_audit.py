"""The command that audits the scores of people, as a user types it."""

import json
import os
import re

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
import few_answers
from commensurate.applications import audit_fairness
from commensurate.applications.fairness.audit_words import NOBODY_LISTED, passing_in_words
from commensurate.cli.audit_files import QUESTIONS, TABLES

RNG = np.random.default_rng(4)
N = 80
FEATURES = ["age", "income"]
WORDS = ("audit", "model.cmz", "people.csv", "--group", "married", "--score", "p")
SOURCES = ("audit", "model.cmz", "--source", "a=a.csv", "--source", "b=b.csv", "--score", "p")


def sigma(left, right, between=None):
    return 0.7 * np.abs(left[:, :2] - right[:, :2]).sum(axis=1)


def people(names):
    table = pd.DataFrame({"age": RNG.random(N), "income": RNG.random(N), "married": RNG.choice(names, N)})
    scores = 0.5 * table["age"] + 0.3 * table["income"] + np.where(table["married"] == names[0], 0.3, 0.0)
    return table.assign(
        p=scores, y=(RNG.random(N) < scores).astype(int), who=[f"<b>ß{k}</b>" for k in range(N)], score="none"
    )


PEOPLE = people(["yes", "no"])
THREE = people(["a", "b, or so", "c"])


def cluster(table):
    groups = cm.groups_from_table(table, group="married", features=FEATURES)
    return cm.ClusterSimilarity(epsilon=0.1, delta=0.1, dilation=0.5, random_state=0).fit(groups, sigma)


@pytest.fixture(scope="module")
def of_tables():
    return cluster(PEOPLE)


@pytest.fixture(scope="module")
def budgeted():
    return few_answers.budgeted(budget=120).fit(few_answers.POINTS, few_answers.sigma)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def model(of_tables, here):
    of_tables.save("model.cmz")
    PEOPLE.to_csv("people.csv", index=False)
    return of_tables


@pytest.fixture
def with_sources(budgeted, here):
    """Groups with different columns, and a model of few answers."""
    budgeted.save("model.cmz")
    write_sources()
    return budgeted


def write_sources(scores=lambda points: np.linspace(0.0, 1.0, len(points))):
    for name, points in (("a", few_answers.A), ("b", few_answers.B)):
        pd.DataFrame(points).add_prefix("x").assign(p=scores(points)).to_csv(f"{name}.csv", index=False)


def by_group(column):
    return {name: PEOPLE[column][PEOPLE["married"] == name].to_numpy() for name in ("yes", "no")}


def expected(est, **options):
    data = {name: rows[FEATURES] for name, rows in PEOPLE.groupby("married")}
    return audit_fairness(est, data, scores=by_group("p"), **{"random_state": 0, **options})


def told(run, *words):
    done = run(*words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_the_help_says_what_small_means(run):
    words = " ".join(run("audit", "--help").stdout.split())
    assert "small dissimilarity means similar" in words
    assert "Nothing is written unless" in words


# --- what is printed ---


def test_the_summary_tells_who_was_compared_the_shares_the_worst_pairs_and_what_may_be_relied_on(run, model, here):
    before = sorted(os.listdir())
    done = run(*WORDS, "--id", "who")
    assert (done.returncode, done.stderr) == (0, "")
    audit = expected(model)
    for row in audit.people.itertuples():
        assert f"{row.group}" in done.stdout
        assert f"{row.people}" in done.stdout
    worst = audit.worst.iloc[0]
    rows = PEOPLE[PEOPLE["married"] == worst["worse_group"]]
    assert f"{worst['worse_group']} {rows['who'].iloc[worst['worse']]}" in done.stdout
    assert passing_in_words(audit) in " ".join(done.stdout.split())
    assert "No verdict is wrong if M1 and M2 hold" in " ".join(done.stdout.split())
    assert "--report audit.html" in done.stdout
    assert sorted(os.listdir()) == before


def test_in_a_narrow_terminal_lines_are_broken_and_no_number_is_cut(run, model, monkeypatch):
    monkeypatch.setenv("COLUMNS", "66")
    summary, _, more = run(*WORDS, "--id", "who").stdout.partition("next, the same command with")
    assert more
    assert max(map(len, summary.splitlines())) <= 66
    for count in expected(model).shares[["n_pairs", "violated", "undecided", "satisfied"]].to_numpy().ravel():
        assert f" {count:,} " in summary


def test_a_group_name_that_a_terminal_would_obey_is_shown_instead(run, here):
    table = PEOPLE.assign(married=PEOPLE["married"].replace("no", "\x1b[2Jno"))
    cluster(table).save("model.cmz")
    table.to_csv("people.csv", index=False)
    done = run(*WORDS, "--drop-others")
    assert "\x1b" not in done.stdout
    assert "\\x1b[2Jno" in done.stdout


def test_calibrated_intervals_are_said_to_hold_for_random_pairs_only(run, with_sources):
    done = run(*SOURCES, "--interval", "calibrated", "--confidence-level", "0.9")
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing is promised for pairs that somebody picks" in " ".join(done.stdout.split())


def test_infinite_intervals_are_told_in_one_line_on_standard_error(run, with_sources):
    words = (*SOURCES, "--interval", "calibrated", "--confidence-level", "0.999")
    done = run(*words)
    assert done.returncode == 0
    assert done.stderr.startswith("commensurate: a calibrated interval at level 0.999 needs at least 999 answers")
    assert done.stderr.count("\n") == 1
    assert told(run, *words)["notes"] == [done.stderr.removeprefix("commensurate: ").rstrip("\n")]


def test_under_calibrated_intervals_the_limits_are_said_to_allow_for_wrong_verdicts(run, with_sources):
    words = " ".join(run(*SOURCES, "--interval", "calibrated").stdout.split())
    assert "Across groups the limits allow for the share of verdicts that may be wrong." in words


def test_where_calibrated_intervals_name_nobody_that_is_said_and_a_repair_is_offered(run, here):
    few_answers.budgeted(budget=60).fit(few_answers.POINTS, few_answers.sigma).save("model.cmz")
    write_sources(lambda points: np.where(np.arange(len(points)) % 7, 0.5, 5.0))
    words = (*SOURCES, "--interval", "calibrated", "--confidence-level", "0.9")
    found = told(run, *words)
    assert found["nobody_listed"]
    done = " ".join(run(*words).stdout.split())
    assert NOBODY_LISTED in done
    assert "none is violated" not in done
    assert "within the group alone" in done
    assert "--repair repaired.csv" in done


def test_the_search_for_the_worst_is_left_out_on_demand(run, model):
    done = run(*WORDS, "--worst", "0")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No list of the worst pairs was asked for." in done.stdout
    assert "none is violated" not in done.stdout


def test_questions_that_were_never_answered_are_told(run, here):
    PEOPLE.to_csv("people.csv", index=False)
    groups = cm.groups_from_table(PEOPLE, group="married", features=FEATURES)
    est = cm.ClusterSimilarity(epsilon=0.1, delta=0.1, dilation=0.5, ask="on_demand", random_state=0).fit(groups, sigma)
    some = PEOPLE.groupby("married")[FEATURES]
    est.predict(*(some.get_group(name).head(5) for name in est.groups_))
    est.save("model.cmz")
    done = run(*WORDS, "--id", "who", "--report", "audit.html")
    assert done.returncode == 0
    table = next(iter(est.tables_.values()))
    note = f"{len(table.grid) - table.n_answered:,} of {len(table.grid):,} questions were never answered"
    assert 0 < table.n_answered < len(table.grid)
    assert note in done.stderr
    page = (here / "audit.html").read_text(encoding="utf-8")
    assert note in page
    assert not re.search(r"\bnan\b", page)
    done = run(*WORDS, "--interval", "estimate")
    assert done.returncode == 1
    assert "use --interval certified" in done.stderr


# --- JSON ---


def test_json_tells_what_the_library_finds_with_people_by_id(run, model):
    found = told(run, *WORDS, "--id", "who", "--lipschitz", "0.8", "--pairs", "500", "--seed", "3", "--worst", "7")
    audit = expected(model, lipschitz=0.8, pairs=500, random_state=3, worst=7)
    assert found["groups"] == {name: int((PEOPLE["married"] == name).sum()) for name in model.groups_}
    assert found["shares"] == audit.shares.to_dict("records")
    assert found["people"] == audit.people.to_dict("records")
    assert found["passing"]["fails_below"] == audit.passing.fails_below
    assert [pair["gap"] for pair in found["worst"]] == audit.worst["gap"].head(5).tolist()
    assert found["worst"][0]["worse_id"].startswith("<b>ß")
    assert (found["notes"], found["files"]) == ([], [])


def test_all_pairs_are_looked_at_on_demand(run, model):
    assert all(share["every"] for share in told(run, *WORDS, "--pairs", "all")["shares"])


def test_a_low_score_may_be_the_favourable_one(run, model):
    high, low = (told(run, *WORDS, "--favourable", which)["worst"][0] for which in ("high", "low"))
    assert high["worse_score"] < high["better_score"]
    assert (low["worse_id"], low["better_id"]) == (high["better_id"], high["worse_id"])


def test_three_groups_are_compared_two_by_two_and_within(run, here):
    cluster(THREE).save("model.cmz")
    THREE.to_csv("people.csv", index=False)
    found = told(run, *WORDS)
    assert len(found["shares"]) == 6
    assert {share["right_group"] for share in found["shares"]} == {"a", "b, or so", "c"}


def test_sources_with_different_columns_are_audited(run, with_sources):
    found = told(run, *SOURCES)
    audit = audit_fairness(
        with_sources,
        {"a": few_answers.A, "b": few_answers.B},
        scores={name: np.linspace(0.0, 1.0, 60) for name in ("a", "b")},
        random_state=0,
    )
    assert found["shares"] == audit.shares.to_dict("records")


@pytest.mark.parametrize("in_file", ["0,1", "0.0,1.0"])
def test_groups_named_by_numbers_and_a_byte_order_mark_are_read(run, here, in_file):
    numbers = (PEOPLE["married"] == "yes").astype(int)
    cluster(PEOPLE.assign(married=numbers)).save("model.cmz")
    texts = numbers.map(dict(enumerate(in_file.split(","))))
    PEOPLE.assign(married=texts)[["married", *FEATURES, "p"]].to_csv("people.csv", index=False, encoding="utf-8-sig")
    assert set(told(run, *WORDS)["groups"]) == {"0", "1"}


def test_people_of_other_groups_are_dropped_on_demand_and_counted(run, model):
    PEOPLE.assign(married=PEOPLE["married"].where(PEOPLE.index > 4, "divorced")).to_csv("people.csv", index=False)
    done = run(*WORDS, "--drop-others")
    assert done.stderr == "commensurate: left out, because their groups were not fitted: divorced 5\n"
    done = run(*WORDS, "--drop-others", "--json")
    assert json.loads(done.stdout)["left_out"] == {"divorced": 5}


def test_a_fitted_group_without_people_is_told(run, model):
    PEOPLE[PEOPLE["married"] == "no"].to_csv("people.csv", index=False)
    done = run(*WORDS)
    assert done.returncode == 0
    assert done.stderr == "commensurate: nobody of the fitted groups ['yes'] is among the people\n"


# --- questions that were answered ---


def answered(folder):
    """The next questions of an audit, with the truth filled in."""
    table = pd.read_csv(folder / "out" / "next_questions.csv")
    rows = PEOPLE.set_index("who").loc
    spans = PEOPLE[FEATURES].max() - PEOPLE[FEATURES].min()
    left, right = (rows[table[f"{side}_id"], FEATURES].to_numpy() / spans.to_numpy() for side in ("left", "right"))
    table["answer"] = sigma(left, right)
    return table


def test_answered_questions_settle_pairs_and_make_none_undecided(run, model, here):
    words = (*WORDS, "--id", "who", "--pairs", "all")
    before = told(run, *words, "--tables", "out")["shares"][0]
    table = answered(here)
    # the last one was left open
    table.iloc[-1, table.columns.get_loc("answer")] = np.nan
    table.to_csv("answered.csv", index=False)
    after = told(run, *words, "--answers", "answered.csv")["shares"][0]
    assert len(table) > 1
    assert after["undecided"] < before["undecided"]
    assert after["violated"] >= before["violated"]


def test_answers_of_all_rounds_count(run, model, here):
    words = (*WORDS, "--id", "who", "--pairs", "all")
    given = ()
    undecided = []
    for k in range(2):
        undecided.append(told(run, *words, *given, "--tables", "out", "--force")["shares"][0]["undecided"])
        answered(here).to_csv(f"round{k}.csv", index=False)
        given += ("--answers", f"round{k}.csv")
    last_alone = told(run, *words, "--answers", "round1.csv")["shares"][0]["undecided"]
    both = told(run, *words, *given)["shares"][0]["undecided"]
    assert both < undecided[1] < undecided[0]
    assert both < last_alone


def test_questions_are_put_for_certified_intervals_only(run, with_sources, here):
    words = (*SOURCES, "--interval", "calibrated", "--confidence-level", "0.9", "--tables", "out", "--report", "a.html")
    done = run(*words)
    assert done.returncode == 0
    assert sorted(os.listdir("out")) == sorted(f"{name}.csv" for name in TABLES)
    assert 'id="questions"' not in (here / "a.html").read_text(encoding="utf-8")
    assert told(run, *words, "--force")["next_questions"] is None


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("answer", "much", "answered.csv, line 3: the column 'answer' must hold numbers, got 'much'"),
        ("answer", "-1", "answered.csv, line 3: an answer must be a finite number, 0 or more, got '-1'"),
        ("answer", "inf", "answered.csv, line 3: an answer must be a finite number, 0 or more, got 'inf'"),
        ("left_id", "nobody", "answered.csv, line 3: nobody of group "),
        ("right_group", "z", "answered.csv, line 3: nobody of a group 'z' is among the people"),
        ("right_group", "", "answered.csv, line 3: nobody without a group is among the people"),
    ],
)
def test_an_answer_that_means_nothing_is_told_with_its_line(run, model, here, column, value, message):
    run(*WORDS, "--id", "who", "--tables", "out")
    table = answered(here).astype(object)
    table.loc[1, column] = value
    table.to_csv("answered.csv", index=False)
    done = run(*WORDS, "--id", "who", "--answers", "answered.csv")
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr


def test_a_file_without_an_answer_and_answers_beside_estimates_are_refused(run, model):
    run(*WORDS, "--id", "who", "--tables", "out")
    done = run(*WORDS, "--id", "who", "--answers", "out/next_questions.csv")
    assert done.stderr.startswith("commensurate: out/next_questions.csv has no answer")
    done = run(*WORDS, "--interval", "estimate", "--answers", "out/next_questions.csv")
    assert "--answers narrow certified intervals only" in done.stderr


# --- files ---


def test_tables_have_what_the_library_finds_with_ids_in_place_of_row_numbers(run, model, here):
    done = run(*WORDS, "--id", "who", "--tables", "out", "--pairs", "all")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{len(TABLES) + 1} tables written to out" in done.stdout
    assert sorted(os.listdir("out")) == sorted(f"{name}.csv" for name in (*TABLES, QUESTIONS))
    audit = expected(model, pairs="all")
    ids = by_group("who")
    for name, sides in (("verdicts", ("left", "right")), ("worst", ("worse", "better"))):
        table, found = pd.read_csv(here / "out" / f"{name}.csv"), getattr(audit, name)
        for side in sides:
            named = [ids[group][row] for group, row in zip(found[f"{side}_group"], found[side])]
            assert table[f"{side}_id"].tolist() == named
        np.testing.assert_allclose(table["gap"], found["gap"])
        np.testing.assert_allclose(table["upper"], found["upper"])
    assert pd.read_csv("out/by_person.csv")["id"].is_unique
    assert pd.read_csv("out/next_questions.csv").columns.tolist() == [
        *("left_group", "left_id", "right_group", "right_id", "settles", "answer"),
    ]


def test_the_report_is_one_page_that_names_people_by_id_and_shows_their_fields(run, model, here):
    done = run(*WORDS, "--id", "who", "--report", "audit.html", "--without-experts")
    assert (done.returncode, done.stderr) == (0, "")
    assert "report written to audit.html" in done.stdout
    page = (here / "audit.html").read_text(encoding="utf-8")
    worst = expected(model).worst.iloc[0]
    person = PEOPLE[PEOPLE["married"] == worst["worse_group"]].iloc[worst["worse"]]
    assert f"&lt;b&gt;{person['who'][3:-4]}&lt;/b&gt;" in page
    assert "<b>ß" not in page
    assert "income" in page
    assert "people.csv" in page
    assert "<script" not in page


def test_without_experts_is_told_too(run, model):
    assert "without experts" in run(*WORDS, "--without-experts").stdout
    assert told(run, *WORDS, "--without-experts")["without_experts"][0]["baseline"] == "euclidean"
    assert told(run, *WORDS)["without_experts"] is None


def test_existing_files_are_overwritten_by_force_only(run, model, here):
    os.mkdir("out")
    (here / "out" / "worst.csv").write_text("precious")
    (here / "out" / "note.txt").write_text("precious")
    done = run(*WORDS, "--tables", "out", "--report", "audit.html")
    assert done.returncode == 1
    assert "worst.csv exists already" in done.stderr
    assert (here / "out" / "worst.csv").read_text() == "precious"
    assert not (here / "audit.html").exists()
    assert run(*WORDS, "--tables", "out", "--force").returncode == 0
    assert (here / "out" / "worst.csv").read_text() != "precious"
    assert (here / "out" / "note.txt").read_text() == "precious"


def test_a_full_disk_leaves_everything_as_it_was(run, model, here, monkeypatch):
    (here / "audit.html").write_text("precious")
    before = sorted(os.listdir())
    synced = []

    def full_disk(file):
        synced.append(file)
        if len(synced) > 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    done = run(*WORDS, "--report", "audit.html", "--tables", "out", "--force")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"commensurate: cannot write {os.path.join('out', 'verdicts.csv')}: No space left on device\n"
    assert sorted(os.listdir()) == before
    assert (here / "audit.html").read_text() == "precious"


# --- repair ---


def test_repaired_scores_are_written_and_violate_nothing(run, model, here):
    done = run(*WORDS, "--id", "who", "--repair", "repaired.csv", "--pairs", "all", "--outcome", "y")
    assert (done.returncode, done.stderr) == (0, "")
    assert "repaired scores written to repaired.csv" in done.stdout
    assert "Before and after the repair" in done.stdout
    assert "accuracy" in done.stdout
    table = pd.read_csv(here / "repaired.csv")
    assert table.columns.tolist() == ["id", "group", "score", "repaired_score"]
    given = PEOPLE.set_index("who").loc[table["id"]]
    assert table["group"].tolist() == given["married"].tolist()
    np.testing.assert_allclose(table["score"], given["p"])
    data = {name: rows[FEATURES] for name, rows in PEOPLE.groupby("married")}
    repaired = {name: table["repaired_score"][table["group"] == name].to_numpy() for name in data}
    assert expected(model, pairs="all").shares["violated"].sum() > 0
    # a repaired score is written to the last digit, but not every version of pandas reads it so
    almost = audit_fairness(model, data, scores=repaired, lipschitz=1.0 + 1e-9, pairs="all")
    assert almost.shares["satisfied"].tolist() == almost.shares["n_pairs"].tolist()


def test_json_tells_the_price_and_the_audit_after_the_repair(run, model):
    words = (*WORDS, "--repair", "r.csv", "--outcome", "y", "--pairs", "all", "--under", "estimate")
    found = told(run, *words)["repair"]
    assert found["total_change"] > 0.0
    assert found["under"] == "estimate"
    assert set(found["price"]) >= {"accuracy", "AUC"}
    assert [share["violated"] for share in found["after"]["shares"]] == [0, 0, 0]
    assert found["representatives"] is None
    found = told(run, *words, "--force", "--representatives", "5")["repair"]
    assert found["representatives"] == {"yes": 5, "no": 5}


def test_the_accuracy_rests_on_the_threshold(run, model):
    words = (*WORDS, "--repair", "r.csv", "--outcome", "y", "--force")
    at_half, at_nothing = (told(run, *words, "--threshold", t)["repair"]["price"]["accuracy"] for t in ("0.5", "-1"))
    assert told(run, *words)["repair"]["price"]["accuracy"] == at_half
    assert at_nothing["before"] == PEOPLE["y"].mean() != at_half["before"]


def test_the_report_shows_the_audit_before_and_after_the_repair(run, model, here):
    run(*WORDS, "--repair", "r.csv", "--outcome", "y", "--report", "audit.html")
    page = (here / "audit.html").read_text(encoding="utf-8")
    assert "After a repair" in page
    assert "accuracy" in page


# --- what is refused ---


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--score", "q"], "but lacks ['q']"),
        (["--score", "score"], "line 2: the column 'score' must hold numbers, got 'none'"),
        (["--group", "job"], "but lacks ['job']"),
        (["--group", "y"], "people.csv has people of groups that were not fitted: "),
        (["--id", "nr"], "but lacks ['nr']"),
        (["--id", "married"], "stands twice in people.csv"),
        (["--pairs", "some"], "--pairs must be how many pairs to look at, or all, got 'some'"),
        (["--pairs", "0"], "--pairs must be"),
        (["--interval", "none"], "--interval must be one of"),
        (["--interval", "calibrated"], "ClusterSimilarity holds none out; use --interval certified"),
        (["--favourable", "up"], "--favourable must be one of"),
        (["--under", "upper", "--repair", "r.csv"], "--under must be one of"),
        (["--confidence-level", "2"], "confidence_level must"),
        (["--lipschitz", "-1"], "lipschitz must be"),
        (["--outcome", "y"], "give --repair FILE.csv too"),
        (["--under", "estimate"], "--under says how to repair; give --repair FILE.csv too"),
        (["--representatives", "5"], "--representatives say how to repair; give --repair FILE.csv too"),
        (["--threshold", "0.4"], "--threshold is for the price of a repair; give --repair FILE.csv too"),
        (["--threshold", "0.4", "--repair", "r.csv"], "give --outcome COLUMN too"),
        (["--threshold", "nan", "--repair", "r.csv", "--outcome", "y"], "--threshold must be a finite number"),
        (["--worst", "1001"], "--worst must be at most 1,000"),
        (["--outcome", "p", "--repair", "r.csv"], "the outcome column 'p' must hold 0 or 1"),
        (["--interval", "estimate", "--repair", "r.csv"], "a repair needs intervals"),
        (["--source", "a=people.csv"], "give either a CSV file of people and --group COLUMN, or --source"),
        (["--report", "audit.txt"], "--report must end in .html, got audit.txt"),
        (["--report", "absent/audit.html"], "no folder"),
        (["--tables", "absent/out"], "no folder"),
        (["--tables", "people.csv"], "people.csv is a file; --tables names a folder"),
        (["--repair", "people.csv", "--force"], "people.csv is read by this command"),
        (["--repair", "./model.cmz", "--force"], "model.cmz is read by this command"),
        (["--repair", "out/worst.csv", "--tables", "out"], "two outputs would be written to"),
    ],
)
def test_what_cannot_be_audited_says_why_in_one_line_and_writes_nothing(run, model, words, message):
    before = sorted(os.listdir())
    done = run(*WORDS, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("audit", "model.cmz", "--score", "p"), "give either a CSV file of people and --group COLUMN, or --source"),
        (("audit", "model.cmz", "people.csv", "--score", "p"), "give either a CSV file of people and --group COLUMN"),
        (("audit", "model.cmz", "--source", "z=people.csv", "--score", "p"), "unknown group 'z'"),
        (("audit", "model.cmz", "--source", "yes", "--score", "p"), "--source must be NAME=FILE.csv"),
        (("audit", "absent.cmz", *WORDS[2:]), "absent.cmz"),
        (("audit", "model.cmz", "absent.csv", *WORDS[3:]), "cannot read absent.csv"),
        (("audit", "model.cmz", "model.cmz", *WORDS[3:]), "model.cmz is not a CSV file in UTF-8"),
    ],
)
def test_what_is_not_given_rightly_is_told_in_one_line(run, model, words, message):
    done = run(*words)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [["--worst", "-1"], ["--seed", "-1"], ["--lipschitz", "much"]])
def test_numbers_that_mean_nothing_are_usage_errors(run, model, words):
    done = run(*WORDS, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert words[0] in done.stderr


def test_noisy_answers_give_no_certified_intervals_and_the_error_names_calibrated_ones(run, here):
    est = few_answers.budgeted(budget=120, answer_error="noise").fit(few_answers.POINTS, few_answers.sigma)
    est.save("model.cmz")
    write_sources()
    done = run(*SOURCES)
    assert (done.returncode, done.stdout) == (1, "")
    assert "use --interval calibrated" in done.stderr
    assert run(*SOURCES, "--interval", "calibrated").returncode == 0


def test_precomputed_distances_are_refused_clearly(run, here):
    groups = [cm.Group("yes", [[0.0, 1.0], [1.0, 0.0]], "precomputed"), cm.Group("no", [[0.0], [1.0]])]
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0).fit(groups, lambda u, v, b: np.zeros(len(u)))
    est.save("model.cmz")
    PEOPLE.to_csv("people.csv", index=False)
    done = run(*WORDS)
    assert (done.returncode, done.stdout) == (1, "")
    assert "group 'yes' was fitted with a precomputed metric" in done.stderr
    assert "load the model in Python, and call commensurate.applications.audit_fairness" in done.stderr


def test_a_model_with_a_metric_of_ones_own_says_what_to_do(run, here):
    def metric(u, v):
        return np.abs(u[:, :1] - v[:, 0])

    groups = [cm.Group("a", [[0.0], [1.0]], metric), cm.Group("b", [[0.0], [1.0]])]
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0).fit(groups, lambda u, v, b: abs(u - v)[:, 0])
    est.save("model.cmz")
    PEOPLE.to_csv("people.csv", index=False)
    done = run(*WORDS)
    assert done.returncode == 1
    assert "load the model in Python, and call commensurate.applications.audit_fairness" in done.stderr
