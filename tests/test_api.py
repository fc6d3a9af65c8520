"""What is public: it exists, it is documented, it is in the API reference, and its examples are true.

A room is public if a page of docs/api shows it (`::: heartlab.room`); its `__all__` says which of its names are.
"""

import ast
import doctest
import importlib
import inspect
import re
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest
from support import ROOT
from support.slow import slow

PACKAGE = ROOT / "src" / "heartlab"
MODULES = {
    path: ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
}
PAGES = sorted((ROOT / "docs" / "api").glob("*.md"))
ROOMS = [room for page in PAGES for room in re.findall(r"^::: (\S+)$", page.read_text(), re.M)]
INTERNAL = {"heartlab.bench", "heartlab.compiled", "heartlab.players.base"}
"""Modules with an `__all__` that are not public, or whose names are public elsewhere."""
LONG = (
    "heartlab.arena.moons",
    "heartlab.arena.rows",
    "heartlab.coach",
    "heartlab.ggp.machine.compiled",
    "heartlab.ggp.players",
    "heartlab.learners.falcon",
    "heartlab.learners.transfer",
    "heartlab.learners.whole_game",
    "heartlab.players.search",
    "heartlab.search",
    "heartlab.training.run",
)
"""Modules, and rooms, whose examples compile for long: they are left to the slow tests."""
EXAMPLES = [
    slow(module) if module.startswith(LONG) else module
    for path, module in MODULES.items()
    if ">>> " in path.read_text()
]


@cache
def tree_of(module: str) -> ast.Module:
    """The syntax tree of a module, which need not be imported for it."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    return ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text())


def names_of(room: str) -> list[str]:
    """The `__all__` of a room."""
    for node in tree_of(room).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    raise AssertionError(f"{room} does not say in __all__ what is public")


def home_of(module: str, name: str) -> str:
    """The module that defines a name: the one from which it is imported, directly or through others."""
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.ImportFrom) and node.module and name in [alias.name for alias in node.names]:
            return home_of(node.module, name)
    return module


def public_objects(room: str) -> dict[str, Any]:
    """The public names of a room with their objects; some are modules that are not imported before they are used."""
    module = importlib.import_module(room)
    return {
        name: importlib.import_module(f"{room}.{name}") if f"{room}.{name}" in ROOMS else getattr(module, name)
        for name in names_of(room)
    }


def has_docstring(room: str, name: str, thing: Any) -> bool:
    """Whether an object has a docstring of its own, or a text after its assignment."""
    is_defined = isinstance(thing, type | ModuleType) or inspect.isroutine(thing) or hasattr(thing, "py_func")
    if is_defined and (thing.__doc__ or "").strip():
        return True
    for before, after in pairwise(tree_of(home_of(room, name)).body):
        targets = before.targets if isinstance(before, ast.Assign) else [getattr(before, "target", None)]
        if name in [getattr(target, "id", None) for target in targets]:
            return isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
    return False


def test_some_rooms_are_public():
    assert len(ROOMS) == len(set(ROOMS))
    assert {"heartlab", "heartlab.players", "heartlab.arena"} <= set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_public_names_exist_and_have_docstrings(room):
    found = public_objects(room)
    assert found
    assert [name for name, thing in found.items() if not has_docstring(room, name, thing)] == []
    assert [
        name for name, thing in found.items() if isinstance(thing, ModuleType) and f"{room}.{name}" not in ROOMS
    ] == []


def test_all_rooms_with_public_names_are_in_the_reference():
    with_names = {module for path, module in MODULES.items() if re.search(r"^__all__\b", path.read_text(), re.M)}
    assert with_names - INTERNAL <= set(ROOMS), "add them to a page of docs/api"


@pytest.mark.parametrize("room", ROOMS)
def test_public_classes_have_examples(room):
    """Errors need none: their messages are shown where they are raised. Neither do aliases of classes of others."""
    classes = [thing for thing in public_objects(room).values() if isinstance(thing, type)]
    ours = [one for one in classes if one.__module__.startswith("heartlab.") and not issubclass(one, Exception)]
    lacking = [one.__name__ for one in ours if ">>>" not in (one.__doc__ or "")]
    assert lacking == []


@pytest.mark.usefixtures("own_atoms", "own_names")
@pytest.mark.parametrize("module", EXAMPLES)
def test_examples_are_true(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0
