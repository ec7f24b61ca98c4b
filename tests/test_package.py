"""The package from outside: its names, its weight, its errors, its extras."""

import inspect
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import commensurate as cm
from commensurate import errors
from commensurate.extras import require

ROOT = Path(__file__).parents[1]


def test_the_public_names_are_few_and_all_there():
    assert set(cm.__all__) == {
        "Answer",
        "BudgetedSimilarity",
        "ByComparisons",
        "ClusterSimilarity",
        "Group",
        "NaiveSimilarity",
        "Question",
        "Rulers",
        "Statement",
        "StopRule",
        "Study",
        "__version__",
        "check_answers",
        "check_statements",
        "error_bound",
        "errors",
        "failure_probability",
        "fewest_comparisons",
        "forecast_budget",
        "grade_information",
        "groups_from_table",
        "groups_from_tables",
        "load",
        "rare_mass",
        "ruler_information",
        "sample_size",
    }
    for name in cm.__all__:
        assert getattr(cm, name) is not None
    assert set(cm.__all__) <= set(dir(cm))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = cm.nonsense


def test_an_old_name_still_works_and_says_the_new_one():
    for _ in range(2):
        with pytest.warns(DeprecationWarning, match="plan_budget is now called forecast_budget"):
            assert cm.plan_budget is cm.forecast_budget
    assert "plan_budget" not in dir(cm)


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, commensurate; assert not {'numpy', 'pandas', 'numba', 'sklearn', 'jinja2'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_asking_needs_neither_scikit_learn_nor_numba():
    code = (
        "import sys\n"
        "from commensurate import Answer, Group, Question, groups_from_table\n"
        "import commensurate.asking.plan, commensurate.asking.oracle\n"
        "from commensurate.groups.group import elements_of\n"
        "elements_of({'a': [[0.0]], 'b': [[1.0]]})\n"
        "assert not {'numba', 'sklearn'} & set(sys.modules), set(sys.modules) & {'numba', 'sklearn'}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def error_classes() -> list[type[Exception]]:
    return [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, Exception)]


@pytest.mark.parametrize("error", error_classes())
def test_every_error_descends_from_one_root_and_is_drawn_in_the_tree(error):
    assert issubclass(error, errors.CommensurateError)
    assert error.__name__ in errors.__doc__


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.InvalidParameter, ValueError),
        (errors.InvalidPoints, ValueError),
        (errors.InvalidTable, ValueError),
        (errors.InvalidMetric, ValueError),
        (errors.InvalidAnswer, ValueError),
        (errors.UnknownGroup, LookupError),
        (errors.MissingAnswers, LookupError),
        (errors.InconsistentAnswers, ValueError),
        (errors.NotFittedError, AttributeError),
        (errors.CorruptModelFile, OSError),
        (errors.NewerModelFile, OSError),
        (errors.TooFewAnswers, UserWarning),
        (errors.AnswersAgain, UserWarning),
        (errors.DatasetNotFound, FileNotFoundError),
        (errors.MissingExtra, ImportError),
    ],
)
def test_an_error_is_also_the_builtin_that_a_caller_would_catch(error, builtin):
    assert issubclass(error, builtin)


def test_a_missing_optional_package_names_an_extra_that_exists():
    with pytest.raises(
        errors.MissingExtra, match=r"drawing needs the package 'no_such_package'.*commensurate\[plots\]"
    ):
        require("no_such_package.sub", extra="plots", purpose="drawing")
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    used = {
        word.split('"')[1]
        for source in (ROOT / "src").rglob("*.py")
        for word in source.read_text().split("extra=")[1:]
        if word.startswith('"')
    }
    assert used
    assert used <= set(declared)


@pytest.mark.slow
def test_a_wheel_has_all_that_a_report_and_the_pages_are_made_of(tmp_path):
    # from a copy: what an earlier build left behind must not get into the wheel, nor this one's into the repository
    source, unpacked = tmp_path / "source", tmp_path / "unpacked"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", tmp_path, source], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    files = {
        path.relative_to(source / "src") for path in (source / "src" / "commensurate").rglob("*") if path.is_file()
    }
    assert {file for file in files if not (unpacked / file).exists()} == set()
    code = (
        "import commensurate\n"
        "from commensurate.report.html.page import Note, Section, render_page\n"
        "from commensurate.web.pages import page_environment\n"
        "page_environment()\n"
        "print(commensurate.__file__)\n"
        "print(render_page('Report', 'Lead.', [Section('One', 'one', [Note('1 < 2')])], {'seed': '0'}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(unpacked), "PYTHONIOENCODING": "utf-8"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    where, _, page = done.stdout.partition("\n")
    assert Path(where).is_relative_to(unpacked)
    assert '<p class="note">1 &lt; 2</p>' in page
    assert "prefers-color-scheme: dark" in page
