"""``commensurate fit``: a model from the answers of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from commensurate.cli.options import AsJson, Force, StudyPlace, check_no_study, print_json


def fit(
    study: StudyPlace,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Learn from a study's answers and write the model; say how far it can be trusted.

    The last answer of every expert to every question counts; small means similar.
    """
    import shlex
    import warnings

    from commensurate.cli.tables import check_output
    from commensurate.errors import TooFewAnswers
    from commensurate.report.visible_text import visible_text
    from commensurate.study.planned import fit_study
    from commensurate.study.study import Study
    from commensurate.wording import counted

    check_output(output, force=force)
    check_no_study(output)
    with Study.open(study) as opened:
        settings, simulated = opened.settings, any(one.origin == "simulated" for one in opened.stored_answers())
        model = fit_study(opened)
    with warnings.catch_warnings():
        # said in the guarantee's own words
        warnings.simplefilter("ignore", TooFewAnswers)
        guarantee = model.guarantee(share=settings.share, confidence_level=settings.confidence_level)
    model.save(output)
    if as_json:
        print_json({"file": output, "questions": model.n_questions_, "simulated": simulated, "guarantee": guarantee})
        return
    print(visible_text(str(guarantee)))
    if simulated:
        print("\nSome answers are simulated: this is a rehearsal.")
    # which of several groups the files are of must be said
    between = "" if len(model.groups_) == 2 else f" --between {shlex.quote(','.join(model.groups_[:2]))}"
    print(f"\n{counted(model.n_questions_, 'answered question')}, model written to {output}; next:")
    print(
        visible_text(
            f"  commensurate predict {shlex.quote(str(output))} --left A.csv --right B.csv{between} -o estimates.csv"
        )
    )
