"""What the command that clusters records of several groups tells, in words and as JSON."""

import pandas as pd
import pytest

from worlds import few_answers
from worlds.clustered_records import COLUMNS, DATA, ONE_FILE, PEOPLE, WORDS, expected, write_sources
from worlds.typed_commands import told

pytest.importorskip("kmedoids")


def test_the_help_says_what_small_means_and_which_columns_there_are(run):
    words = " ".join(run("cluster", "--help").stdout.split())
    assert "Small dissimilarity means similar" in words
    assert ", ".join(COLUMNS) in words


def test_the_summary_tells_sizes_cost_certainty_questions_and_files(run, model):
    done = run(*WORDS, "--id", "who")
    found, shown = expected(model), " ".join(done.stdout.split())
    for cluster, (group, row) in enumerate(found.medoids_.itertuples(index=False)):
        sizes = [int((found.labels_[name] == cluster).sum()) for name in DATA]
        assert f"{cluster} {group}ß{row} ({group}) {sizes[0]} {sizes[1]} {sum(sizes)}" in shown
    uncertain = sum(int((~certain).sum()) for certain in found.certain_.values())
    assert f"for the other {uncertain}, another cluster is still possible." in shown
    assert f"It is estimated at {found.cost_:.4g}" in shown
    assert "Under the true dissimilarities, the cost is between" in shown
    assert "They are right if M1 and M2 hold" in shown
    question = found.next_questions(1).iloc[0]
    assert f"aß{question['left']} (a) bß{question['right']} (b) {question['settles']}" in shown
    assert "clusters written to out.csv" in done.stdout
    assert "--report clusters.html" in done.stdout
    assert "--questions next_questions.csv" in done.stdout


def test_what_representatives_cost_is_told_where_there_are_some(run, model):
    assert "The search for medoids covered all records." in run(*WORDS).stdout
    cost = expected(model, representatives=10).representation_cost_
    shown = " ".join(run(*WORDS, "--representatives", "10", "--force").stdout.split())
    assert f"The distances of all records to their representatives sum to {cost:.4g}, " in shown


def test_estimates_alone_tell_neither_limits_nor_questions(run, model):
    done = run(*WORDS, "--interval", "estimate")
    shown = " ".join(done.stdout.split())
    assert "The clustering treats estimates as the truth, without any guarantee." in shown
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
    assert "an indication, not as a guarantee" in shown
    assert "If every calibrated interval held, which is not guaranteed," in shown
    assert "The next questions" not in shown
    assert "--questions" not in shown
    refused = run(*WORDS, "--interval", "calibrated", "--questions", "q.csv", "--force")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "use --interval certified, got --interval calibrated" in refused.stderr
    done = run(*WORDS, "--interval", "calibrated", "--confidence-level", "0.999", "--force")
    assert done.stderr.startswith(
        "commensurate: a calibrated interval at level 0.999 needs at least 999 held-out answers"
    )
    assert done.stderr.count("\n") == 1


def test_who_is_left_out_and_which_group_nobody_is_of_are_told(run, one_file):
    PEOPLE.assign(married=PEOPLE["married"].where(PEOPLE["married"] == "no", "divorced")).to_csv(
        "people.csv", index=False
    )
    assert "groups that the model does not know: " in run(*ONE_FILE).stderr
    done = run(*ONE_FILE, "--drop-others")
    n = int((PEOPLE["married"] == "yes").sum())
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        f"commensurate: left out, because the model does not know their groups: divorced {n}",
        "commensurate: there are no records of the model's groups ['yes']",
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


def test_a_cluster_with_nobody_but_its_medoid_because_of_ties_is_noted(run, model):
    for name, source in (("a", "a"), ("b", "b")):
        table = pd.read_csv(f"{source}.csv").iloc[[0] * 3]
        table.assign(who=[f"{name}{k}" for k in range(3)]).to_csv(f"{name}.csv", index=False)
    done = run(*WORDS, "--id", "who")
    assert done.returncode == 0
    assert (
        "contains only its medoid, because of ties" in done.stderr
        or "contain only their medoids, because of ties" in done.stderr
    )
