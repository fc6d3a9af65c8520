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
        if not (_lock_on_windows(file) if WINDOWS else _lock_on_unix(file)):
            raise InUse(sentence)
        yield


def try_folder(folder: str) -> int | None:
    """Lock a folder without waiting; returns None if another process holds the lock.

    Otherwise an open file is returned: closing it unlocks the folder. Without support for locks by system and disk,
    nothing is locked.
    """
    if WINDOWS:
        return os.open(os.devnull, os.O_RDONLY)
    file = os.open(folder, os.O_RDONLY)
    if _lock_on_unix(file):
        return file
    os.close(file)
    return None


def _lock_on_unix(file: IO[bytes] | int) -> bool:
    """Lock an open file without waiting, until it is closed; returns False if another process holds it."""
    system: Any = import_module("fcntl")
    try:
        system.flock(file, system.LOCK_EX | system.LOCK_NB)
    except OSError as error:
        return error.errno != errno.EAGAIN
    return True


def _lock_on_windows(file: IO[bytes]) -> bool:
    """The same where a byte of the file is locked; it need not exist."""
    system: Any = import_module("msvcrt")
    file.seek(0)
    try:
        system.locking(file.fileno(), system.LK_NBLCK, 1)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EDEADLK)
    return True
