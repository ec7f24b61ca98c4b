"""Ours beside the constant and the best peer: what is counted as too far behind, by hand."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import bench_awkward_worlds
from benchmarks.awkward_worlds.draw import Found
from benchmarks.awkward_worlds.summary import OURS, best_parts, cells, text
from benchmarks.real_answers.draw import COLD, LEARNERS, WARM


def frame(world, errors, size=1.0, test=COLD):
    """Draws of one cell: a list of errors, one a draw, for every learner; MAE is half of RMSE."""
    return pd.DataFrame(
        [
            {"world": world, "answers": 60, "draw": draw, "test": test, "learner": learner}
            | {"rmse": error, "mae": error / 2.0, "noise": 0.0, "size": size}
            for learner, of_draws in errors.items()
            for draw, error in enumerate(of_draws)
        ]
    )


def one_cell(errors, **options):
    found = cells(frame("w", errors), **options)
    assert found["measure"].tolist() == ["rmse", "mae"]
    return found.iloc[0]


def test_ours_is_compared_with_the_peer_that_is_best_over_all_draws_by_paired_log_ratios():
    cell = one_cell({OURS: [1.2, 2.4], "constant": [2.0, 4.0], "ridge": [1.0, 2.0], "SVR": [0.9, 9.0]})
    assert cell["best peer"] == "ridge"
    assert cell["behind best"] == pytest.approx(np.log(1.2))
    assert cell["± best"] == pytest.approx(0.0, abs=1e-12)
    assert cell["behind constant"] == pytest.approx(np.log(0.6))
    assert cell["draws"] == 2
    assert cell["too far"]
    assert cell["flagged"]


def test_standard_errors_are_of_the_mean_over_draws_and_only_what_is_beyond_two_of_them_is_flagged():
    cell = one_cell({OURS: [1.0, 1.5], "constant": [1.0, 1.0]})
    logs = np.log([1.0, 1.5])
    assert cell["behind best"] == pytest.approx(logs.mean())
    assert cell["± best"] == pytest.approx(logs.std(ddof=1) / np.sqrt(2.0))
    assert cell["too far"]
    assert not cell["flagged"]


def test_ten_per_cent_behind_the_best_peer_is_not_too_far():
    cell = one_cell({OURS: [1.099, 1.099], "constant": [1.0, 1.0]})
    assert not cell["too far"]
    assert one_cell({OURS: [1.101, 1.101], "constant": [1.0, 1.0]})["flagged"]


def test_where_there_is_only_noise_ours_is_compared_with_the_constant_alone_and_five_per_cent_is_too_far():
    lucky = {OURS: [1.04, 1.04], "constant": [1.0, 1.0], "ridge": [0.5, 0.5]}
    assert one_cell(lucky)["flagged"]
    assert not one_cell(lucky, noise_only=["w"])["too far"]
    assert one_cell({**lucky, OURS: [1.06, 1.06]}, noise_only=["w"])["flagged"]


def test_about_new_answers_errors_are_hidden_by_the_noise():
    draws = frame("w", {OURS: [3.0, 3.0], "constant": [0.0, 0.0]}).assign(noise=4.0)
    assert np.allclose(cells(draws)["about new answers"], np.log(5.0 / 4.0))
    assert "+25.0 % about new answers" in text(cells(draws))


def test_errors_of_less_than_a_thousandth_of_sigma_are_equal():
    found = cells(frame("w", {OURS: [1e-4, 0.0], "constant": [1.0, 1.0], "ridge": [1e-16, 1e-12]}))
    assert (found["behind best"] == 0.0).all()
    assert (cells(frame("zero", {OURS: [0.0], "constant": [0.0]}, size=0.0))["behind best"] == 0.0).all()


def test_one_draw_may_be_too_far_behind_but_is_never_flagged():
    cell = one_cell({OURS: [3.0], "constant": [1.0]})
    assert cell["too far"]
    assert not cell["flagged"]


def test_draws_that_a_learner_lacks_do_not_count():
    cell = one_cell({OURS: [1.0, 9.0], "constant": [1.0]})
    assert cell["draws"] == 1
    assert cell["behind constant"] == 0.0


def test_the_text_tells_the_worst_cells_first_and_how_many_there_are():
    draws = pd.concat(
        [
            frame("fine", {OURS: [1.0, 1.0], "constant": [1.0, 1.0]}),
            frame("bad", {OURS: [1.2, 1.2], "constant": [1.0, 1.0]}),
            frame("worse", {OURS: [2.0, 2.0], "constant": [1.0, 1.0]}, test=WARM),
        ]
    )
    lines = text(cells(draws)).splitlines()
    assert lines[0].startswith("RMSE: 2 of 3 cells too far behind, 2 of them beyond two standard errors")
    assert lines[1].startswith("! worse, 60 answers, pairs of known elements")
    assert "+100 ± 0 % behind constant (1)" in lines[1]
    assert "about new answers" not in lines[1]
    assert lines[2].startswith("! bad, 60 answers, new elements")


def test_the_best_part_alone_tells_whether_other_weights_would_have_done():
    draws = frame("w", {OURS: [1.2, 1.2], "constant": [2.0, 2.0]})
    parts = frame("w", {"linear": [1.0, 1.0], "trees": [1.5, 1.5]})
    [row] = best_parts(parts, draws).to_dict("records")
    assert row["best part"] == "linear"
    assert row["mix"] == pytest.approx(np.log(1.2))
    assert best_parts(parts[:0], draws).empty


def test_a_run_goes_on_where_it_was(tmp_path):
    words = ["--worlds", "noise only, few", "binary", "--answers", "25", "--folder", str(tmp_path)]
    bench_awkward_worlds.main([*words, "--draws", "1", "--learners", "constant"])
    before = (tmp_path / "draws.csv").read_text()
    bench_awkward_worlds.main([*words, "--draws", "2", "--learners", "constant", "ridge"])
    after = (tmp_path / "draws.csv").read_text()
    assert after.startswith(before)
    draws = pd.read_csv(tmp_path / "draws.csv")
    # two draws and two learners; one world has two tests
    assert len(draws) == len(draws.drop_duplicates(["world", "draw", "test", "learner"])) == 2 * 2 * 3
    bench_awkward_worlds.main([*words, "--draws", "2", "--learners", "constant", "ridge"])
    assert (tmp_path / "draws.csv").read_text() == after
    assert (draws[draws["world"] == "binary columns"]["noise"] == 0.0).all()


def test_a_learner_that_has_changed_is_measured_again_in_the_chosen_worlds_and_others_are_kept(tmp_path):
    words = ["--answers", "25", "--folder", str(tmp_path), "--draws", "1", "--learners", "constant", "ridge"]
    bench_awkward_worlds.main(["--worlds", "binary columns", "many zeros", *words])
    path = tmp_path / "draws.csv"
    before = path.read_text().splitlines()
    bench_awkward_worlds.main(["--worlds", "binary columns", *words, "--forget", "ridge"])
    after = path.read_text().splitlines()
    assert sorted(after) == sorted(before)
    assert after != before
    assert "binary columns" in after[-1]
    assert "ridge" in after[-1]


def test_parts_are_measured_where_ours_is_too_far_behind(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench_awkward_worlds, "LEARNERS", {OURS: _far_off, "constant": LEARNERS["constant"]})
    asked = []

    def parts(world, n, draw):
        asked.append((world.name, n, draw))
        yield Found(world.name, n, draw, COLD, "a part", 0.1, 0.1, 0.0, 1.0)

    monkeypatch.setattr(bench_awkward_worlds, "parts_alone", parts)
    words = [
        "--worlds",
        "binary columns",
        "many zeros",
        "--answers",
        "25",
        "60",
        "--folder",
        str(tmp_path),
        "--draws",
        "1",
        "--parts",
    ]
    learners = ["--learners", OURS, "constant"]
    bench_awkward_worlds.main([*words, *learners])
    bench_awkward_worlds.main([*words, *learners])
    assert sorted(asked) == [(name, n, 0) for name in ("binary columns", "many zeros") for n in (25, 60)]
    assert "a part" in capsys.readouterr().out


def _far_off(task, seed):
    return np.full(len(task.tested), 100.0)
