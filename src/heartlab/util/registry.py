"""Objects by name: players, recipes, evaluators, papers; ours, yours, and those of other packages.

A registry may have an entry-point group. Every package, this one included, lists its objects in `pyproject.toml` as
`NAME = "MODULE:OBJECT"`; the module is imported when the name is first looked up. Most modules of this package register
their objects on import; for other entry points the registry makes the object from the entry point (`adopt`).

A name cannot be registered twice, and our names are reserved before our modules are loaded. Only the same function or
class of the same module may register its name again, as when a notebook cell is run twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from heartlab.util.errors import quoted

PACKAGE = "heartlab"

Thing = TypeVar("Thing")


class Registry(Generic[Thing]):
    """The objects of one kind, by name.

    >>> colours = Registry("colour", ValueError)
    >>> colours.add("red", "#f00", source=dict)
    '#f00'
    >>> colours.find("red")
    '#f00'
    >>> colours.find("rad")
    Traceback (most recent call last):
    ValueError: no colour is called 'rad'; did you mean red? Known are red
    """

    def __init__(
        self,
        kind: str,
        error: type[ValueError],
        group: str = "",
        adopt: Callable[[EntryPoint], Thing] | None = None,
        hint: str = "",
    ) -> None:
        """
        :param kind: the kind of object, for messages: "player".
        :param error: the error for a name that is unknown or already taken.
        :param group: the entry-point group; without it objects come only from `add`.
        :param adopt: makes an object from the entry point of another package, without loading it.
        :param hint: a further sentence for the message about an unknown name.
        """
        self.kind, self.error, self.group = kind, error, group
        self._adopt, self._hint = adopt, f" {hint}" if hint else ""
        self._things: dict[str, Thing] = {}
        self._origins: dict[str, tuple[str, str]] = {}

    @cached_property
    def _entries(self) -> dict[str, EntryPoint]:
        """The entry points of the group by name; of several with the same name, ours wins."""
        found = sorted(entry_points(group=self.group), key=lambda entry: not _is_ours(entry)) if self.group else []
        return {entry.name: entry for entry in reversed(found)}

    def add(self, name: str, thing: Thing, source: Any = None) -> Thing:
        """Register an object.

        :param source: the function or class that it was made from, which may register again; by default the object.
        :raises ValueError: the registry's own error, if the name is taken.
        """
        self.claim(name, thing if source is None else source)
        self._things[name] = thing
        return thing

    def claim(self, name: str, source: Any) -> None:
        """Reserve a name for a function or class.

        :raises ValueError: the registry's own error, if the name is taken.
        """
        source = getattr(source, "py_func", source)
        origin = source.__module__, source.__qualname__
        entry = self._entries.get(name)
        reserved = entry is not None and _is_ours(entry) and entry.module != origin[0]
        if reserved or self._origins.setdefault(name, origin) != origin:
            article = "an" if self.kind[0] in "aeiou" else "a"
            raise self.error(f"there is {article} {self.kind} called {quoted(name)} already: choose another name")

    def find(self, name: str, asked: str | None = None) -> Thing:
        """The object of a name; its module is imported if necessary.

        :param asked: the text to show in messages, if the user wrote more than the name.
        :raises ValueError: the registry's own error, if the name is unknown; the message lists the known names.
        """
        if name not in self._things and name in self._entries:
            self._load(self._entries[name])
        if name not in self._things:
            known = self.names()
            close = get_close_matches(name, known, 1)
            hint = (f"; did you mean {close[0]}?" if close else ".") + self._hint
            listed = ", ".join(known) or "none"
            raise self.error(f"no {self.kind} is called {quoted(asked or name)}{hint} Known are {listed}")
        return self._things[name]

    def names(self) -> list[str]:
        """All names, sorted if there is an entry-point group, else in order of registration; imports nothing."""
        return sorted({*self._things, *self._entries}) if self.group else list(self._things)

    def known(self) -> dict[str, Thing]:
        """All objects by name; imports our modules."""
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


def need_name(decorator: str, name: object) -> None:
    """Refuse a decorator that is written without its parentheses: it would register nothing.

    :raises TypeError: if the name is no text.
    """
    if not isinstance(name, str):
        raise TypeError(f'@{decorator} needs a name: write @{decorator}("NAME")')


def _is_ours(entry: EntryPoint) -> bool:
    return entry.value.partition(".")[0] == PACKAGE
