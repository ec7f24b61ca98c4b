"""The report of a run: every table and figure is there, says what it rests on, and holds what was measured."""

import csv
import json
import re
import statistics
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markupsafe import Markup

from commensurate.experiments.paper.published import ALGORITHMS, MEASURES, PAPER, TESTS
from commensurate.experiments.reproduction import files, page
from commensurate.experiments.reproduction.figures import all_figures
from commensurate.experiments.reproduction.files import write_report
from commensurate.experiments.reproduction.findings import AS_PRINTED, COUNTINGS, Findings
from commensurate.experiments.reproduction.page import overtaking, page_of
from commensurate.experiments.reproduction.run import Run, RunSettings
from commensurate.experiments.reproduction.tables import all_tables, in_words
from commensurate.report.svg.figure_files import save_figure

pytestmark = pytest.mark.slow

TABLES = {
    "table-1-credit-card-default",
    "table-2-adult",
    "table-3-give-me-some-credit",
    "table-4-decrease",
    "table-4-questions",
    "figure-1-sigma",
    "figure-2-credit-card-default",
    "figure-3-adult",
    "figure-4-give-me-some-credit",
    "readings-of-the-paper",
    "error-against-questions",
    "draws",
    "synthetic-suite",
    "lower-bound",
    "no-free-lunch",
}
# one figure of each kind: to draw all of them again takes most of the time
DRAWN = {
    "figure-1-sigma",
    "figure-3-adult-on-unseen-rows",
    "error-against-questions-on-unseen-rows",
    "synthetic-suite",
    "lower-bound",
}


class Words(HTMLParser):
    """The words of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def words_of(page: str) -> str:
    parser = Words()
    parser.feed(page)
    return " ".join(" ".join(parser.words).split())


def suite_only(findings: Findings) -> Findings:
    return Findings({**findings.content, "datasets": {}})


def without_figures(page: str) -> str:
    return re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)


@pytest.fixture
def undrawn(small_run, monkeypatch):
    """Leave figures out of pages made from now on, where only words are looked at: drawing takes most of the time."""
    monkeypatch.setattr(page, "svg_of", lambda figure: Markup("<svg></svg>"))


def test_every_table_and_figure_is_written(small_run):
    _, folder = small_run
    assert {path.stem for path in (folder / "tables").iterdir()} == TABLES
    figures = {path.name for path in (folder / "figures").iterdir()}
    for number, name in ((2, "credit-card-default"), (3, "adult"), (4, "give-me-some-credit")):
        for test in ("as-in-the-paper", "on-unseen-rows"):
            assert {f"figure-{number}-{name}-{test}.svg", f"figure-{number}-{name}-{test}.png"} < figures
    curves = ("error-against-questions-as-in-the-paper", "error-against-questions-on-unseen-rows")
    for name in ("figure-1-sigma", *curves, "synthetic-suite", "lower-bound"):
        assert {f"{name}.svg", f"{name}.png"} < figures
    assert {"index.html", "report.md", "results.json", "run.json"} < {path.name for path in folder.iterdir()}


def test_the_cells_of_tables_1_to_3_are_median_and_range_of_the_draws_beside_the_papers(small_run):
    findings, folder = small_run
    draws = rows_of(folder / "tables/draws.csv")
    for name, paper in PAPER.items():
        rows = rows_of(folder / f"tables/table-{paper.table}-{name}.csv")
        assert len(rows) == len(TESTS) * len(ALGORITHMS) * len(MEASURES)
        for row in rows:
            values = [
                float(draw[row["measure"]])
                for draw in draws
                if (draw["data set"], draw["test"], draw["algorithm"]) == (name, row["test"], row["algorithm"])
            ]
            assert len(values) == findings.settings.repeats
            assert float(row["our median"]) == statistics.median(values)
            assert float(row["lowest draw"]) == min(values)
            assert float(row["highest draw"]) == max(values)
            measure = next(key for key, label in MEASURES.items() if label == row["measure"])
            assert float(row["paper"]) == paper.error(row["algorithm"], measure)


def test_table_4_is_counted_in_every_way(small_run):
    findings, _ = small_run
    for name in findings.datasets:
        naive = findings.questions(name, "NAIVE", "ordered_with_repeats")[0]
        cluster = findings.questions(name, "CLUSTER", "distinct")[0]
        assert naive == 2 * 13_816**2
        assert findings.decrease(name, AS_PRINTED).draws[0] == pytest.approx(100 * (1 - cluster / naive))
        ordered, unordered = (findings.decrease(name, f"both {way}, with repeats") for way in ("ordered", "unordered"))
        assert ordered == unordered
        assert (
            findings.decrease(name, "both distinct").median
            < ordered.median
            < findings.decrease(name, AS_PRINTED).median
        )


def test_every_result_file_tells_seed_versions_and_digests(small_run):
    findings, folder = small_run
    versions = findings.provenance["versions"]
    for path in [
        *(folder / "tables").iterdir(),
        *(folder / "figures").glob("*.svg"),
        folder / "index.html",
        folder / "report.md",
        folder / "results.json",
    ]:
        text = path.read_text(encoding="utf-8")
        for needed in (
            "seed",
            "digest of adult",
            findings.provenance["code"],
            versions["numpy"],
            versions["scikit-learn"],
        ):
            assert needed in text, (path.name, needed)
    for path in (folder / "figures").glob("*.png"):
        assert b"digest of adult" in path.read_bytes()
    for path in (folder / "steps").rglob("*.json"):
        assert json.loads(path.read_text())["provenance"] == findings.provenance


def test_the_page_shows_the_papers_figure_and_ours_for_every_cell_of_tables_1_to_4(small_run):
    findings, folder = small_run
    words = words_of((folder / "index.html").read_text(encoding="utf-8"))
    for name, paper in PAPER.items():
        for test in TESTS:
            for algorithm in ALGORITHMS:
                for measure in MEASURES:
                    cell = findings.error(name, test, algorithm, measure)
                    assert f"paper {cell.paper:.3f} our median {cell.median:.3f}" in words
        for counting in COUNTINGS:
            cell = findings.decrease(name, counting)
            assert f"paper {paper.decrease:.2f} our median {cell.median:.2f}" in words
    assert "Each baseline learnt from 40 points" in words


@pytest.mark.usefixtures("undrawn")
def test_results_read_again_give_the_same_report(small_run, tmp_path, monkeypatch):
    findings, folder = small_run
    again = Findings.read(folder / "results.json")
    assert again == findings
    monkeypatch.setattr(
        files, "save_figure", lambda figure, stem, origin: stem.name in DRAWN and save_figure(figure, stem, origin)
    )
    write_report(again, tmp_path)
    for path in [
        folder / "report.md",
        *(folder / "tables").iterdir(),
        *(folder / f"figures/{name}.{suffix}" for name in DRAWN for suffix in ("svg", "png")),
    ]:
        assert (tmp_path / path.relative_to(folder)).read_bytes() == path.read_bytes(), path.name
    one, other = ((where / "index.html").read_text(encoding="utf-8") for where in (folder, tmp_path))
    assert without_figures(one) == without_figures(other)


def test_the_same_seed_gives_the_same_results_in_another_folder_with_more_processes(small_run, tmp_path):
    findings, _ = small_run
    fewer = RunSettings(parts=("synthetic",), repeats=1, small_suite=True)
    assert fewer.suite_repeats == findings.settings.suite_repeats, "or its worlds were drawn another number of times"
    run = Run.open(fewer, tmp_path)
    again = Findings.gather(run, run.compute(jobs=2))
    assert json.dumps(again.content["synthetic"]) == json.dumps(findings.content["synthetic"])


@pytest.mark.usefixtures("undrawn")
def test_a_run_of_one_part_reports_that_part_only(small_run):
    findings, _ = small_run
    only_suite = suite_only(findings)
    assert set(all_tables(only_suite)) == {"synthetic-suite", "lower-bound", "no-free-lunch"}
    assert "synthetic suite only" in page_of(only_suite, all_figures(only_suite))
    only_data = Findings({key: value for key, value in findings.content.items() if key != "synthetic"})
    assert not {"synthetic-suite", "lower-bound"} & set(all_tables(only_data))
    assert "Synthetic suite" not in page_of(only_data, all_figures(only_data))


def test_a_report_on_fewer_parts_leaves_nothing_of_a_larger_one_but_touches_no_other_file(small_run, tmp_path):
    for name in ("tables/table-1-adult.csv", "tables/my own notes.csv", "figures/figure-1-sigma.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("old")
    write_report(suite_only(small_run[0]), tmp_path)
    names = {path.stem for path in (tmp_path / "tables").iterdir()}
    assert names == {"synthetic-suite", "lower-bound", "no-free-lunch", "my own notes"}
    assert {path.stem for path in (tmp_path / "figures").iterdir()} == {"synthetic-suite", "lower-bound"}
    assert "draws of (α" not in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_it_is_said_which_baseline_overtakes_naive_and_from_how_many_points_on(small_run):
    changed = json.loads(small_run[0].as_text())
    curves = changed["datasets"]["adult"]["curves"]
    for algorithm in ALGORITHMS:
        for point in curves[algorithm]:
            point["errors"]["on unseen rows"]["relative_mean"] = 5.0
    said = overtaking(Findings(changed), "adult", "on unseen rows")
    assert said.startswith("On Adult, tested on unseen rows, no baseline reaches NAIVE's error")
    curves["XGB"][0]["errors"]["on unseen rows"]["relative_mean"] = 4.9
    said = overtaking(Findings(changed), "adult", "on unseen rows")
    assert said.startswith("On Adult, tested on unseen rows, XGB errs less with 100 points than NAIVE with its")


@pytest.mark.usefixtures("undrawn")
def test_a_world_that_refutes_the_theorem_would_be_named(small_run):
    findings = suite_only(small_run[0])
    changed = json.loads(findings.as_text())
    cell = changed["synthetic"]["cells"][0]
    cell["algorithms"]["NAIVE"]["failure_rate"] = {"mean": 0.9, "standard_error": 0.01}
    figures = all_figures(findings)
    assert "In no world is the measured failure rate above" in page_of(findings, figures)
    assert f"NAIVE in {cell['name']}" in page_of(Findings(changed), figures)


def test_a_variant_is_put_into_words():
    assert in_words({"label": False, "missing": "zero"}) == "label left out, missing: zero"
