"""From what a study holds to groups and the plan that its questions were drawn by, and to a fitted estimator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from commensurate.asking.questions import Answer, Between, question_id
from commensurate.errors import InconsistentAnswers, InvalidInput, MissingAnswers
from commensurate.groups.elements import Elements
from commensurate.groups.encoding import Column, Encoding
from commensurate.groups.group import Group, elements_of
from commensurate.guarantees.population import MISSES, NEW_ELEMENTS, Claim, Unanswered
from commensurate.learning.few_answers.estimator import BudgetedSimilarity
from commensurate.learning.few_answers.plan import BudgetPlan, BudgetSettings, GivenCounts, PairPlan, pair_plan
from commensurate.records.sampling.distinct_cells import exact_numbers
from commensurate.study.judging.heard import Heard
from commensurate.study.kinds.content import range_of
from commensurate.study.messages import Record
from commensurate.study.settings import StudySettings
from commensurate.study.store import reading
from commensurate.study.store.answering import StoredAnswer
from commensurate.study.store.reading import StoredGroup, StoredQuestion
from commensurate.study.study import Study


def groups_of(study: Study) -> list[Group]:
    """Return the groups of a study with all records that are remembered."""
    with study._database.reading() as connection:
        return [stored_as_group(group) for group in reading.read_groups(connection)]


def stored_as_group(stored: StoredGroup) -> Group:
    """Return one group, encoded as it was when the study was made."""
    description = stored.description
    if not stored.records:
        raise InvalidInput(f"every record of group {stored.name!r} was erased, so there is nothing left to compare")
    encoding = read_encoding(description["encoding"])
    return Group(
        stored.name,
        feature_table(stored.records, encoding),
        description["metric"],
        ids=list(stored.records),
        encoding=encoding,
    )


def feature_table(records: Mapping[str, Record], encoding: Encoding) -> pd.DataFrame:
    """Return what the metric sees of records: numbers where the encoding expects numbers."""
    columns = {}
    for column in encoding.columns:
        values = [record.get(column.name) for record in records.values()]
        if column.categories is None:
            columns[column.name] = pd.Series(
                exact_numbers(np.array([_unquoted(value) for value in values], dtype=object))
            )
        else:
            columns[column.name] = pd.Series(values, dtype=object)
    return pd.DataFrame(columns)


def _unquoted(value: object) -> object:
    """Return true and false of a CSV file, which are kept as written, as what they mean;
    to_numeric knows numbers only.
    """
    return {"true": True, "false": False}.get(value.lower(), value) if isinstance(value, str) else value


def read_encoding(stored: Sequence[Mapping[str, Any]]) -> Encoding:
    """Return an encoding that was stored column by column."""
    return Encoding(
        tuple(
            Column(**{**column, "categories": None if column["categories"] is None else tuple(column["categories"])})
            for column in stored
        )
    )


def plan_of(study: Study) -> BudgetPlan:
    """Return the plan of a study, without questions about forgotten records, or that are set aside."""
    with study._database.reading() as connection:
        groups = [stored_as_group(group) for group in reading.read_groups(connection)]
        questions = reading.read_questions(connection)
    elements = elements_of(groups)
    rows = {group.name: {name: row for row, name in enumerate(group.ids)} for group in elements}
    members = {group.name: group for group in elements}
    by_pair: dict[Between, list[StoredQuestion]] = {}
    aside: Counter[Between] = Counter()
    for question in questions:
        if question.known_distance is not None:
            continue
        between = question.left_group, question.right_group
        asked = by_pair.setdefault(between, [])
        if question.repeat_of is None and not question.forgotten:
            if question.aside:
                aside[between] += 1
            else:
                asked.append(question)
    given = {
        (left, right): GivenCounts(len(by_pair[left, right]) + aside[left, right], n, unanswered, aside[left, right])
        for left, right, n, unanswered in study.settings.given or ()
    }
    return BudgetPlan.of(
        {pair: _pair_plan(pair, asked, members, rows, study.settings.claim) for pair, asked in by_pair.items()},
        elements,
        plan_settings(study.settings),
        study.settings.plan_seed,
        given or None,
    )


def _pair_plan(
    between: Between,
    asked: Sequence[StoredQuestion],
    members: Mapping[str, Elements],
    rows: Mapping[str, Mapping[str, int]],
    claim: Claim,
) -> PairPlan:
    left = np.array([rows[between[0]][question.left_id] for question in asked], dtype=np.int64)
    right = np.array([rows[between[1]][question.right_id] for question in asked], dtype=np.int64)
    held_out = np.array([question.held_out for question in asked], dtype=bool)
    # rows that only held-out questions are about
    judging = held_out if claim == NEW_ELEMENTS else np.zeros(len(held_out), dtype=bool)
    reserved = (np.unique(left[judging]), np.unique(right[judging]))
    return pair_plan((members[between[0]], members[between[1]]), (left, right), held_out, reserved)


def plan_settings(settings: StudySettings) -> BudgetSettings:
    """Return the part of the settings that determines a plan."""
    return BudgetSettings(settings.questions, settings.calibration, "random", True, settings.claim)


def estimator_of(settings: StudySettings) -> BudgetedSimilarity:
    """Return the estimator of a study, not fitted."""
    return BudgetedSimilarity(
        budget=settings.questions,
        learner=settings.learner,
        calibration=settings.calibration,
        answer_error=settings.answer_error,
        claim=settings.claim,
        random_state=settings.plan_seed,
    )


def fit_study(
    study: Study,
    *,
    answer_error: float | Literal["auto", "noise"] | None = None,
    unanswered: Unanswered = MISSES,
) -> BudgetedSimilarity:
    """Learn from the last answer of every expert to every question; unsure ones, and forgotten records, tell nothing.

    Held-out answers that a check has judged by count as they stood then.

    ``answer_error`` stands in for the study's own; ``unanswered`` says how held-out questions without an answer count.
    """
    settings = study.settings if answer_error is None else replace(study.settings, answer_error=answer_error)
    heard = Heard.of(study).present()
    plan, estimator = plan_of(study), estimator_of(settings)
    estimator.set_params(unanswered=unanswered)
    return estimator.fit(plan=plan, answers=_usable(settings, plan, heard.answers, heard.unanswered))


def fit_answers(
    settings: StudySettings,
    plan: BudgetPlan,
    answers: Iterable[StoredAnswer],
    unanswered: Collection[str] = (),
) -> BudgetedSimilarity:
    """Learn from answers to a plan; a hidden repeat is one more answer to the question that it repeats.

    ``unanswered`` are the questions that were put beside these and have no number.
    """
    return estimator_of(settings).fit(plan=plan, answers=_usable(settings, plan, answers, unanswered))


def end_of_answers(settings: StudySettings, answers: Iterable[float | None]) -> float | None:
    """Return the end of the scale if no answer lies beyond; None if one does, as one typed or imported may."""
    beyond = any(value is not None and value > settings.scale_end for value in answers)
    return None if beyond else settings.scale_end


def holding_answers(settings: StudySettings, plan: BudgetPlan, answers: Iterable[StoredAnswer]) -> BudgetedSimilarity:
    """Return an estimator to compare answers with each other by: one that learnt from them, unless they contradict."""
    estimator = estimator_of(settings)
    with suppress(InconsistentAnswers):  # it holds the answers all the same
        estimator.fit(plan=plan, answers=_usable(settings, plan, answers))
    return estimator


def _usable(
    settings: StudySettings, plan: BudgetPlan, answers: Iterable[StoredAnswer], unanswered: Collection[str] = ()
) -> list[Answer]:
    known = {question.question_id for question in plan.questions}
    given = [answer_to_learn_from(settings, answer) for answer in answers if not answer.unsure]
    usable = [answer for answer in given if answer.question_id in known]
    if not usable:
        raise MissingAnswers("there are no answers yet; ask with `commensurate study ask`, or import answers")
    return [*usable, *(Answer(name, float("nan")) for name in sorted(known.intersection(unanswered)))]


def answer_to_learn_from(settings: StudySettings, stored: StoredAnswer) -> Answer:
    """Return a number, or the range that a word stands for, as an answer to the question of the plan."""
    name = _name_in_plan(stored)
    if stored.value is not None:
        return Answer(name, stored.value, stored.expert)
    said = range_of(stored, settings, stored.other_distance)
    assert said is not None, "an unsure answer says nothing to learn from"
    return Answer(
        name, float("nan"), stored.expert, at_least=said.lower, at_most=said.upper, beside_ruler=said.beside_ruler
    )


def _name_in_plan(stored: StoredAnswer) -> str:
    """Return the id that a plan gives a question: that of the pair, whatever it was compared with."""
    if stored.kind == "comparison":
        return question_id((stored.left_group, stored.right_group), stored.left_id, stored.right_id)
    return stored.repeat_of or stored.question_id
