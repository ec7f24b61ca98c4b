"""Which searches over all pairs a kind of interval allows, and their blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from commensurate.applications.fairness.furthest import AcrossBlock, Block, ByDistance, ByProxy, Source, WithinBlock
from commensurate.applications.fairness.people import People
from commensurate.applications.intervals import IntervalKind, Model
from commensurate.elicitation.questions import Between
from commensurate.geometry.matched_envelope import MatchedEnvelope
from commensurate.geometry.metrics import FloatArray
from commensurate.learning.certified_terms import CertifiedTerms
from commensurate.learning.proxy_model import ProxyModel


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """People, what they are compared by, whether high scores are good for them, and answers beyond those of the model."""

    model: Model
    kind: IntervalKind
    people: dict[str, People]
    favourable_high: bool
    further: Mapping[Between, MatchedEnvelope]
    wanted: bool = True

    def possible(self, between: Between) -> bool:
        """Tell whether all pairs between these groups are searched: if wanted, by certified intervals or the paper's estimates."""
        if not self.wanted:
            return False
        if between[0] == between[1] or self.kind == "certified":
            return True
        return self.kind == "estimate" and isinstance(self.model, ProxyModel) and self.model.tables_[between].complete

    def estimates_for_free(self, between: Between) -> bool:
        """Tell whether estimates between these groups can be had without asking anybody."""
        return (
            not isinstance(self.model, ProxyModel) or between[0] == between[1] or self.model.tables_[between].complete
        )

    @property
    def answer_error(self) -> float:
        """How far off a further answer may be; 0 where only its noise is known."""
        error = self.model.answer_error
        return 0.0 if isinstance(error, str) else float(error)

    def merits(self, group: str) -> FloatArray:
        """Return scores of which a high one is good."""
        scores = self.people[group].scores
        return scores if self.favourable_high else -scores

    def block(self, between: Between, lipschitz: float) -> Block:
        """Return the pairs between two groups."""
        if between[0] == between[1]:
            return WithinBlock(self.people[between[0]], self.merits(between[0]), lipschitz)
        sources = self._certified(between, lipschitz) if self.kind == "certified" else (self._by_proxies(between),)
        return AcrossBlock((self.merits(between[0]), self.merits(between[1])), sources, lipschitz)

    def _certified(self, between: Between, lipschitz: float) -> tuple[Source, ...]:
        every = [self.model.certified_terms(between)]
        if between in self.further:
            envelope = self.further[between]
            every.append(CertifiedTerms(envelope.left_points, envelope.right_points, envelope.most))
        left, right = (self.people[name] for name in between)
        return tuple(
            Source(
                terms,
                (
                    ByDistance(left.points, terms.left, left.space.metric, lipschitz),
                    ByDistance(right.points, terms.right, right.space.metric, lipschitz),
                ),
            )
            for terms in every
        )

    def _by_proxies(self, between: Between) -> Source:
        assert isinstance(self.model, ProxyModel)
        table = self.model.tables_[between]
        terms = CertifiedTerms(table.grid.left.points, table.grid.right.points, table.values)
        proxies = [self.model.samples_[name].proxies(self.people[name].points) for name in between]
        return Source(terms, (ByProxy(proxies[0], len(terms.left)), ByProxy(proxies[1], len(terms.right))))
