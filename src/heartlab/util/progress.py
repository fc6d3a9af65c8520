"""A progress bar."""

from __future__ import annotations

import sys
from typing import Any


class Progress:
    """A progress bar on a terminal, and nothing elsewhere; a context manager."""

    def __init__(self, total: int, what: str = "") -> None:
        self.total = total
        self.what = what
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self.what, total=self.total)
        return self

    def update(self, done: int) -> None:
        """Show that `done` of the total is done."""
        if self._bar:
            self._bar.update(self._task, completed=done)

    def __exit__(self, *exc: object) -> None:
        if self._bar:
            self._bar.stop()
