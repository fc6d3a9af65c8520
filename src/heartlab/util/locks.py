"""Files that one process at a time may work on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl


class InUse(ValueError):
    """Another process works on it."""


@contextmanager
def alone(lock: Path, sentence: str) -> Iterator[None]:
    """Keep others out while the block runs, by a lock on an empty file, which stays.

    The system takes the lock back when the process ends, however that happens. Where the system or the disk knows no
    locks, nobody is kept out.

    :raises InUse: with this sentence, if another has the lock.
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
