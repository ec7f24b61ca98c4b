"""``commensurate audit``: are similar people treated similarly? A model file, people,
and the scores they were given.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from commensurate.cli.options import AsJson, Force, print_json, renamed_option

if TYPE_CHECKING:
    from commensurate.cli.audit_run import Audited, AuditFiles, AuditOptions
    from commensurate.records.group_files import RecordColumns


def audit(
    model: Annotated[Path, typer.Argument(help="A model file, as written by `commensurate fit` or model.save().")],
    score: Annotated[str, typer.Option(help="Column with each person's score.")],
    people: Annotated[Path | None, typer.Argument(help="A CSV file with one person per row.")] = None,
    group: Annotated[str | None, typer.Option(help="Column with each person's group.")] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=FILE.csv, once per group, instead of a single file and --group. The files may have different "
            "columns."
        ),
    ] = None,
    ids: Annotated[str | None, typer.Option("--id", help="Column with the ids. [default: row numbers, from 1]")] = None,
    favourable: Annotated[str, typer.Option(help="Which scores are good for a person: high or low.")] = "high",
    lipschitz: Annotated[
        float, typer.Option(help="L: how much scores may differ per unit of dissimilarity; small means similar.")
    ] = 1.0,
    pairs: Annotated[str, typer.Option(help="How many random pairs to compare, or `all`.")] = "100000",
    interval: Annotated[
        str | None,
        typer.Option(
            help="certified: every verdict is right if the answers are right and M1 and M2 hold; calibrated: few verdicts "
            "on random pairs are wrong; estimate: no guarantee. [default: the strongest that the model has]"
        ),
    ] = None,
    confidence_level: Annotated[
        float, typer.Option(help="Confidence level of the limits on shares and of calibrated intervals.")
    ] = 0.95,
    worst: Annotated[
        int,
        typer.Option(
            min=0,
            help="How many of the worst pairs and people to list; 0 skips the search. With calibrated intervals, "
            "lists of pairs across groups are always shown in full.",
        ),
    ] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Seed for drawing the pairs.")] = 0,
    answers: Annotated[
        list[Path] | None,
        typer.Option(
            help="A next_questions.csv from --tables, with the experts' answers about these people filled in. Repeat the "
            "option for each file, including files from earlier rounds."
        ),
    ] = None,
    without_experts: Annotated[
        bool,
        typer.Option(
            "--without-experts",
            help="Also judge the same pairs by two methods that need no experts: the plain distance, and an alignment of "
            "the groups.",
        ),
    ] = False,
    drop_others: Annotated[
        bool, typer.Option("--drop-others", help="Leave out people whose group the model does not know.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write a report to this file, as one HTML page.")] = None,
    tables: Annotated[
        Path | None,
        typer.Option(
            help="Write the tables shares, verdicts, worst, treated_worst, by_person and (with certified intervals) "
            "next_questions to this folder, as CSV files."
        ),
    ] = None,
    repair: Annotated[
        Path | None,
        typer.Option(
            help="Change the scores as little as possible until every pair satisfies the condition, write them to this "
            "CSV file, and audit them."
        ),
    ] = None,
    use: Annotated[
        str | None,
        typer.Option(
            help="What the repair uses for the dissimilarity: its lower bound (lower), or the estimate. [default: lower]"
        ),
    ] = None,
    under: Annotated[str | None, typer.Option(hidden=True, help="The old name of --use.")] = None,
    representatives: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Repair the scores of this many people per group; the others copy the score of one of them. [default: "
            "500 if there are more than 4,000 people]",
        ),
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(help="Column with the outcome, 0 or 1; used to report what the repair costs in accuracy."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="With --outcome: scores at or above this value predict a 1. Choose it within the range of the scores. "
            "[default: 0.5]"
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Find people whose scores differ by more than L times their dissimilarity. Small means similar.

    A pair is violated if its scores differ by more than L times the upper end of its interval, satisfied if they differ
    by at most L times the lower end, and undecided otherwise. The audit compares pairs across groups and within groups.

    A line on standard error says if the people of a group differ from the records that experts were asked about, and
    which columns have moved: calibrated intervals hold for records like those.

    The command writes files only with --report, --tables or --repair; if one of them cannot be written, it writes none.
    """
    from commensurate.applications.fairness.audit import FAVOURABLE
    from commensurate.applications.fairness.repair_program import REPAIR_USES
    from commensurate.checks import checked_choice
    from commensurate.cli.audit_run import AuditFiles, AuditOptions, contents, run_audit, summary
    from commensurate.cli.inputs import load_model
    from commensurate.extras import require
    from commensurate.learning.similarity import INTERVALS
    from commensurate.records.answered_file import read_every_answered
    from commensurate.records.given_files import GivenFiles
    from commensurate.records.group_files import RecordColumns

    use = renamed_option("--under", under, "--use", use)
    fitted = load_model(model, "commensurate.applications.audit_fairness")
    options = AuditOptions(
        lipschitz=lipschitz,
        pairs=_pairs(pairs),
        interval=fitted.checked_interval(interval, INTERVALS),
        confidence_level=confidence_level,
        favourable=checked_choice("favourable", favourable, FAVOURABLE),
        worst=worst,
        seed=seed,
        use=checked_choice("use", use or "lower", REPAIR_USES),
        representatives=representatives,
        threshold=0.5 if threshold is None else threshold,
    )
    files = AuditFiles(report, tables, repair, questions=options.interval == "certified")
    given = GivenFiles.of(people, group, source or [])
    inputs = [*given.paths, *(answers or [])]
    files.check([model, *inputs], force=force)
    _check_used(repair, use, representatives, outcome, threshold)
    if report is not None:
        require("matplotlib", extra="plots", purpose="the report of an audit")
    options.check(fitted, answers=bool(answers), repair=repair is not None)
    columns = RecordColumns(score, ids, outcome)
    read = given.read(fitted.spaces_, columns, drop_others=drop_others)
    audited = run_audit(
        fitted,
        read,
        options,
        answers=read_every_answered(answers or [], read.ids),
        without_experts=without_experts,
        repair=repair is not None,
    )
    if files.paths:
        files.write(contents(audited, files, _provenance(model, inputs, group, columns, options, repair is not None)))
    if as_json:
        print_json(summary(audited, files))
    else:
        _tell(audited, files)


def _check_used(
    repair: Path | None,
    use: str | None,
    representatives: int | None,
    outcome: str | None,
    threshold: float | None,
) -> None:
    """Raise on options of a repair without one: somebody who gives them expects something of them."""
    from commensurate.errors import InvalidParameter

    given = {
        "--outcome reports the price of a repair": outcome,
        "--use sets how to repair": use,
        "--representatives sets how to repair": representatives,
        "--threshold is used for the price of a repair": threshold,
    }
    for words, value in given.items():
        if value is not None and repair is None:
            raise InvalidParameter(f"{words}; add --repair FILE.csv, or leave the option out")
    if threshold is not None and outcome is None:
        raise InvalidParameter("--threshold is used with --outcome; add --outcome COLUMN, or leave --threshold out")


def _pairs(word: str) -> int | Literal["all"]:
    from commensurate.errors import InvalidParameter

    if word == "all":
        return "all"
    if not word.isdecimal() or not int(word):
        raise InvalidParameter(f"--pairs must be a number of pairs or `all`, got {word!r}")
    return int(word)


def _provenance(
    model: Path, inputs: list[Path], group: str | None, columns: RecordColumns, options: AuditOptions, repair: bool
) -> dict[str, str]:
    """Say what the report was made from."""
    from dataclasses import asdict

    from commensurate.cli.outputs import provenance

    settings = {**asdict(columns), "group": group, **asdict(options)}
    unused = set() if repair else {"use", "representatives", "outcome"}
    if columns.outcome is None:
        unused.add("threshold")
    told = {name: value for name, value in settings.items() if name not in unused}
    return provenance(model, inputs, told)


def _tell(audited: Audited, files: AuditFiles) -> None:
    from rich.console import Console

    from commensurate.cli.outputs import tell_notes
    from commensurate.report.html.pair_cards import Register
    from commensurate.report.terminal.audit import audit_view, repair_view
    from commensurate.wording import visible_text

    tell_notes([*audited.notes, *(str(each) for each in audited.audit.records if each.worth_telling)])
    console = Console(highlight=False, soft_wrap=False)
    console.print(audit_view(audited.audit, Register(audited.people.ids)))
    if audited.without is not None:
        console.print(f"\n{visible_text(str(audited.without))}", markup=False)
    if (repaired := audited.repaired) is not None:
        console.print(repair_view(audited.audit, repaired.repair, repaired.audit, repaired.price))
    for line in (*files.in_words(), *_more(audited, files)):
        print(visible_text(line))


def _more(audited: Audited, files: AuditFiles) -> list[str]:
    """Say what else the same command can do."""
    undecided, violated = (audited.audit.shares[name].any() for name in ("undecided", "violated"))
    more = {
        "  --report audit.html     all of this on one page, with pictures and the worst pairs": files.report is None,
        "  --tables audit          every verdict as CSV, and the questions whose answers would settle most pairs": (
            files.tables is None and undecided and audited.questions is not None
        ),
        "  --repair repaired.csv   the smallest change to the scores that leaves no pair violated": (
            # estimates alone are no ground for a repair
            files.repair is None and violated and audited.audit.interval != "estimate"
        ),
    }
    lines = [line for line, wanted in more.items() if wanted]
    return ["", "Next, run the same command with", *lines] if lines else []
