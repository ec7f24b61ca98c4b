"""``commensurate predict``: estimates and intervals for the pairs of two files, from a model file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
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
    import pandas as pd

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
    interval: Annotated[
        list[str] | None,
        typer.Option(help="Write this interval too: intersection or envelope; pass the option twice for both."),
    ] = None,
    at_most: Annotated[
        float | None,
        typer.Option(
            help="Write only pairs with an estimate up to this; calibrated intervals then hold for such pairs."
        ),
    ] = None,
    like_these: Annotated[
        bool,
        typer.Option(
            "--like-these", help="Weight calibrated intervals for records like those of the two files; approximate."
        ),
    ] = False,
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

    Calibrated intervals hold for records like those that experts were asked about. A line on standard error says if
    the records of a file differ from these, and which columns have moved. --like-these then makes calibrated intervals
    hold, approximately, for random pairs of records like those of the two files: each held-out answer counts by how
    much more frequent such pairs are here. A line on standard error gives the effective number of held-out answers.
    Intervals are infinite for pairs that are too rare among those asked about.

    Pairs that you select are not random. If you want only those with small estimates, let --at-most select them: then
    calibrated intervals rest on the held-out answers about pairs with such estimates, and hold for these.

    --interval intersection adds intersection_lower and intersection_upper: what the certified and the calibrated
    interval both allow. It assumes M1 and M2. --interval envelope adds envelope_lower and envelope_upper: what M1, M2
    and the answers learnt from allow, widened until held-out answers lie inside often enough. It holds for as many
    random pairs as the calibrated interval, and does not assume M1 and M2; a line on standard error says how far
    held-out answers lie outside of what M1 and M2 allow.
    """
    from commensurate.applications.predict_pairs import predict_pairs
    from commensurate.checks import checked_choice
    from commensurate.cli.inputs import groups_between, load_model
    from commensurate.cli.outputs import check_not_read, check_output, tell_notes
    from commensurate.learning.similarity import COMBINED_INTERVALS

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
        further=[checked_choice("interval", each, COMBINED_INTERVALS) for each in dict.fromkeys(interval or ())],
        at_most=at_most,
        like_these=like_these,
    )
    if not as_json:
        tell_notes(_notes(predicted))
    written = _Counted(predicted.tables)
    write_parts(predicted.columns, written, target, doing="predicting", n_rows=predicted.n_pairs)
    compared = predicted.compare_records()
    if as_json:
        told = {**_summary(predicted, written.n_rows, target), "records": [each.told() for each in compared]}
        print_json(told, err=target is None)
        return
    tell_notes(str(each) for each in compared if each.worth_telling)
    if like_these and written.n_infinite:
        tell_notes([f"{written.n_infinite:,} of {written.n_rows:,} weighted calibrated intervals are infinite"])
    if target is not None:
        of = "" if at_most is None else f" of {predicted.n_pairs:,}"
        typer.echo(f"{written.n_rows:,}{of} pairs written to {target}")


class _Counted:
    """Tables, and how many rows those have that were taken; how many of these have an infinite calibrated interval."""

    def __init__(self, tables: Iterable[pd.DataFrame]) -> None:
        self.n_rows = self.n_infinite = 0
        self._tables = tables

    def __iter__(self) -> Iterator[pd.DataFrame]:
        for table in self._tables:
            self.n_rows += len(table)
            self.n_infinite += int((table["calibrated_upper"] == math.inf).sum())
            yield table


# --- what is told ---


def _notes(predicted: PredictedPairs) -> list[str]:
    notes = []
    for kind, intervals in predicted.intervals.items():
        columns = "lower and upper" if kind == "certified" else f"{kind}_lower and {kind}_upper"
        if not intervals.given:
            notes.append(f"{columns} are left empty: {intervals.note}")
        elif intervals.note is not None:
            notes.append(intervals.note)
    # the same held-out answers are too few for several intervals
    return list(dict.fromkeys(notes))


def _summary(predicted: PredictedPairs, n_written: int, target: Path | None) -> dict[str, object]:
    weights = predicted.weights
    selected = {} if predicted.at_most is None else {"compared": predicted.n_pairs, "at_most": predicted.at_most}
    return {
        "pairs": n_written,
        **selected,
        "file": None if target is None else str(target),
        "between": list(predicted.between),
        "confidence_level": predicted.confidence_level,
        **({} if weights is None else {"held_out": weights.n, "effective_held_out": weights.effective}),
        "intervals": {
            kind: {"given": intervals.given, "note": intervals.note} for kind, intervals in predicted.intervals.items()
        },
    }
