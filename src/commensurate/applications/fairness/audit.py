"""The audit: are similar people treated similarly, as far as the answers show?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from commensurate.applications.fairness.context import AuditContext
from commensurate.applications.fairness.lipschitz import LipschitzRange, checked_lipschitz, lipschitz_range
from commensurate.applications.fairness.listed import list_violations
from commensurate.applications.fairness.next_questions import questions_to_settle_verdicts
from commensurate.applications.fairness.people import people_of
from commensurate.applications.fairness.verdicts import (
    VERDICTS,
    choose_pairs,
    judge,
    pairs_of_groups,
    shares_of,
    wrong_shares,
)
from commensurate.applications.fairness.words import audit_in_words
from commensurate.applications.fairness.worst import (
    Worst,
    find_worst,
    treated_worst_table,
    violations_looked_at,
    worst_table,
    wronged_people,
)
from commensurate.applications.further_answers import further_answers
from commensurate.applications.intervals import ModelIntervals, by_new_answer
from commensurate.applications.like_records import compare_groups
from commensurate.asking.questions import Between
from commensurate.checks import checked_choice, checked_confidence_level, checked_count, checked_generator
from commensurate.errors import InvalidParameter
from commensurate.learning.compared_records import RecordComparison
from commensurate.learning.similarity import INTERVALS, Interval, Similarity

Favourable = Literal["high", "low"]
FAVOURABLE: tuple[Favourable, ...] = ("high", "low")

# so many of either side are compared with each other
MOST_LISTED = 1_000


@dataclass(frozen=True, eq=False)
class FairnessAudit:
    """What an audit found; ``print`` it for a summary in words.

    The audit asks no questions: certified intervals use the answers that the model has.

    Attributes
    ----------
    lipschitz, interval, confidence_level, favourable
        As they were given.
    verdicts
        The pairs compared: left_group, left, right_group, right (row numbers), gap, lower, upper, verdict, and what the
        verdict is ``about``: "d" within groups, "σ", a "new answer", or the "estimate".
    shares
        For each pair of groups: how many pairs there are and were compared, how many are violated, satisfied,
        undecided, and limits for the share of violations among all pairs of these people; what they are ``about``.
    worst
        The pairs of every pair of groups that are violated by most, gap − L · upper (``excess``): who is treated worse,
        who better, and every interval. With calibrated intervals, the pairs across groups are a list of which,
        together, few are not violations, whatever the seed; then an excess may be negative.
    treated_worst
        Each person at most once, with the counterpart by which the condition is violated most. With calibrated
        intervals, people are listed by one counterpart each in another group, whom their records decide, so that
        few of them are wrong too; that list stays whole, so that a person may be there and be listed within their own
        group as well.
    people
        How many of each group are treated worse than someone else by more than the limit allows.
    exhaustive
        Whether ``worst``, ``treated_worst`` and ``people`` are about all pairs, none left out, or about those compared.
    passing
        Which L would pass.
    """

    lipschitz: float
    interval: Interval
    confidence_level: float
    favourable: Favourable
    verdicts: pd.DataFrame
    shares: pd.DataFrame
    worst: pd.DataFrame
    treated_worst: pd.DataFrame
    people: pd.DataFrame
    exhaustive: bool
    passing: LipschitzRange
    context: AuditContext = field(repr=False)

    @property
    def by_new_answer(self) -> bool:
        """Whether all that is said across groups is about a new answer by the same experts, and not about σ:
        by calibrated intervals where nobody knows how far off an answer may be.
        """
        return by_new_answer(self.context.model, self.interval)

    @cached_property
    def records(self) -> tuple[RecordComparison, ...]:
        """Whether the people of each group are like the records that the model rests on; see ``compare_records``.

        All groups together have a probability of 1 % of a false alarm.
        """
        return compare_groups(self.context.model, self.context.people)

    def next_questions(self, n: int = 10, *, random_state: int | np.random.Generator | None = 0) -> pd.DataFrame:
        """Return the questions to the expert that are expected to settle most of the undecided pairs.

        One after the other, each for what it settles, by M1 and M2, beyond those before it; ``settles`` counts
        undecided pairs among those compared. The estimate stands for the answer, which is not known yet. Answers go
        back into a certified audit (``answers``); those to earlier questions have to be passed again.
        """
        rng = checked_generator(random_state)
        n = checked_count("n", n)
        return questions_to_settle_verdicts(self.context, self.verdicts, self.lipschitz, n, rng)

    def by_person(self) -> pd.DataFrame:
        """Count, for each person, the verdicts on the pairs compared that this person is one of."""
        tables = []
        for group, members in self.context.people.items():
            counts = {}
            for verdict in VERDICTS:
                ours = self.verdicts[self.verdicts["verdict"] == verdict]
                rows = [ours[side][ours[f"{side}_group"] == group].to_numpy(np.int64) for side in ("left", "right")]
                counts[verdict] = np.bincount(np.concatenate(rows), minlength=len(members))
            persons = {"group": np.full(len(members), group, dtype=object), "person": np.arange(len(members))}
            tables.append(pd.DataFrame({**persons, "pairs": sum(counts.values()), **counts}))
        return pd.concat(tables, ignore_index=True)

    def __str__(self) -> str:
        return audit_in_words(self)


def audit_fairness(
    model: Similarity,
    data: Mapping[Any, Any],
    *,
    scores: object,
    lipschitz: float = 1.0,
    pairs: int | Literal["all"] = 100_000,
    interval: Interval | None = None,
    confidence_level: float = 0.95,
    favourable: Favourable = "high",
    worst: int = 100,
    answers: pd.DataFrame | None = None,
    random_state: int | np.random.Generator | None = None,
) -> FairnessAudit:
    """Tell which pairs of people have scores that differ by more than L times how dissimilar they are.

    Parameters
    ----------
    model
        A fitted estimator of the dissimilarity across groups.
    data
        The people by group: arrays of points, or DataFrames of raw rows if tables were fitted.
    scores
        By group, one number per row; or a fitted classifier, a regressor, or a function of a group's rows.
    lipschitz
        L: how much scores may differ per unit of dissimilarity.
    pairs
        How many random pairs to look at, in equal parts across and within groups; or "all".
    interval
        The strongest one that the model has by default; the audit names it. "certified": no verdict is wrong, if M1 and
        M2 hold, d is right and no answer is off by more than the model's ``answer_error``. "calibrated": a verdict on a
        random pair is wrong with probability 1 − ``confidence_level`` at most. If ``answer_error`` is a number, the
        intervals are widened by it, and the verdict is about σ; if it is "auto" or "noise", all that the audit says
        across groups is about a new answer by the same experts. "estimate": takes estimates for the truth, decides
        every pair, and promises nothing.
    confidence_level
        Confidence level of the limits on shares and of calibrated intervals.
    favourable
        Which scores are good for a person: "high" or "low". It tells who of a pair is treated worse.
    worst
        How many of the worst pairs of every pair of groups, and of the worst treated people, to list. With certified
        intervals (and with NAIVE's and CLUSTER's estimates) they are the worst of all pairs, found by a search that
        misses none, whatever ``pairs`` is. With calibrated intervals, the lists across groups are as long as their
        guarantee allows: of all pairs listed, on average a share 1 − ``confidence_level`` at most are not violations,
        and so it is for the pairs by which people are listed. 0 leaves out the search, which takes most of the time
        where people are many.
    answers
        What `next_questions` returned, with a column ``answer``:
        they narrow certified intervals beyond what the model knows.
    random_state
        Seed for drawing the pairs.

    Examples
    --------
    >>> import commensurate as cm
    >>> points = {"a": [[0.0], [0.5], [1.0]], "b": [[0.0], [0.5], [1.0]]}
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    >>> est = est.fit(points, lambda left, right, between: abs(left - right)[:, 0])
    >>> scores = {"a": [0.2, 0.5, 0.9], "b": [0.1, 0.9, 0.9]}
    >>> audit = audit_fairness(est, points, scores=scores, pairs="all")
    >>> audit.worst[["worse_group", "worse", "better_group", "better", "gap", "upper"]].head(2)
      worse_group  worse better_group  better  gap  upper
    0           a      1            b       1  0.4    0.0
    1           b      0            b       1  0.8    0.5
    """
    lipschitz = checked_lipschitz(lipschitz)
    level = checked_confidence_level(confidence_level)
    checked_choice("favourable", favourable, FAVOURABLE)
    k, rng = _checked_worst(worst), checked_generator(random_state)
    people = people_of(model, data, scores)
    further = {} if answers is None else further_answers(model, people, answers)
    chosen_interval = model.checked_interval(interval, INTERVALS)
    intervals = ModelIntervals(model, chosen_interval, level, further)
    compared = pairs_of_groups(people, model.symmetric_)
    chosen = choose_pairs(people, compared, pairs, rng)
    verdicts = judge(chosen, people, intervals, lipschitz)
    context = AuditContext(model, chosen_interval, people, favourable == "high", further, wanted=k > 0)
    found = _find(context, compared, intervals, verdicts, lipschitz, k)
    return FairnessAudit(
        lipschitz=lipschitz,
        interval=chosen_interval,
        confidence_level=level,
        favourable=favourable,
        verdicts=verdicts,
        shares=shares_of(
            chosen,
            verdicts,
            level,
            wrong_shares(model, people, compared, level) if chosen_interval == "calibrated" else {},
        ).assign(about=[intervals.subject(block.between) for block in chosen]),
        worst=worst_table(found.pairs, context, lipschitz, level, k),
        treated_worst=treated_worst_table(found.people, context, lipschitz, level, k),
        people=wronged_people(found.people, people),
        # a list by calibrated intervals is short of some even among all pairs, so that few of it are wrong
        exhaustive=all(
            context.possible(block.between) or (block.every and chosen_interval == "estimate") for block in chosen
        ),
        passing=lipschitz_range(context, chosen, intervals, verdicts),
        context=context,
    )


def _find(
    context: AuditContext,
    compared: Sequence[Between],
    intervals: ModelIntervals,
    verdicts: pd.DataFrame,
    lipschitz: float,
    k: int,
) -> Worst:
    """Find the worst among all pairs where they can be searched, among those compared or listed where not."""
    found = find_worst(context, [each for each in compared if context.possible(each)], intervals, lipschitz, k)
    # for each list its part of the risk, so that it is not exceeded by all of them together
    n_lists = sum(left != right for left, right in compared)
    for between in compared:
        if context.possible(between):
            continue
        if context.interval == "calibrated" and between[0] != between[1]:
            rate = (1.0 - intervals.confidence_level) / n_lists
            listed = list_violations(context, between, intervals, lipschitz, rate) if k else Worst([], [])
        else:
            compared_ones = violations_looked_at(context, between, verdicts, lipschitz)
            listed = Worst(compared_ones, compared_ones)
        found = Worst([*found.pairs, *listed.pairs], [*found.people, *listed.people])
    return found


def _checked_worst(worst: int) -> int:
    if checked_count("worst", worst) > MOST_LISTED:
        raise InvalidParameter(
            f"worst must be at most {MOST_LISTED:,}, got {worst:,}; to get all violated pairs, use pairs='all' and "
            "verdicts"
        )
    return worst
