"""The committed run of ``commensurate reproduce``:
it is a full one, its files belong together, and what documents say of it holds.
"""

import csv
import json
import re
from pathlib import Path

import pytest

import commensurate as cm
from benchmarks.documents import RESULTS, reproduction
from commensurate.datasets import load_adult, load_credit_card_default, load_give_me_some_credit
from commensurate.experiments.paper.published import BASELINES, PAPER, PROXY_ALGORITHMS, TESTS
from commensurate.experiments.paper.sigma_values import run_sigma_values
from commensurate.experiments.paper.variants import run_variant
from commensurate.experiments.reproduction.files import write_tables
from commensurate.experiments.reproduction.findings import AS_PRINTED
from commensurate.experiments.reproduction.run import PARTS, run_suite_cell

pytestmark = pytest.mark.slow

FOLDER = RESULTS / "reproduction"
FINDINGS = reproduction()
DATASETS = tuple(PAPER)


def test_it_is_a_full_run():
    settings = FINDINGS.settings
    assert set(settings.parts) == set(PARTS)
    assert settings.repeats >= 20
    assert settings.baseline_points == 10_000
    assert not settings.small_suite
    assert len(FINDINGS.suite) == 2 * 68


def test_all_files_come_from_the_same_run():
    provenance = FINDINGS.provenance
    for path in (FOLDER / "tables").iterdir():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                assert row["code digest"] == provenance["code"]
                assert json.loads(row["versions"]) == provenance["versions"]
                assert json.loads(row["data digests"]) == provenance["data"]
    for path in [FOLDER / "index.html", FOLDER / "report.md", *(FOLDER / "figures").glob("*.svg")]:
        assert provenance["code"] in path.read_text(encoding="utf-8"), path.name
    for path in (FOLDER / "figures").glob("*.png"):
        assert provenance["code"].encode() in path.read_bytes(), path.name


def test_tables_are_those_that_its_results_give(tmp_path):
    figures = re.findall(r"!\[([^]]+)\]", (FOLDER / "report.md").read_text(encoding="utf-8"))
    assert {path.stem for path in (FOLDER / "figures").iterdir()} == set(figures)
    write_tables(FINDINGS, tmp_path, figures)
    for path in [FOLDER / "report.md", *(FOLDER / "tables").iterdir()]:
        again = tmp_path / path.relative_to(FOLDER)
        assert again.read_text(encoding="utf-8") == path.read_text(encoding="utf-8"), path.name


@pytest.mark.real_data
@pytest.mark.parametrize("load", [load_adult, load_credit_card_default, load_give_me_some_credit])
def test_it_ran_on_the_published_data(load):
    dataset = load()
    assert FINDINGS.provenance["data"][dataset.name] == dataset.digest
    assert FINDINGS.readings(dataset.name)[0].variant == dataset.variant


@pytest.mark.real_data
@pytest.mark.parametrize("name", DATASETS)
def test_figures_of_it_can_be_computed_again(name):
    seed, settings = FINDINGS.provenance["seed"], FINDINGS.settings
    again = run_sigma_values(name, None, seed, trials=10_000, repeats=2)
    assert again["minima"] == pytest.approx(FINDINGS.least_sigma(name).draws[:2], rel=1e-9)
    variant = FINDINGS.readings(name)[0].variant
    counts = run_variant(name, seed, dict(variant), repeats=1, data_home=None)["cluster_distinct"]
    assert counts == FINDINGS.content["datasets"][name]["variants"][0]["cluster_distinct"][:1]
    assert settings.reading_draws == 5


def test_a_world_of_its_suite_can_be_computed_again():
    kept = FINDINGS.content["synthetic"]["cells"][3]
    again = run_suite_cell(kept["cell"], kept["seed"], kept["repeats"])
    for algorithm, figures in again["algorithms"].items():
        for measure, value in figures.items():
            expected = kept["algorithms"][algorithm][measure]
            mean, before = (each["mean"] if isinstance(each, dict) else each for each in (value, expected))
            assert mean == pytest.approx(before, rel=1e-9)


# --- what docs/reproduction.md, the page and the loaders say in words ---


@pytest.mark.parametrize("name", DATASETS)
def test_errors_differ_several_times_from_one_draw_to_the_next(name):
    for test in TESTS:
        cell = FINDINGS.error(name, test, "NAIVE", "relative_mean")
        assert cell.highest > 2 * cell.lowest


@pytest.mark.parametrize("name", DATASETS)
def test_unseen_rows_are_harder_and_some_of_the_papers_tests_are_exact(name):
    seen, unseen = (FINDINGS.error(name, test, "NAIVE", "absolute_mean") for test in TESTS)
    assert seen.median < unseen.median
    assert min(FINDINGS.draws(name, TESTS[0], "NAIVE", "exact")) > 0.01
    assert max(FINDINGS.draws(name, TESTS[1], "NAIVE", "exact")) < 0.001


@pytest.mark.parametrize("algorithm", PROXY_ALGORITHMS)
def test_on_credit_card_default_the_papers_errors_are_those_of_unseen_rows(algorithm):
    seen, unseen = (FINDINGS.error("credit-card-default", test, algorithm, "relative_mean") for test in TESTS)
    assert seen.paper > seen.highest
    assert unseen.median == pytest.approx(unseen.paper, rel=0.1)


@pytest.mark.parametrize("name", DATASETS)
def test_a_baseline_overtakes_naive_with_few_points_and_errs_less_than_in_the_paper(name):
    for test in TESTS:
        assert FINDINGS.overtaken(name, test) is not None
        for algorithm in BASELINES:
            cell = FINDINGS.error(name, test, algorithm, "relative_mean")
            assert cell.median < cell.paper


@pytest.mark.parametrize("name", DATASETS)
def test_the_printed_decrease_comes_out_of_the_mixed_count_and_the_distinct_one_is_the_least(name):
    printed, alike, distinct = (
        FINDINGS.decrease(name, counting) for counting in (AS_PRINTED, "both unordered, with repeats", "both distinct")
    )
    assert printed.median == pytest.approx(PAPER[name].decrease, abs=0.5)
    assert distinct.highest < alike.lowest < alike.highest < printed.lowest


@pytest.mark.parametrize("name", DATASETS)
def test_no_reading_is_closer_to_table_4_than_the_default_by_more_than_draws_differ(name):
    default, *others = (reading.decrease for reading in FINDINGS.readings(name))
    gaps = [abs(reading.median - PAPER[name].decrease) for reading in (default, *others)]
    assert gaps[0] <= min(gaps) + (default.highest - default.lowest)


def test_fnlwgt_moves_table_4_far_away_and_so_does_leaving_out_the_number_of_dependents():
    for name, choice, value in (("adult", "fnlwgt", True), ("give-me-some-credit", "group_column", False)):
        for reading in FINDINGS.readings(name):
            if reading.variant[choice] is value:
                assert abs(reading.decrease.median - PAPER[name].decrease) > 2.0


def test_the_minimum_of_figure_1_on_adult_is_below_all_sets_of_trials_and_below_the_median_of_every_reading():
    paper = PAPER["adult"].least_sigma
    assert FINDINGS.least_sigma("adult").lowest > paper
    assert min(reading.least_sigma.median for reading in FINDINGS.readings("adult")) > paper


def test_the_theorem_holds_in_every_world_and_no_learner_is_below_a_floor_by_more_than_chance():
    assert not [row for row in FINDINGS.suite if row.refutes_the_theorem]
    for point in (*FINDINGS.lower_bound, FINDINGS.lower_bound_cluster, *FINDINGS.no_free_lunch.values()):
        assert point.measured >= point.floor - 3.0 * point.standard_error
        assert point.measured <= point.floor + 0.02, "both algorithms stay at the floor"


@pytest.mark.real_data
def test_the_married_group_of_credit_card_default_has_fewer_rows_than_samples():
    assert len(load_credit_card_default().tables["married"]) < cm.sample_size(0.001)


def test_nothing_of_a_machine_is_in_it():
    for path in FOLDER.rglob("*"):
        if path.suffix in (".json", ".html", ".md", ".csv", ".svg"):
            text = path.read_text(encoding="utf-8")
            assert "/work" not in text
            assert str(Path.home()) not in text
