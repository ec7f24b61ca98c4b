"""What may be said about the errors of NAIVE and CLUSTER, in numbers and in words that a committee can read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from commensurate.elicitation.questions import Between
from commensurate.geometry.metrics import FloatArray
from commensurate.guarantees.bounds import error_bound, failure_probability
from commensurate.guarantees.certificate import certify_future, pairs_needed, tolerance_for_share
from commensurate.guarantees.parameters import checked_confidence_level, checked_share
from commensurate.learning.coverage import Coverage
from commensurate.learning.sample import Sample


@dataclass(frozen=True, slots=True)
class PairGuarantee:
    """What may be said about the estimates between two groups.

    Attributes
    ----------
    between
        The two groups.
    table_tolerance
        The stated share of all pairs of rows of this table is off by at most this much; exact.
    future_tolerance
        With the stated confidence, the stated share of future pairs is off by at most this much; infinite if too few rows
        were set aside, None if none were.
    n_held_out
        Rows of either group that the statement about the future rests on.
    theorem_bound
        The theorem's bound on the error.
    theorem_failure
        The theorem's bound on the probability that an error exceeds it, capped at 1.
    rare_mass
        The rare masses p and p′: of the tables, exactly, if samples were drawn from them; else upper bounds for the
        populations behind the rows, each with confidence 95 %.
    """

    between: Between
    table_tolerance: float
    future_tolerance: float | None
    n_held_out: tuple[int, int]
    theorem_bound: float
    theorem_failure: float
    rare_mass: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What may be said about the estimates of all pairs of groups; ``str()`` puts it in words."""

    pairs: tuple[PairGuarantee, ...]
    share: float
    confidence_level: float
    epsilon: float
    delta: float
    answer_error: float
    drawn: bool

    def __str__(self) -> str:
        paragraphs = [self._paragraph(pair) for pair in self.pairs]
        return "\n\n".join([*paragraphs, self._assumptions()])

    def _paragraph(self, pair: PairGuarantee) -> str:
        left, right = pair.between
        table = (
            f"In the table at hand {_percent(self.share)} of all pairs are off by at most {pair.table_tolerance:.3g}; "
            "this is counted, not estimated."
        )
        future = self._about_the_future(pair)
        data = f"{table} {future}" if pair.future_tolerance is None else f"{future} {table}"
        return f"Between {left} and {right}: {data} {self._about_the_theorem(pair)}"

    def _about_the_future(self, pair: PairGuarantee) -> str:
        if pair.future_tolerance is None:
            return (
                "Nothing is said about future pairs, because no rows were set aside: "
                "pass guarantee(held_out=…) rows that fit never saw."
            )
        if math.isinf(pair.future_tolerance):
            return (
                f"The {pair.n_held_out[0]:,} and {pair.n_held_out[1]:,} rows set aside do not tell, with confidence "
                f"{_percent(self.confidence_level)}, how far off {_percent(self.share)} of future pairs are: they are too "
                f"few, or too many of them have no estimate; {self._rows_needed():,} in each group can be enough."
            )
        return (
            f"With confidence {_percent(self.confidence_level)}, at least {_percent(self.share)} of future pairs are off "
            f"by at most {pair.future_tolerance:.3g}."
        )

    def _rows_needed(self) -> int:
        """Rows per group that certify the share if none of their pairs is off by more, for all pairs of groups at once."""
        return pairs_needed(self.share, 1.0 - (1.0 - self.confidence_level) / len(self.pairs))

    def _about_the_theorem(self, pair: PairGuarantee) -> str:
        rare = f"{_percent(pair.rare_mass[0])} and {_percent(pair.rare_mass[1])}"
        if pair.theorem_failure >= 1.0:
            masses = (
                f"{rare} of the rows are"
                if self.drawn
                else f"as far as these rows can tell, up to {rare} of elements are"
            )
            return (
                f"There is no guarantee from the theorem here: {masses} rare at ε = {self.epsilon:g} and "
                f"δ = {self.delta:g}, and it speaks only of the others."
            )
        return (
            f"The theorem adds: before the samples are drawn, the chance that a random pair is off by more than "
            f"{pair.theorem_bound:.3g} is at most {_percent(pair.theorem_failure)}."
        )

    def _assumptions(self) -> str:
        answers = (
            f"no answer is off by more than {self.answer_error:g}" if self.answer_error else "the answers are right"
        )
        return (
            f"All this holds if {answers}, if d measures each group rightly, and if similar elements of one group are "
            "similarly dissimilar to others (M1 and M2); future pairs must come from where these rows came from."
        )


def state_guarantee(
    samples: Mapping[str, Sample],
    coverage: Mapping[str, Coverage],
    held_out: Mapping[str, FloatArray] | None,
    *,
    epsilon: float,
    delta: float,
    dilation: float | None,
    drawn: bool,
    answer_error: float,
    confidence_level: float,
    share: float,
) -> Guarantee:
    """Put together what the distances to proxies, and the theorem, say about each pair of groups."""
    share, confidence_level = checked_share(share), checked_confidence_level(confidence_level)
    if held_out is None:
        held_out = _rows_not_drawn(coverage)
    future = certify_future(held_out, share=share, confidence_level=confidence_level) if held_out is not None else {}

    def pair_guarantee(between: Between) -> PairGuarantee:
        left, right = coverage[between[0]], coverage[between[1]]
        n_left, n_right = (None if drawn else samples[name].n_drawn for name in between)
        rare_left, rare_right = (c.rare_mass.table if drawn else c.rare_mass.upper for c in (left, right))
        return PairGuarantee(
            between=between,
            table_tolerance=tolerance_for_share(left.distances, right.distances, share) + answer_error,
            future_tolerance=future[between].tolerance + answer_error if between in future else None,
            n_held_out=(len(held_out[between[0]]), len(held_out[between[1]])) if held_out is not None else (0, 0),
            theorem_bound=error_bound(epsilon, dilation) + answer_error,
            theorem_failure=failure_probability(delta, rare_left, rare_right, n_left, n_right),
            rare_mass=(rare_left, rare_right),
        )

    pairs = tuple(pair_guarantee(between) for between in combinations(samples, 2))
    return Guarantee(pairs, share, confidence_level, epsilon, delta, answer_error, drawn)


def _rows_not_drawn(coverage: Mapping[str, Coverage]) -> dict[str, FloatArray] | None:
    """Return the proxy distances of rows that nothing was learnt from, if every group has some.

    Which rows are drawn does not depend on their values, so those left over are independent of the samples.
    """
    distances = {name: group.distances[~group.drawn] for name, group in coverage.items()}
    usable = all(group.fresh for group in coverage.values()) and all(len(rest) for rest in distances.values())
    return distances if usable else None


def _percent(share: float) -> str:
    return f"{100.0 * share:.4g} %"
