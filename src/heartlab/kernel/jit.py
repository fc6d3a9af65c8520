"""The decorator of every kernel: machine code with a cache that cannot go stale, and a word while compiling.

Numba's file cache notices a change in a function's own file, but not in a file that it calls. So the cache directory
carries a hash of all sources of the package that hold kernels, and of the versions of numba and numpy: any change
means a new directory. If no directory can be written the kernels compile into a temporary one.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config, event

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED_ROOMS = ("kernel", "players", "search", "features", "learn")
"""Sub-packages whose sources count for the cache key."""


def source_key() -> str:
    """A short hash of everything that decides what the kernels compile to."""
    digest = hashlib.blake2b(f"{numba.__version__} {np.__version__} {sys.version}".encode(), digest_size=10)
    package = Path(__file__).parent.parent
    for room in COMPILED_ROOMS:
        for path in sorted((package / room).glob("*.py")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _cache_directory() -> str:
    """The directory for compiled code: HEARTLAB_CACHE, the user's cache, or a temporary directory."""
    base = os.environ.get("HEARTLAB_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "heartlab"
    )
    directory = os.path.join(base, "kernels-" + source_key())
    try:
        os.makedirs(directory, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except OSError:
        return tempfile.mkdtemp(prefix="heartlab-kernels-")


CACHE_DIRECTORY = _cache_directory()
_decorating = threading.Lock()


def kernel(function: Function) -> Function:
    """Compile a function on first use, cached on disk, running without the GIL."""
    return _compile(function, ())


def pointed(*signature: Any) -> Callable[[Function], Function]:
    """Compile a function at once for one signature, so that kernels can call it through a pointer.

    Functions outside this package are not cached on disk: the cache key does not cover their sources.
    """

    def decorate(function: Function) -> Function:
        return _compile(function, signature)

    return decorate


def compile_for(dispatcher: Any, signature: Any) -> None:
    """Compile a kernel for one signature, and for no other from then on.

    For kernels that take functions: left to itself numba would compile them anew for every function that is passed.
    """
    if not config.DISABLE_JIT and not dispatcher.signatures:
        dispatcher.compile(signature)
        dispatcher.disable_compile()


def _compile(function: Function, signature: tuple[Any, ...]) -> Function:
    if config.DISABLE_JIT:
        return function
    ours = function.__module__.startswith("heartlab.")
    with _decorating:
        before = config.CACHE_DIR
        config.CACHE_DIR = CACHE_DIRECTORY
        try:
            options: dict[str, Any] = dict(nogil=True, cache=ours, error_model="numpy")
            compiled: Any = numba.njit(*signature, **options)(function)
            return compiled
        finally:
            config.CACHE_DIR = before


class _CompileNotice(event.Listener):
    """Says once, on standard error, that kernels are being compiled: silence looks like a hang."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__
        if not self.said and module.startswith("heartlab."):
            self.said = True
            print(
                "heartlab: compiling its kernels for this machine; this happens once and takes up to a minute or two",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: Any) -> None:
        pass


if not config.DISABLE_JIT:
    event.register("numba:compile", _CompileNotice())
