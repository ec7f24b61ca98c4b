"""``commensurate predict``: estimates and intervals for the pairs of two files, from a model file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commensurate.cli.options import (
    BetweenGroups,
    Force,
    IdsInBoth,
    JsonBesideTable,
    LeftRecords,
    ModelFile,
    RightRecords,
    TableTarget,
    print_json,
)
from commensurate.cli.outputs import STDOUT, write_parts

if TYPE_CHECKING:
    from commensurate.applications.predict_pairs import PredictedPairs


def predict(
    model: ModelFile,
    left: LeftRecords,
    right: RightRecords,
    pairs: Annotated[
        Path | None, typer.Option(help="A CSV file of the pairs to predict, with the columns left_id and right_id.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Compare every left record with every right record.")] = False,
    between: BetweenGroups = None,
    ids: IdsInBoth = None,
    confidence_level: Annotated[float, typer.Option(help="Confidence level of calibrated intervals.")] = 0.95,
    output: TableTarget = STDOUT,
    as_json: JsonBesideTable = False,
    force: Force = False,
) -> None:
    """Estimate how dissimilar the pairs of two files are. Small means similar.

    Row i of --left is compared with row i of --right, unless you pass --pairs or --all. Files can have any size, but
    --pairs reads both files of records into memory, and --all the right one.

    The output has the columns left_id, right_id, estimate, lower, upper, calibrated_lower, calibrated_upper. lower and
    upper are the certified interval, which holds for every pair if the answers are right and M1 and M2 hold.
    calibrated_lower and calibrated_upper hold for a share --confidence-level of random pairs. Columns that the model
    cannot fill are left empty, and a line on standard error says why.
    """
    from commensurate.applications.predict_pairs import COLUMNS, predict_pairs
    from commensurate.cli.inputs import groups_between, load_model
    from commensurate.cli.outputs import check_not_read, check_output, tell_notes

    target = None if output == STDOUT else output
    check_output(target, force=force)
    check_not_read(target, [path for path in (model, left, right, pairs) if path is not None])
    fitted = load_model(model, "commensurate.applications.predict_pairs.predict_pairs")
    predicted = predict_pairs(
        fitted,
        left,
        right,
        pairs=pairs,
        every=every,
        between=groups_between(between, fitted.groups_),
        id_column=ids,
        confidence_level=confidence_level,
    )
    if not as_json:
        tell_notes(_notes(predicted))
    write_parts(COLUMNS, predicted.tables, target, doing="predicting", n_rows=predicted.n_pairs)
    if as_json:
        print_json(_summary(predicted, target), err=target is None)
    elif target is not None:
        typer.echo(f"{predicted.n_pairs:,} pairs written to {target}")


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
