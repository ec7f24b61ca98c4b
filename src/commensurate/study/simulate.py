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
from commensurate.study.messages import AskedQuestion
from commensurate.study.store import reading
from commensurate.study.store.answering import GivenAnswer
from commensurate.study.study import Study

# questions that are taken and answered at once
BATCH = 25
# what a person needs for an answer, about; simulated answers vary around it
USUAL_SECONDS = 20.0


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
        self._points = {
            group.name: {name: group.points[row : row + 1] for row, name in enumerate(group.ids)} for group in elements
        }
        pairs = [(left, right) for k, left in enumerate(elements) for right in elements[k + 1 :]]
        self.family = _chosen_family(pairs, family, rng)
        self._sigma: dict[tuple[str, str], Answering] = {
            (left.name, right.name): draw_answering(self.family, left, right, rng) for left, right in pairs
        }

    def answer(self, question: AskedQuestion, expert: str, noise: float, rng: np.random.Generator) -> GivenAnswer:
        sides = ((question.between[0], question.left_id), (question.between[1], question.right_id))
        if question.between not in self._sigma:
            sides = (sides[1], sides[0])
        (left_group, left_id), (right_group, right_id) = sides
        sigma = self._sigma[left_group, right_group]
        exact = float(sigma(self._points[left_group][left_id], self._points[right_group][right_id])[0])
        value = max(0.0, exact * (1.0 + noise * rng.standard_normal()))
        seconds = USUAL_SECONDS * float(np.exp(0.3 * rng.standard_normal()))
        return GivenAnswer(question.question_id, expert, value, seconds=seconds, origin="simulated")


def _chosen_family(pairs: list[tuple[Elements, Elements]], family: str | None, rng: np.random.Generator) -> str:
    """Return a family that fits every pair of groups: the one named, or one at random."""
    wanted = None if family is None else [family]
    fitting = [fitting_families(left, right, wanted) for left, right in pairs]
    common = [name for name in fitting[0] if all(name in others for others in fitting)]
    return common[int(rng.integers(len(common)))]
