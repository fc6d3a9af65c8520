"""The file of finished units, one line of JSON each, and the commit at which they were measured."""

from __future__ import annotations

import os
import subprocess
import threading
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

Unit = dict[str, Any]
"""What one run showed: plain values by name."""


class Unfinished(Exception):
    """Not enough of an experiment is finished, and nothing is to be worked on."""


class Line(msgspec.Struct):
    """A line of the file."""

    unit: str
    run: int
    key: str
    commit: str
    seconds: float
    found: Unit


@cache
def source_commit() -> str:
    """The commit of the source, with a plus if it was changed since; empty outside a repository."""
    folder = Path(__file__).parent.parent

    def ask(*arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        changed = ask("status", "--porcelain", "--", str(folder))
        return ask("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


class Kept:
    """The file of finished units."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._lines: dict[str, Line] = {}
        self.commits: set[str] = set()
        """Those at which the units that were asked for were measured."""
        if path.is_file():
            for text in path.read_bytes().splitlines():
                try:
                    line = msgspec.json.decode(text, type=Line)
                except msgspec.DecodeError:  # the end of a file whose writer was killed
                    continue
                self._lines[line.key] = line

    def find(self, key: str) -> Line | None:
        """The line of a finished unit."""
        line = self._lines.get(key)
        if line is not None and line.commit:
            self.commits.add(line.commit)
        return line

    def add(self, line: Line) -> None:
        """Keep a unit: one write, so that two processes do not mix their lines."""
        text = msgspec.json.encode(line) + b"\n"
        with self._lock:
            self._lines[line.key] = line
            if line.commit:
                self.commits.add(line.commit)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                size = os.fstat(handle).st_size
                torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
                os.write(handle, b"\n" + text if torn else text)
            finally:
                os.close(handle)
