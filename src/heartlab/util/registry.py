"""Things by name: players, recipes, evaluators, papers; ours, yours, and those of other packages.

A registry may have an entry-point group. Every package, this one included, lists in its `pyproject.toml` what it
brings, as ``NAME = "MODULE:OBJECT"``; the module is imported when the name is first asked for. A module of this package
registers itself while it is imported. What another package's entry point leads to is adopted by the registry.

A name belongs to whoever took it first, and ours belong to us before our modules are loaded. Only the same function or
class of the same module may take a name again, as it does when a notebook's cell is run twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

PACKAGE = "heartlab"

Thing = TypeVar("Thing")


class Registry(Generic[Thing]):
    """What is known under a name, of one kind."""

    def __init__(
        self,
        kind: str,
        error: type[ValueError],
        group: str = "",
        adopt: Callable[[EntryPoint], Thing] | None = None,
        hint: str = "",
    ) -> None:
        """
        :param kind: what the things are, for messages: "player".
        :param error: what is raised for a name that is unknown, or another's.
        :param group: the entry-point group; without it things come only by :meth:`add`.
        :param adopt: makes a thing from the entry point of another package, without loading it.
        :param hint: what else to say to somebody who asks for a name that is unknown.
        """
        self.kind, self.error, self.group = kind, error, group
        self._adopt, self._hint = adopt, f" {hint}" if hint else ""
        self._things: dict[str, Thing] = {}
        self._origins: dict[str, tuple[str, str]] = {}

    @cached_property
    def _entries(self) -> dict[str, EntryPoint]:
        """The entry points of the group by name; ours come first, and the first of a name wins."""
        found = sorted(entry_points(group=self.group), key=lambda entry: not _is_ours(entry)) if self.group else []
        return {entry.name: entry for entry in reversed(found)}

    def add(self, name: str, thing: Thing, source: Any = None) -> Thing:
        """Register a thing.

        :param source: the function or class that it was made from, which may take the name again; else the thing.
        :raises ValueError: the registry's own kind of it, if the name is another's.
        """
        self.claim(name, thing if source is None else source)
        self._things[name] = thing
        return thing

    def claim(self, name: str, source: Any) -> None:
        """Make a name a function's or class's own.

        :raises ValueError: the registry's own kind of it, if the name is another's.
        """
        source = getattr(source, "py_func", source)
        origin = source.__module__, source.__qualname__
        entry = self._entries.get(name)
        reserved = entry is not None and _is_ours(entry) and entry.module != origin[0]
        if reserved or self._origins.setdefault(name, origin) != origin:
            article = "an" if self.kind[0] in "aeiou" else "a"
            raise self.error(f"there is {article} {self.kind} called {name!r} already: choose another name")

    def find(self, name: str, asked: str | None = None) -> Thing:
        """The thing of a name; the module that brings it is imported if need be.

        :param asked: what the user wrote, if it is more than the name.
        :raises ValueError: the registry's own kind of it, if there is none; the message lists the known names.
        """
        if name not in self._things and name in self._entries:
            self._load(self._entries[name])
        if name not in self._things:
            known = self.names()
            close = get_close_matches(name, known, 1)
            hint = (f"; did you mean {close[0]}?" if close else ".") + self._hint
            listed = ", ".join(known) or "none"
            raise self.error(f"no {self.kind} is called {asked or name!r}{hint} Known are {listed}")
        return self._things[name]

    def names(self) -> list[str]:
        """All names, sorted if there are entry points, else in the order of registration; nothing is imported."""
        return sorted({*self._things, *self._entries}) if self.group else list(self._things)

    def known(self) -> dict[str, Thing]:
        """All things by name; imports the modules of ours."""
        return {name: self.find(name) for name in self.names()}

    def __contains__(self, name: object) -> bool:
        return name in self._things or name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def is_ours(self, name: str) -> bool:
        """Whether a name belongs to this package."""
        return name in self._entries and _is_ours(self._entries[name])

    def _load(self, entry: EntryPoint) -> None:
        if _is_ours(entry):
            entry.load()  # most of our modules register themselves
        if entry.name not in self._things and self._adopt is not None:
            self._things[entry.name] = self._adopt(entry)


def _is_ours(entry: EntryPoint) -> bool:
    return entry.value.partition(".")[0] == PACKAGE
