"""Who owns a name: what users add by name does not silently replace ours, nor each other's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Owners:
    """The owners of names of one kind. Only the same function or class of the same module may take a name again, as it
    does when a notebook's cell runs twice."""

    def __init__(self, ours: Mapping[str, str] | None = None) -> None:
        """
        :param ours: names that belong to modules of this package.
        """
        self._ours = ours or {}
        self._origins: dict[str, tuple[str, str]] = {}

    def may_take(self, name: str, thing: Any) -> bool:
        """Whether a name is a thing's own. A name that is nobody's becomes its own."""
        source = getattr(thing, "py_func", thing)
        origin = source.__module__, source.__qualname__
        return self._ours.get(name, origin[0]) == origin[0] and self._origins.setdefault(name, origin) == origin
