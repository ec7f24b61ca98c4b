"""``commensurate report``: one page that tells how far a model can be trusted, and what it was learnt from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from commensurate.cli.options import AsJson, Force, ModelFile, print_json


def report(
    model: ModelFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The report to write, as one HTML page.")],
    share: Annotated[float, typer.Option(help="Share of pairs that the stated tolerance covers.")] = 0.9,
    confidence_level: Annotated[
        float, typer.Option(help="Confidence level of the statements and of calibrated intervals.")
    ] = 0.95,
    scale_end: Annotated[
        float | None,
        typer.Option(help="Largest answer that experts could give: bounds the error against what experts agree on."),
    ] = None,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Write a report on a model: its error on held-out answers, its largest misses, and the columns that matter.

    The page is self-contained: it has no scripts and loads nothing from elsewhere.
    """
    from commensurate.cli.inputs import load_model
    from commensurate.cli.outputs import check_outputs, check_report, provenance, write_together
    from commensurate.errors import InconsistentAnswers, InvalidParameter
    from commensurate.extras import require
    from commensurate.report.model.page import render_model
    from commensurate.wording import visible_text

    check_report(output, "--output")
    check_outputs([output], [model], force=force)
    require("matplotlib", extra="plots", purpose="the report of a model")
    fitted = load_model(model, "commensurate.report.model.page.render_model")
    bounded = {} if scale_end is None else {"scale_end": scale_end}
    if bounded and fitted.why_no_interval("calibrated") is not None:
        raise InvalidParameter("--scale-end is for a model that holds answers out, and NAIVE and CLUSTER hold out none")
    try:
        guarantee = fitted.guarantee(share=share, confidence_level=confidence_level, **bounded)
    except InconsistentAnswers as error:
        raise InconsistentAnswers(
            f"{error}; `commensurate study check` lists the contradictions, and `commensurate fit --answer-error "
            "noise` treats the answers as noisy"
        ) from error
    settings = {"share": share, "confidence level": confidence_level}
    settings |= {name.replace("_", " "): value for name, value in bounded.items()}
    page = render_model(fitted, guarantee, provenance=provenance(model, [], settings))
    write_together({output: page})
    if as_json:
        print_json({"file": output, "questions": fitted.n_questions_, "guarantee": guarantee})
        return
    print(visible_text(str(guarantee)))
    print(f"\nreport written to {output}")
