"""``commensurate plan``: size the job on one's own records before anyone is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def plan(
    data: Annotated[Path | None, typer.Argument(help="A CSV file with one row per record.")] = None,
    group: Annotated[str | None, typer.Option(help="Column that names each record's group.")] = None,
    source: Annotated[
        list[str] | None, typer.Option(help="NAME=FILE.csv, once per group, instead of DATA and --group.")
    ] = None,
    ids: Annotated[str | None, typer.Option("--id", help="Column with a unique id per record.")] = None,
    features: Annotated[
        str | None, typer.Option(help="Columns that the metric sees, separated by commas; all by default.")
    ] = None,
    metric: Annotated[
        str, typer.Option(help="Metric within groups: euclidean, manhattan, gower, minkowski(3), …")
    ] = "euclidean",
    missing: Annotated[str, typer.Option(help="What to do with missing values: error, drop or median.")] = "error",
    epsilon: Annotated[float, typer.Option(help="The paper's ε, on the scale of the metric.")] = 0.05,
    delta: Annotated[float, typer.Option(help="The paper's δ: the smaller, the more questions.")] = 0.05,
    dilation: Annotated[float, typer.Option(help="CLUSTER's ρ: 8 in the theorem, 2 in the paper's experiments.")] = 2.0,
    hold_out: Annotated[
        float, typer.Option(help="Share of rows set aside for a statement about future records.")
    ] = 0.25,
    seed: Annotated[int, typer.Option(help="Seed of every random choice.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write CLUSTER's questions to this CSV file.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the output file.")] = False,
) -> None:
    """Say how many questions your records need, and how far off estimates could be. Nobody is asked."""
    from rich.console import Console

    from commensurate import ClusterSimilarity, NaiveSimilarity, groups_from_tables
    from commensurate.cli.tables import read_groups
    from commensurate.errors import InvalidInput
    from commensurate.groups.tables import set_aside

    console = Console(highlight=False)
    if output is not None and output.exists() and not force:
        raise InvalidInput(f"{output} exists already; choose another name, or pass --force")
    wanted = [name.strip() for name in features.split(",")] if features else None
    tables = read_groups(data, group, source or [], ids, wanted)
    if missing == "drop":
        tables = {name: table.dropna() for name, table in tables.items()}
    rest, held_out = set_aside(tables, hold_out, seed)
    groups = groups_from_tables(rest, metric=metric, missing=missing)  # type: ignore[arg-type]  # checked there

    naive = NaiveSimilarity(epsilon=epsilon, delta=delta, ask="on_demand", random_state=seed)
    cluster = ClusterSimilarity(epsilon=epsilon, delta=delta, dilation=dilation, ask="on_demand", random_state=seed)
    cluster_plan = cluster.plan(groups)
    for name, estimator, questions in (("NAIVE", naive, naive.plan(groups)), ("CLUSTER", cluster, cluster_plan)):
        estimator.fit(plan=questions, answers={})
        console.print(f"[bold]{name}[/bold]")
        console.print(str(questions), markup=False)
        console.print(f"counted: {estimator.question_counts_}\n", markup=False)
    console.print("[bold]How far CLUSTER's estimates could be trusted[/bold]\n")
    console.print(str(cluster.guarantee(held_out=held_out if hold_out else None)), markup=False)
    if output is not None:
        cluster_plan.to_frame().to_csv(output, index=False)
        console.print(f"\n{len(cluster_plan.questions):,} questions written to {output}; small answers mean similar")
