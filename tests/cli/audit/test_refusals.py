"""What the command that audits refuses, and how it says so."""

import numpy as np
import pytest

import commensurate as cm
from worlds.audited_people import PEOPLE, SOURCES, WORDS, write_sources
from worlds.typed_commands import (
    assert_calibrated_intervals_help,
    assert_refused,
    assert_refused_with_nothing_written,
    assert_usage_error,
    save_model_of_noisy_answers,
    save_model_with_own_metric,
)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--score", "q"], "missing: ['q']"),
        (["--score", "score"], "line 2: the column 'score' must hold numbers, got 'none'"),
        (["--group", "job"], "missing: ['job']"),
        (["--group", "y"], "people.csv has records of groups that the model does not know: "),
        (["--id", "nr"], "missing: ['nr']"),
        (["--id", "married"], "appears twice in people.csv"),
        (["--pairs", "some"], "--pairs must be a number of pairs or `all`, got 'some'"),
        (["--pairs", "0"], "--pairs must be"),
        (["--interval", "none"], "--interval must be one of"),
        (["--interval", "calibrated"], "ClusterSimilarity holds none out; use --interval certified"),
        (["--favourable", "up"], "--favourable must be one of"),
        (["--use", "upper", "--repair", "r.csv"], "--use must be one of"),
        (["--confidence-level", "2"], "--confidence-level must"),
        (["--lipschitz", "-1"], "lipschitz must be"),
        (["--outcome", "y"], "add --repair FILE.csv"),
        (["--use", "estimate"], "--use sets how to repair; add --repair FILE.csv"),
        (["--representatives", "5"], "--representatives sets how to repair; add --repair FILE.csv"),
        (["--threshold", "0.4"], "--threshold is used for the price of a repair; add --repair FILE.csv"),
        (["--threshold", "0.4", "--repair", "r.csv"], "add --outcome COLUMN"),
        (["--threshold", "nan", "--repair", "r.csv", "--outcome", "y"], "--threshold must be a finite number"),
        (["--worst", "1001"], "--worst must be at most 1,000"),
        (["--outcome", "p", "--repair", "r.csv"], "the outcome column 'p' must hold 0 or 1"),
        (["--interval", "estimate", "--repair", "r.csv"], "a repair needs intervals"),
        (
            ["--source", "a=people.csv"],
            "pass either a CSV file and --group COLUMN, or --source NAME=FILE.csv once per group",
        ),
        (["--report", "audit.txt"], "--report must end in .html, got audit.txt"),
        (["--report", "absent/audit.html"], "does not exist; create it first"),
        (["--tables", "absent/out"], "does not exist; create it first"),
        (["--tables", "people.csv"], "people.csv is a file; --tables must name a folder"),
        (["--repair", "people.csv", "--force"], "this command reads people.csv"),
        (["--repair", "./model.cmz", "--force"], "this command reads"),
        (["--repair", "out/worst.csv", "--tables", "out"], "two outputs have the same name, "),
    ],
)
def test_what_cannot_be_audited_says_why_in_one_line_and_writes_nothing(run, model, words, message):
    assert_refused_with_nothing_written(run, (*WORDS, *words), message)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("audit", "model.cmz", "--score", "p"),
            "pass either a CSV file and --group COLUMN, or --source NAME=FILE.csv once per group",
        ),
        (
            ("audit", "model.cmz", "people.csv", "--score", "p"),
            "pass either a CSV file and --group COLUMN, or --source NAME=FILE.csv once per group",
        ),
        (("audit", "model.cmz", "--source", "z=people.csv", "--score", "p"), "unknown group 'z'"),
        (("audit", "model.cmz", "--source", "yes", "--score", "p"), "--source must be NAME=FILE.csv"),
        (("audit", "absent.cmz", *WORDS[2:]), "absent.cmz"),
        (("audit", "model.cmz", "absent.csv", *WORDS[3:]), "cannot read absent.csv"),
        (("audit", "model.cmz", "model.cmz", *WORDS[3:]), "model.cmz must be a CSV file in UTF-8"),
    ],
)
def test_what_is_not_given_rightly_is_told_in_one_line(run, model, words, message):
    assert_refused(run(*words), message)


@pytest.mark.parametrize("words", [["--worst", "-1"], ["--seed", "-1"], ["--lipschitz", "much"]])
def test_numbers_that_mean_nothing_are_usage_errors(run, model, words):
    assert_usage_error(run(*WORDS, *words), words[0])


def test_noisy_answers_give_no_certified_intervals_and_the_error_names_calibrated_ones(run, here):
    save_model_of_noisy_answers()
    write_sources()
    assert_calibrated_intervals_help(run, SOURCES)


def test_precomputed_distances_are_refused_clearly(run, here):
    groups = [cm.Group("yes", [[0.0, 1.0], [1.0, 0.0]], "precomputed"), cm.Group("no", [[0.0], [1.0]])]
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0).fit(groups, lambda u, v, b: np.zeros(len(u)))
    est.save("model.cmz")
    PEOPLE.to_csv("people.csv", index=False)
    done = run(*WORDS)
    assert (done.returncode, done.stdout) == (1, "")
    assert "group 'yes' was fitted with a precomputed metric" in done.stderr
    assert "load the model in Python and call commensurate.applications.audit_fairness" in done.stderr


def test_a_model_with_a_metric_of_ones_own_says_what_to_do(run, here):
    save_model_with_own_metric()
    PEOPLE.to_csv("people.csv", index=False)
    done = run(*WORDS)
    assert done.returncode == 1
    assert "load the model in Python and call commensurate.applications.audit_fairness" in done.stderr
