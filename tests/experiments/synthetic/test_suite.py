"""The synthetic suite: which cells it has, and that its figures are plain, repeatable and belong together."""

import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from commensurate.asking.simulated.families import FAMILIES, needs_shared_columns
from commensurate.errors import InvalidParameter
from commensurate.experiments.synthetic.suite import RARE_MASSES, SuiteCell, over_repeats, run_cell, suite_cells

SMALL = SuiteCell("mahalanobis", 3, "different", rare_mass=0.25, epsilon=0.05, delta=0.2, n_pairs=20)


def test_two_groups_meet_every_family_with_every_rare_mass_and_all_columns_it_allows():
    cells = {(cell.family, cell.columns, cell.rare_mass) for cell in suite_cells() if cell.n_groups == 2}
    expected = {
        (family, columns, rare_mass)
        for family in FAMILIES
        for columns in ("same", "different")
        for rare_mass in RARE_MASSES
        if columns == "same" or not needs_shared_columns(family)
    }
    assert cells == expected


def test_three_to_five_groups_meet_every_family():
    cells = {(cell.family, cell.n_groups) for cell in suite_cells() if cell.n_groups > 2}
    assert cells == {(family, n_groups) for family in FAMILIES for n_groups in (3, 4, 5)}


@pytest.mark.parametrize("quick", [False, True])
def test_no_two_cells_have_the_same_name(quick):
    names = [cell.name for cell in suite_cells(quick)]
    assert len(set(names)) == len(names)


def test_the_quick_part_belongs_to_the_whole_and_has_its_extremes():
    quick = suite_cells(quick=True)
    assert set(quick) <= set(suite_cells())
    assert {cell.family for cell in quick} == set(FAMILIES)
    assert {0.0, 1.0} <= {cell.rare_mass for cell in quick}
    assert {2, 5} <= {cell.n_groups for cell in quick}


def test_figures_are_plain_json_and_do_not_depend_on_the_process():
    here = run_cell(SMALL, seed=3, repeats=2)
    assert json.loads(json.dumps(here, allow_nan=False)) == here
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(run_cell, SMALL, 3, 2).result() == here


def test_another_seed_gives_other_figures():
    assert run_cell(SMALL, seed=3, repeats=1)["algorithms"] != run_cell(SMALL, seed=4, repeats=1)["algorithms"]


def test_naive_asks_about_every_pair_of_samples_and_cluster_about_fewer():
    measured = run_cell(SMALL, seed=0, repeats=2)
    naive, cluster = (measured["algorithms"][name]["questions"]["mean"] for name in ("NAIVE", "CLUSTER"))
    assert naive == 3 * measured["n_samples"] ** 2
    assert 0 < cluster < naive


def test_bounds_are_those_of_the_theorems():
    measured = run_cell(SMALL, seed=0, repeats=1)
    assert measured["theorem_bound"] == pytest.approx(2 * 0.2 + 0.25 + 0.25)
    assert measured["algorithms"]["NAIVE"]["error_bound_in_epsilon"] == 6.0
    assert measured["algorithms"]["CLUSTER"]["error_bound_in_epsilon"] == 14.0


def test_the_standard_error_is_over_repeats():
    assert over_repeats([0.1, 0.2, 0.3, 0.2])["standard_error"] == pytest.approx(0.0816496580927726 / 2)
    assert over_repeats([0.5]) == {"mean": 0.5, "standard_error": None}


def test_no_repeats_are_refused():
    with pytest.raises(InvalidParameter, match="repeats must be at least 1, got 0"):
        run_cell(SMALL, seed=0, repeats=0)
