"""The house: folders that can be taken in at one glance, files that can be read in one sitting, documents that name them."""

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


def exists(name):
    # the table of rooms names what is inside a room without repeating the room
    inside = [] if "/" in name.rstrip("/") else [*PACKAGE.glob(f"*/{name}"), *PACKAGE.glob(f"*/*/{name}")]
    return bool(inside) or any((base / name).exists() for base in (PACKAGE, ROOT))
