"""How many files and functions of the package one piece of work passes through: ``python -m benchmarks.walks``.

Each walk is taken once without counting, so that lazy imports are over, and once under `sys.setprofile`. Counted are
the distinct files, and the distinct functions and methods, of the package whose Python code runs, in any thread. Module
and class bodies, lambdas and comprehensions do not count as functions; compiled kernels are invisible to a profiler.
The counts go into ``benchmarks/results/walks.json`` under the name of the tree; counts of other trees in that file
stay.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, TypeVar

import numpy as np
import pandas as pd

import commensurate as cm
from commensurate.applications import audit_fairness
from commensurate.cli.main import app as command
from commensurate.study.invitations import invite
from commensurate.study.study import Study
from commensurate.web.app import create_app
from commensurate.web.guards import hosts_for
from commensurate.web.refresher import Refresher
from commensurate.web.sign_in import new_owner_token

PACKAGE = str(Path(cm.__file__).parent)
RESULT = Path(__file__).parent / "results" / "walks.json"
RNG = np.random.default_rng(3)
POINTS = {"a": RNG.random((120, 2)), "b": RNG.random((90, 3))}
Start = TypeVar("Start")
FIELD = re.compile(r'<input[^>]*name="(\w+)"[^>]*value="([^"]*)"')


@dataclass
class Walk:
    """The functions of the package that ran while `counting`, by file."""

    counting: bool = False
    functions: set[tuple[str, str]] = field(default_factory=set)

    def notice(self, frame: FrameType, event: str, _: Any) -> None:
        """Remember the function that is called, if it is one of the package's."""
        code = frame.f_code
        if self.counting and event == "call" and code.co_filename.startswith(PACKAGE):
            self.functions.add((code.co_filename, code.co_qualname))

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch this thread, and every thread that starts in the block."""
        threading.setprofile(self.notice)
        sys.setprofile(self.notice)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def counts(self) -> dict[str, int]:
        """Return how many files and named functions ran."""
        named = {(file, name) for file, name in self.functions if not name.endswith(">")}
        return {"files": len({file for file, _ in self.functions}), "functions": len(named)}


def taken(walk: Callable[[Start], object], start: Callable[[], Start]) -> dict[str, int]:
    """Take a walk twice, each from a start of its own, so that nothing is kept from the first; count the second."""
    walk(start())
    begun, seen = start(), Walk(counting=True)
    with seen.watched():
        walk(begun)
    return seen.counts()


def sigma(left: Any, right: Any, between: tuple[str, str]) -> Any:
    """Return a dissimilarity with M1 and M2 for the Euclidean metric, whichever side is named first."""
    x, y = (left, right) if between[0] == "a" else (right, left)
    return np.abs(0.6 * x[:, 0] + 0.5 * x[:, 1] - 0.4 * y[:, 0] + 0.2 * y[:, 2]) + 0.1 * y[:, 1]


def naive() -> cm.NaiveSimilarity:
    """Return NAIVE, not fitted."""
    return cm.NaiveSimilarity(epsilon=0.2, delta=0.2, random_state=0)


def few_answers() -> cm.BudgetedSimilarity:
    """Return what learns from few answers, with the default learner, not fitted."""
    return cm.BudgetedSimilarity(budget=80, learner="auto", answer_error=0.0, random_state=0)


def model_walks() -> dict[str, dict[str, int]]:
    """Learn, predict, bound and audit in Python."""
    left, right = POINTS["a"][:20], POINTS["b"][:20]
    scores = {name: points[:, 0] for name, points in POINTS.items()}

    def fitted() -> cm.NaiveSimilarity:
        return naive().fit(POINTS, sigma)

    def learnt() -> cm.BudgetedSimilarity:
        return few_answers().fit(POINTS, sigma)

    return {
        "NAIVE `fit`": taken(lambda new: new.fit(POINTS, sigma), naive),
        "NAIVE `predict`": taken(lambda model: model.predict(left, right), fitted),
        "BudgetedSimilarity `fit(auto)`": taken(lambda new: new.fit(POINTS, sigma), few_answers),
        "BudgetedSimilarity `predict_interval`": taken(
            lambda model: model.predict_interval(left, right, interval="calibrated"), learnt
        ),
        "`audit_fairness` with NAIVE": taken(
            lambda model: audit_fairness(model, POINTS, scores=scores, random_state=0), fitted
        ),
    }


def command_walk(folder: Path) -> dict[str, dict[str, int]]:
    """Let ``commensurate predict`` read a model file and two CSV files, and write a third."""
    tables = {name: pd.DataFrame(points).add_prefix(f"{name}_") for name, points in POINTS.items()}
    naive().fit(cm.groups_from_tables(tables), sigma).save(folder / "model.cmz")
    for name, table in tables.items():
        table.head(20).to_csv(folder / f"{name}.csv", index=False)
    words = ["predict", str(folder / "model.cmz"), "--left", str(folder / "a.csv"), "--right", str(folder / "b.csv")]
    words += ["--output", str(folder / "pairs.csv"), "--force"]

    def command_line(words: list[str]) -> None:
        command(words, standalone_mode=False)

    return {"`commensurate predict`, CSV to CSV": taken(command_line, lambda: words)}


def study_walks(folder: Path) -> dict[str, dict[str, int]]:
    """Record one answer by hand and one through the page."""
    n = 160
    people = pd.DataFrame(
        {
            "married": np.where(np.arange(n) % 2, "married", "single"),
            "age": RNG.integers(20, 70, n),
            "income": RNG.lognormal(10.3, 0.5, n).round(),
            "job": RNG.choice(["cook", "nurse", "welder", "teacher"], n),
        }
    )
    with Study.create(
        folder / "people.db", people, group="married", questions=40, repeats=0.0, seed=5, answer_kind="numbers"
    ) as study:
        asked = iter([one.question_id for one in study.next_questions("Ada", 2)])
        recorded = taken(lambda question_id: study.record(question_id, 0.5, expert="Ada"), lambda: next(asked))
        return {"`Study.record`": recorded, "one answer through the page, and the next question": page_counts(study)}


def page_counts(study: Study) -> dict[str, int]:
    """Send the form of a question twice, as a browser does, and count the second time."""
    from starlette.testclient import TestClient

    page = create_app(
        study,
        hosts=hosts_for("127.0.0.1", 8765, None),
        https=False,
        owner_digest=new_owner_token()[1],
        refresher=Refresher(str(study.file)),
    )
    token, seen = invite(study, "Grace"), Walk()
    # the server's threads start with the client, and only threads that start in the block are watched
    with seen.watched(), TestClient(page, base_url="http://127.0.0.1:8765") as client:
        client.get(f"/enter/{token}")
        shown = client.get("/question")
        for counting in (False, True):
            form = shown.text[shown.text.index('<form id="answer"') :]
            fields = {name: unescape(value) for name, value in FIELD.findall(form)}
            seen.counting = counting
            shown = client.post(shown.url.path, data={**fields, "choice": "number", "number": "0.5", "seconds": "9"})
            seen.counting = False
            assert shown.status_code == 200, shown.text
    assert len(study.answers()) == 4
    return seen.counts()


def main() -> None:
    """Take every walk, and write the counts beside those of other trees."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.walks", description=__doc__)
    parser.add_argument("--tree", default="now", help="the name under which the counts are kept")
    tree = parser.parse_args().tree
    with TemporaryDirectory(prefix="walks-") as folder:
        walks = {
            **model_walks(),
            **command_walk(Path(folder)),
            **study_walks(Path(folder)),
        }
    modules = sum(1 for _ in Path(PACKAGE).rglob("*.py"))
    kept = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    kept[tree] = {"source files": modules, "walks": walks}
    RESULT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(kept[tree], indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
