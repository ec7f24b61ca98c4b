"""How far an estimate of BudgetedSimilarity may be off: its intervals of every kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from commensurate.arrays import Bounds
from commensurate.asking.questions import Between
from commensurate.checks import checked_confidence_level, renamed
from commensurate.errors import InvalidParameter
from commensurate.guarantees.population import PAIRS_OF_THESE
from commensurate.learning.few_answers.fitted import BudgetedModel
from commensurate.learning.few_answers.intervals.judged import JUDGED, judged_bounds, weighted_bounds
from commensurate.learning.few_answers.intervals.new_expert import new_expert_bounds
from commensurate.learning.held_out_pairs import Selection
from commensurate.learning.like_weights import Known, LikeWeights, learn_ratios
from commensurate.learning.similarity import Interval

BudgetedInterval = Literal[
    "certified", "calibrated", "intersection", "envelope", "cv+", "new expert", "random effects", "estimate"
]
BUDGETED_INTERVALS: tuple[BudgetedInterval, ...] = get_args(BudgetedInterval)


class BoundedModel(BudgetedModel):
    """A model that bounds its estimates."""

    def predict_interval(
        self,
        A: object,
        B: object,
        between: Sequence[object] | None = None,
        *,
        interval: BudgetedInterval | None = None,
        confidence_level: float = 0.95,
        calibration_confidence: float | None = None,
        selected_by: Selection | None = None,
        like: LikeWeights | Mapping[Any, object] | None = None,
        kind: BudgetedInterval | None = None,
    ) -> Bounds:
        """Return lower and upper bounds for each pair (A[i], B[i]).

        The default is "certified" where there is a bound on the error of an answer, and "calibrated" where
        ``answer_error`` is "auto" or "noise". ``kind`` is the old name of ``interval``.

        "certified" holds for every pair, if M1 and M2 hold, d is right and no answer is off by more than
        ``answer_error``; it is certain whatever the ``confidence_level``, and wide as long as answers are few. It rests
        on all answers, the held-out ones too, so that an estimate may lie outside it.

        "calibrated" holds for a share ``confidence_level`` of the pairs that ``claim`` names, at random: pairs of new
        elements like these, or other pairs of these elements; where pairs were given, pairs like those given. It is
        an interval of σ if answers are exact, of a new answer by the same experts if they are not. That share is the
        mean over calibrations; with ``calibration_confidence`` it holds, with this confidence, in the present one.
        There is no guarantee for pairs that you pick, unless ``selected_by`` says how, nor for nearest or matched
        pairs: `neighbors` and `match_one_to_one` have calibrated intervals of their own. With too few held-out answers
        the interval is infinite, and a warning says how many are needed.

        "intersection": what "calibrated" and "certified" both allow of σ. It assumes what both assume, and has the
        level of the calibrated interval; where the two have nothing in common, it is the nearest end of the certified
        one.

        "envelope": what M1, M2 and the answers learnt from allow, widened until held-out answers lie inside often
        enough. It holds for as many pairs as "calibrated" does, and assumes as little: not M1, not M2, and no bound on
        the errors of answers. `envelope_fit` says what it tells about M1 and M2.

        "cv+" needs no held-out answers; it learns five times more, once. It is guaranteed to hold for a share of only
        1 − 2α − √(2/n) of random pairs, where α is 1 − ``confidence_level`` and n the number of answers learnt from,
        and only if these were about random pairs of elements, none of them asked about twice; otherwise it is refused.

        "new expert" is for an answer of another expert of the same kind: the experts who answered, and the new one,
        are like draws from one crowd. "calibrated" speaks of the same experts, whose ways were learnt. Five models are
        learnt, once, each without some of the experts. It needs held-out answers of level / (1 − level) experts, 19 at
        95 % and 9 at 90 %, and is infinite below. It covers at least a share 1 − 2α, where α is 1 −
        ``confidence_level``, and in practice close to 1 − α, on average over experts and pairs.

        "random effects" is for such an answer too, and needs two experts, but rests on a model: that experts' shifts,
        and the errors beside them, are normal and of one size each.

        "estimate": both bounds are the estimate, and promise nothing.

        ``selected_by`` is for pairs that you selected by their estimates: a function that takes the estimate of one
        pair and tells whether it is selected, such as ``lambda estimate: estimate <= 0.2``. "calibrated",
        "intersection" and "envelope" then rest on the held-out pairs that it selects, and hold for a share
        ``confidence_level`` of the pairs selected. It must not look at anything else, and A and B must be pairs that it
        selects.

        ``like`` is for pairs of records of another kind than those asked about, which `compare_records` recognises: a
        dict with rows of that kind, drawn at random, for each group that has changed; or what `weights_like` returned.
        "calibrated" then counts each held-out answer by how much more frequent such pairs are. It holds approximately
        for a share ``confidence_level`` of random pairs of that kind, since the weights are estimated, if answers to
        such pairs come about as before. It is infinite for pairs that are too rare among those asked about.
        """
        chosen = self.checked_interval(renamed("kind", kind, "interval", interval), BUDGETED_INTERVALS)
        level = checked_confidence_level(confidence_level)
        if calibration_confidence is not None:
            calibration_confidence = checked_confidence_level(calibration_confidence)
            if chosen not in JUDGED:
                raise InvalidParameter(
                    f"calibration_confidence works only with interval={_either(JUDGED)}, got interval={chosen!r}"
                )
        if selected_by is not None and chosen not in JUDGED:
            raise InvalidParameter(f"selected_by works only with interval={_either(JUDGED)}, got interval={chosen!r}")
        if like is not None and (
            chosen != "calibrated" or calibration_confidence is not None or selected_by is not None
        ):
            raise InvalidParameter(
                "like works only with interval='calibrated', without calibration_confidence and selected_by, got "
                f"interval={chosen!r}"
            )
        sides, left, right = self._pairs(A, B, between)
        if sides.same_group or chosen in ("certified", "estimate"):
            ends: Interval = "certified" if chosen == "certified" and not sides.same_group else "estimate"
            return self.bounds(ends, left, right, sides.between)
        model = self._model(sides.between)
        if like is not None:
            weights = like if isinstance(like, LikeWeights) else self.weights_like(like, sides.between)
            return weighted_bounds(model, weights, left, right, level)
        if chosen in JUDGED:
            return judged_bounds(model, chosen, left, right, level, calibration_confidence, selected_by)
        if chosen in ("new expert", "random effects"):
            by_model = chosen == "random effects"
            return new_expert_bounds(model.judged_experts, sides.between, left, right, level, by_model=by_model)
        if level < 0.5:
            raise InvalidParameter(f"interval='cv+' gives no guarantee below confidence_level=0.5, got {level:g}")
        return model.cross_validated(left, right, level)

    def weights_like(self, like: Mapping[Any, object], between: Sequence[object] | None = None) -> LikeWeights:
        """Estimate how much each held-out answer counts for pairs of records of another kind than those asked about.

        Pass the result to `predict_interval` as ``like``; ``print`` it for the effective number of held-out answers,
        and ``effective`` for the number itself.

        Parameters
        ----------
        like
            For each group that has changed, rows of the new kind, drawn at random. Up to 1,000 are learnt from.
        between
            The two groups; may be left out when two were fitted.

        Examples
        --------
        >>> import commensurate as cm
        >>> ages = {"a": [[20.0 + k] for k in range(80)], "b": [[30.0 + k] for k in range(80)]}
        >>> est = cm.BudgetedSimilarity(budget=100, random_state=0)
        >>> est = est.fit(ages, lambda left, right, between: abs(left - right)[:, 0])
        >>> weights = est.weights_like({"a": [[60.0 + k] for k in range(40)]})
        >>> weights.n, weights.effective < 15
        (19, True)
        """
        across, plan = self._across(between), self.plan_
        if plan.settings.design == "active" or plan.given is not None or plan.settings.claim == PAIRS_OF_THESE:
            raise InvalidParameter(
                "like= needs random questions about new elements: it is not for design='active', pairs that were given, or "
                "claim='pairs of these elements'; fit with random questions and claim='new elements'"
            )
        model, part = self._model(across), plan.by_pair[across]
        learnt = ~part.held_out & (np.arange(len(part.held_out)) < self.logs_[across].n_put)
        ratios = learn_ratios(
            like,
            across,
            [
                Known(side.space, side.points[learnt][np.unique(rows[learnt], return_index=True)[1]])
                for side, rows in zip((part.pairs.left, part.pairs.right), part.rows)
            ],
        )
        return LikeWeights(across, ratios, model.held_out_pairs)

    def bounds_like(self, weights: LikeWeights, A: object, B: object, between: Between, level: float) -> Bounds:
        """Return calibrated intervals by weighted held-out answers for each pair (A[i], B[i])."""
        return self.predict_interval(A, B, between, interval="calibrated", like=weights, confidence_level=level)

    def why_no_interval(self, interval: str) -> str | None:
        """Say why this model has no such intervals; None if it has them."""
        if interval in ("certified", "intersection") and self.answer_error_ is None:
            said = self._learnt_with["answer_error"]
            return f"certified intervals need a bound on the error of an answer, and answer_error={said!r} sets none"
        if interval == "proxy":
            return f"proxy intervals use the answer about two proxies, and {type(self).__name__} has no proxies"
        if interval in ("new expert", "random effects") and not all(
            any(one.expert is not None for one in log) for log in self.logs_.values()
        ):
            return f"{interval} intervals need to know which expert gave each answer, and the answers do not say"
        if interval == "cv+" and self.plan_.settings.design == "active":
            return "cv+ intervals need random pairs to learn from, and design='active' chose them"
        if interval == "cv+" and self.plan_.given is not None:
            return "cv+ intervals need random pairs to learn from, and the pairs of this model were given"
        if interval == "cv+" and self.plan_.settings.claim == PAIRS_OF_THESE:
            return "cv+ intervals are about new elements, and claim='pairs of these elements' says nothing about them"
        return None


def _either(intervals: Sequence[str]) -> str:
    return " or ".join(repr(interval) for interval in intervals)
