"""Locks between processes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl


class InUse(ValueError):
    """Another process holds the lock."""


@contextmanager
def alone(lock: Path, sentence: str) -> Iterator[None]:
    """Hold a lock on an empty file, which is not deleted, while the block runs.

    The system releases the lock when the process ends. Without support for locks by system and disk, nothing is locked.

    :raises InUse: with this sentence, if another process holds the lock.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("ab") as file:
        if sys.platform != "win32":
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InUse(sentence) from None
            except OSError:
                pass
        yield
