"""``commensurate plan``: size the job on one's own records before anyone is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from commensurate.cli.options import AsJson, Force, print_json


def plan(
    data: Annotated[Path | None, typer.Argument(help="A CSV file with one row per record.")] = None,
    group: Annotated[str | None, typer.Option(help="Column with the group of each record.")] = None,
    source: Annotated[
        list[str] | None, typer.Option(help="NAME=FILE.csv, once per group, instead of a single file and --group.")
    ] = None,
    ids: Annotated[str | None, typer.Option("--id", help="Column with a unique id per record.")] = None,
    features: Annotated[
        str | None, typer.Option(help="Columns that the metric uses, separated by commas; all by default.")
    ] = None,
    metric: Annotated[
        str, typer.Option(help="Metric within groups: euclidean, manhattan, gower, minkowski(3), …")
    ] = "euclidean",
    missing: Annotated[
        str,
        typer.Option(help="What to do about missing values: stop with an error, drop the rows, or fill in the median."),
    ] = "error",
    epsilon: Annotated[float, typer.Option(help="The paper's ε, on the scale of the metric.")] = 0.05,
    delta: Annotated[float, typer.Option(help="The paper's δ; a smaller δ needs more questions.")] = 0.05,
    dilation: Annotated[float, typer.Option(help="CLUSTER's ρ: 8 in the paper's theorem, 2 in its experiments.")] = 2.0,
    hold_out: Annotated[
        float, typer.Option(help="Share of rows to set aside for a statement about future records.")
    ] = 0.25,
    seed: Annotated[int, typer.Option(min=0, help="Seed for every random choice.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the questions that CLUSTER asks to this CSV file.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Show how many questions your records need and how far off the estimates could be, before you ask anyone.

    A question is a pair of records from different groups. Its answer says how dissimilar they are; small means similar.
    """
    from rich.console import Console

    from commensurate import ClusterSimilarity, NaiveSimilarity, groups_from_tables
    from commensurate.checks import checked_choice
    from commensurate.cli.inputs import read_groups
    from commensurate.cli.outputs import check_output, write_csv
    from commensurate.groups.learn_columns import Missing
    from commensurate.groups.tables import set_aside

    console = Console(highlight=False)
    known: Missing = checked_choice("missing", missing, ("error", "drop", "median"))
    check_output(output, force=force)
    wanted = [name.strip() for name in features.split(",")] if features else None
    tables = read_groups(data, group, source or [], ids, wanted)
    if known == "drop":
        tables = {name: table.dropna() for name, table in tables.items()}
    rest, held_out = set_aside(tables, hold_out, seed)
    groups = groups_from_tables(rest, metric=metric, missing=known)

    naive = NaiveSimilarity(epsilon=epsilon, delta=delta, random_state=seed)
    cluster = ClusterSimilarity(epsilon=epsilon, delta=delta, dilation=dilation, random_state=seed)
    cluster_plan = cluster.plan(groups)
    plans = {"NAIVE": naive.plan(groups), "CLUSTER": cluster_plan}
    enough = all(len(table) for table in held_out.values())
    guarantee = cluster_plan.guarantee(held_out=held_out if enough else None)
    if output is not None:
        write_csv(cluster_plan.to_frame(), output)
    if as_json:
        counts = {name: plan.question_counts for name, plan in plans.items()}
        print_json({"questions": counts, "guarantee": guarantee, "file": output})
        return
    for name, questions in plans.items():
        console.print(f"[bold]{name}[/bold]")
        console.print(str(questions), markup=False)
        console.print(f"counted: {questions.question_counts}\n", markup=False)
    console.print("[bold]How far you could trust CLUSTER's estimates[/bold]\n")
    console.print(str(guarantee), markup=False)
    if output is not None:
        console.print(f"\n{len(cluster_plan.questions):,} questions written to {output}", markup=False)
