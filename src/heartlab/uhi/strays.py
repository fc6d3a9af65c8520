"""Processes that a bot has started and that left its process group: found by a mark in their environment, and ended.

Every bot gets the variable HEARTLAB_BOT with a mark of its own, which its children inherit, whatever group or session
they move to. Linux shows the environment of a process under /proc; on other systems strays are not found. A program
that clears its environment before it leaves the group is not found either.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

VARIABLE = "HEARTLAB_BOT"
PROC = Path("/proc")
PAUSE = 1.0
"""Seconds between two searches while bots come and go: a search reads the environment of every process."""
BETWEEN = 0.005
"""Seconds between the searches of one round-up: a killed process needs a moment to vanish."""
ROUNDS = 50
"""Searches after which a bot that starts processes faster than they are ended is given up."""


class Strays:
    """The marks of this process's bots, and the search for what is left of the closed ones."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._family = ""
        self._owner = 0
        self._count = 0
        self._closed: set[str] = set()
        self._searched = -PAUSE

    @property
    def family(self) -> str:
        """What the marks of all bots of this process begin with; another one after a fork."""
        with self._lock:
            if self._owner != os.getpid():
                self._owner, self._family = os.getpid(), secrets.token_hex(8)
                self._closed.clear()
            return self._family

    def mark(self) -> str:
        """A mark for a new bot."""
        family = self.family
        with self._lock:
            self._count += 1
            return f"{family}.{self._count}."

    def environment(self, mark: str) -> dict[str, str]:
        """The environment for a bot with a mark, after our own if we are a bot: whoever runs us finds all of them."""
        return {**os.environ, VARIABLE: os.environ.get(VARIABLE, "") + mark}

    def closed(self, mark: str, *, at_once: bool) -> None:
        """A bot was ended: end what is left of it, at once or with the next search."""
        with self._lock:
            self._closed.add(mark)
            if not at_once and self._clock() - self._searched < PAUSE:
                return
        self.search()

    def search(self) -> None:
        """End all processes that are left of closed bots."""
        with self._lock:
            if not self._closed:
                return
            for _ in range(ROUNDS):
                if not end_marked(self._closed):
                    break
                time.sleep(BETWEEN)
            self._closed.clear()
            self._searched = self._clock()


def end_marked(marks: set[str]) -> int:
    """Kill all processes of this system with one of these marks; how many there were."""
    found = 0
    for pid, process in _processes():
        if pid != os.getpid() and _marks_of(pid) & marks:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(process, signal.SIGKILL)
                found += 1
    return found


def _processes() -> Iterator[tuple[int, int]]:
    """All processes with a descriptor each, so that the number of one that ended meanwhile is not taken for another."""
    if not hasattr(signal, "pidfd_send_signal") or not PROC.is_dir():
        return
    for entry in os.listdir(PROC):
        if not entry.isdigit():
            continue
        try:
            process = os.pidfd_open(int(entry))
        except OSError:
            continue
        try:
            yield int(entry), process
        finally:
            os.close(process)


def _marks_of(pid: int) -> set[str]:
    """The marks in the environment of a process; none for a process of somebody else, or one that has ended."""
    try:
        environment = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return set()
    _, found, rest = (b"\0" + environment).partition(f"\0{VARIABLE}=".encode())
    if not found:
        return set()
    words = rest.partition(b"\0")[0].decode("utf-8", "replace").split(".")
    return {f"{family}.{number}." for family, number in zip(words[::2], words[1::2], strict=False)}
