"""``commensurate cluster``: clusters of records of several groups, whose columns may differ, from a model file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commensurate.cli.options import AsJson, Force, ModelFile, print_json

if TYPE_CHECKING:
    from commensurate.cli.cluster_run import Clustered, ClusterFiles


def cluster(
    model: ModelFile,
    clusters: Annotated[int, typer.Option("-k", "--clusters", min=1, help="How many clusters.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="CSV file to write, with the cluster of every record. An interrupted run leaves no partial file.",
        ),
    ],
    records: Annotated[Path | None, typer.Argument(help="A CSV file with one record per row.")] = None,
    group: Annotated[str | None, typer.Option(help="Column with the group of each record.")] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=FILE.csv, once per group, instead of a single file and --group. The files may have different "
            "columns."
        ),
    ] = None,
    ids: Annotated[str | None, typer.Option("--id", help="Column with the ids. [default: row numbers, from 1]")] = None,
    representatives: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Search for medoids among this many random records per group. [default: 500 if there are more than 4,000 "
            "records]",
        ),
    ] = None,
    interval: Annotated[
        str | None,
        typer.Option(
            help="Where bounds, and the column certain, come from. certified: they hold if the answers are right and M1 "
            "and M2 hold; calibrated: an indication only; estimate: no guarantee. [default: the strongest that the "
            "model has]"
        ),
    ] = None,
    confidence_level: Annotated[float, typer.Option(help="Confidence level of calibrated intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Seed for drawing records and for the search.")] = 0,
    answers: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file from --questions, with the experts' answers about these records filled in. Repeat the option for "
            "each file, including files from earlier rounds."
        ),
    ] = None,
    drop_others: Annotated[
        bool, typer.Option("--drop-others", help="Leave out records whose group the model does not know.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write a report to this file, as one HTML page.")] = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            help="Write the questions whose answers would settle the clusters of most records to this CSV file."
        ),
    ] = None,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Sort the records of all groups into clusters, each around one of its records, the medoid.
    Small dissimilarity means similar.

    Records of one group are compared by the group's metric, records of different groups by the model's estimates.

    The output has the columns group, id, cluster, medoid, certain, to_medoid, lower, upper. medoid says whether the
    record is the medoid of its cluster, and certain whether its cluster is certain; to_medoid is its dissimilarity to
    the medoid, between lower and upper.
    """
    from commensurate.cli.cluster_run import ClusterFiles, ClusterOptions, contents, run_clustering, summary
    from commensurate.cli.inputs import load_model
    from commensurate.cli.outputs import provenance, write_together
    from commensurate.extras import require
    from commensurate.learning.similarity import INTERVALS
    from commensurate.records.answered_file import read_every_answered
    from commensurate.records.given_files import GivenFiles
    from commensurate.records.group_files import RecordColumns

    files, given = ClusterFiles(output, report, questions), GivenFiles.of(records, group, source or [])
    answers = answers or []
    files.check([model, *given.paths, *answers], force=force)
    require("kmedoids", extra="cluster", purpose="clustering around medoids")
    if report is not None:
        require("matplotlib", extra="plots", purpose="the report of a clustering")
    fitted = load_model(model, "commensurate.applications.CrossGroupKMedoids")
    chosen = fitted.checked_interval(interval, INTERVALS)
    options = ClusterOptions(clusters, representatives, chosen, confidence_level, seed)
    options.check(fitted, answers=bool(answers), questions=questions is not None)
    read = given.read(fitted.spaces_, RecordColumns(ids=ids), drop_others=drop_others)
    clustered = run_clustering(fitted, read, options, answers=read_every_answered(answers, read.ids))
    settings = {
        **options.told(),
        "group": group,
        "ids": ids,
        "answers": ", ".join(path.name for path in answers) or None,
    }
    write_together(contents(clustered, files, provenance(model, given.paths, settings)))
    if as_json:
        print_json(summary(clustered, files))
    else:
        _tell(clustered, files)


def _tell(clustered: Clustered, files: ClusterFiles) -> None:
    from rich.console import Console

    from commensurate.cli.outputs import tell_notes
    from commensurate.report.html.pair_cards import Register
    from commensurate.report.terminal.clusters import cluster_view
    from commensurate.wording import visible_text

    tell_notes(clustered.notes)
    Console(highlight=False, soft_wrap=False).print(
        cluster_view(clustered.clusters, clustered.sizes, clustered.questions, Register(clustered.records.ids))
    )
    for line in ("", *files.in_words(), *_more(clustered, files)):
        print(visible_text(line))


def _more(clustered: Clustered, files: ClusterFiles) -> list[str]:
    """Say what else the same command can do."""
    more = {
        "  --report clusters.html           all of this on one page, with a picture and what distinguishes each cluster": (
            files.report is None
        ),
        "  --questions next_questions.csv   questions for experts: fill in the answers and pass the file as "
        "--answers": (files.questions is None and not clustered.questions.empty),
    }
    lines = [line for line, wanted in more.items() if wanted]
    return ["", "Next, run the same command with", *lines] if lines else []
