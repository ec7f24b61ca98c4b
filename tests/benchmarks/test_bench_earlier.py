"""Two versions compared in the same worlds: only draws of both count, and a clear loss is named."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.bench_earlier import EARLIER, NOW, compared, generated_parts


def drawn(ratio, n=6, world="a"):
    rng = np.random.default_rng(0)
    earlier = rng.uniform(1.0, 2.0, n)
    now = earlier * ratio * np.exp(0.01 * rng.normal(size=n))
    rows = [
        {"world": world, "answers": 100, "draw": draw, "version": version, "error": error, "coverage": 0.95}
        for version, errors in ((EARLIER, earlier), (NOW, now))
        for draw, error in enumerate(errors)
    ]
    return pd.DataFrame(rows)


def test_the_ratio_is_the_geometric_mean_over_draws():
    (found,) = compared(drawn(0.8)).to_dict("records")
    assert found["now / earlier"] == pytest.approx(0.8, rel=0.02)
    assert found["draws"] == 6


def test_a_draw_that_only_one_version_was_measured_on_does_not_count():
    draws = drawn(0.8)
    assert compared(draws[:-1])["draws"].tolist() == [5]


def test_a_world_that_is_clearly_worse_is_named_and_one_that_is_not_is_not():
    table = generated_parts(pd.concat([drawn(1.2, world="worse"), drawn(0.9, world="better")]))["earlier"]
    assert "| worse |" in table
    assert "1 of 2" in table
    assert "| none |" in generated_parts(drawn(1.02))["earlier"]
