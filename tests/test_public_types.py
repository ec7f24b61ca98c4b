"""Whatever a user receives has a type that is public, and every public name is listed in docs/api.md."""

import ast
import dataclasses
import functools
import inspect
import re
import subprocess
import sys
import typing
from importlib import import_module
from pathlib import Path

import pytest

import commensurate as cm
import commensurate.types
from commensurate import applications

API = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
# what the rooms above use of a model or an audit; nobody else receives it
INSIDE = {"certified_terms", "context", "proxy_answers"}


@functools.cache
def names_in(module):
    """Return the names that annotations of a module may use, those imported for type checkers among them."""
    found = dict(vars(import_module(module)))
    for node in ast.walk(ast.parse(inspect.getsource(import_module(module)))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("commensurate"):
            home = import_module(node.module)
            found |= {
                each.asname or each.name: getattr(home, each.name) for each in node.names if hasattr(home, each.name)
            }
    return found


def types_in(annotation, module):
    """Return our own classes in an annotation, which may be text."""
    if isinstance(annotation, str | typing.ForwardRef):
        text = annotation if isinstance(annotation, str) else annotation.__forward_arg__
        annotation = eval(text, names_in(module))
    if typing.get_origin(annotation) is typing.Literal:
        return
    if inspect.isclass(origin := typing.get_origin(annotation) or annotation) and is_ours(origin):
        yield origin
    for part in typing.get_args(annotation):
        for each in part if isinstance(part, list) else [part]:
            yield from types_in(each, module)


def is_ours(kind):
    return kind.__module__.startswith("commensurate")


def is_public(name):
    return not name.startswith("_") and name not in INSIDE


def received_from(function):
    return types_in(getattr(function, "__annotations__", {}).get("return"), function.__module__)


def members_of(kind):
    """Return the functions behind the public methods and properties of a class."""
    for base in kind.__mro__:
        for name, member in vars(base).items():
            if is_ours(base) and is_public(name):
                member = getattr(member, "__wrapped__", getattr(member, "fget", getattr(member, "func", member)))
                member = getattr(member, "__func__", member)
                if inspect.isfunction(member):
                    yield member


def received():
    """Return every type of ours that a public function or method returns, or that is a field of such a type."""
    public = [getattr(module, name) for module in (cm, applications) for name in module.__all__]
    waiting = [
        kind
        for kind in (*public, *(getattr(commensurate.types, name) for name in commensurate.types.__all__))
        if inspect.isclass(kind)
    ]
    waiting += [kind for each in public if inspect.isfunction(each) for kind in received_from(each)]
    found = set()
    while waiting:
        kind = waiting.pop()
        if kind in found:
            continue
        found.add(kind)
        for member in members_of(kind):
            waiting += received_from(member)
        fields = {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else ()
        for base in filter(is_ours, kind.__mro__):
            for name, annotation in vars(base).get("__annotations__", {}).items():
                if name in fields and is_public(name):
                    waiting += types_in(annotation, base.__module__)
    return sorted(found, key=lambda kind: kind.__qualname__)


RECEIVED = received()


def test_the_walk_gets_about():
    names = {kind.__name__ for kind in RECEIVED}
    assert {
        "Guarantee",
        "BudgetForecast",
        "Explanation",
        "AnswerCheck",
        "FairnessAudit",
        "Look",
        "AskedQuestion",
    } <= names


@pytest.mark.parametrize("kind", RECEIVED, ids=lambda kind: kind.__name__)
def test_whatever_is_received_has_a_public_type(kind):
    homes = (commensurate.types, cm, applications)
    assert any(kind.__name__ in home.__all__ and getattr(home, kind.__name__) is kind for home in homes), (
        f"{kind.__module__}.{kind.__name__} is received, but cannot be imported from commensurate.types"
    )


@pytest.mark.parametrize("module", [cm, applications, commensurate.types], ids=lambda module: module.__name__)
def test_public_names_are_listed_in_the_documents_and_no_others(module):
    part = API.split(f"## `{module.__name__}`\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)) == set(module.__all__) - {"__version__"}


def test_types_are_imported_when_first_used():
    code = (
        "import sys, commensurate.types as types\n"
        "assert not {'numpy', 'pandas', 'sklearn'} & set(sys.modules)\n"
        "assert types.Answer.__name__ == 'Answer' and 'Answer' in dir(types)\n"
        "assert not {'numba', 'sklearn'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = commensurate.types.nonsense
