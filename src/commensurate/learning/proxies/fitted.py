"""What a fitted NAIVE or CLUSTER can do: predict, bound, evaluate, say how far to trust it, and be saved.

Every element is compared through its proxy: the representative of its nearest sample.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from commensurate.arrays import Bounds, FloatArray, IntArray
from commensurate.asking.oracle import Oracle
from commensurate.asking.questions import Between
from commensurate.checks import checked_answer_error, renamed
from commensurate.groups.elements import Elements, Space
from commensurate.guarantees.contradictions.consistency import AnswerCheck
from commensurate.guarantees.theorem import QuestionCounts
from commensurate.learning.certified_terms import CertifiedTerms
from commensurate.learning.compared_records import SampledRecords
from commensurate.learning.evaluation import Evaluation
from commensurate.learning.held_out_pairs import Selection
from commensurate.learning.proxies.answer_table import AnswerTable
from commensurate.learning.proxies.certified import CertifiedIntervals, check_table
from commensurate.learning.proxies.guarantee import Guarantee, state_guarantee
from commensurate.learning.proxies.plan import count_sample_questions, measure_all
from commensurate.learning.proxies.sample import Coverage, ProxySettings, Sample
from commensurate.learning.proxy_answers import ProxyAnswers, ProxySide
from commensurate.learning.similarity import INTERVALS, Interval, PairInterval, Similarity, resolve_sides


class ProxyModel(Similarity):
    """Samples, answers about their representatives, and all that follows from them."""

    epsilon: float
    delta: float
    samples: Literal["draw", "given"]
    ask: Literal["eager", "on_demand"]
    symmetric: bool
    answer_error: float
    random_state: int | np.random.Generator | None
    _oracle: Oracle | None

    @property
    @abstractmethod
    def _dilation(self) -> float | None:
        """Return CLUSTER's dilation, None for NAIVE."""

    def _restore(
        self,
        samples: Mapping[str, Sample],
        tables: Mapping[Between, AnswerTable],
        coverage: Mapping[str, Coverage] | None = None,
        *,
        oracle: Oracle | None = None,
        elements: tuple[Elements, ...] = (),
    ) -> None:
        """Put the learnt state in place; `fit` and `load` both end here."""
        self._keep_parameters()
        self.settings_ = self._settings()
        self.samples_ = dict(samples)
        self.tables_ = dict(tables)
        self._oracle = oracle
        self._elements = elements
        self._coverage = dict(coverage or {})
        self._intervals: dict[Between, tuple[tuple[int, float], CertifiedIntervals]] = {}

    # --- what was asked ---

    @property
    def n_questions_by_pair_(self) -> dict[Between, int]:
        """How many distinct questions have been answered, for each pair of groups."""
        self._check_fitted()
        return {between: table.n_answered for between, table in self.tables_.items()}

    @property
    def question_counts_(self) -> QuestionCounts:
        """The questions of an eager fit, counted in the three ways that the paper mixes."""
        self._check_fitted()
        return count_sample_questions(self.samples_, self.settings_)

    @property
    def n_paper_queries_(self) -> int:
        """The paper's count: ordered pairs of groups, repeated draws counted again."""
        return self.question_counts_.ordered_with_repeats

    def questions_asked(self) -> pd.DataFrame:
        """Return a row for each pair of groups:
        how many representatives each has, and how many questions were answered.
        """
        asked = [
            (left, right, *(len(self.samples_[name].representatives) for name in (left, right)), n)
            for (left, right), n in self.n_questions_by_pair_.items()
        ]
        columns = ["left", "right", "left representatives", "right representatives", "answered questions"]
        return pd.DataFrame(asked, columns=columns)

    # --- predicting ---

    def predict(
        self, A: object, B: object, between: Sequence[object] | None = None, *, clip: bool = False
    ) -> FloatArray:
        """Return the estimated dissimilarity for each pair (A[i], B[i]); small means similar.

        Parameters
        ----------
        A, B
            Elements of the two groups: arrays of points, or DataFrames of raw rows if tables were fitted.
        between
            Names of the groups of A and B; may be left out when two groups were fitted.
        clip
            Project the paper's value into the certified interval.
        """
        sides, left, right = self._pairs(A, B, between)
        if sides.same_group:
            return self.spaces_[sides.between[0]].metric.paired(left, right)
        estimates = self._estimates(sides.between, left, right)
        if not clip:
            return estimates
        return np.clip(estimates, *self._certified(sides.between).bounds(left, right))

    def predict_matrix(self, A: object, B: object, between: Sequence[object] | None = None) -> FloatArray:
        """Return the estimates for every element of A with every element of B."""
        sides, left, right = self._points(A, B, between)
        if sides.same_group:
            matrix = self.spaces_[sides.between[0]].metric.pairwise(left, right)
        else:
            rows, columns = self._proxies(sides.between, left, right)
            table = self.tables_[sides.between]
            if not table.complete:
                every_row, every_column = np.meshgrid(np.unique(rows), np.unique(columns), indexing="ij")
                table.at(every_row.ravel(), every_column.ravel(), self._on_demand())
            matrix = table.values[np.ix_(rows, columns)].astype(np.float64, copy=False)
        return matrix.T if sides.swapped else matrix

    def predict_interval(
        self,
        A: object,
        B: object,
        between: Sequence[object] | None = None,
        *,
        interval: Interval | None = None,
        confidence_level: float = 0.95,
        kind: Interval | None = None,
    ) -> Bounds:
        """Return lower and upper bounds for each pair (A[i], B[i]).

        "certified", the default: the tightest bounds that all answers together imply. They hold for every pair if M1
        and M2 hold, d is right and no answer is off by more than ``answer_error``; nothing is assumed about where the
        pairs come from. They are certain, whatever the ``confidence_level``. Answers that contradict M1 and M2 raise
        `InconsistentAnswers`.

        "estimate": both bounds are the estimate, and promise nothing. ``kind`` is the old name of ``interval``.
        """
        chosen: Interval = self.checked_interval(renamed("kind", kind, "interval", interval), INTERVALS)
        sides, left, right = self._pairs(A, B, between)
        if not sides.same_group and not self.tables_[sides.between].complete and self._on_demand() is not None:
            self._estimates(sides.between, left, right)
        return self.bounds(chosen, left, right, sides.between, confidence_level=confidence_level)

    def why_no_interval(self, interval: str) -> str | None:
        """Say why this model has no such intervals; None if it has them."""
        if interval in ("certified", "estimate", "proxy"):
            return None
        return f"{interval} intervals need held-out answers, and {type(self).__name__} holds none out"

    def evaluate(self, A: object, B: object, answers: ArrayLike, between: Sequence[object] | None = None) -> Evaluation:
        """Compare the estimates with held-out answers."""
        estimates = self.predict(A, B, between)
        return self._evaluation(estimates, answers, self.settings_.epsilon)

    # --- trusting ---

    def guarantee(
        self,
        held_out: Mapping[str, object] | None = None,
        *,
        confidence_level: float = 0.95,
        share: float = 0.99,
    ) -> Guarantee:
        """State what the data and the theorem say about the errors of `predict`, without asking anything.

        Parameters
        ----------
        held_out
            Rows per group that were set aside before anything was learnt; the statement about future pairs rests on
            them. Left out, the rows that were not drawn serve,
            where nothing was learnt from them (points used as given).
        confidence_level
            Of the statement about future pairs.
        share
            Share of pairs that the stated tolerance covers.
        """
        self._check_fitted()
        answer_error = self.answer_error_
        return state_guarantee(
            self.samples_,
            self._measured_coverage(),
            self.settings_,
            held_out,
            inexact={between: answer_error + table.rounding for between, table in self.tables_.items()},
            confidence_level=confidence_level,
            share=share,
            answer_error=answer_error,
        )

    def check_answers(self, between: Sequence[object] | None = None, *, worst: int = 10) -> AnswerCheck:
        """Compare all answers between two groups with each other: which contradict M1 and M2, and by how much.

        Of more than 20,000 answers only the worst contradiction is looked for, and raised as `InconsistentAnswers`.
        """
        asked = self._across(between)
        return check_table(self.tables_[asked], self.answer_error_, worst)

    def proxy_distances(self, rows: object, group: object) -> FloatArray:
        """Return how far each element of a group is from its proxy; two of these bound the error of an estimate."""
        self._check_fitted()
        name = resolve_sides((group, group), self.groups_, self.settings_.symmetric).between[0]
        return self.samples_[name].proxy_distances(self.spaces_[name].points_of(rows))

    def certified_terms(self, between: Between) -> CertifiedTerms:
        """Return what the upper ends of certified intervals between two groups, as they were asked, are made of."""
        self._check_fitted()
        return self._certified(between).terms()

    def proxy_answers(self, between: Between) -> ProxyAnswers:
        """Return the answers that estimates between two groups, as they were asked, are read from."""
        table = self.tables_[between]
        left, right = (
            ProxySide(sample.asked.points, sample.elements.space.metric, sample.proxies)
            for sample in (self.samples_[name] for name in between)
        )
        widening = self.answer_error_ + table.rounding
        return ProxyAnswers(
            left,
            right,
            table.values,
            table.complete,
            widening,
            lambda rows, columns: table.at(rows, columns, self._on_demand()),
        )

    # --- inside ---

    def _measured_coverage(self) -> dict[str, Coverage]:
        """Return how well the samples cover the rows of each group, measured once."""
        if not self._coverage:
            self._coverage = measure_all(self._elements, self.samples_, self.settings_)
        return self._coverage

    def _bounds(
        self,
        interval: PairInterval,
        between: Between,
        left: FloatArray,
        right: FloatArray,
        level: float,
        selected_by: Selection | None = None,
    ) -> Bounds:
        return self._certified(between).bounds(left, right)

    def _sampled_records(self, group: str) -> SampledRecords:
        """Return the rows that were drawn as samples."""
        self._check_fitted()
        return SampledRecords(
            self.samples_[group].drawn_points,
            "that were drawn as samples",
            "certified intervals hold for any records, but what guarantee() says holds for records like the samples",
            "the model file is of an earlier version, which kept equal records only once; fit again",
        )

    def _certified_matrix(self, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
        return self._certified(between).matrix(left, right)

    def _estimates(self, between: Between, left: FloatArray, right: FloatArray) -> FloatArray:
        rows, columns = self._proxies(between, left, right)
        return self.tables_[between].at(rows, columns, self._on_demand())

    def _proxies(self, between: Between, left: FloatArray, right: FloatArray) -> tuple[IntArray, IntArray]:
        return self.samples_[between[0]].proxies(left), self.samples_[between[1]].proxies(right)

    def _on_demand(self) -> Oracle | None:
        return self._oracle if self._learnt_with["ask"] == "on_demand" else None

    def _certified(self, between: Between) -> CertifiedIntervals:
        table, answer_error = self.tables_[between], self.answer_error_
        state = (table.n_answered, answer_error)
        cached = self._intervals.get(between)
        if cached is None or cached[0] != state:
            cached = (state, CertifiedIntervals(table, answer_error))
            self._intervals[between] = cached
        return cached[1]

    @property
    def spaces_(self) -> dict[str, Space]:
        """The fitted groups' spaces by name, in order: metric, columns and encoding."""
        return {name: sample.elements.space for name, sample in self.samples_.items()}

    @property
    def symmetric_(self) -> bool:
        """Whether, when this was fitted, σ was taken to be the same whichever group is named first."""
        return self.settings_.symmetric

    @property
    def answer_error_(self) -> float:
        """How far off an answer may be."""
        return checked_answer_error(self._learnt_with["answer_error"])

    def _settings(self) -> ProxySettings:
        return ProxySettings(self.epsilon, self.delta, self._dilation, self.samples, self.symmetric)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "samples_")
