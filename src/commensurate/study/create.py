"""Making a study from one table with a group column or one table per group, files or DataFrames.

Records, encoding, questions and ruler are written whole or not at all.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from commensurate.checks import checked_count
from commensurate.errors import InvalidParameter, StudyExists
from commensurate.groups.encoding import Column, Encoding
from commensurate.groups.group import Group, elements_of, encoding_for
from commensurate.groups.learn_columns import learn_columns
from commensurate.learning.few_answers.estimator import BudgetedSimilarity
from commensurate.learning.few_answers.given_pairs import PairsTable
from commensurate.learning.few_answers.plan import BudgetPlan
from commensurate.records.sampling.checked_rows import column_names
from commensurate.records.sampling.sampled_table import (
    SampledTable,
    SamplePlan,
    sample_csv,
    sample_frame,
    sample_frames,
    sample_sources,
)
from commensurate.study.fitting import feature_table
from commensurate.study.kinds.making import in_kinds
from commensurate.study.kinds.random_pairs import RandomPairs
from commensurate.study.known_answers import KnownAnswers, known_questions, read_known_answers, records_named
from commensurate.study.messages import Record
from commensurate.study.question_order import last_for_two, ordered_questions
from commensurate.study.ruler import CANDIDATES, draw_ruler, end_of_scale
from commensurate.study.settings import MetricNames, StudySettings
from commensurate.study.shown.columns import check_described_columns
from commensurate.study.shown.labels import check_labelled_columns
from commensurate.study.store.database import Database
from commensurate.study.store.files import check_new_place, put_in_place
from commensurate.study.store.location import Location
from commensurate.study.store.making import NewGroup, NewStudy, write_study
from commensurate.study.store.versions.migrations import migrate, version_of

# by default the tolerance of the stopping rule is this share of the scale
TOLERANCE_SHARE = 0.05
MOST_QUESTIONS = 100_000


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A group's records, and which of their columns experts see."""

    table: SampledTable
    show: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableColumns:
    """Which columns say what; see `Study.create`."""

    group: str | None
    ids: str | None
    features: Sequence[str] | None
    show: Sequence[str] | None


def create_study(
    location: Location,
    data: object,
    columns: TableColumns,
    options: StudySettings,
    known_answers: KnownAnswers | None = None,
    *,
    now: str,
    force: bool,
) -> None:
    """Sample the records, draw the questions and write the study, to a new file or to a database that has none.

    With ``known_answers``, these name the questions, and are written with them.
    """
    _check_place(location, force=force)
    _check_questions(options.questions)
    settings = replace(options, seed=secrets.randbits(48)) if options.seed is None else options
    known = None if known_answers is None else read_known_answers(known_answers)
    tables = _read_tables(data, columns, settings, always={} if known is None else records_named(known))
    new = _new_study(tables, settings, known)
    if location.file is None:
        _write_to_server(location, new, now)
    else:
        _write_to_file(location.file, new, now, force=force)


def _check_place(location: Location, *, force: bool) -> None:
    """Raise, before any work is done, if a study cannot be made there."""
    if location.file is not None:
        check_new_place(location.file, force=force)
    elif force:
        raise InvalidParameter("a study on a server cannot be replaced; drop its tables, or use another database")


def _check_questions(questions: int) -> None:
    """Raise, before any record is read, if nobody could ask so many questions."""
    if questions > MOST_QUESTIONS:
        raise InvalidParameter(
            f"questions must be at most {MOST_QUESTIONS:,}, got {questions:,}; 100 to 1,000 are usual"
        )


def _check_tolerance(tolerance: float | None, scale_end: float) -> None:
    """Raise if the middle of the scale would be within the tolerance of every answer."""
    if tolerance is not None and tolerance >= scale_end / 2.0:
        raise InvalidParameter(
            f"tolerance must be less than half of the scale, which ends at {scale_end:g}, got {tolerance:g}: one guess in "
            "the middle of the scale would be within it for every pair; choose how far off an estimate may be and "
            "still serve your purpose"
        )


def _new_study(tables: Mapping[str, ShownTable], settings: StudySettings, table: PairsTable | None) -> NewStudy:
    """Draw all that a study begins with; its questions are those of a table, if there is one."""
    groups = _encoded_groups({name: shown.table for name, shown in tables.items()}, settings)
    elements = elements_of(groups)
    known = None if table is None else known_questions(elements, table, settings)
    plan = _plan(groups, settings) if known is None else known.plan
    # not the plan's own generator: repeats must not depend on how many numbers it drew
    rng = np.random.default_rng([settings.seed, 1])
    random_pairs = [RandomPairs.draw(group, CANDIDATES, rng) for group in elements]
    ruler = draw_ruler(random_pairs)
    scale_end = end_of_scale(ruler) if settings.scale_end is None else settings.scale_end
    _check_tolerance(settings.tolerance, scale_end)
    made = replace(
        settings,
        questions=settings.questions if known is None else len(plan.questions),
        plan_seed=plan.seed,
        given=None if known is None else known.given,
        scale_end=scale_end,
        tolerance=TOLERANCE_SHARE * scale_end if settings.tolerance is None else settings.tolerance,
    )
    questions = ordered_questions(plan, settings.repeats, rng, () if known is None else known.further)
    asked = in_kinds(questions, made, elements, ruler)
    return NewStudy(
        replace(asked.settings, second_until=last_for_two(questions, settings.second_answers)),
        [_new_group(group, tables[group.name]) for group in groups],
        asked.questions,
        asked.ruler,
        () if known is None else known.answers,
    )


def _encoded_groups(tables: Mapping[str, SampledTable], settings: StudySettings) -> list[Group]:
    """Return the groups of sampled records, encoded as the whole tables would be."""
    metrics = {name: _metric_of(name, settings.metric, tables) for name in tables}
    columns = _learnt_columns(tables, settings)
    groups = []
    for name, table in tables.items():
        features = table.sample[list(table.features)]
        encoding = encoding_for(metrics[name], features, columns)
        records = _records(features)
        groups.append(
            Group(name, feature_table(records, encoding), metrics[name], ids=list(records), encoding=encoding)
        )
    return groups


def _learnt_columns(tables: Mapping[str, SampledTable], settings: StudySettings) -> dict[str, Column]:
    seen = {name: table.seen() for name, table in tables.items()}
    columns = learn_columns(seen, categories=settings.categories, missing=settings.missing)
    if settings.missing != "median":
        return columns
    # what is typical is learnt without the rows that were kept because they are not
    samples = {name: table.typed(table.sample[list(table.features)]) for name, table in tables.items()}
    typical = learn_columns(samples, categories=settings.categories, missing="median")
    return {name: replace(column, fill=typical[name].fill) for name, column in columns.items()}


def _metric_of(name: str, metric: MetricNames, tables: Mapping[str, SampledTable]) -> str:
    chosen: Any = metric
    if isinstance(metric, Mapping):
        by_name = {str(group): chosen for group, chosen in metric.items()}
        if name not in by_name:
            raise InvalidParameter(
                f"metric names {list(by_name)}, but there is also a group {name!r}; give each group a metric"
            )
        chosen = by_name[name]
    if chosen == "mahalanobis":
        raise InvalidParameter(
            "mahalanobis learns its covariance from the records, so it would change with every record that you "
            "erase; choose a fixed metric, such as euclidean or gower"
        )
    if not isinstance(chosen, str) or chosen == "precomputed":
        raise InvalidParameter(
            f"a study keeps the name of a metric, such as 'euclidean' or 'gower', got {chosen!r}; for a function or a matrix "
            "of distances use plan() and fit() of BudgetedSimilarity"
        )
    return chosen


def _plan(groups: list[Group], settings: StudySettings) -> BudgetPlan:
    estimator = BudgetedSimilarity(
        budget=settings.questions,
        learner=settings.learner,
        calibration=settings.calibration,
        answer_error=settings.answer_error,
        claim=settings.claim,
        random_state=settings.seed,
    )
    try:
        return estimator.plan(groups)
    except InvalidParameter as error:
        # a study calls it by another name
        words = re.sub(r"\bbudget(?= must|=)", "questions", str(error))
        raise InvalidParameter(f"{words} (this study has questions={estimator.budget})") from error


def _new_group(group: Group, shown: ShownTable) -> NewGroup:
    encoding = group.encoding
    assert isinstance(encoding, Encoding)
    assert isinstance(group.metric, str)
    description = {
        "metric": group.metric,
        "encoding": [asdict(column) for column in encoding.columns],
        "show": list(shown.show),
        "n_rows": shown.table.n_rows,
        "n_dropped": shown.table.n_dropped,
    }
    return NewGroup(group.name, description, _records(shown.table.sample))


def _records(table: pd.DataFrame) -> dict[str, Record]:
    """Return each row as JSON can hold it: text as it is, numbers as they are, None for what is missing."""
    columns = [str(name) for name in table.columns]
    rows = zip(*(_plain_values(table[name]) for name in table.columns)) if columns else iter([()] * len(table))
    return {str(name): dict(zip(columns, row)) for name, row in zip(table.index, rows)}


def _plain_values(values: pd.Series) -> list[str | float | int | bool | None]:
    return [
        None if missing else _plain_value(value)
        for value, missing in zip(values.tolist(), values.isna().tolist(), strict=True)
    ]


def _plain_value(value: object) -> str | float | int | bool | None:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (str, bool, int, float)):
        return value
    return float(value) if isinstance(value, Real) else str(value)


# --- writing ---


def _write_to_file(path: Path, new: NewStudy, now: str, *, force: bool) -> None:
    with put_in_place(path, force=force) as database:
        _fill(database, new, now)


def _write_to_server(location: Location, new: NewStudy, now: str) -> None:
    database = Database.connect(location)
    try:
        _fill(database, new, now)
    finally:
        database.close()


def _fill(database: Database, new: NewStudy, now: str) -> None:
    with database.writing(locked=False) as connection:
        if version_of(connection):
            raise StudyExists(f"{database.where} already has a study; use another database")
        migrate(connection, now)
        write_study(connection, new, now)


def _read_tables(
    data: object, columns: TableColumns, settings: StudySettings, always: Mapping[str | int, Collection[str]]
) -> dict[str, ShownTable]:
    """Sample each group's records, ``always`` those with these ids, and say which columns experts see."""
    shown = None if columns.show is None else column_names("show", columns.show)
    plan = SamplePlan(
        checked_count("records", settings.records),
        ids=columns.ids,
        features=columns.features,
        keep=shown or (),
        missing=settings.missing,
        always=always,
    )
    sampled = _sampled(data, columns.group, plan, np.random.default_rng([settings.seed, 2]))
    tables = {name: ShownTable(table, _shown(name, table, shown)) for name, table in sampled.items()}
    experts_see = {name: table.show for name, table in tables.items()}
    check_labelled_columns(settings.labels, experts_see)
    check_described_columns(settings.columns, experts_see)
    return tables


def _sampled(data: Any, group: str | None, plan: SamplePlan, rng: np.random.Generator) -> dict[str, SampledTable]:
    one_table = isinstance(data, (pd.DataFrame, str, os.PathLike))
    if one_table == (group is None) or not (one_table or isinstance(data, Mapping)):
        raise InvalidParameter(
            "pass one table and the name of its group column, or one table per group by name without a group column; "
            f"got {type(data).__name__} and group={group!r}"
        )
    if isinstance(data, pd.DataFrame):
        return sample_frame(data, str(group), plan, rng)
    if one_table:
        return sample_csv(Path(data), str(group), plan, rng)
    frames = [isinstance(table, pd.DataFrame) for table in data.values()]
    if any(frames) != all(frames):
        raise InvalidParameter("pass all tables as DataFrames, or all as paths of CSV files")
    if all(frames):
        return sample_frames(data, plan, rng)
    return sample_sources({str(name): Path(path) for name, path in data.items()}, plan, rng)


def _shown(group: str, table: SampledTable, show: Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns that experts see: of those named, the ones that this group has; else what the metric sees."""
    if show is None:
        return table.features
    seen = tuple(name for name in show if name in table.sample.columns)
    if not seen:
        raise InvalidParameter(
            f"experts would see nothing of the records of group {group!r}: show names {list(show)}; name one of its columns"
        )
    return seen
