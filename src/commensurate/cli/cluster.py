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
        Path, typer.Option("--output", "-o", help="CSV file to write each record's cluster to, whole or not at all.")
    ],
    records: Annotated[Path | None, typer.Argument(help="A CSV file with one record per row.")] = None,
    group: Annotated[str | None, typer.Option(help="Column that names each record's group.")] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(help="NAME=FILE.csv, once per group, instead of RECORDS and --group: columns may then differ."),
    ] = None,
    ids: Annotated[str | None, typer.Option("--id", help="Column with the ids. [default: row numbers, from 1]")] = None,
    representatives: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Search for medoids among so many records of each group, drawn at random. "
            "[default: 500 beyond 4,000 records]",
        ),
    ] = None,
    interval: Annotated[
        str | None,
        typer.Option(
            help="What bounds and certain rest on. certified: they hold by the answers and M1, M2; calibrated: an indication; "
            "estimate: promises nothing. [default: the strongest that the model has]"
        ),
    ] = None,
    confidence_level: Annotated[float, typer.Option(help="Of calibrated intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Seed of representatives and searches.")] = 0,
    answers: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file of --questions, answered: what experts said about these very records. Once per file: those of earlier "
            "rounds have to be passed again."
        ),
    ] = None,
    drop_others: Annotated[
        bool, typer.Option("--drop-others", help="Leave out records of groups that were not fitted.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write the report, one HTML page, to this file.")] = None,
    questions: Annotated[
        Path | None,
        typer.Option(help="Write the questions to experts that would settle most clusters to this CSV file."),
    ] = None,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Put records of all groups into clusters, each around one of them, its medoid. Small dissimilarity means similar.

    Records of one group are compared by its metric, those of different groups by the model's estimates.

    The output has the columns group, id, cluster, medoid, certain, to_medoid, lower, upper: whether the record is the medoid of its
    cluster, whether its cluster is certain, its dissimilarity to its medoid, and the bounds of that.
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
    chosen = fitted.checked_interval(interval, INTERVALS, name="--interval")
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
        "  --questions next_questions.csv   the questions to experts, to be answered in the file and passed as --answers": (
            files.questions is None and not clustered.questions.empty
        ),
    }
    lines = [line for line, wanted in more.items() if wanted]
    return ["", "next, the same command with", *lines] if lines else []
