"""``commensurate neighbors``: the most similar records of another group,
or one counterpart for each, from a model file.
"""

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
from commensurate.cli.outputs import STDOUT

if TYPE_CHECKING:
    from commensurate.cli.neighbors_run import FoundNeighbors

K = 10


def neighbors(
    model: ModelFile,
    left: LeftRecords,
    right: RightRecords,
    k: Annotated[
        int | None, typer.Option("-k", min=1, help=f"How many neighbours to find for each left record. [default: {K}]")
    ] = None,
    between: BetweenGroups = None,
    ids: IdsInBoth = None,
    interval: Annotated[
        str | None,
        typer.Option(
            help="What lower and upper are: proxy, certified, calibrated, intersection or estimate. [default: the strongest that the model has: "
            "proxy for NAIVE and CLUSTER, certified for few answers, calibrated where answers are noisy]",
        ),
    ] = None,
    confidence_level: Annotated[float, typer.Option(help="Confidence level of calibrated intervals.")] = 0.95,
    exclude_self: Annotated[
        bool,
        typer.Option(
            "--exclude-self",
            help="For the same file twice, within one group: never list a record as its own neighbour.",
        ),
    ] = False,
    one_to_one: Annotated[
        bool,
        typer.Option(
            "--one-to-one",
            help="Match the records one to one instead, with the smallest total estimate; up to 5,000 records per side.",
        ),
    ] = False,
    output: TableTarget = STDOUT,
    as_json: JsonBesideTable = False,
    force: Force = False,
) -> None:
    """Find the most similar right records for every left record. Small means similar.

    The search is exact under the model; if two estimates are equal, the record that comes first wins.
    Both files are read into memory.

    The output has the columns left_id, rank, right_id, estimate, lower, upper. With --one-to-one it has left_id,
    right_id, estimate, lower, upper, and the command also prints the total and its bounds.

    Intervals: proxy (NAIVE, CLUSTER) is the answer about the two representatives, give or take the distances to them;
    certified is the tightest that all answers imply, which takes longer. Both, and the bounds of a total, hold for
    every pair if M1 and M2 do, the metrics are right and no answer is off by more than the model's answer_error.
    calibrated rests on the held-out answers about pairs that would have been found in the same way. It holds for the
    share --confidence-level of the pairs found, if the records are drawn at random like those asked about and no
    question was about them; it is infinite where such answers are too few. intersection is what calibrated and
    certified both allow. estimate puts the estimate into both columns.
    """
    from commensurate.cli.inputs import groups_between, load_model
    from commensurate.cli.neighbors_run import Search, find
    from commensurate.cli.outputs import check_not_read, check_output, tell_notes
    from commensurate.errors import InvalidParameter

    if one_to_one and (k is not None or exclude_self):
        raise InvalidParameter("--one-to-one gives each record one counterpart; leave out -k and --exclude-self")
    search = Search(K if k is None else k, ids, interval, confidence_level, exclude_self, one_to_one)
    search.check()
    target = None if output == STDOUT else output
    check_output(target, force=force)
    check_not_read(target, [model, left, right])
    fitted = load_model(model, f"commensurate.applications.{'match_one_to_one' if one_to_one else 'neighbors'}")
    found = find(fitted, left, right, groups_between(between, fitted.groups_), search)
    if not as_json:
        tell_notes(found.notes)
    found.write(target)
    if as_json:
        print_json({**found.summary(), "file": target}, err=target is None)
    else:
        _tell(found, target)


def _tell(found: FoundNeighbors, target: Path | None) -> None:
    """Say what was done: beside the table, never in it."""
    from commensurate.wording import counted, visible_text

    if found.in_words is not None:
        typer.echo(f"commensurate: {found.in_words}" if target is None else found.in_words, err=target is None)
    if target is not None:
        written = f"{counted(len(found.pairs), 'pair')} with {found.interval} intervals written to {target}"
        typer.echo(visible_text(written))
