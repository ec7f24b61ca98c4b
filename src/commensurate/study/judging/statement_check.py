"""Whether answers of every kind contradict M1 and M2, as far as that can be said.

Each answer bounds the dissimilarity of its pair: a number from both sides, a grade by its boundaries, a comparison by
the distance of the other pair. If no answer is off by more than a bound, a contradiction is certain. If experts err at
random, it is not: then it is only said how far off answers would have to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from commensurate.asking.questions import Answer
from commensurate.errors import InvalidInput, MissingAnswers
from commensurate.guarantees.statements.check import StatementCheck, check_statements
from commensurate.guarantees.statements.statement import Statement
from commensurate.learning.few_answers.plan import BudgetPlan
from commensurate.study.fitting import answer_to_learn_from
from commensurate.study.judging.contradictions import PairContradictions
from commensurate.study.settings import StudySettings
from commensurate.study.store.answering import StoredAnswer
from commensurate.wording import counted, rounded_up


def statement_contradictions(
    settings: StudySettings, plan: BudgetPlan, answers: Iterable[StoredAnswer]
) -> tuple[PairContradictions, ...]:
    """Return for each pair of groups whether its answers contradict each other."""
    by_name: dict[str, list[Answer]] = {}
    # a plan calls a comparison by its pair alone
    in_study: dict[str, str] = {}
    for one in answers:
        if not one.unsure:
            given = answer_to_learn_from(settings, one)
            by_name.setdefault(given.question_id, []).append(given)
            in_study.setdefault(given.question_id, one.repeat_of or one.question_id)
    found = []
    for between, part in plan.by_pair.items():
        pairs = part.pairs
        names = [pairs.question_id(number, number) for number in range(len(pairs))]
        bound = 0.0 if isinstance(settings.answer_error, str) else settings.answer_error
        statements = [
            _statement(number, given, bound) for number, name in enumerate(names) for given in by_name.get(name, ())
        ]
        if not statements:
            raise MissingAnswers(f"there are no answers about {between[0]} and {between[1]} yet")
        called = [in_study.get(name, name) for name in names]
        checked = check_statements(
            pairs.left.points,
            pairs.right.points,
            statements,
            metric=(pairs.left.space.metric, pairs.right.space.metric),
            answer_error=bound,
            labels=called,
        )
        named = _named(checked, statements, called)
        if isinstance(settings.answer_error, str):
            found.append(PairContradictions(between, 0, _as_errors(checked), ()))
        else:
            found.append(PairContradictions(between, len(named), str(checked), named))
    return tuple(found)


def only_numbers(answers: Iterable[StoredAnswer]) -> bool:
    """Tell whether every answer is a number, or unsure."""
    return all(one.value is not None or one.unsure for one in answers)


def _statement(number: int, given: Answer, bound: float) -> Statement:
    said = given.said
    if said is None:
        raise InvalidInput(f"the answer to question {given.question_id} says nothing")
    # beside another pair, both dissimilarities were perceived, each with an error
    further = bound if said.beside_ruler else 0.0
    return Statement.between(number, max(said.lower - further, 0.0), said.upper + further, expert=given.expert)


def _named(checked: StatementCheck, statements: Sequence[Statement], names: Sequence[str]) -> tuple[str, ...]:
    """Return the questions without any of which the contradiction would be gone."""
    if checked.contradiction is None:
        return ()
    return tuple(dict.fromkeys(names[statements[k].pair] for k in checked.contradiction.statements))


def _as_errors(checked: StatementCheck) -> str:
    if checked.contradiction is None:
        return str(checked)
    return (
        f"No dissimilarity with M1 and M2 agrees with all of {counted(checked.n_statements, 'answer')}, but one does if "
        f"each may be off by {rounded_up(checked.smallest_answer_error, 3)}. Whether experts' errors explain that cannot be "
        "said of grades and comparisons; it can of numbers, or if answer_error is a bound."
    )
