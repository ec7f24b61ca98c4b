"""``commensurate predict``: estimates and intervals for the pairs of two files, from a model file."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

if TYPE_CHECKING:
    from commensurate.applications.predict_pairs import Model, PredictedPairs

STDOUT = Path("-")
# what a shell reports of a program whose reader has left: 128 + SIGPIPE
READER_LEFT = 141


def predict(
    model: Annotated[Path, typer.Argument(help="A model file, as save wrote it.")],
    left: Annotated[Path, typer.Option(help="A CSV file with one record per row, of the first group.")],
    right: Annotated[Path, typer.Option(help="A CSV file with one record per row, of the second group.")],
    pairs: Annotated[
        Path | None, typer.Option(help="A CSV file with the columns left_id and right_id: the pairs to predict.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Compare every left record with every right one.")] = False,
    between: Annotated[
        str | None, typer.Option(help="LEFT,RIGHT: the groups of the two files. [default: the model's, if it has two]")
    ] = None,
    ids: Annotated[
        str | None, typer.Option("--id", help="Column with the ids, in both files. [default: row numbers, from 1]")
    ] = None,
    confidence_level: Annotated[float, typer.Option(help="Of the calibrated intervals.")] = 0.95,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="CSV file to write, whole or not at all; - for standard output.")
    ] = STDOUT,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Tell what was done as one JSON object, notes included: on standard output with -o FILE, else on standard error.",
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the output file.")] = False,
) -> None:
    """Estimate how dissimilar the pairs of two files are. Small means similar.

    Row i of --left is compared with row i of --right, unless --pairs or --all is given. Files may have any size; with --pairs both
    files of records are held in memory, with --all the right one.

    The output has the columns left_id, right_id, estimate, lower, upper, calibrated_lower, calibrated_upper. lower and upper are
    the certified interval, which holds for every pair by the answers and M1, M2; calibrated_lower and calibrated_upper hold for
    a share --confidence-level of random pairs. What the model cannot give is left empty, and a line on standard error says why.
    """
    from commensurate.applications.predict_pairs import predict_pairs
    from commensurate.cli.tables import check_output

    target = None if output == STDOUT else output
    check_output(target, force=force)
    _check_not_read(target, [path for path in (model, left, right, pairs) if path is not None])
    fitted = _load(model)
    predicted = predict_pairs(
        fitted,
        left,
        right,
        pairs=pairs,
        every=every,
        between=None if between is None and len(fitted.groups_) == 2 else _groups(between, fitted.groups_),
        id_column=ids,
        confidence_level=confidence_level,
    )
    if not as_json:
        for note in _notes(predicted):
            typer.echo(f"commensurate: {note}", err=True)
    _write(predicted, target)
    if as_json:
        typer.echo(json.dumps(_summary(predicted, target)), err=target is None)
    elif target is not None:
        typer.echo(f"{predicted.n_pairs:,} pairs written to {target}")


# --- what is given ---


def _check_not_read(target: Path | None, inputs: list[Path]) -> None:
    """Raise if the output would take the place of something that is read, --force or not."""
    from commensurate.errors import InvalidInput

    for path in inputs:
        if target is not None and target.exists() and path.exists() and os.path.samefile(target, path):
            raise InvalidInput(f"{target} is read by this command; choose another name for the output")


def _load(path: Path) -> Model:
    from commensurate import load
    from commensurate.errors import InvalidInput

    try:
        return load(path)
    except InvalidInput as error:
        # a metric or learner of the user's own, which no file holds
        raise InvalidInput(
            f"{error}. A command cannot pass it: load the model in Python, and call "
            "commensurate.applications.predict_pairs.predict_pairs"
        ) from error


def _groups(between: str | None, fitted: tuple[str, ...]) -> tuple[str, str]:
    """Return the two groups that ``--between`` names; a name may have commas itself."""
    from commensurate.errors import InvalidParameter, UnknownGroup

    if between is None:
        raise InvalidParameter(f"the model has the groups {list(fitted)}; say which two with --between LEFT,RIGHT")
    parts = between.split(",")
    for k in range(1, len(parts)):
        left, right = ",".join(parts[:k]), ",".join(parts[k:])
        for names in ((left, right), (left.strip(), right.strip())):
            if set(names) <= set(fitted):
                return names
    raise UnknownGroup(f"--between must be LEFT,RIGHT, two of the fitted groups {list(fitted)}, got {between!r}")


# --- what is written ---


def _write(predicted: PredictedPairs, target: Path | None) -> None:
    from commensurate.atomic_file import replacing
    from commensurate.errors import InvalidInput

    if target is None:
        _write_to_stdout(predicted)
        return
    try:
        with replacing(target) as file:
            _write_tables(predicted, file)
    except OSError as error:
        raise InvalidInput(f"cannot write {target}: {error.strerror or error}") from error


def _write_to_stdout(predicted: PredictedPairs) -> None:
    try:
        # bytes: a console's own encoding would change ids
        _write_tables(predicted, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # whoever reads has seen enough, as head has; nor shall Python complain when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(READER_LEFT) from None


def _write_tables(predicted: PredictedPairs, file: BinaryIO) -> None:
    from commensurate.applications.predict_pairs import COLUMNS
    from commensurate.progress import progress

    file.write((",".join(COLUMNS) + "\n").encode())
    with progress("predicting", total=predicted.n_pairs) as advance:
        for table in predicted.tables:
            file.write(table.to_csv(index=False, header=False, lineterminator="\n").encode())
            advance(len(table))


# --- what is told ---


def _notes(predicted: PredictedPairs) -> list[str]:
    notes = []
    for columns, intervals in (
        ("lower and upper", predicted.certified),
        ("calibrated_lower and calibrated_upper", predicted.calibrated),
    ):
        if not intervals.given:
            notes.append(f"{columns} are left empty: {intervals.note}")
        elif intervals.note is not None:
            notes.append(intervals.note)
    return notes


def _summary(predicted: PredictedPairs, target: Path | None) -> dict[str, object]:
    return {
        "pairs": predicted.n_pairs,
        "file": None if target is None else str(target),
        "between": list(predicted.between),
        "confidence_level": predicted.confidence_level,
        "intervals": {
            kind: {"given": intervals.given, "note": intervals.note}
            for kind, intervals in (("certified", predicted.certified), ("calibrated", predicted.calibrated))
        },
    }
