"""The repair: the least change of scores after which similar people are treated similarly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from commensurate.applications.fairness.lipschitz import checked_lipschitz
from commensurate.applications.fairness.new_scores import least_violation, price_of
from commensurate.applications.fairness.people import People, people_of
from commensurate.applications.fairness.repair_cells import RepairCells, cells_of, choose_cells, dissimilarity_of_cells
from commensurate.applications.fairness.repair_program import (
    REPAIR_USES,
    RepairDissimilarity,
    RepairUse,
    duplicates_of,
    forced_blocks,
    least_change,
    of_different_people,
    slack_of,
)
from commensurate.applications.fairness.words import repair_in_words
from commensurate.applications.further_answers import further_answers
from commensurate.applications.intervals import ModelIntervals, by_new_answer
from commensurate.arrays import FloatArray, IntArray
from commensurate.checks import checked_choice, checked_confidence_level, renamed
from commensurate.errors import CommensurateError, UnknownGroup
from commensurate.learning.similarity import Interval, Similarity

COLLAPSED_SPREAD = 0.1
# of the range of the scores; the linear program is not more exact than that
LEAST_CHANGE = 1e-8


@dataclass(frozen=True, eq=False)
class ScoreRepair:
    """Repaired scores, and what the repair did to them; ``print`` it for a summary in words.

    Attributes
    ----------
    scores, scores_before
        By group, one score per row.
    total_change, mean_change, largest_change, n_changed
        Of |score after − score before| over all people;
        changes up to 1e-8 of the range of the scores are not counted in n_changed.
    lipschitz, use, interval, confidence_level
        As they were given.
    spread_before, spread_after
        The standard deviation of all scores.
    collapsed
        Whether the spread fell below a tenth, as it does where lower bounds of 0 force many scores to be equal.
    forced_share
        Share of the people whose score was forced to be equal to that of someone whose row differs from theirs: no gap
        was allowed between them, directly or through others, or they copy the same representative.
    largest_block
        The largest number of people who were so forced to be equal to each other; 0 if no one was.
    n_rounds, n_constraints
        How often the linear program was solved, and how many constraints it had in the end.
    representatives, largest_radius
        How many of each group, and the largest distance of a person from theirs; None and 0 if there are none.
    """

    scores: dict[str, FloatArray]
    scores_before: dict[str, FloatArray]
    total_change: float
    mean_change: float
    largest_change: float
    n_changed: int
    lipschitz: float
    use: RepairUse
    interval: Interval
    confidence_level: float
    spread_before: float
    spread_after: float
    collapsed: bool
    forced_share: float
    largest_block: int
    n_rounds: int
    n_constraints: int
    representatives: dict[str, int] | None
    largest_radius: float
    _people: dict[str, People] = field(repr=False)
    _comparison: RepairDissimilarity = field(repr=False)

    @property
    def by_new_answer(self) -> bool:
        """Whether the bounds across groups hold for a new answer by the same experts, and not for σ."""
        return by_new_answer(self._comparison.intervals.model, self.interval)

    def price(self, outcomes: Mapping[Any, Any], *, threshold: float = 0.5) -> pd.DataFrame:
        """Return how well the scores foretell outcomes, before and after.

        Parameters
        ----------
        outcomes
            By group, 0 or 1 for each row.
        threshold
            Scores from here on foretell a 1; for the accuracy.

        Returns
        -------
        DataFrame
            Rows accuracy, AUC and, where all scores are from 0 to 1, Brier score; columns before and after.
        """
        return price_of(self.scores_before, self.scores, outcomes, threshold)

    def score_new(self, rows: object, group: object, scores: object = None) -> tuple[FloatArray, FloatArray]:
        """Return scores of least violation for new people, and by how much each of them violates the condition.

        For a new person x the condition with every repaired person y leaves the scores from max h(y) − L·c(x, y)
        to min h(y) + L·c(x, y). Where there are any, x gets the one nearest to its own score, or the middle, and
        violates nothing. There may be none: with d(y, z) = 1 and σ(x, y) = σ(x, z) = 0.1, y and z may have the scores 0
        and 1, and no score is near enough to both; an extension of repaired scores to new people does not exist in
        general. Then x gets the middle between the two ends, whose largest excess over what is allowed is the least
        possible; it is returned as the violation.

        New people are compared with those repaired, not with each other.

        Parameters
        ----------
        rows
            New people of one group, as in ``data``.
        group
            Its name.
        scores
            The scores that they would get without a repair, as in `repair_scores`.
        """
        name, model = str(group), self._comparison.intervals.model
        if name not in model.groups_:
            raise UnknownGroup(f"unknown group {name!r}; fitted groups are {list(model.groups_)}")
        wanted = people_of(model, {name: rows}, {name: _zeros if scores is None else scores})[name]
        repaired = np.concatenate(list(self.scores.values()))
        return least_violation(
            name,
            wanted.points,
            None if scores is None else wanted.scores,
            {each: people.points for each, people in self._people.items()},
            repaired,
            self._comparison,
            self.lipschitz,
            slack_of(np.concatenate(list(self.scores_before.values()))),
        )

    def __str__(self) -> str:
        return repair_in_words(self)


def repair_scores(
    model: Similarity,
    data: Mapping[Any, Any],
    *,
    scores: object,
    lipschitz: float = 1.0,
    use: RepairUse | None = None,
    interval: Interval | None = None,
    confidence_level: float = 0.95,
    representatives: int | None = None,
    answers: pd.DataFrame | None = None,
    under: RepairUse | None = None,
) -> ScoreRepair:
    """Change scores as little as possible, in total,
    such that no two differ by more than L times how dissimilar people are.

    All pairs are compared, within groups and across. Allowed gaps are reduced by 1e-9 of the range of the scores, and
    smaller gaps are set to 0, so that an audit of the repaired scores agrees whatever is rounded; no one's change
    is then more than that times the number of people from what the least change needs. No score leaves the range
    of those given: pulling scores back into it widens no gap and changes them less.

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
    use
        What is used for the dissimilarity. "lower", the default: the lower bound, so that an audit by the same
        intervals finds every pair satisfied. "estimate": the estimate, brought into its interval, so that it finds none
        violated.
    interval
        "certified" or "calibrated"; the stronger one that the model has by default.
        Calibrated bounds hold for most random pairs, not for all; where ``answer_error`` is "auto" or "noise", they are
        bounds of a new answer, else they are widened by it and are bounds of σ.
    confidence_level
        Confidence level of calibrated intervals.
    representatives
        Repair on so many people of each group, whose scores the others copy; the constraints allow for their distances,
        which costs change. By default there are none up to 4,000 people in all, and beyond 500 representatives of
        each group do. Only for certified intervals: calibrated ones do not say how they change from one person to the
        next. It serves people in clumps. Where they lie without gaps, neighbours with different representatives are
        arbitrarily near, so that all scores are forced to be equal; then repair a random part of the people, and score
        the others by `score_new`.
    answers
        As in `audit_fairness`: further answers that narrow certified intervals.
    under
        The old name of ``use``.

    Examples
    --------
    >>> import commensurate as cm
    >>> points = {"a": [[0.0], [0.5], [1.0]], "b": [[0.0], [0.5], [1.0]]}
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    >>> est = est.fit(points, lambda left, right, between: abs(left - right)[:, 0])
    >>> repair = repair_scores(est, points, scores={"a": [0.2, 0.5, 0.9], "b": [0.1, 0.9, 0.9]})
    >>> {group: values.round(3).tolist() for group, values in repair.scores.items()}
    {'a': [0.1, 0.5, 0.9], 'b': [0.1, 0.5, 0.9]}
    """
    lipschitz = checked_lipschitz(lipschitz)
    used = checked_choice("use", renamed("under", under, "use", use) or "lower", REPAIR_USES)
    level = checked_confidence_level(confidence_level)
    people = people_of(model, data, scores)
    bounded: Interval = model.checked_interval(interval, ("certified", "calibrated"))
    further = {} if answers is None else further_answers(model, people, answers)
    comparison = RepairDissimilarity(ModelIntervals(model, bounded, level, further), used)
    chosen = choose_cells(people, bounded, representatives)
    before = np.concatenate([each.scores for each in people.values()])
    slack = slack_of(before)
    if chosen is None:
        cell = np.arange(len(before))
        allowed = comparison.every({name: each.points for name, each in people.items()})
    else:
        cell = cells_of(chosen)
        allowed = dissimilarity_of_cells(people, chosen, comparison)
    allowed *= lipschitz
    blocks = forced_blocks(allowed, slack)
    block = blocks.of[cell]
    solved = least_change(before, block, blocks)
    _check_every_pair(solved.values[blocks.of], allowed)
    return _repair(
        before,
        solved.values[block],
        block,
        people,
        comparison,
        chosen,
        lipschitz,
        (solved.n_rounds, solved.n_constraints),
    )


def _zeros(rows: Any) -> FloatArray:
    return np.zeros(len(rows))


def _spread(scores: FloatArray) -> float:
    # the mean of equal numbers may be rounded, and then differs from them
    return float(scores.std()) if np.ptp(scores) > 0.0 else 0.0


def _check_every_pair(values: FloatArray, allowed: FloatArray) -> None:
    """Compare every pair as an audit does; what fails here is our error."""
    for value, row in zip(values, allowed):
        if (np.abs(value - values) > row).any():
            raise CommensurateError("the repaired scores violate the condition; this is a bug, please report it")


def _repair(
    before: FloatArray,
    after: FloatArray,
    block: IntArray,
    people: dict[str, People],
    comparison: RepairDissimilarity,
    chosen: dict[str, RepairCells] | None,
    lipschitz: float,
    work: tuple[int, int],
) -> ScoreRepair:
    change = np.abs(after - before)
    forced = of_different_people(block, duplicates_of([each.points for each in people.values()]))
    spread_before, spread_after = _spread(before), _spread(after)
    ends = np.cumsum([len(each) for each in people.values()])[:-1]
    return ScoreRepair(
        scores=dict(zip(people, np.split(after, ends))),
        scores_before={name: each.scores for name, each in people.items()},
        total_change=float(change.sum()),
        mean_change=float(change.mean()),
        largest_change=float(change.max()),
        n_changed=int((change > LEAST_CHANGE * np.ptp(before)).sum()),
        lipschitz=lipschitz,
        use=comparison.use,
        interval=comparison.intervals.interval,
        confidence_level=comparison.intervals.confidence_level,
        spread_before=spread_before,
        spread_after=spread_after,
        collapsed=spread_before > 0.0 and spread_after < COLLAPSED_SPREAD * spread_before,
        forced_share=float(forced.mean()),
        largest_block=int(np.bincount(block[forced]).max(initial=0)),
        n_rounds=work[0],
        n_constraints=work[1],
        representatives=None if chosen is None else {name: len(each.rows) for name, each in chosen.items()},
        largest_radius=0.0 if chosen is None else max(float(each.radii.max()) for each in chosen.values()),
        _people=people,
        _comparison=comparison,
    )
