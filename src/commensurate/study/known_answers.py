"""Answers that are there before a study is: they name its questions, and are the first answers in it.

The pairs are held out and set aside as `BudgetedSimilarity.fit` does it with ``pairs=``, so that both learn the same.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from commensurate.asking.questions import Between, question_id
from commensurate.asking.said import number_of
from commensurate.checks import checked_held_out_share, checked_noise_or_error
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.groups.elements import Elements
from commensurate.learning.few_answers.given_pairs import (
    GivenPairs,
    PairsInput,
    PairsTable,
    plan_of_given_pairs,
    possible_ids,
    read_given_pairs,
)
from commensurate.learning.few_answers.limits import check_can_learn
from commensurate.learning.few_answers.plan import FEWEST_QUESTIONS, BudgetPlan
from commensurate.records.table_file import TableFile, check_file, forbid_equal_names, is_missing
from commensurate.records.values import code_of
from commensurate.study.fitting import plan_settings
from commensurate.study.gate import checked_expert
from commensurate.study.question_order import planned_questions
from commensurate.study.settings import GivenRows, StudySettings
from commensurate.study.store.answering import GivenAnswer
from commensurate.study.store.making import NewQuestion
from commensurate.wording import some

KnownAnswers = PairsInput | str | os.PathLike[str]

# who has answered where the table does not say it
UNNAMED = "known answers"
ROWS_AT_ONCE = 50_000


@dataclass(frozen=True, slots=True)
class KnownQuestions:
    """What known answers make of a study: its plan, further questions that nobody is asked, answers, and counts."""

    plan: BudgetPlan
    further: Sequence[NewQuestion]
    answers: Sequence[GivenAnswer]
    given: tuple[GivenRows, ...]


def read_known_answers(known: KnownAnswers) -> PairsTable:
    """Return a table, or a CSV file as a table of text, and raise if a column is missing."""
    table = _read_file(Path(known)) if isinstance(known, (str, os.PathLike)) else PairsTable.of(known, "known_answers")
    table.check_columns()
    return table


def records_named(table: PairsTable) -> dict[str | int, Collection[str]]:
    """Return the ids in a table by the name of their group, or where it names none by the group's place: 0 is the left.

    These records must be in the study, whatever else is drawn.
    """
    found: dict[str | int, set[str]] = {}
    with_groups = "left_group" in table.frame.columns
    for place, side in enumerate(("left", "right")):
        for group, name in table.named(side, ""):
            found.setdefault(group if with_groups else place, set()).update(possible_ids(name))
    return dict(found)


def known_questions(elements: tuple[Elements, ...], table: PairsTable, settings: StudySettings) -> KnownQuestions:
    """Hold out some of the pairs, and keep every answer: those to pairs that are set aside too.

    One expert's further answer to a pair is kept as the answer to a hidden repeat, since it corrects nothing.
    """
    found = read_given_pairs(elements, table, symmetric=True)
    plan = _plan(elements, found, settings)
    questions = {question.question_id: question for question in planned_questions(plan)}
    experts = _experts(table)
    ids = {group.name: group.ids for group in elements}
    further: dict[str, NewQuestion] = {}
    answers: list[tuple[int, GivenAnswer]] = []
    for between, given in found.items():
        pairs = [(ids[between[0]][x], ids[between[1]][y]) for x, y in zip(*(rows.tolist() for rows in given.rows))]
        before: Counter[tuple[int, str]] = Counter()
        for number, said, row in zip(given.numbers.tolist(), given.said, given.from_rows):
            (left, right), expert = pairs[number], experts[row]
            name, again = question_id(between, left, right), before[number, expert]
            before[number, expert] += 1
            if name not in questions:
                sides = (between[0], left), (between[1], right)
                further[name] = questions[name] = NewQuestion(name, *sides, held_out=False, place=0, aside=True)
            repeat = question_id(between, left, right, again)
            if repeat not in questions:
                further[repeat] = questions[repeat] = replace(questions[name], question_id=repeat, repeat_of=name)
            value = number_of(said, f"{table.place(row)}, column answer: an answer")
            # minus zero is zero
            answers.append((row, GivenAnswer(repeat, expert, value + 0.0, origin="known")))
    in_order = [answer for _, answer in sorted(answers, key=lambda one: one[0])]
    counts = tuple((*between, len(given.said), given.unanswered) for between, given in found.items())
    return KnownQuestions(plan, _originals_first(further), in_order, counts)


def _plan(elements: tuple[Elements, ...], found: Mapping[Between, GivenPairs], settings: StudySettings) -> BudgetPlan:
    n_pairs = sum(len(given.rows[0]) for given in found.values())
    if n_pairs <= FEWEST_QUESTIONS:
        raise InvalidParameter(
            f"known_answers must be about more than {FEWEST_QUESTIONS} different pairs, got {n_pairs}; add answers, or let "
            "the study draw its questions"
        )
    error = checked_noise_or_error(settings.answer_error)
    checked_held_out_share(settings.calibration)
    plan, _ = plan_of_given_pairs(elements, found, plan_settings(settings), np.random.default_rng(settings.seed))
    check_can_learn(settings.learner, error, plan.counts, plan.elements, growth=1.0)
    return plan


def _originals_first(questions: Mapping[str, NewQuestion]) -> list[NewQuestion]:
    """Return questions so that each comes after the one that it repeats."""
    return sorted(questions.values(), key=lambda question: question.repeat_of is not None)


def _experts(table: PairsTable) -> list[str]:
    """Return who has given each answer."""
    if "expert" not in table.frame.columns:
        return [UNNAMED] * len(table.frame)
    names = []
    for row, cell in enumerate(table.frame["expert"]):
        # a column of numbers in which one is missing is read as floats
        text = cell if isinstance(cell, str) else None if pd.isna(cell) else code_of(cell)
        try:
            names.append(checked_expert(text) if text and text.strip() else UNNAMED)
        except InvalidParameter as error:
            raise InvalidParameter(f"{table.place(row)}, column expert: {error}") from None
    return names


def _read_file(path: Path) -> PairsTable:
    check_file(path)
    file = TableFile(path)
    header = file.header()
    forbid_equal_names(path, header, header)
    lines: list[int] = []
    columns: list[list[str | None]] = [[] for _ in header]
    for part in file.parts(ROWS_AT_ONCE):
        lines += part.lines
        for cells, texts in zip(columns, part.columns):
            cells += [None if is_missing(text) else text for text in texts]
    if not lines:
        raise InvalidInput(f"{path} has no answers, only the header {some(header)}; add one row per answered pair")
    return PairsTable(pd.DataFrame(dict(zip(header, columns)), dtype=object), str(path), lines)
