"""The paper's experiments: their settings, and the figures that it prints (Tables 1 to 4, and Figure 1's minima)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DELTA = 0.001
DILATION = 2.0
TEST_PAIRS = 1_000
SIGMA_TRIALS = 10_000

PROXY_ALGORITHMS = ("NAIVE", "CLUSTER")
BASELINES = ("MLP", "RF", "XGB")
ALGORITHMS = PROXY_ALGORITHMS + BASELINES

# the columns of Tables 1 to 3, in their order
MEASURES = {
    "relative_mean": "average relative error %",
    "relative_sd": "SD of relative error %",
    "absolute_mean": "average absolute error/ε",
    "absolute_sd": "SD of absolute error/ε",
}

# the two ways of testing: any rows of the table, many of which are samples themselves, or only rows never sampled
AS_IN_THE_PAPER = "as in the paper"
UNSEEN_ROWS = "on unseen rows"
TESTS = (AS_IN_THE_PAPER, UNSEEN_ROWS)


@dataclass(frozen=True, slots=True)
class PaperFigures:
    """What the paper ran on one data set, and what it reports.

    Attributes
    ----------
    table, figure
        Numbers of its table of errors and of its figure with the errors' distribution.
    errors
        By algorithm, the four columns of that table, in the order of `MEASURES`.
    decrease
        Table 4: per cent by which CLUSTER needs fewer queries than NAIVE.
    least_sigma
        The smallest σ seen in the 10,000 trials of Figure 1.
    """

    name: str
    title: str
    epsilon: float
    table: int
    figure: int
    errors: Mapping[str, tuple[float, float, float, float]]
    decrease: float
    least_sigma: float

    def error(self, algorithm: str, measure: str) -> float:
        """Return one cell of the table of errors."""
        return self.errors[algorithm][list(MEASURES).index(measure)]


PAPER = {
    one.name: one
    for one in (
        PaperFigures(
            name="credit-card-default",
            title="Credit Card Default",
            epsilon=0.01,
            table=1,
            figure=2,
            errors={
                "NAIVE": (1.558, 3.410, 0.636, 1.633),
                "CLUSTER": (1.593, 3.391, 0.646, 1.626),
                "MLP": (3.671, 4.275, 1.465, 1.599),
                "RF": (3.237, 4.813, 1.306, 2.318),
                "XGB": (3.121, 4.606, 1.273, 1.869),
            },
            decrease=81.01,
            least_sigma=0.1149,
        ),
        PaperFigures(
            name="adult",
            title="Adult",
            epsilon=0.01,
            table=2,
            figure=3,
            errors={
                "NAIVE": (1.319, 3.381, 0.847, 2.382),
                "CLUSTER": (1.321, 3.383, 0.849, 2.383),
                "MLP": (4.119, 6.092, 2.306, 1.977),
                "RF": (3.519, 6.657, 2.020, 2.987),
                "XGB": (2.248, 5.351, 1.215, 1.655),
            },
            decrease=80.40,
            least_sigma=0.1155,
        ),
        PaperFigures(
            name="give-me-some-credit",
            title="Give Me Some Credit",
            epsilon=0.001,
            table=3,
            figure=4,
            errors={
                "NAIVE": (1.630, 4.106, 2.644, 7.710),
                "CLUSTER": (1.645, 4.118, 2.648, 7.665),
                "MLP": (5.819, 9.073, 7.588, 8.750),
                "RF": (5.692, 12.404, 7.258, 34.508),
                "XGB": (5.614, 13.355, 6.516, 7.754),
            },
            decrease=84.87,
            least_sigma=0.0132,
        ),
    )
}
