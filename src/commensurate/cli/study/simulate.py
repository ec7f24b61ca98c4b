"""``commensurate study simulate``: a rehearsal with a simulated expert."""

from __future__ import annotations

from typing import Annotated

import typer

from commensurate.cli.options import AsJson, StudyPlace, print_json


def simulate(
    study: StudyPlace,
    noise: Annotated[float, typer.Option(help="Standard deviation of the relative error of an answer.")] = 0.0,
    family: Annotated[
        str | None,
        typer.Option(
            help="Family of the simulated dissimilarity; by default, one that fits the groups is drawn at random."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the simulated expert; the study's by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let a simulated expert answer every open question of a study that no person has answered yet."""
    from commensurate.study.study import Study
    from commensurate.wording import counted

    with Study(study) as opened:
        done = opened.simulate(noise=noise, family=family, seed=seed)
    if as_json:
        print_json(done)
    else:
        print(
            f"{counted(done.answers, 'answer')} by {', '.join(done.experts)} (family {done.family}) recorded and "
            "marked as simulated"
        )
