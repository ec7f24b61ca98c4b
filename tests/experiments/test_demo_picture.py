import numpy as np
import pytest

from commensurate.experiments.demo_picture import HeldOutPairs, draw_held_out, text_cdf, text_curves
from commensurate.experiments.figures.curves import Curve

CURVES = (Curve("NAIVE", (10, 100), (0.2, 0.1)), Curve("mine", (10, 50), (0.1, 0.01)))


def held_out_pairs() -> HeldOutPairs:
    truth = np.random.default_rng(0).random(50)
    return HeldOutPairs(
        truth=truth,
        # an error of 0 has no place on a logarithmic scale of its own
        estimates={"NAIVE": truth + 0.01, "mine": truth},
        intervals_of="mine",
        interval_name="calibrated interval",
        lower=truth - 0.1,
        upper=truth + 0.1,
        bounds_of="NAIVE",
        error_bounds=truth * 0 + 0.1,
    )


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_picture_is_saved_in_the_format_of_its_suffix(tmp_path, suffix):
    path = tmp_path / f"picture.{suffix}"
    draw_held_out(held_out_pairs(), CURVES, path)
    head = path.read_bytes()[:200]
    assert (b"PNG" in head) if suffix == "png" else (b"<svg" in path.read_bytes())


def test_the_picture_names_everything_it_shows(tmp_path):
    draw_held_out(held_out_pairs(), CURVES, tmp_path / "picture.svg")
    drawn = (tmp_path / "picture.svg").read_text()
    for name in ("NAIVE", "mine", "NAIVE: bound known without the truth", "calibrated interval", "truth", "answers"):
        assert f">{name}<" in drawn


def test_the_text_picture_rises_to_one_hundred_per_cent():
    drawn = text_cdf({"NAIVE": np.array([0.0, 0.1, 0.2]), "CLUSTER": np.array([0.1, 0.3, 0.4])})
    last = [line for line in drawn.splitlines() if "%" in line][-2:]
    assert all("100 %" in line for line in last)
    assert drawn.count("off by at most") == 8


def test_text_curves_name_each_curve_once_and_have_a_bar_for_every_point():
    lines = text_curves(CURVES).splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["NAIVE", "mine"]
    assert [line.count("█") for line in lines if line.startswith(" ")] == [40, 20, 20, 2]
