"""Who may stay connected: silent connections make way for others, so that the page can always be reached.

A connection is silent until its request has arrived; a WebSocket idles while it has no table and asks nothing. An
address has a limited number of either; where there are too many, the one that is silent longest is closed. A browser
sends its request at once and comes back by itself, so this ends only what nobody uses.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from itertools import islice

if sys.platform != "win32":
    import resource

Client = tuple[str, int]
"""Address and port of the other end."""

RESERVE = 128
"""Open files that are not connections: the games, the page's files, pipes of bots."""
FEW = 256
"""Fewer possible connections than this are worth a warning."""
EVERY = 60.0
"""Seconds within which a message of the log is not repeated."""
log = logging.getLogger(__package__)


class Stage(Enum):
    """What a connection does."""

    SILENT = "silent connections"
    """Its request has not arrived."""
    IDLE = "WebSockets without a table"
    BUSY = "busy connections"
    """Its request or question is being answered, or it sits at a table."""


@dataclass(frozen=True)
class Limits:
    """How many connections there may be, and how long they may take."""

    total: int = 2000
    silent: int = 512
    """Silent connections of one address: more than honest browsers open at the same moment, even behind one proxy."""
    idle: int = 512
    """WebSockets of one address that sit at no table and ask nothing."""
    request_seconds: float = 10.0
    """Within which a request must have arrived, with all headers."""
    answer_seconds: float = 60.0
    """Within which its answer must have been read."""

    def within(self, files: int) -> Limits:
        """The same, with as many connections as this number of open files allows."""
        return Limits(
            max(8, min(self.total, files - RESERVE)),
            self.silent,
            self.idle,
            self.request_seconds,
            self.answer_seconds,
        )


@dataclass
class Entry:
    """A connection that was let in."""

    address: str
    close: Callable[[], None]
    stage: Stage = Stage.SILENT


class Gate:
    """Counts the connections of one server; used from its event loop.

    >>> gate, closed = Gate(Limits(total=3, silent=2)), []
    >>> for port in range(4):
    ...     gate.enter(("10.0.0.1", port), lambda port=port: closed.append(port))
    >>> closed
    [0, 1]
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._entries: dict[Client, Entry] = {}
        self._waiting: dict[tuple[Stage, str | None], dict[Client, None]] = defaultdict(dict)
        """Connections by stage and address, and by stage alone, the longest in it first."""

    def __len__(self) -> int:
        return len(self._entries)

    def enter(self, client: Client, close: Callable[[], None]) -> None:
        """Let a connection in, which may close another one, or this one if everybody else is busy."""
        self.leave(client)
        self._entries[client] = Entry(client[0], close)
        self._insert(client)
        if len(self._entries) > self.limits.total:
            for stage in (Stage.SILENT, Stage.IDLE):
                others = [other for other in islice(self._waiting[stage, None], 2) if other != client]
                if others:
                    self._close(others[0], f"there are {self.limits.total} connections")
                    return
            self._close(client, f"{self.limits.total} connections are busy")

    def move(self, client: Client, stage: Stage) -> None:
        """Change the stage of a connection; one that has ended already is ignored."""
        entry = self._entries.get(client)
        if entry is not None and entry.stage is not stage:
            self._remove(client)
            entry.stage = stage
            self._insert(client)

    def leave(self, client: Client) -> None:
        """A connection has ended."""
        if client in self._entries:
            self._remove(client)
            del self._entries[client]

    def _insert(self, client: Client) -> None:
        entry = self._entries[client]
        self._waiting[entry.stage, None][client] = None
        there = self._waiting[entry.stage, entry.address]
        there[client] = None
        most = {Stage.SILENT: self.limits.silent, Stage.IDLE: self.limits.idle}.get(entry.stage)
        if most is not None and len(there) > most:
            self._close(next(iter(there)), f"{entry.address} has more than {most} {entry.stage.value}")

    def _remove(self, client: Client) -> None:
        entry = self._entries[client]
        self._waiting[entry.stage, None].pop(client)
        there = self._waiting[entry.stage, entry.address]
        there.pop(client)
        if not there:
            del self._waiting[entry.stage, entry.address]

    def _close(self, client: Client, why: str) -> None:
        entry = self._entries[client]
        self.leave(client)
        log.warning("%s: the oldest is closed", why)
        entry.close()


def raise_file_limit(wanted: int) -> int:
    """Allow this process so many open files, if it may; returns how many it may open."""
    if sys.platform == "win32":
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return wanted if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError):
        return soft
    return most


def make_gate() -> Gate:
    """The gate of a server: as many connections as this system allows, with a warning if these are few."""
    usual = Limits()
    files = raise_file_limit(usual.total + RESERVE)
    limits = usual.within(files)
    if limits.total < FEW:
        print(
            f"heartlab: this system allows {files} open files, so at most {limits.total} connections at once; "
            "`ulimit -n 4096` before the start allows more",
            file=sys.stderr,
        )
    return Gate(limits)


class OncePerMinute(logging.Filter):
    """Lets every kind of message through once a minute, with the number of those that were held back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._last: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        kind = str(record.msg)[:200]
        now = self._clock()
        last, held = self._last.get(kind, (-EVERY, 0))
        if now - last < EVERY:
            self._last[kind] = last, held + 1
            return False
        self._last[kind] = now, 0
        if held:
            record.msg, record.args = f"{record.getMessage().rstrip()} ({held} more since the last time)", ()
        return True
