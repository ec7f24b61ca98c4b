"""Which questions wait for an expert, and in which order they come, as conditions on a question.

Statements are made here once and for all: making one takes longer than running it. They are about the expert
``:expert`` at the time ``:now``.
"""

from __future__ import annotations

from sqlalchemy import (
    ColumnElement,
    Integer,
    String,
    and_,
    bindparam,
    case,
    false,
    func,
    or_,
    select,
    union_all,
)

from commensurate.study.store.reasking import is_put_again
from commensurate.study.store.recorded import is_corrected, says_something
from commensurate.study.store.tables import again, answers, askings, is_remembered, original, questions

expert, now = bindparam("expert", type_=Integer), bindparam("now", type_=String)

given = answers.alias("given_answers")
before, recent = answers.alias("answers_before"), answers.alias("recent_answers")
held, skips, repeats = askings.alias("held"), askings.alias("skips"), questions.alias("repeats")


# pairs of known distance are asked beside all others, by the number of answers that the expert has given: no number is
# negative, and an index finds what is compared
is_known = questions.c.due_after.is_not(None)
is_asked = questions.c.due_after.is_(None)


# --- who has answered ---


def has_answered(question: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether the expert has answered a question."""
    return select(given.c.id).where(given.c.question == question, given.c.expert == expert).exists()


def answers_given(question: ColumnElement[int], *conditions: ColumnElement[bool]) -> ColumnElement[int]:
    """How many experts' last word on a question is an answer, and not unsure."""
    return (
        select(func.count())
        .select_from(given)
        .where(given.c.question == question, says_something(given), ~is_corrected(given), *conditions)
        .scalar_subquery()
    )


# the column `open` as it should be after an answer, where so many are :wanted, or so many :wanted_if_held_out
open_and_should_be = select(
    questions.c.open,
    and_(
        ~questions.c.aside,
        or_(
            # every expert is asked a pair of known distance
            is_known,
            answers_given(questions.c.id)
            < case(
                (questions.c.repeat_of.is_not(None), 1),
                (questions.c.held_out, bindparam("wanted_if_held_out", type_=Integer)),
                else_=bindparam("wanted", type_=Integer),
            ),
        ),
    ).label("should_be"),
).where(questions.c.id == bindparam("question", type_=Integer))

# --- what waits for the expert ---

# a repeat is for whoever gave an answer before: with unsure there is nothing to compare
gave_an_answer_before = answers_given(questions.c.repeat_of, given.c.expert == expert) > 0
wanted_anew = and_(
    questions.c.open,
    ~has_answered(questions.c.id),
    or_(questions.c.repeat_of.is_(None), gave_an_answer_before),
)
wanted = or_(wanted_anew, is_put_again(questions.c.id, expert))
is_held = and_(held.c.ended_at.is_(None), held.c.expires_at > now)
with_her = select(held.c.id).where(held.c.question == questions.c.id, held.c.expert == expert, is_held).exists()
with_another = select(held.c.id).where(held.c.question == questions.c.id, held.c.expert != expert, is_held).exists()

# --- how many wait for the expert ---

# She reads these counts after every answer, and must not learn from them which question will be repeated. So a repeat
# counts from the start, together with its original: as long as they may still be asked the original, and then if they
# gave it an answer. Each answer of theirs takes away 1, be the question repeated or not. A repeat no longer counts once
# they were unsure of its original, or others gave all the answers that the original wants, or somebody answered the
# repeat.
original_waits = (
    select(original.c.id)
    .where(
        original.c.id == questions.c.repeat_of,
        or_(and_(original.c.open, ~has_answered(original.c.id)), is_put_again(original.c.id, expert)),
    )
    .exists()
)
repeat_waits = and_(
    questions.c.open,
    # no number is negative: said so, since an index finds what is compared and not what is not null
    questions.c.repeat_of >= 0,
    ~has_answered(questions.c.id),
    or_(original_waits, gave_an_answer_before),
)
# open questions but for those that the expert has answered: looking each of them up would take longer than all the rest
n_open = (
    select(func.count())
    .select_from(questions)
    .where(questions.c.open, questions.c.repeat_of.is_(None), is_asked)
    .scalar_subquery()
)
n_open_but_hers = (
    select(func.count(func.distinct(given.c.question)))
    .select_from(given.join(questions, questions.c.id == given.c.question))
    .where(given.c.expert == expert, questions.c.open, questions.c.repeat_of.is_(None), is_asked)
    .scalar_subquery()
)
n_repeats = select(func.count()).select_from(questions).where(repeat_waits).scalar_subquery()
n_again = (
    select(func.count())
    .select_from(questions.join(again, again.c.question == questions.c.id))
    .where(again.c.expert == expert, again.c.ended_at.is_(None), is_remembered)
    .scalar_subquery()
)
held_by_others = select(held.c.question).where(is_held, held.c.expert != expert)
n_with_others = (
    select(func.count())
    .select_from(questions)
    .where(
        questions.c.id.in_(
            union_all(
                held_by_others,
                select(repeats.c.id).where(repeats.c.open, repeats.c.repeat_of.in_(held_by_others)),
            )
        ),
        is_remembered,
        is_asked,
        or_(wanted, repeat_waits),
        # while an original is with others, so is its repeat, unless the repeat is theirs already
        or_(with_another, ~gave_an_answer_before),
    )
    .scalar_subquery()
)
waiting_counts = select(
    (n_open - n_open_but_hers + n_repeats + n_again).label("waiting"), n_with_others.label("with_others")
)

# --- where they stand ---

# the first :n questions of which nothing is known but their place: an index finds them at once
plain_questions = (
    select(questions.c.id, questions.c.place)
    .where(
        questions.c.open,
        questions.c.repeat_of.is_(None),
        is_asked,
        ~has_answered(questions.c.id),
        ~select(held.c.id)
        .where(held.c.question == questions.c.id, or_(is_held, and_(held.c.expert == expert, held.c.skipped)))
        .exists(),
    )
    .order_by(questions.c.place)
    .limit(bindparam("n", type_=Integer))
)

# experts may have been asked the original again, or have corrected what they said: they remember the last time
last_time = (
    select(func.max(before.c.id))
    .where(before.c.question == questions.c.repeat_of, before.c.expert == expert)
    .correlate(questions)
    .scalar_subquery()
)
# the answer before which a last time is far enough from its repeat: :distance others came after it
far_enough = (
    select(recent.c.id)
    .where(recent.c.expert == expert)
    .order_by(recent.c.id.desc())
    .limit(1)
    .offset(bindparam("distance", type_=Integer) - 1)
    .scalar_subquery()
)
times_skipped = (
    select(func.count())
    .select_from(skips)
    .where(skips.c.question == questions.c.id, skips.c.expert == expert, skips.c.skipped)
    .scalar_subquery()
)
# all others that wait for the expert, which are few: put again, held, skipped, hidden repeats
special_questions = select(
    questions.c.id,
    questions.c.place,
    with_her.label("held"),
    or_(questions.c.repeat_of.is_(None), func.coalesce(last_time < far_enough, false())).label("due"),
    times_skipped.label("skips"),
).where(
    questions.c.id.in_(
        union_all(
            select(again.c.question).where(again.c.expert == expert, again.c.ended_at.is_(None)),
            select(held.c.question).where(is_held, held.c.expert == expert),
            select(skips.c.question).where(skips.c.expert == expert, skips.c.skipped),
            select(repeats.c.id).where(repeats.c.open, repeats.c.repeat_of >= 0, has_answered(repeats.c.repeat_of)),
        )
    ),
    is_remembered,
    is_asked,
    wanted,
    ~with_another,
)

# --- pairs of known distance ---

# in the order in which they are asked; one that was skipped is not asked again, and others may be asked it meanwhile
known_questions = (
    select(
        questions.c.id,
        questions.c.due_after,
        select(func.count(func.distinct(given.c.question)))
        .where(given.c.expert == expert)
        .scalar_subquery()
        .label("answered"),
    )
    .where(
        questions.c.due_after >= 0,
        questions.c.open,
        ~has_answered(questions.c.id),
        ~select(skips.c.id)
        .where(skips.c.question == questions.c.id, skips.c.expert == expert, skips.c.skipped)
        .exists(),
    )
    .order_by(questions.c.due_after, questions.c.id)
)
