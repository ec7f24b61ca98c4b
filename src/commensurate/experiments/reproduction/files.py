"""Writing a report: JSON, CSV, Markdown, SVG and PNG, and one page of HTML that needs none of the others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from commensurate.experiments.reproduction.figures import all_figures
from commensurate.experiments.reproduction.findings import Findings
from commensurate.experiments.reproduction.page import TITLE, page_of, provenance_in_words
from commensurate.experiments.reproduction.tables import all_tables
from commensurate.files import replacing
from commensurate.report.svg.figure_files import save_figure
from commensurate.report.tables import Table, markdown, write_csv

SUFFIXES = (".csv", ".svg", ".png")
# how the names of tables and figures begin; other files in their folders are not ours
OUR_NAMES = ("table-", "figure-", "error-against-", "readings-", "draws", "synthetic-", "lower-bound", "no-free-lunch")
RESULTS, PAGE, TEXT = "results.json", "index.html", "report.md"


def write_report(findings: Findings, folder: Path) -> Path:
    """Write everything into ``folder`` and return the page; what an earlier report left there is replaced."""
    # the results first: whatever may happen to a picture, they are there
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / RESULTS, findings.as_text())
    figures = all_figures(findings)
    write_tables(findings, folder, list(figures))
    origin = "; ".join(f"{name}: {value}" for name, value in provenance_in_words(findings).items())
    _prepare(folder / "figures", set(figures))
    for name, figure in figures.items():
        save_figure(figure, folder / "figures" / name, origin)
    _write(folder / PAGE, page_of(findings, figures))
    return folder / PAGE


def write_tables(findings: Findings, folder: Path, figures: list[str]) -> None:
    """Write every table as CSV, and all of them as one Markdown file that shows the ``figures`` too."""
    tables = all_tables(findings)
    _prepare(folder / "tables", set(tables))
    for name, table in tables.items():
        write_csv(_with_provenance(table, findings), folder / "tables" / f"{name}.csv")
    _write(folder / TEXT, _text(findings, tables, figures))


def _prepare(folder: Path, kept: set[str]) -> None:
    """Make a folder; what a report on other parts left there would stand beside this one as if it belonged to it."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.suffix in SUFFIXES and path.stem not in kept and path.stem.startswith(OUR_NAMES):
            path.unlink()


def _with_provenance(table: Table, findings: Findings) -> Table:
    """Return the table with columns that tell what it rests on: a CSV file has no other place for that."""
    provenance = findings.provenance
    rest = (provenance["seed"], json.dumps(provenance["versions"]), provenance["code"], json.dumps(provenance["data"]))
    return replace(
        table,
        columns=(*table.columns, "seed", "versions", "code digest", "data digests"),
        rows=tuple((*row, *rest) for row in table.rows),
    )


def _text(findings: Findings, tables: dict[str, Table], figures: list[str]) -> str:
    lines = [f"# {TITLE}", ""]
    lines += [f"- {name}: {value}" for name, value in provenance_in_words(findings).items()]
    for name, table in tables.items():
        # every draw would fill pages: it is in the CSV file of the same name
        if name != "draws":
            lines += ["", f"<!-- tables/{name}.csv -->", "", markdown(table)]
    lines += [f"![{name}](figures/{name}.svg)\n" for name in figures]
    return "\n".join(lines)


def _write(path: Path, text: str) -> None:
    with replacing(path) as file:
        file.write(text.encode())
