"""The documents: the README's code runs, and every generated figure is that of the committed results."""

import json
import re
from pathlib import Path

import pytest
from benchmarks.documents import DOCUMENTS, RESULTS, demo_figures, generated, with_generated

README = Path(__file__).parents[1] / "README.md"


def test_the_code_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    assert "of future pairs are off by at most" in capsys.readouterr().out


def test_the_first_example_has_ten_lines_or_so():
    first = re.search(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert first is not None
    assert len([line for line in first[1].splitlines() if line.strip()]) <= 12


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_generated_parts_are_those_of_the_committed_results(document):
    text = document.read_text()
    assert with_generated(text) == text


def test_every_generated_part_is_in_some_document_and_every_mark_is_known():
    marks = {mark for document in DOCUMENTS for mark in re.findall(r"<!-- ([a-z ]+): generated", document.read_text())}
    assert marks == set(generated())


def test_the_committed_demo_figures_are_what_the_demo_gives():
    committed = json.loads((RESULTS / "demo.json").read_text())
    for name, figures in demo_figures().items():
        assert figures == pytest.approx(committed[name], rel=1e-6)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_linked_file_exists(document):
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
        assert (document.parent / target).exists(), target
