"""``commensurate study create``: a study from CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commensurate.cli.options import AsJson, Force, StudyPlace, print_json

if TYPE_CHECKING:
    from commensurate.study.study import Study


def create(
    study: StudyPlace,
    config: Annotated[
        Path | None,
        typer.Option(
            help="A study.toml file with these options and labels for coded values; command-line options take precedence."
        ),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="A CSV file with one row per record.")] = None,
    group: Annotated[str | None, typer.Option(help="Column with the group of each record.")] = None,
    source: Annotated[
        list[str] | None, typer.Option(help="NAME=FILE.csv, once per group, instead of --data and --group.")
    ] = None,
    ids: Annotated[str | None, typer.Option("--id", help="Column with a unique id per record.")] = None,
    features: Annotated[
        str | None, typer.Option(help="Columns that the metric uses, separated by commas; all by default.")
    ] = None,
    show: Annotated[
        str | None, typer.Option(help="Columns that experts see, separated by commas; the features by default.")
    ] = None,
    questions: Annotated[int | None, typer.Option(help="How many pairs to ask about; 400 by default.")] = None,
    answers_per_question: Annotated[
        int | None, typer.Option(help="How many experts answer each question; 1 by default.")
    ] = None,
    repeats: Annotated[
        float | None,
        typer.Option(help="Share of questions that each expert is asked twice, without being told; 0.05 by default."),
    ] = None,
    calibration: Annotated[
        float | None, typer.Option(help="Share of answers held out to measure the error; 0.2 by default.")
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="Metric within groups: euclidean (default), manhattan, gower, minkowski(3), …")
    ] = None,
    categories: Annotated[
        str | None, typer.Option(help="How to encode categories as numbers: integer or one_hot.")
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="What to do about missing values: stop with an error (error, the default), drop the rows (drop), or fill "
            "in the median (median)."
        ),
    ] = None,
    learner: Annotated[str | None, typer.Option(help="Learning method: auto (default), auto-free or gp.")] = None,
    answer_error: Annotated[
        str | None,
        typer.Option(
            help="noise (default) if experts err at random; otherwise the largest error that an answer can have."
        ),
    ] = None,
    scale_end: Annotated[
        float | None,
        typer.Option(help="Largest value on the slider; twice the largest distance in the ruler by default."),
    ] = None,
    within: Annotated[
        float | None, typer.Option(help="Tolerance of the stopping rule; 1/20 of the scale by default.")
    ] = None,
    share: Annotated[
        float | None, typer.Option(help="Share of pairs that must be within the tolerance; 0.9 by default.")
    ] = None,
    confidence_level: Annotated[
        float | None, typer.Option(help="Confidence of the stopping rule and of intervals; 0.95 by default.")
    ] = None,
    lease_minutes: Annotated[
        float | None,
        typer.Option(help="Minutes for which a question shown to one expert is reserved for them; 30 by default."),
    ] = None,
    records: Annotated[
        int | None,
        typer.Option(help="Largest number of records to keep per group, chosen at random; 10,000 by default."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title that experts see above the questions.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed for every random choice; random by default.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Create a study: draw the questions from your records. No expert is asked yet.

    A question is a pair of records from different groups. Its answer says how dissimilar they are; small means similar.
    """
    from commensurate.records.given_files import named_sources
    from commensurate.study.settings import StudyOptions, merged, read_study_file
    from commensurate.study.study import Study

    typed = StudyOptions(
        data=data,
        group=group,
        sources=None if not source else named_sources(source),
        id=ids,
        features=_names(features),
        show=_names(show),
        design={
            "questions": questions,
            "answers_per_question": answers_per_question,
            "repeats": repeats,
            "calibration": calibration,
            "metric": metric,
            "categories": categories,
            "missing": missing,
            "learner": learner,
            "answer_error": parsed_answer_error(answer_error),
            "scale_end": scale_end,
            "within": within,
            "share": share,
            "confidence_level": confidence_level,
            "lease_minutes": lease_minutes,
            "records": records,
            "title": title,
            "seed": seed,
        },
    )
    options = typed if config is None else merged(typed, read_study_file(config))
    with Study.create(
        study,
        options.tables(),
        group=options.group,
        ids=options.id,
        features=options.features,
        show=options.show,
        force=force,
        **options.chosen(),
    ) as made:
        _tell(made, as_json)


def _tell(made: Study, as_json: bool) -> None:
    import shlex

    from commensurate.study.judging.status import status_of
    from commensurate.wording import counted, one_line

    status, settings = status_of(made), made.settings
    if as_json:
        print_json({"study": made.where, "status": status, "settings": settings})
        return
    for group in status.groups:
        kept = "" if group.records == group.rows else f", of which {group.records:,} were kept, chosen at random"
        print(f"{one_line(group.name)}: {counted(group.rows, 'record')}{kept}")
    print(
        f"{counted(status.questions, 'question')}, {counted(settings.answers_per_question, 'answer')} each, and "
        f"{counted(status.repeats, 'hidden repeat')}: {counted(status.answers_left, 'answer')} in all"
    )
    print(f"scale: 0 (alike) to {settings.scale_end:g}; seed {settings.seed}")
    # not as it was typed: a URL may hold a password
    place = shlex.quote(made.where)
    print(f"\nStudy created in {made.where}. Next:")
    print(f'  commensurate study invite {place} "Ana"')
    print(f"  commensurate study serve {place}")
    print(f'  commensurate study ask {place} --expert "Ana"')
    print(f"  commensurate study export {place} questions.csv")
    print(f"  commensurate study status {place}")


def _names(words: str | None) -> list[str] | None:
    return None if words is None else [word.strip() for word in words.split(",")]


def parsed_answer_error(word: str | None) -> Any:
    """Return what --answer-error says: noise, a number, or nothing."""
    if word is None or word == "noise":
        return word
    from commensurate.errors import InvalidParameter

    try:
        return float(word)
    except ValueError:
        raise InvalidParameter(f"--answer-error must be noise or a number, got {word!r}") from None
