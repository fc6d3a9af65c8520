"""Modules that had another name in 0.1: importing the old name still works, and warns once.

`install` adds an import hook after Python's own, so it is used only for names that are found nowhere else. It makes a
module that looks up every attribute in the modules that replaced it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOVED: dict[str, tuple[str, ...]] = {
    "analysis": ("players.analysis",),
    "features": ("learners.td_features",),
    "features.atoms": ("learners.td_features.features",),
    "features.conjunctions": ("learners.td_features.conjunctions",),
    "features.network": ("learners.td_features.network",),
    "ggp.load": ("ggp.machine.load",),
    "ggp.lookahead": ("learners.transfer.lookahead",),
    "jit": ("compiled.jit",),
    "kernel.bits": ("compiled.bits", "kernel.ranks"),
    "kernel.rng": ("compiled.rng",),
    "learn": ("training",),
    "learn.advice_table": ("learners.advice.games",),
    "learn.art": ("learners.falcon.art",),
    "learn.td_recipes": ("learners.td_features.trainer",),
    "players.advice": ("learners.advice",),
    "record": ("records.format",),
    "record_reader": ("records.reader",),
    "replay": ("records.replay",),
    "statistics": ("util.statistics",),
}
"""The modules named in the documentation of 0.1, without the package name, and the modules that replaced them."""

PACKAGE = "heartlab."


class _MovedModules(MetaPathFinder, Loader):
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        old = name.removeprefix(PACKAGE)
        return ModuleSpec(name, self, is_package=True) if name.startswith(PACKAGE) and old in MOVED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        homes = [PACKAGE + home for home in MOVED[spec.name.removeprefix(PACKAGE)]]
        warnings.warn(f"{spec.name} is now {' and '.join(homes)}", FutureWarning, stacklevel=2)
        module = ModuleType(spec.name)

        def find(attribute: str) -> Any:
            for home in homes:
                found = import_module(home)
                if not attribute.startswith("__") and hasattr(found, attribute):
                    return getattr(found, attribute)
            raise AttributeError(f"module {spec.name!r} has no attribute {attribute!r}")

        module.__getattr__ = find  # type: ignore[method-assign]
        return module

    def exec_module(self, module: ModuleType) -> None:
        pass


def install() -> None:
    """Install the import hook for the old names."""
    if not any(isinstance(finder, _MovedModules) for finder in sys.meta_path):
        sys.meta_path.append(_MovedModules())
