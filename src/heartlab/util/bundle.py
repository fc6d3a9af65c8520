"""Arrays with a JSON header in one file: the format of models, checkpoints and finished parts of experiments.

The file is numpy's npz, read without pickle, so opening an untrusted file cannot run code. The header is a JSON text in
an entry of its own. Files are written atomically: to a temporary file that then replaces the old one.
"""

from __future__ import annotations

import errno
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

Arrays = dict[str, npt.NDArray[Any]]

HEADER = "header"
"""The name of the entry with the JSON text."""


class BundleError(ValueError):
    """A file that is missing, damaged or of another kind."""


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to that replaces `path` atomically when the block ends without an error.

    Links are followed. Devices and pipes are refused, because they would be replaced by a file.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is no regular file", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
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


def write_bundle(path: Path, header: Mapping[str, Any], arrays: Mapping[str, Any], *, compress: bool = False) -> None:
    """Write arrays and a header of JSON values."""
    text = json.dumps(dict(header), ensure_ascii=False, allow_nan=False).encode()
    entries = {HEADER: np.frombuffer(text, np.uint8), **arrays}
    for name, array in entries.items():
        if np.asarray(array).dtype.hasobject:
            raise BundleError(f"{path}: {name} holds Python objects: only numbers can be saved")
    with replacing(path) as file:
        (np.savez_compressed if compress else np.savez)(file, allow_pickle=False, **entries)


def read_bundle(path: Path) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays of a file.

    :raises BundleError: if the file is missing, damaged or of another kind.
    """
    if not path.is_file():
        raise BundleError(f"{path}: {'is no regular file' if path.exists() else 'no such file'}")
    try:
        with np.load(path, allow_pickle=False) as entries:
            arrays = {name: np.asarray(entries[name]) for name in entries.files}
        header = json.loads(arrays.pop(HEADER).tobytes())
    except (ValueError, KeyError, AttributeError, OSError, EOFError, MemoryError, NotImplementedError) as error:
        raise BundleError(f"{path}: damaged, or not a file of heartlab ({type(error).__name__})") from error
    except (zipfile.BadZipFile, zlib.error, TypeError) as error:
        raise BundleError(f"{path}: damaged, or not a file of heartlab ({type(error).__name__})") from error
    if not isinstance(header, dict):
        raise BundleError(f"{path}: its header is no JSON object")
    return header, arrays
