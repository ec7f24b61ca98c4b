"""A folder with a study that nobody has answered, and one with all answers."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from commensurate.study.study import Study


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of 60 questions and 3 hidden repeats that nobody has answered."""
    ages = [(7 * k) % 50 + 20 for k in range(200)]
    people = pd.DataFrame(
        {
            "id": [f"p{k}" for k in range(200)],
            "married": ["yes", "no"] * 100,
            "age": ages,
            "note": [f"=SUM({k}) secret{k:03d}" for k in range(200)],
        }
    )
    path = tmp_path_factory.mktemp("made") / "s.db"
    Study.create(
        path,
        people,
        **{"group": "married", "ids": "id", "features": ["age"], "show": ["age", "note"]},
        **{"questions": 60, "learner": "gp", "seed": 1, "answer_kind": "numbers"},
    ).close()
    return path


@pytest.fixture(scope="session")
def simulated(made: Path) -> Path:
    """The same study with all answers of a simulated expert."""
    from commensurate.study.simulate import simulate_study

    path = Path(shutil.copy(made, made.with_name("simulated.db")))
    with Study(path) as study:
        simulate_study(study, noise=0.05)
    return path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Path, simulated: Path) -> Path:
    """The folder that the user is in: one study without answers, one with all of them."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(made, "s.db")
    shutil.copy(simulated, "done.db")
    return tmp_path
