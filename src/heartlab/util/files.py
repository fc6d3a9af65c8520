"""Files that are written all at once, files that may be too long, and errors that name the file."""

from __future__ import annotations

import errno
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

PART = ".part"
"""The suffix of files that are being written."""
PIECE = 1 << 20
"""Bytes that are read at a time."""
STALE_SECONDS = 3600.0
"""A file with that suffix that nobody has written to for so long is left over from a process that was killed."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the path to errors of the system that name no file, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = str(path)
        raise


def followed(path: Path) -> Path:
    """Where a path leads if links are followed.

    :raises OSError: if they lead round in a circle.
    """
    found = Path(os.path.realpath(path))
    if found.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return found


def read_at_most(path: Path, most: int) -> bytes | None:
    """What is in a file; None if there is more. A device or pipe that never ends is read so far only."""
    pieces, size = [], 0
    with path.open("rb", buffering=0) as file:
        while piece := file.read(min(PIECE, most + 1 - size)):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                return None
    return b"".join(pieces)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to that replaces `path` atomically when the block ends without an error.

    Links are followed. Devices and pipes are refused, because they would be replaced by a file.
    """
    path = followed(path)
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_parts(path.parent, path.name, STALE_SECONDS)
    with naming(path):
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=PART, dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise


def remove_parts(folder: Path, name: str = "", older: float = 0.0) -> None:
    """Remove what killed processes left of files that they were writing.

    :param name: of the file that was to be replaced; by default all.
    :param older: leave files alone that were written to in the last so many seconds: their process may be alive.
    """
    now = time.time()
    for entry in os.scandir(folder):
        if entry.name.startswith(f".{name}") and entry.name.endswith(PART):
            with suppress(OSError):  # another process may have removed it
                if now - entry.stat(follow_symlinks=False).st_mtime >= older:
                    os.unlink(entry.path)
