"""Locks between processes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any

WINDOWS = os.name == "nt"
HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
"""The errors that say that another process holds a lock; Windows has the first and the last."""


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
        try:
            _lock(file)
        except OSError as error:
            if error.errno in HELD:
                raise InUse(sentence) from None
        yield


def _lock(file: IO[bytes]) -> None:
    """Lock an open file without waiting; closing it releases the lock.

    :raises OSError: if another process holds it, or files cannot be locked here.
    """
    if WINDOWS:
        windows: Any = import_module("msvcrt")
        file.seek(0)
        windows.locking(file.fileno(), windows.LK_NBLCK, 1)  # one byte, which need not exist
    else:
        unix: Any = import_module("fcntl")
        unix.flock(file, unix.LOCK_EX | unix.LOCK_NB)
