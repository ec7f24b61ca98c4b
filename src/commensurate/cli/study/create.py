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
            help="A study.toml with these options by name, and labels for coded values; command-line options take precedence."
        ),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="A CSV file with one row per record.")] = None,
    group: Annotated[str | None, typer.Option(help="Column that names each record's group.")] = None,
    source: Annotated[
        list[str] | None, typer.Option(help="NAME=FILE.csv, once per group, instead of --data and --group.")
    ] = None,
    ids: Annotated[str | None, typer.Option("--id", help="Column with a unique id per record.")] = None,
    features: Annotated[
        str | None, typer.Option(help="Columns that the metric sees, separated by commas; all by default.")
    ] = None,
    show: Annotated[
        str | None, typer.Option(help="Columns that experts see, separated by commas; the features by default.")
    ] = None,
    questions: Annotated[int | None, typer.Option(help="How many pairs to ask about; 400 by default.")] = None,
    answers_per_question: Annotated[
        int | None, typer.Option(help="How many experts answer each question; 1 by default.")
    ] = None,
    repeats: Annotated[
        float | None, typer.Option(help="Share of questions that are asked again unseen; 0.05 by default.")
    ] = None,
    calibration: Annotated[
        float | None, typer.Option(help="Share of answers that are held out and judge the rest; 0.2 by default.")
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="Metric within groups: euclidean (default), manhattan, gower, minkowski(3), …")
    ] = None,
    categories: Annotated[str | None, typer.Option(help="How categories become points: integer or one_hot.")] = None,
    missing: Annotated[str | None, typer.Option(help="Missing values: error (default), drop or median.")] = None,
    learner: Annotated[str | None, typer.Option(help="auto (default), auto-free or gp.")] = None,
    answer_error: Annotated[
        str | None,
        typer.Option(help="noise (default): experts err at random; or a number that no answer is off by more than."),
    ] = None,
    scale_end: Annotated[
        float | None, typer.Option(help="Where the slider ends; twice the ruler's largest distance by default.")
    ] = None,
    within: Annotated[
        float | None, typer.Option(help="Tolerance of the stopping rule; a twentieth of the scale by default.")
    ] = None,
    share: Annotated[float | None, typer.Option(help="Share of pairs within it; 0.9 by default.")] = None,
    confidence_level: Annotated[
        float | None, typer.Option(help="Confidence of the stopping rule and of intervals; 0.95 by default.")
    ] = None,
    lease_minutes: Annotated[
        float | None, typer.Option(help="How long a shown question is kept from other experts; 30 by default.")
    ] = None,
    records: Annotated[
        int | None, typer.Option(help="Most records of a group to keep, at random; 10,000 by default.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="What experts read above the questions.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of every random choice; drawn by default.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make a study: draw the questions from your records. Nobody is asked yet.

    A question is a pair of records of different groups; its answer says how dissimilar they are, and small means similar.
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
        kept = "" if group.records == group.rows else f", {group.records:,} of them kept, at random"
        print(f"{one_line(group.name)}: {counted(group.rows, 'record')}{kept}")
    print(
        f"{counted(status.questions, 'question')}, {counted(settings.answers_per_question, 'answer')} each, and "
        f"{counted(status.repeats, 'hidden repeat')}: {counted(status.answers_left, 'answer')} in all"
    )
    print(f"scale: 0 (alike) to {settings.scale_end:g}; seed {settings.seed}")
    # not as it was typed: a URL may hold a password
    place = shlex.quote(made.where)
    print(f"\nwritten to {made.where}; next:")
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
