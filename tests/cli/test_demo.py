"""The demo as a user sees it; learning is shortened to a Gaussian process alone, and the curves to two points each."""

import pytest

from commensurate import BudgetedSimilarity
from commensurate.errors import MissingExtra
from commensurate.experiments import demo

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def results():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "CURVE_BUDGETS", (25,))
        patch.setattr(demo, "CURVE_DELTAS", (0.5,))
        # each process imports everything anew, which takes longer than two points of a curve
        patch.setattr(demo, "CURVE_PROCESSES", 1)
        patch.setattr(
            demo,
            "_budgeted",
            lambda budget: BudgetedSimilarity(budget=budget, learner="gp", answer_error=0.0, random_state=0),
        )
        yield demo.run_demo(demo.Demo.prepare())


@pytest.fixture
def run_demo(run, results, monkeypatch, tmp_path):
    """Run the command on what was found once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "run_demo", lambda prepared, announce: results)
    return lambda: run("demo", "--picture", "shown.png")


def test_the_demo_shows_everything_and_ends_with_the_next_command(run_demo, tmp_path):
    done = run_demo()
    assert done.returncode == 0, done.stderr
    for part in (
        "city applicant",
        "rural applicant",
        "from 200 answers about other pairs",
        "The nearest answers and what each adds",
        "The truth: ",
        "400 held-out pairs",
        "of pairs of new elements like these are within",
        "chart saved to shown.png",
    ):
        assert part in done.stdout
    assert (
        done.stdout.splitlines()[-1]
        == "commensurate study create people.db --data people.csv --group married --questions 400"
    )
    assert (tmp_path / "shown.png").stat().st_size > 10_000


def test_the_table_says_of_each_estimator_which_intervals_it_has(run_demo):
    rows = {
        cells[0]: cells[1:]
        for line in run_demo().stdout.splitlines()
        if len(cells := [cell.strip() for cell in line.replace("┃", "│").strip("│").split("│")]) == 4
    }
    assert rows[""] == ["NAIVE", "CLUSTER", "BudgetedSimilarity"]
    assert rows["intervals are"] == ["certified", "certified", "calibrated"]
    assert rows["questions"] == ["7,680", "192", "200"]
    assert rows["intervals that hold"][:2] == ["100 %", "100 %"]


def test_the_demo_draws_text_without_the_plots_extra(run_demo, monkeypatch, tmp_path):
    def absent(*arguments: object, **options: object) -> None:
        raise MissingExtra("drawing pictures needs the package 'matplotlib'")

    monkeypatch.setattr("commensurate.report.style.require", absent)
    shown = run_demo().stdout
    for part in ("off by at most", "200 answers  ", "7,680 answers  ", "█", "chart not saved"):
        assert part in shown
    assert not (tmp_path / "shown.png").exists()
