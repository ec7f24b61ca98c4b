"""``commensurate study create``: a study from CSV files."""

from __future__ import annotations

from inspect import Parameter, Signature, signature
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commensurate.cli.options import AsJson, Force, StudyPlace, print_json, renamed_option
from commensurate.study.settings import OPTIONS, meaning_of, type_of_option
from commensurate.study.shown.instructions import read_instructions
from commensurate.study.study_file import creation_arguments, merged, read_study_file

if TYPE_CHECKING:
    from commensurate.study.judging.status import StudyStatus
    from commensurate.study.settings import StudySettings
    from commensurate.study.study import Study

# tables of tables cannot be typed, and a text is written in a file of its own
ONLY_IN_A_FILE = ("labels", "columns", "instructions")


def create(
    study: StudyPlace,
    *,
    config: Annotated[
        Path | None,
        typer.Option(
            help="A study.toml file with these options, labels for coded values, and labels and units of columns; "
            "command-line options take precedence."
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
    known_answers: Annotated[
        Path | None,
        typer.Option(
            help="A CSV file of pairs that have been answered already, instead of --questions: left_id, right_id, answer "
            "and, if known, expert, left_group and right_group."
        ),
    ] = None,
    instructions: Annotated[
        Path | None,
        typer.Option(
            help="A Markdown file that experts read first: what the study is for and what alike means here; "
            "a text for any study by default."
        ),
    ] = None,
    within: Annotated[float | None, typer.Option(hidden=True, help="The old name of --tolerance.")] = None,
    force: Force = False,
    as_json: AsJson = False,
    **settings: Any,
) -> None:
    """Create a study: draw the questions from your records. No expert is asked yet.

    A question is a pair of records from different groups. Its answer says how dissimilar they are; small means similar.
    """
    from commensurate.records.given_files import named_sources
    from commensurate.study.study import Study

    typed = {
        "data": data,
        "group": group,
        "sources": named_sources(source) if source else None,
        "id": ids,
        "features": _names(features),
        "show": _names(show),
        "known_answers": known_answers,
        "instructions": None if instructions is None else read_instructions(instructions),
        **settings,
        "answer_error": parsed_answer_error(settings["answer_error"]),
        "grades": _names(settings["grades"]),
        "boundaries": _numbers("--boundaries", settings["boundaries"]),
        "tolerance": renamed_option("--within", within, "--tolerance", settings["tolerance"]),
    }
    said = merged(typed, {} if config is None else read_study_file(config))
    with Study.create(study, **creation_arguments(said), force=force) as made:
        _tell(made, as_json)


def _with_settings() -> Signature:
    """Return what `create` takes, with an option for every setting in place of ``**settings``: typer reads it."""
    *own, force, as_json, _ = signature(create, eval_str=True).parameters.values()
    settings = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[type_of_option(name) | None, typer.Option(help=meaning_of(name))],
        )
        for name in OPTIONS
        if name not in ONLY_IN_A_FILE
    ]
    return Signature([*own, *settings, force, as_json])


create.__signature__ = _with_settings()  # type: ignore[attr-defined]  # what typer reads; stubs of functions lack it


def _tell(made: Study, as_json: bool) -> None:
    import shlex

    from commensurate.wording import counted, one_line, percent

    status, settings = made.status(), made.settings
    if as_json:
        print_json({"study": made.where, "status": status, "settings": settings})
        return
    among = "" if settings.given is None else " among those without known answers"
    for group in status.groups:
        kept = "" if group.records == group.rows else f", of which {group.records:,} were kept, chosen at random{among}"
        print(f"{one_line(group.name)}: {counted(group.rows, 'record')}{kept}")
    if settings.given is None:
        print(
            f"{counted(status.questions, 'question')}, {counted(settings.answers_per_question, 'answer')} each, and "
            f"{counted(status.repeats, 'hidden repeat')}: {counted(status.answers_left, 'answer')} in all"
        )
        if settings.second_answers and settings.answers_per_question == 1:
            share = percent(settings.second_answers)
            print(f"once there are two experts, a second one also answers {share} of the held-out questions")
    else:
        for line in _known(status, settings):
            print(line)
    for line in _asked_for(settings):
        print(line)
    print(f"scale: 0 (alike) to {settings.scale_end:g}; seed {settings.seed}")
    # not as it was typed: a URL may hold a password
    place = shlex.quote(made.where)
    print(f"\nStudy created in {made.where}. Next:")
    if status.answers_left:
        print(f'  commensurate study invite {place} "Ana"')
        print(f"  commensurate study serve {place}")
        print(f'  commensurate study ask {place} --expert "Ana"')
        print(f"  commensurate study export {place} questions.csv")
    else:
        print(f"  commensurate study check {place}")
        print(f"  commensurate fit {place} -o model.cmz")
    print(f"  commensurate study status {place}")


def _asked_for(settings: StudySettings) -> list[str]:
    """Say what experts answer, if it is not numbers alone."""
    from commensurate.wording import counted, one_line

    lines = []
    if settings.answer_kind == "grades":
        grades = ", ".join(
            one_line(word) if end is None else f"{one_line(word)} (to {end:.3g})"
            for word, end in zip_longest(settings.grades, settings.boundaries or ())
        )
        lines.append(f"grades: {grades}; held-out questions ask for numbers")
    elif settings.answer_kind == "comparisons":
        lines.append("comparisons with pairs of known distance; held-out questions ask for numbers")
    if settings.known_pairs:
        lines.append(f"each expert is also asked {counted(settings.known_pairs, 'pair')} of known distance")
    return lines


def _known(status: StudyStatus, settings: StudySettings) -> list[str]:
    """Say what became of known answers."""
    from commensurate.wording import counted, is_or_are

    pairs, unanswered = status.questions + status.aside, sum(rows[3] for rows in settings.given or ())
    lines = [
        f"{counted(pairs, 'pair')} with {counted(status.answers, 'known answer')}; "
        f"{counted(status.answers_left, 'answer')} still to be given"
    ]
    if status.aside:
        lines.append(
            f"{status.aside:,} of these pairs {is_or_are(status.aside)} kept but not used, since each shares a record with a "
            'held-out pair: statements are to cover new elements (--claim "pairs of these elements" uses every pair)'
        )
    if unanswered:
        lines.append(f"{counted(unanswered, 'row')} without an answer: nothing was recorded")
    return lines


def _names(words: str | None) -> list[str] | None:
    return None if words is None else [word.strip() for word in words.split(",")]


def _numbers(option: str, words: str | None) -> list[float] | None:
    if words is None:
        return None
    from commensurate.errors import InvalidParameter

    try:
        return [float(word) for word in words.split(",")]
    except ValueError:
        raise InvalidParameter(
            f"{option} must be numbers separated by commas, such as 0.2,0.5, got {words!r}"
        ) from None


def parsed_answer_error(word: str | None) -> Any:
    """Return what --answer-error says: auto, noise, a number, or nothing."""
    if word in (None, "auto", "noise"):
        return word
    from commensurate.errors import InvalidParameter

    try:
        return float(word)
    except ValueError:
        raise InvalidParameter(f"--answer-error must be auto, noise or a number, got {word!r}") from None
