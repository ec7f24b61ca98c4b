"""What can be said about the errors of NAIVE and CLUSTER, in numbers and in words that a committee can read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between
from commensurate.checks import checked_confidence_level, checked_share
from commensurate.errors import InvalidInput
from commensurate.guarantees.future_pairs import bound_future_pairs, pairs_needed, tolerance_for_share
from commensurate.guarantees.theorem import error_bound, failure_probability
from commensurate.learning.proxies.sample import Coverage, ProxySettings, Sample
from commensurate.wording import percent_down, percent_up, rounded_up


@dataclass(frozen=True, slots=True)
class PairGuarantee:
    """What may be said about the estimates between two groups.

    Attributes
    ----------
    between
        The two groups.
    table_tolerance
        The stated share of all pairs of fitted rows is off by at most this much; exact.
    future_tolerance
        With the stated confidence, the stated share of future pairs is off by at most this much; infinite if too few
        rows were set aside, None if none were.
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
    """What may be said about the estimates of all pairs of groups; ``str()`` puts it in words.

    ``fresh`` tells that no scaling or metric was learnt by us from the rows; what a user did before is not known here.
    """

    pairs: tuple[PairGuarantee, ...]
    share: float
    confidence_level: float
    settings: ProxySettings
    answer_error: float
    fresh: bool

    def __str__(self) -> str:
        paragraphs = [self._paragraph(pair) for pair in self.pairs]
        return "\n\n".join([*paragraphs, self._assumptions()])

    def _paragraph(self, pair: PairGuarantee) -> str:
        left, right = pair.between
        table = (
            f"Of all pairs of rows in the fitted tables, {percent_down(self.share)} are off by at most "
            f"{rounded_up(pair.table_tolerance)}; this is counted, not estimated."
        )
        future = self._about_the_future(pair)
        data = f"{table} {future}" if pair.future_tolerance is None else f"{future} {table}"
        return f"Between {left} and {right}: {data} {self._about_the_theorem(pair)}"

    def _about_the_future(self, pair: PairGuarantee) -> str:
        confidence, share = percent_down(self.confidence_level), percent_down(self.share)
        if pair.future_tolerance is None:
            return (
                "There is no statement about future pairs, because no rows were set aside: pass rows that fit never saw, "
                "with guarantee(held_out=…)."
            )
        if math.isinf(pair.future_tolerance):
            return (
                f"The {pair.n_held_out[0]:,} and {pair.n_held_out[1]:,} rows set aside cannot bound, with confidence "
                f"{confidence}, the error of {share} of future pairs: they are too few, or too many of them have no "
                f"estimate; {self._rows_needed():,} rows per group can be enough."
            )
        return (
            f"With confidence {confidence}, at least {share} of future pairs are off by at most "
            f"{rounded_up(pair.future_tolerance)}."
        )

    def _rows_needed(self) -> int:
        """Rows per group that certify the share if none of their pairs is off by more,
        for all pairs of groups at once.
        """
        return pairs_needed(self.share, 1.0 - (1.0 - self.confidence_level) / len(self.pairs))

    def _about_the_theorem(self, pair: PairGuarantee) -> str:
        drawn = self.settings.samples == "draw"
        rare = f"{percent_up(pair.rare_mass[0])} and {percent_up(pair.rare_mass[1])}"
        at = f"at ε = {self.settings.epsilon:g} and δ = {self.settings.delta:g}"
        if pair.theorem_failure >= 1.0:
            masses = f"{rare} of the rows are rare" if drawn else f"judging by the rows, up to {rare} are rare"
            return f"The theorem gives no guarantee here, because its probability of failure reaches 1 ({masses} {at})."
        who = "two random rows of these tables are" if drawn else "a random pair from the source of these rows is"
        claim = (
            f"The theorem adds: before samples are drawn, the probability that {who} off by more than "
            f"{rounded_up(pair.theorem_bound)} is at most {percent_up(pair.theorem_failure)}"
        )
        if drawn:
            return f"{claim}."
        roughly = "" if self.fresh else ", approximately, because the scaling was learnt from the same rows"
        return f"{claim}, provided that at most {rare} of elements are rare {at} (confidence 95 % each{roughly})."

    def _assumptions(self) -> str:
        answers = (
            f"no answer is off by more than {self.answer_error:g}" if self.answer_error else "the answers are right"
        )
        return (
            f"All this holds if {answers}, if the metric of each group is right, and if similar elements of one group "
            "are similarly dissimilar to others (M1 and M2). Statements about future pairs also require that these "
            "pairs, and the rows set aside, are independent draws from the same groups, and that nothing, such as a "
            "scaling, was learnt from the rows set aside."
        )


def state_guarantee(
    samples: Mapping[str, Sample],
    coverage: Mapping[str, Coverage],
    settings: ProxySettings,
    held_out: Mapping[str, object] | None,
    *,
    inexact: Mapping[Between, float],
    confidence_level: float,
    share: float,
    answer_error: float = 0.0,
) -> Guarantee:
    """Put together what the distances to proxies, and the theorem, say about each pair of groups.

    ``inexact`` tells by how much a kept answer may be off: the answer error, and the rounding of large tables.
    """
    share, confidence_level = checked_share(share), checked_confidence_level(confidence_level)
    distances = _rows_not_drawn(coverage) if held_out is None else _held_out_distances(samples, held_out)
    future = {} if distances is None else bound_future_pairs(distances, share=share, confidence_level=confidence_level)
    drawn = settings.samples == "draw"

    def pair_guarantee(between: Between) -> PairGuarantee:
        left, right = coverage[between[0]], coverage[between[1]]
        n_left, n_right = (None if drawn else samples[name].n_drawn for name in between)
        rare_left, rare_right = (c.rare_mass.table if drawn else c.rare_mass.upper for c in (left, right))
        off = inexact[between]
        return PairGuarantee(
            between=between,
            table_tolerance=tolerance_for_share(left.distances, right.distances, share) + off,
            future_tolerance=future[between].tolerance + off if between in future else None,
            n_held_out=(0, 0) if distances is None else (len(distances[between[0]]), len(distances[between[1]])),
            theorem_bound=error_bound(settings.epsilon, settings.dilation) + off,
            theorem_failure=failure_probability(settings.delta, rare_left, rare_right, n_left, n_right),
            rare_mass=(rare_left, rare_right),
        )

    pairs = tuple(pair_guarantee(between) for between in combinations(samples, 2))
    fresh = all(group.fresh for group in coverage.values())
    return Guarantee(pairs, share, confidence_level, settings, answer_error, fresh)


def _held_out_distances(samples: Mapping[str, Sample], held_out: Mapping[str, object]) -> dict[str, FloatArray]:
    rows = {str(name): given for name, given in held_out.items()}
    if set(rows) != set(samples):
        raise InvalidInput(f"held_out must have rows for each of {list(samples)}, got {sorted(rows)}")
    distances = {name: sample.held_out_distances(rows[name]) for name, sample in samples.items()}
    if empty := [name for name, values in distances.items() if not len(values)]:
        raise InvalidInput(f"held_out has no rows of group {empty[0]!r}; set some aside, or leave held_out out")
    return distances


def _rows_not_drawn(coverage: Mapping[str, Coverage]) -> dict[str, FloatArray] | None:
    """Return the proxy distances of rows that nothing was learnt from, if every group has some.

    Which rows are drawn does not depend on their values, so those left over are independent of the samples.
    """
    distances = {name: group.distances[~group.drawn] for name, group in coverage.items()}
    usable = all(group.fresh for group in coverage.values()) and all(len(rest) for rest in distances.values())
    return distances if usable else None
