import numpy as np
import pytest

from commensurate.report.pictures import draw_held_out
from commensurate.report.text_plot import text_cdf


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_picture_is_saved_in_the_format_of_its_suffix(tmp_path, suffix):
    rng = np.random.default_rng(0)
    truth = rng.random(50)
    path = tmp_path / f"picture.{suffix}"
    draw_held_out(
        truth, {"NAIVE": truth + 0.01, "CLUSTER": truth + 0.02}, truth - 0.1, truth + 0.1, truth * 0 + 0.1, path
    )
    head = path.read_bytes()[:200]
    assert (b"PNG" in head) if suffix == "png" else (b"<svg" in path.read_bytes())


def test_the_text_picture_rises_to_one_hundred_per_cent():
    drawn = text_cdf({"NAIVE": np.array([0.0, 0.1, 0.2]), "CLUSTER": np.array([0.1, 0.3, 0.4])})
    last = [line for line in drawn.splitlines() if "%" in line][-2:]
    assert all("100 %" in line for line in last)
    assert drawn.count("off by at most") == 8
