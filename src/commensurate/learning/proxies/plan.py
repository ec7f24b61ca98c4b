"""The plan of NAIVE and CLUSTER: their samples, the questions about them, and where the answers go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from commensurate.asking.plan import QuestionPlan, check_planned_groups
from commensurate.asking.question_blocks import QuestionGrid
from commensurate.asking.questions import AnswersInput, Between, answers_by_question
from commensurate.asking.said import Said, number_of
from commensurate.errors import InvalidAnswer, MissingAnswers
from commensurate.groups.elements import Elements
from commensurate.groups.group import GroupsInput
from commensurate.guarantees.theorem import QuestionCounts, count_questions
from commensurate.learning.proxies.answer_table import AnswerTable
from commensurate.learning.proxies.guarantee import Guarantee, state_guarantee
from commensurate.learning.proxies.sample import Coverage, ProxySettings, Sample, measure_coverage


@dataclass(frozen=True, eq=False)
class ProxyPlan(QuestionPlan[QuestionGrid]):
    """The questions of NAIVE or CLUSTER, with the samples that they are about; none has been asked yet."""

    elements: tuple[Elements, ...]
    samples: Mapping[str, Sample]
    settings: ProxySettings

    @property
    def question_counts(self) -> QuestionCounts:
        """The questions, counted in the three ways that the paper mixes."""
        return count_sample_questions(self.samples, self.settings)

    def guarantee(
        self, held_out: Mapping[str, object] | None = None, *, confidence_level: float = 0.95, share: float = 0.99
    ) -> Guarantee:
        """State how far off estimates could be; that depends on distances alone, not on any answer."""
        return state_guarantee(
            self.samples,
            measure_all(self.elements, self.samples, self.settings),
            self.settings,
            held_out,
            inexact={grid.between: 0.0 for grid in self.blocks},
            confidence_level=confidence_level,
            share=share,
        )

    def check_groups(self, groups: GroupsInput | None) -> None:
        """Raise if ``groups`` are given and are not those that the plan was made for."""
        check_planned_groups(self.elements, groups)


def count_sample_questions(samples: Mapping[str, Sample], settings: ProxySettings) -> QuestionCounts:
    """Count the questions about samples; representatives, unlike draws, never repeat."""
    distinct = {name: len(sample.representatives) for name, sample in samples.items()}
    drawn = {name: sample.n_drawn for name, sample in samples.items()} if settings.dilation is None else distinct
    return count_questions(drawn, distinct, settings.symmetric)


def measure_all(
    elements: tuple[Elements, ...], samples: Mapping[str, Sample], settings: ProxySettings
) -> dict[str, Coverage]:
    """Measure how well the samples cover the rows of each group."""
    return {
        members.name: measure_coverage(members, samples[members.name], settings.epsilon, settings.delta)
        for members in elements
    }


def record_in_tables(tables: Mapping[Between, AnswerTable], answers: AnswersInput) -> None:
    """Put each answer where its question stands; an answer to no question of the plan is an error."""
    left_over = answers_by_question(answers)
    for table in tables.values():
        found = list(_matched(table.grid, left_over))
        if found:
            rows, columns, values = (np.array(part) for part in zip(*found))
            table.record(rows, columns, values)
    if left_over:
        raise InvalidAnswer(
            f"{len(left_over)} answer(s) do not belong to any question of this plan, the first to "
            f"{next(iter(left_over))!r}; use the plan that the questions came from"
        )


def _matched(grid: QuestionGrid, left_over: dict[str, Said]) -> Iterator[tuple[int, int, float]]:
    """Take the answers to a grid's questions out of ``left_over``; an id does not tell its pair, so all are tried."""
    for row in range(grid.shape[0]):
        for column in range(grid.shape[1]):
            if not left_over:
                return
            name = grid.question_id(row, column)
            said = left_over.pop(name, None)
            if said is not None:
                yield row, column, number_of(said, f"the answer to question {name}")


def refuse_unanswered(tables: Mapping[Between, AnswerTable]) -> None:
    """Raise if any question of the plan has no answer, naming the first."""
    missing = sum(len(table.grid) - table.n_answered for table in tables.values())
    if missing:
        table = next(table for table in tables.values() if not table.complete)
        row, column = (int(k) for k in np.argwhere(np.isnan(table.values))[0])
        raise MissingAnswers(
            f"{missing:,} of the plan's questions have no answer, the first is {table.grid.question_id(row, column)!r}; "
            "answer them, pass an oracle for the rest, or use ask='on_demand' to predict only where answers are known"
        )
