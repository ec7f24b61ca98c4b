"""A simulated expert plays through a study: for rehearsals, and to see what the answers would be worth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from commensurate.asking.simulated.answers import Answering, draw_answering, fitting_families
from commensurate.checks import checked_count
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.groups.elements import Elements
from commensurate.groups.group import elements_of
from commensurate.progress import progress
from commensurate.study.fitting import groups_of
from commensurate.study.kinds.content import SAME_WITHIN
from commensurate.study.kinds.words import QuestionKind
from commensurate.study.messages import AskedQuestion
from commensurate.study.store import reading
from commensurate.study.store.answering import GivenAnswer
from commensurate.study.study import Study

# questions that are taken and answered at once
BATCH = 25
# what a person needs for an answer, about; simulated answers vary around it
USUAL_SECONDS: dict[QuestionKind, float] = {"number": 20.0, "grade": 8.0, "comparison": 12.0}


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What simulated experts did: who they were, after which family they answered, and how often."""

    experts: tuple[str, ...]
    family: str
    answers: int


def simulate_study(
    study: Study, *, noise: float = 0.0, family: str | None = None, seed: int | None = None
) -> Rehearsal:
    """Let simulated experts answer everything that is open, as many of them as a question needs answers.

    σ is drawn for the study's own groups and obeys M1 and M2; the study must have no answers of people.

    Parameters
    ----------
    noise
        Standard deviation of the relative error of an answer.
    family
        Which kind of σ; one that fits the groups is drawn if left out.
    seed
        Of σ and the noise; the study's own if left out.
    """
    if not (math.isfinite(noise) and noise >= 0.0):
        raise InvalidParameter(f"noise must be a finite number, at least 0, got {noise!r}; 0.05 means 5 %")
    with study._database.reading() as connection:
        if reading.has_answers_of_people(connection):
            raise InvalidInput(
                "people have answered in this study, and simulated answers must not mix with theirs; rehearse on a copy: "
                "`commensurate study backup` makes one before anyone answers, or create a study with the same seed"
            )
    rng = np.random.default_rng([study.settings.seed if seed is None else checked_count("seed", seed), 3])
    panel = _Panel(study, family, rng)
    names = tuple(f"simulated {k}" for k in range(1, study.settings.answers_per_question + 1))
    answers = 0
    with progress("answering", total=sum(study.counts(name).open for name in names)) as advance:
        for name in names:
            while asked := study.next_questions(name, BATCH):
                with study._recording() as record:
                    record(panel.answer(question, name, noise, rng) for question in asked)
                answers += len(asked)
                advance(len(asked))
    return Rehearsal(names, panel.family, answers)


class _Panel:
    """One σ for each pair of groups, and the points that it is asked about."""

    def __init__(self, study: Study, family: str | None, rng: np.random.Generator) -> None:
        elements = elements_of(groups_of(study))
        self._settings = study.settings
        self._metrics = {group.name: group.space.metric for group in elements}
        self._points = {
            group.name: {name: group.points[row : row + 1] for row, name in enumerate(group.ids)} for group in elements
        }
        pairs = [(left, right) for k, left in enumerate(elements) for right in elements[k + 1 :]]
        self.family = _chosen_family(pairs, family, rng)
        self._sigma: dict[tuple[str, str], Answering] = {
            (left.name, right.name): draw_answering(self.family, left, right, rng) for left, right in pairs
        }

    def answer(self, question: AskedQuestion, expert: str, noise: float, rng: np.random.Generator) -> GivenAnswer:
        """Answer as the question asks: what is perceived as a number, its grade, or beside the other pair."""
        sides = ((question.between[0], question.left_id), (question.between[1], question.right_id))
        perceived = self._perceived(*sides, noise, rng)
        seconds = USUAL_SECONDS[question.kind] * float(np.exp(0.3 * rng.standard_normal()))
        said = self._said(question, perceived, noise, rng)
        return GivenAnswer(question.question_id, expert, said, seconds=seconds, origin="simulated")

    def _said(self, question: AskedQuestion, perceived: float, noise: float, rng: np.random.Generator) -> float | str:
        if question.kind == "grade":
            return self._settings.grades[int(np.searchsorted(self._settings.boundaries or (), perceived))]
        if question.other is None:
            return perceived
        other = max(0.0, question.other.distance * (1.0 + noise * rng.standard_normal()))
        if abs(perceived - other) <= SAME_WITHIN / 4.0 * other:
            return "same"
        return "first" if perceived < other else "second"

    def _perceived(self, one: tuple[str, str], other: tuple[str, str], noise: float, rng: np.random.Generator) -> float:
        if one[0] != other[0] and (one[0], other[0]) not in self._sigma:
            one, other = other, one
        points = self._points[one[0]][one[1]], self._points[other[0]][other[1]]
        # within a group everybody judges by its own metric
        measure = self._metrics[one[0]].paired if one[0] == other[0] else self._sigma[one[0], other[0]]
        return max(0.0, float(measure(*points)[0]) * (1.0 + noise * rng.standard_normal()))


def _chosen_family(pairs: list[tuple[Elements, Elements]], family: str | None, rng: np.random.Generator) -> str:
    """Return a family that fits every pair of groups: the one named, or one at random."""
    wanted = None if family is None else [family]
    fitting = [fitting_families(left, right, wanted) for left, right in pairs]
    common = [name for name in fitting[0] if all(name in others for others in fitting)]
    return common[int(rng.integers(len(common)))]
