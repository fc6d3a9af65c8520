"""The files of the kernel cache: what is damaged or cannot be written is compiled again, and never ends a command.

Numba keeps an index of each kernel and a data file for each of its signatures. Here both end with a checksum, and a
data file names its key: two processes that compile two signatures of a kernel at the same time may choose the same
name. What does not pass is removed and compiled again; what cannot be written is kept in memory only. The user is told
once of each.

A process that compiles a kernel holds a lock on the folder of its module, so that another process that needs the same
kernel waits for it instead of compiling it too.
"""

from __future__ import annotations

import os
import pickle
import re
import shutil
import sys
import time
import zlib
from contextlib import suppress
from importlib import import_module
from typing import Any

from heartlab.util.locks import try_folder

caching: Any = import_module("numba.core.caching")  # it has no types

CHECKSUM = 4
"""Bytes of the checksum at the end of a file; the unpickler ignores what follows its data."""
UNUSED_DAYS = 30.0
"""Folders of older versions of a module are removed when they were not used for so long."""
DAY = 86400.0
LONGEST_WAIT = 300.0
"""Seconds after which a process compiles a kernel itself, whatever became of the one that holds the lock."""
COMPILING = "compiling kernels for this machine; each is compiled once, which may take a minute or two"
AGAIN = "this command keeps its kernels in memory only"
_told: set[str] = set()
_locked: dict[str, int] = {}
"""The folders that this process has locked, with the open files; numba compiles on one thread at a time."""


class Damaged(Exception):
    """A file of the cache that is not as it was written."""


def tell_once(kind: str, sentence: str) -> None:
    """Print a sentence on standard error, but no second one of its kind."""
    if kind not in _told:
        _told.add(kind)
        print(f"heartlab: {sentence}", file=sys.stderr, flush=True)


def _sealed(path: str) -> bytes:
    """The content of a file whose checksum is right.

    :raises Damaged: if it is not.
    """
    with open(path, "rb") as file:
        data = file.read()
    if len(data) <= CHECKSUM or zlib.crc32(data[:-CHECKSUM]).to_bytes(CHECKSUM, "little") != data[-CHECKSUM:]:
        raise Damaged(path)
    return data


class KernelFile(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Index and data files with checksums."""

    def load(self, key: Any) -> Any:
        """The data of a key; None if there are none, or those of another key."""
        found = super().load(key)
        return found[1] if found is not None and found[0] == key else None

    def save(self, key: Any, data: Any) -> None:
        """Keep the data of a key."""
        super().save(key, (key, data))

    def remove(self) -> None:
        """Remove index and data."""
        start = self._index_path.removesuffix("nbi")
        with suppress(OSError):
            for entry in os.scandir(self._cache_path):
                if entry.path.startswith(start):
                    os.unlink(entry.path)

    def _save_index(self, overloads: Any) -> None:
        whole = pickle.dumps(self._version, protocol=-1) + self._dump((self._source_stamp, overloads))
        self._write(self._index_path, whole)

    def _load_index(self) -> Any:
        with suppress(FileNotFoundError):
            _sealed(self._index_path)
        return super()._load_index()

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), self._dump(data))

    def _load_data(self, name: str) -> Any:
        return pickle.loads(_sealed(self._data_path(name)))

    def _write(self, path: str, data: bytes) -> None:
        with self._open_for_write(path) as file:
            file.write(data + zlib.crc32(data).to_bytes(CHECKSUM, "little"))


class _KernelImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """Kernels are kept in the given directory and nowhere else: elsewhere they could go stale."""

    _locator_classes = (caching.UserProvidedCacheLocator,)


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """The compiled forms of a kernel on disk."""

    _impl_class = _KernelImpl

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = KernelFile(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )
        self._has_lock = False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled form for a signature; None if it is to be compiled now, while this process holds the lock."""
        found = self._load(sig, target_context)
        if found is None and self._lock():
            found = self._load(sig, target_context)  # what another process has compiled meanwhile
            if found is not None:
                self.unlock()
        return found

    def _load(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # unpickling damaged data can raise anything
            self._cache_file.remove()
            tell_once("damaged", f"the kernel cache in {self._base} has damaged files: they are compiled again")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled form, if possible."""
        try:
            super().save_overload(sig, data)
        except (OSError, Damaged) as error:
            reason = getattr(error, "strerror", None) or "damaged files"
            tell_once("unwritable", f"the kernel cache in {self._base} cannot be written ({reason}): {AGAIN}")
        except RuntimeError as error:  # Ctrl-C in numba's hook, which was to note the machine code: Python ignored it
            raise KeyboardInterrupt from error
        finally:
            self.unlock()

    def _lock(self) -> bool:
        """Lock the folder, waiting for another process that compiles there; False if this process holds the lock."""
        folder = str(self._cache_path)
        if folder in _locked:
            return False
        end = time.monotonic() + LONGEST_WAIT
        with suppress(OSError):  # without the folder there is nothing to wait for
            while (file := try_folder(folder)) is None and time.monotonic() < end:
                tell_once("compiling", COMPILING)
                time.sleep(0.02)
            if file is not None:
                _locked[folder] = file
                self._has_lock = True
        return True

    def unlock(self) -> None:
        """Unlock the folder, if it was locked for this kernel: it is compiled and kept, or cannot be compiled."""
        if self._has_lock:
            self._has_lock = False
            os.close(_locked.pop(str(self._cache_path)))

    @property
    def _base(self) -> str:
        """The directory that holds the folders of all modules."""
        return str(os.path.dirname(os.path.dirname(self._cache_path)))


def kernel_cache(function: Any) -> Any:
    """The cache of a kernel in numba's current directory; one that keeps nothing if its folder cannot be made."""
    try:
        return KernelCache(function)
    except (OSError, RuntimeError):  # numba raises the second if no directory will do
        tell_once("unwritable", f"the kernel cache in {caching.config.CACHE_DIR} cannot be written: {AGAIN}")
        return caching.NullCache()


def touch_folder(folder: str) -> None:
    """Note that the compiled code of a module is used; if there is none yet, remove that of versions long unused.

    :param folder: its name is that of the module, a dash and a hash.
    """
    now = time.time()
    try:
        if now - os.stat(folder).st_mtime > DAY:
            os.utime(folder)
    except FileNotFoundError:
        _remove_unused(folder, now - UNUSED_DAYS * DAY)
    except OSError:
        pass


def _remove_unused(folder: str, before: float) -> None:
    """Remove the other folders of a module that were last used before a time."""
    base, name = os.path.split(folder)
    sibling = re.compile(re.escape(name.rpartition("-")[0]) + r"-[0-9a-f]{20}")
    with suppress(OSError):
        for entry in list(os.scandir(base)):
            if sibling.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                if entry.stat(follow_symlinks=False).st_mtime < before:
                    shutil.rmtree(entry.path, ignore_errors=True)
