"""``commensurate fit``: a model from the answers of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from commensurate.cli.options import AsJson, Force, StudyPlace, print_json, with_options


def fit(
    study: StudyPlace,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    answer_error: Annotated[
        str | None,
        typer.Option(help="auto, noise, or the largest error that an answer can have; the study's setting by default."),
    ] = None,
    unanswered: Annotated[
        str,
        typer.Option(
            help="How held-out questions without an answer count: misses, so that statements cover all pairs, or excluded, "
            "so that they cover only pairs that experts can judge."
        ),
    ] = "misses",
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Learn a model from a study's answers, save it, and report how far you can trust it.

    For each question, every expert's latest answer counts. Small means similar.
    """
    import shlex

    from commensurate.checks import checked_choice
    from commensurate.cli.outputs import check_output
    from commensurate.cli.study.create import parsed_answer_error
    from commensurate.guarantees.population import UNANSWERED
    from commensurate.study.fitting import end_of_answers
    from commensurate.study.study import Study
    from commensurate.wording import counted, visible_text

    check_output(output, force=force)
    with Study(study) as opened:
        settings, simulated = opened.settings, any(one.origin == "simulated" for one in opened.stored_answers())
        how = checked_choice("unanswered", unanswered, UNANSWERED)
        model = opened.fit(answer_error=parsed_answer_error(answer_error), unanswered=how)
        without_number = opened.status().unsure_only
    end = end_of_answers(settings, model)
    guarantee = model.guarantee(share=settings.share, confidence_level=settings.confidence_level, scale_end=end)
    model.save(output)
    if as_json:
        counts = {"questions": model.n_questions_, "unsure_only": without_number, "simulated": simulated}
        print_json({"file": output, **counts, "guarantee": guarantee})
        return
    print(visible_text(with_options(str(guarantee), {"answer_error": "--answer-error", "unanswered": "--unanswered"})))
    print(
        "This holds only if you chose the stopping point in advance. If you watch answers as they arrive, use the rule in "
        "`study status`."
    )
    if without_number:
        print(f"All experts were unsure about {counted(without_number, 'question')}.")
    if simulated:
        print("\nThis is a rehearsal: some answers are simulated.")
    # which of several groups the files are of must be said
    between = "" if len(model.groups_) == 2 else f" --between {shlex.quote(','.join(model.groups_[:2]))}"
    print(f"\n{counted(model.n_questions_, 'answered question')}, model written to {output}; next:")
    bounded = end is not None and any(pair.against_sigma is not None for pair in guarantee.pairs)
    scale = f" --scale-end {end!r}" if bounded else ""
    print(visible_text(f"  commensurate report {shlex.quote(str(output))} -o report.html{scale}"))
    print(
        visible_text(
            f"  commensurate predict {shlex.quote(str(output))} --left A.csv --right B.csv{between} -o estimates.csv"
        )
    )
