"""Locks between processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any


class InUse(ValueError):
    """Another process holds the lock."""


def _take_flock(file: IO[bytes]) -> None:
    """Lock a file on Linux and macOS.

    :raises BlockingIOError: if another process holds the lock.
    """
    fcntl: Any = import_module("fcntl")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _take_byte(file: IO[bytes]) -> None:
    """Lock the first byte of a file on Windows, which may lie behind its end.

    :raises BlockingIOError: if another process holds the lock; Windows calls that a denied permission.
    """
    msvcrt: Any = import_module("msvcrt")
    file.seek(0)
    try:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    except PermissionError as error:
        raise BlockingIOError from error


@contextmanager
def alone(lock: Path, sentence: str) -> Iterator[None]:
    """Hold a lock on an empty file, which is not deleted, while the block runs.

    The system releases the lock when the process ends. Without support for locks by system and disk, nothing is locked.

    :raises InUse: with this sentence, if another process holds the lock.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("ab") as file:
        try:
            (_take_byte if os.name == "nt" else _take_flock)(file)
        except BlockingIOError:
            raise InUse(sentence) from None
        except (OSError, ImportError):
            pass
        yield
