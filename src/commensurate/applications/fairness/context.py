"""What an audit is about: people with their scores, and what they are compared by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from commensurate.applications.fairness.people import People
from commensurate.applications.fairness.search import (
    AcrossBlock,
    ByDistance,
    ByProxy,
    PairBlock,
    SameGroupBlock,
    Source,
)
from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between
from commensurate.geometry.pair_envelope import MatchedEnvelope
from commensurate.learning.certified_terms import CertifiedTerms
from commensurate.learning.proxy_answers import ProxyAnswers
from commensurate.learning.similarity import Interval, Similarity


@dataclass(frozen=True, slots=True, eq=False)
class AuditContext:
    """People, what they are compared by, whether high scores are good for them,
    and answers beyond those of the model.
    """

    model: Similarity
    interval: Interval
    people: dict[str, People]
    favourable_high: bool
    further: Mapping[Between, MatchedEnvelope]
    wanted: bool = True

    def possible(self, between: Between) -> bool:
        """Tell whether all pairs between these groups are searched:
        if wanted, by certified intervals or the paper's estimates.
        """
        if not self.wanted:
            return False
        if between[0] == between[1] or self.interval == "certified":
            return True
        answers = self.model.proxy_answers(between) if self.interval == "estimate" else None
        return answers is not None and answers.complete

    def estimates_for_free(self, between: Between) -> bool:
        """Tell whether estimates between these groups can be had without asking anyone."""
        if between[0] == between[1]:
            return True
        answers = self.model.proxy_answers(between)
        return answers is None or answers.complete

    @property
    def answer_error(self) -> float:
        """How far off a further answer may be; 0 where only its noise is known."""
        return self.model.answer_error_ or 0.0

    def merits(self, group: str) -> FloatArray:
        """Return scores of which a high one is good."""
        scores = self.people[group].scores
        return scores if self.favourable_high else -scores

    def block(self, between: Between, lipschitz: float) -> PairBlock:
        """Return the pairs between two groups."""
        if between[0] == between[1]:
            return SameGroupBlock(self.people[between[0]], self.merits(between[0]), lipschitz)
        answers = None if self.interval == "certified" else self.model.proxy_answers(between)
        sources = self._certified(between, lipschitz) if answers is None else (self._by_proxies(between, answers),)
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

    def _by_proxies(self, between: Between, answers: ProxyAnswers) -> Source:
        left, right = answers.left, answers.right
        terms = CertifiedTerms(left.representatives, right.representatives, answers.values)
        proxies = [side.proxies(self.people[name].points) for side, name in zip((left, right), between)]
        return Source(terms, (ByProxy(proxies[0], len(terms.left)), ByProxy(proxies[1], len(terms.right))))
