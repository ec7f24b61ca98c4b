"""What the command that audits the scores of people tells, in words and as JSON."""

import json
import os
import re

import numpy as np
import pytest

import commensurate as cm
from commensurate.applications import audit_fairness
from commensurate.applications.fairness.words import NOBODY_LISTED, passing_in_words
from worlds import few_answers
from worlds.audited_people import FEATURES, PEOPLE, SOURCES, THREE, WORDS, cluster, expected, sigma, write_sources
from worlds.typed_commands import told


def test_the_help_says_what_small_means(run):
    words = " ".join(run("audit", "--help").stdout.split())
    assert "Small means similar" in words
    assert "The command writes files only with" in words


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
    assert "Every verdict is right if M1 and M2 hold" in " ".join(done.stdout.split())
    assert "--report audit.html" in done.stdout
    assert sorted(os.listdir()) == before


def test_in_a_narrow_terminal_lines_are_broken_and_no_number_is_cut(run, model, monkeypatch):
    monkeypatch.setenv("COLUMNS", "66")
    summary, _, more = run(*WORDS, "--id", "who").stdout.partition("Next, run the same command with")
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
    assert "There is no guarantee for pairs that you pick" in " ".join(done.stdout.split())


def test_infinite_intervals_are_told_in_one_line_on_standard_error(run, with_sources):
    words = (*SOURCES, "--interval", "calibrated", "--confidence-level", "0.999")
    done = run(*words)
    assert done.returncode == 0
    assert done.stderr.startswith(
        "commensurate: a calibrated interval at level 0.999 needs at least 999 held-out answers"
    )
    assert done.stderr.count("\n") == 1
    assert told(run, *words)["notes"] == [done.stderr.removeprefix("commensurate: ").rstrip("\n")]


def test_under_calibrated_intervals_the_limits_are_said_to_allow_for_wrong_verdicts(run, with_sources):
    words = " ".join(run(*SOURCES, "--interval", "calibrated").stdout.split())
    assert "Across groups, the limits allow for the share of verdicts that may be wrong." in words


def test_where_calibrated_intervals_name_nobody_that_is_said_and_a_repair_is_offered(run, here):
    few_answers.budgeted(budget=60).fit(few_answers.POINTS, few_answers.sigma).save("model.cmz")
    write_sources(lambda points: np.where(np.arange(len(points)) % 7, 0.5, 5.0))
    words = (*SOURCES, "--interval", "calibrated", "--confidence-level", "0.9")
    found = told(run, *words)
    assert found["nobody_listed"]
    done = " ".join(run(*words).stdout.split())
    assert NOBODY_LISTED.format(by_new_answer="") in done
    assert "none is violated" not in done
    assert "within the group only" in done
    assert "--repair repaired.csv" in done


def test_the_search_for_the_worst_is_left_out_on_demand(run, model):
    done = run(*WORDS, "--worst", "0")
    assert (done.returncode, done.stderr) == (0, "")
    assert "You did not ask for a list of the worst pairs." in done.stdout
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
    assert done.stderr == "commensurate: left out, because the model does not know their groups: divorced 5\n"
    done = run(*WORDS, "--drop-others", "--json")
    assert json.loads(done.stdout)["left_out"] == {"divorced": 5}


def test_a_fitted_group_without_people_is_told(run, model):
    PEOPLE[PEOPLE["married"] == "no"].to_csv("people.csv", index=False)
    done = run(*WORDS)
    assert done.returncode == 0
    assert done.stderr == "commensurate: there are no records of the model's groups ['yes']\n"
