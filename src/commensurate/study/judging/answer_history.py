"""Which of all answers ever given stand, and which were given before the owner asked again.

Who asks again chooses what looks wrong. Answers given then are good to learn from, but say nothing about how well
experts agree: pressing the button would raise the agreement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from commensurate.study.store.answering import StoredAnswer
from commensurate.study.store.reasking import AskedAgain


def standing_answers(history: Iterable[StoredAnswer]) -> list[StoredAnswer]:
    """Return the last answer of each expert to each question, in the order in which they were recorded."""
    last = {(one.question_id, one.expert): one for one in history}
    return sorted(last.values(), key=lambda one: one.number)


def given_before_asked_again(history: Sequence[StoredAnswer], asked: Iterable[AskedAgain]) -> list[StoredAnswer]:
    """Return the answers that were given before their question, or what it repeats, was put to that expert again.

    ``history`` is in the order of recording.
    """
    given: dict[tuple[str, str], list[StoredAnswer]] = {}
    for answer in history:
        given.setdefault((answer.question_id, answer.expert), []).append(answer)
    put: dict[tuple[str, str], list[AskedAgain]] = {}
    for one in asked:
        put.setdefault((one.question_id, one.expert), []).append(one)
    late: dict[tuple[str, str], StoredAnswer] = {}
    for key, times in put.items():
        if after := _answers_after(given.get(key, []), times):
            late[key] = after[0]

    def is_before(answer: StoredAnswer) -> bool:
        # a hidden repeat shares the fate of its question: whoever was asked again has been warned
        key = (answer.repeat_of or answer.question_id, answer.expert)
        if key in late and answer.number >= late[key].number:
            return False
        return answer.repeat_of is None or key not in put or not _is_after(answer, put[key][0])

    return [answer for answer in history if is_before(answer)]


def _answers_after(given: Sequence[StoredAnswer], times: Sequence[AskedAgain]) -> Sequence[StoredAnswer]:
    """Return those of an expert's answers to a question that came after it was first put again.

    Times do not tell, since a sheet may say when it was answered: nobody is asked again before their first answer,
    and each asking that has ended has ended with an answer.
    """
    in_time = next((k for k, one in enumerate(given) if _is_after(one, times[0])), len(given))
    ended = sum(one.answered for one in times)
    return given[max(1, min(in_time, len(given) - ended)) :]


def _is_after(answer: StoredAnswer, asked: AskedAgain) -> bool:
    return datetime.fromisoformat(answer.answered_at) > datetime.fromisoformat(asked.wanted_at)
