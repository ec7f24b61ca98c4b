"""What the command that clusters refuses, and how it says so."""

import os
import sys

import pytest

import commensurate as cm
from worlds import few_answers
from worlds.clustered_records import WORDS, write_sources
from worlds.typed_commands import (
    assert_calibrated_intervals_help,
    assert_refused_with_nothing_written,
    assert_usage_error,
    save_model_of_noisy_answers,
    save_model_with_own_metric,
)

pytest.importorskip("kmedoids")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-k", "121"], "--clusters must be at most the number of records, or of representatives, 120, got 121"),
        (["--representatives", "1", "-k", "3"], "or of representatives, 2, got 3"),
        (["--interval", "none"], "--interval must be one of"),
        (["--interval", "calibrated"], "ClusterSimilarity holds none out; use --interval certified"),
        (["--interval", "estimate", "--questions", "q.csv"], "use --interval certified, got --interval estimate"),
        (["--interval", "estimate", "--answers", "a.csv"], "further answers narrow only certified intervals"),
        (["--answers", "a.csv"], "a.csv must have the columns"),
        (["--confidence-level", "2"], "--confidence-level must"),
        (["--id", "nr"], "missing: ['nr']"),
        (["--id", "same"], "'x' of group 'a' appears twice in a.csv, in lines 2 and 3"),
        (["--source", "z=a.csv"], "unknown group 'z'"),
        (["--group", "who"], "pass either a CSV file and --group COLUMN, or --source NAME=FILE.csv once per group"),
        (["--report", "clusters.txt"], "--report must end in .html, got clusters.txt"),
        (["-o", "absent/out.csv"], "does not exist; create it first"),
        (["-o", "a.csv", "--force"], "this command reads"),
        (["--questions", "./model.cmz", "--force"], "this command reads"),
        (["--questions", "out.csv"], "two outputs have the same name, "),
    ],
)
def test_what_cannot_be_clustered_says_why_in_one_line_and_writes_nothing(run, model, words, message):
    assert_refused_with_nothing_written(run, (*WORDS, *words), message)


@pytest.mark.parametrize("words", [["-k", "0"], ["--seed", "-1"], ["--representatives", "0"]])
def test_numbers_that_mean_nothing_are_usage_errors(run, model, words):
    assert_usage_error(run(*WORDS, *words), words[0])


def test_noisy_answers_give_no_certified_intervals_and_the_error_names_calibrated_ones(run, here):
    save_model_of_noisy_answers()
    write_sources()
    assert_calibrated_intervals_help(run, WORDS)


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
    save_model_with_own_metric()
    write_sources()
    done = run(*WORDS)
    assert done.returncode == 1
    assert "load the model in Python and call commensurate.applications.CrossGroupKMedoids" in done.stderr
