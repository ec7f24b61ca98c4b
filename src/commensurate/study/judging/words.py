"""How well experts agree where answers are words: grades, or which of two pairs is more alike.

Words have an order and no distance: a grade and the next are one step apart, and so are "first", "same" and "second".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from commensurate.study.kinds.words import COMPARED
from commensurate.study.store.answering import StoredAnswer
from commensurate.wording import counted

# a question is worth asking again if answers to it are so many steps apart
FAR_APART = 2
ORDER_OF_CHOICES = ("first", "same", "second")


@dataclass(frozen=True, slots=True)
class WordDisagreement:
    """A question that experts answered with words ``steps`` apart; ``words`` are (expert, word)."""

    question: str
    steps: int
    words: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        listed = ", ".join(f'{expert} "{word}"' for expert, word in self.words)
        return f"The {len(self.words)} answers to question {self.question} are {counted(self.steps, 'step')} apart: {listed}."


@dataclass(frozen=True, slots=True)
class WordConsistency:
    """How an expert answered ``n`` questions a second time: how often with the same word,
    and how often with one that is more than a step away.
    """

    expert: str
    n: int
    same: int
    far: int

    def __str__(self) -> str:
        return (
            f"{self.expert} repeated {counted(self.n, 'answer')} in words: {self.same:,} with the same word, {self.far:,} "
            "with one that is more than a step away."
        )


def steps_between(one: str, other: str, grades: Sequence[str]) -> int:
    """Return how many steps lie between two answers to one question.

    >>> steps_between("first", "second", ()), steps_between("alike", "similar", ["alike", "similar"])
    (2, 1)
    """
    return abs(_place(one, grades) - _place(other, grades))


def places_by_question(answers: Iterable[StoredAnswer], grades: Sequence[str]) -> dict[str, list[float]]:
    """Return for each question answered with words their places in order; hidden repeats are left out."""
    found: dict[str, list[float]] = {}
    for one in answers:
        if one.choice is not None and one.repeat_of is None:
            found.setdefault(one.question_id, []).append(float(_place(one.choice, grades)))
    return found


def word_disagreements(
    answers: Iterable[StoredAnswer], grades: Sequence[str], worst: int
) -> tuple[WordDisagreement, ...]:
    """Return the questions whose answers in words are farthest apart; those on which all agree are not listed."""
    by_question: dict[str, list[tuple[str, str]]] = {}
    for one in answers:
        if one.choice is not None and one.repeat_of is None:
            by_question.setdefault(one.question_id, []).append((one.expert, one.choice))
    found = []
    for question, words in by_question.items():
        ordered = sorted(words, key=lambda pair: (_place(pair[1], grades), pair[0]))
        if steps := steps_between(ordered[0][1], ordered[-1][1], grades):
            found.append(WordDisagreement(question, steps, tuple(ordered)))
    return tuple(sorted(found, key=lambda one: -one.steps)[:worst])


def word_consistency(
    pairs: Mapping[str, Sequence[tuple[str, str]]], grades: Sequence[str]
) -> tuple[WordConsistency, ...]:
    """Return how well experts repeat themselves, from (first word, repeated word) by expert."""
    found = []
    for expert, words in sorted(pairs.items()):
        steps = [steps_between(first, repeated, grades) for first, repeated in words]
        far = sum(step >= FAR_APART for step in steps)
        found.append(WordConsistency(expert, len(steps), steps.count(0), far))
    return tuple(found)


def _place(word: str, grades: Sequence[str]) -> int:
    return ORDER_OF_CHOICES.index(word) if word in COMPARED else list(grades).index(word)
