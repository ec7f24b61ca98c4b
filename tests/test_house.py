"""The house: folders that can be taken in at one glance,
files that can be read in one sitting, documents that name them.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "commensurate"
MOST_MODULES, MOST_LINES = 16, 400


def modules_by_folder():
    folders = {}
    for path in PACKAGE.rglob("*.py"):
        folders.setdefault(path.parent, []).append(path)
    return folders


def test_no_folder_has_more_than_sixteen_modules():
    counts = {
        str(folder.relative_to(PACKAGE)): sum(path.name != "__init__.py" for path in paths)
        for folder, paths in modules_by_folder().items()
    }
    assert len(counts) > 20
    assert {folder: count for folder, count in counts.items() if count > MOST_MODULES} == {}


def test_no_file_has_more_than_four_hundred_lines():
    lines = {str(path.relative_to(PACKAGE)): len(path.read_text().splitlines()) for path in PACKAGE.rglob("*.py")}
    assert {path: count for path, count in lines.items() if count > MOST_LINES} == {}


@pytest.mark.parametrize("document", ["docs/design.md", "CONTRIBUTING.md"])
def test_every_file_and_folder_that_a_document_names_exists(document):
    # paths are relative to the package, or to the repository; a bare name with a star is a pattern
    named = re.findall(r"`([\w./]*(?:\.py|\.js|/))`", (ROOT / document).read_text())
    assert named
    assert [name for name in named if not exists(name)] == []


def test_every_room_is_in_the_table_of_rooms():
    text = (ROOT / "docs" / "design.md").read_text()
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert {room for room in rooms if f"| `{room}/`" not in text} == set()


# what is tested there cuts across rooms, or needs more than the package
OTHER_TESTS = {"soak", "validity", "worlds", "cli/study/commands", "web/browser"}


def test_every_folder_of_tests_is_named_after_what_it_tests():
    folders = {path.parent.relative_to(ROOT / "tests").as_posix() for path in (ROOT / "tests").rglob("*.py")} - {"."}
    assert len(folders) > 20
    assert {name for name in folders - OTHER_TESTS if not named_after_source(name)} == set()


def named_after_source(name):
    of_benchmarks = name.split("/")[0] == "benchmarks"
    source = (ROOT if of_benchmarks else PACKAGE) / name
    return source.is_dir() or source.with_suffix(".py").exists()


def exists(name):
    # the table of rooms names what is inside a room without repeating the room
    inside = [] if "/" in name.rstrip("/") else [*PACKAGE.glob(f"*/{name}"), *PACKAGE.glob(f"*/*/{name}")]
    return bool(inside) or any((base / name).exists() for base in (PACKAGE, ROOT))


# --- models are used by their contract, from outside their room ---

OUTSIDE = ("applications", "cli", "experiments", "report", "study", "web")
MODEL_CLASSES = {
    "BudgetedModel",
    "BudgetedSimilarity",
    "ClusterSimilarity",
    "NaiveSimilarity",
    "ProxyModel",
}

# documented by Python and by SQLAlchemy
PUBLIC_IN_SPITE_OF_THEIR_NAMES = ("os._exit", "row._mapping")


def trees_outside():
    for room in OUTSIDE:
        for path in (PACKAGE / room).rglob("*.py"):
            yield str(path.relative_to(PACKAGE)), ast.parse(path.read_text())


def test_nobody_asks_which_class_a_model_is():
    asked = [
        (path, node.lineno)
        for path, tree in trees_outside()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance"
        if MODEL_CLASSES & {getattr(part, "id", "") for part in ast.walk(node.args[1])}
    ]
    assert asked == []


def test_nobody_reaches_into_what_another_object_keeps_to_itself():
    reached = [
        (path, node.lineno, ast.unparse(node))
        for path, tree in trees_outside()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
        if ast.unparse(node) not in PUBLIC_IN_SPITE_OF_THEIR_NAMES
        if getattr(node.value, "id", "") not in ("self", "cls", *([] if not path.startswith("study/") else ["study"]))
    ]
    assert reached == []
