"""The decorator of every kernel: compilation with a cache that cannot go stale, and a notice while compiling.

Numba's file cache notices a change in a function's own file, but not in a file that it calls. So the compiled code of
a module is kept in a directory named by a hash of the module's source, of the sources of all modules of this package
that it imports, directly or indirectly, and of the versions of numba and numpy. A change in any of these means a new
directory; other changes do not. If the cache directory is not writable, a temporary one is used. Damaged files are
compiled again (see `files`).
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config, event, types
from numba.core import dispatcher as dispatchers
from numba.core.errors import NumbaError

from heartlab.compiled.files import COMPILING, KernelCache, kernel_cache, tell_once, touch_folder

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent.parent
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(heartlab[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|(?:[^\n]*\\\n)*[^\n]*)"
    r"|import[ \t]+((?:[^\n]*\\\n)*[^\n]*))",
    re.MULTILINE,
)
"""Imports at the beginning of a line, and what looks like one: to name too many modules does no harm. Every command
looks for them, and a syntax tree of each module would take ten times as long."""
_WORD, _MODULE = re.compile(r"\w+"), re.compile(r"heartlab[\w.]*")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def _path(module: str) -> Path | None:
    """The file of a module of this package; None if there is no such module."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return path if path.exists() else None


@cache
def _source(module: str) -> tuple[bytes, frozenset[str]]:
    """The source of a module of this package, and the modules that it imports."""
    path = _path(module)
    if path is None:
        return b"", frozenset()
    text = path.read_bytes()
    found = set()
    for module_from, names, modules in _IMPORT.findall(text.decode()):
        found |= {module_from, *(f"{module_from}.{name}" for name in _WORD.findall(names))}  # a name may be a module
        found |= set(_MODULE.findall(modules))
    return text, frozenset(name for name in found if name and _path(name))


def sources_behind(module: str) -> list[str]:
    """A module and all modules of this package that it imports, directly or indirectly, sorted."""
    found, waiting = set(), {module}
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= _source(name)[1] - found
    return sorted(found)


@cache
def source_key(module: str) -> str:
    """A short hash of everything that the compiled code of a module depends on."""
    digest = hashlib.blake2b(f"{numba.__version__} {np.__version__} {sys.version}".encode(), digest_size=10)
    for name in sources_behind(module):
        digest.update(name.encode())
        digest.update(_source(name)[0])
    return digest.hexdigest()


@cache
def _cache_base() -> str:
    """The directory for compiled code: HEARTLAB_CACHE, the user's cache, or a temporary directory."""
    base = os.environ.get("HEARTLAB_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "heartlab"
    )
    try:
        os.makedirs(base, exist_ok=True)
        with tempfile.TemporaryFile(dir=base):
            return base
    except OSError as error:
        folder = tempfile.mkdtemp(prefix="heartlab-kernels-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        reason = f"{base} cannot be written ({error.strerror})"
        tell_once("unwritable", f"the kernel cache in {reason}: kernels are compiled into a temporary folder")
        return folder


def compile_reason(error: NumbaError) -> str:
    """The reason why a user's function cannot be compiled: the one relevant line of numba's message."""
    lines = [line.strip() for line in _COLOUR.sub("", str(error)).splitlines() if line.strip()]
    return next((line for line in lines if "Error" in line or "not" in line.lower().split()), lines[0])


@cache
def cache_directory(module: str) -> str:
    """The directory for the compiled code of a module."""
    folder = os.path.join(_cache_base(), f"{module.removeprefix('heartlab.')}-{source_key(module)}")
    touch_folder(folder)
    return folder


_decorating, _compiling = threading.Lock(), threading.Lock()


def kernel(function: Function) -> Function:
    """Compile a function on first use, cached on disk, running without the GIL."""
    return _compile(function, ())


def loose_kernel(function: Function) -> Function:
    """As `kernel`, but sums of floats may be added up in any order, so that they are computed with vectors."""
    return _compile(function, (), fastmath={"reassoc", "contract", "nsz"})


def bare_kernel(function: Function) -> Function:
    """As `kernel`, for functions that only read and write arrays of their caller: no references are counted.

    Numba counts the references to every array that a function is given, with an atomic instruction each, which costs
    more than a short function does. A bare kernel cannot make arrays, and is made part of the kernels that call it.
    """
    return _compile(function, (), _nrt=False, forceinline=True)


def template(function: Function) -> Function:
    """A function that is inlined into the kernels that call it: one that takes kernels as arguments, or has one caller.

    Without inlining neither the former nor its callers could be cached: numba cannot identify such arguments in a later
    run. The latter saves time: numba makes machine code of all that a kernel calls, again at every level of calls.
    """
    return function if config.DISABLE_JIT else numba.njit(nogil=True, error_model="numpy", inline="always")(function)


def pointed(*signature: Any) -> Callable[[Function], Function]:
    """Compile a function immediately for one signature, so that kernels can call it through a pointer.

    Functions outside this package are not cached on disk: the cache key does not cover their sources.
    """

    def decorate(function: Function) -> Function:
        compiled: Any = _compile(function, signature)
        if not config.DISABLE_JIT:
            _remember_addresses(compiled)
        return compiled

    return decorate


def _remember_addresses(dispatcher: Any) -> None:
    """Cache the address of the machine code of a function with one signature.

    Otherwise numba looks up the compiled form and two addresses whenever the function is passed to a kernel, which
    takes about 200 µs with the GIL held: longer than many searches.
    """
    (result,) = dispatcher.overloads.values()
    dispatcher.get_compile_result = lambda signature: result
    result.library.get_pointer_to_function = cache(result.library.get_pointer_to_function)


def compile_for(dispatcher: Any, signature: Any) -> None:
    """Compile a kernel for one signature, and disable all others.

    For kernels that take functions: numba would otherwise compile them again for every function that is passed.
    """
    if config.DISABLE_JIT:
        return
    with _compiling:  # several threads may arrive here
        if not dispatcher.signatures:
            dispatcher.compile(signature)
            dispatcher.disable_compile()


def _compile(function: Function, signature: tuple[Any, ...], **more: Any) -> Function:
    if config.DISABLE_JIT:
        return function
    ours = function.__module__.startswith("heartlab.")
    with _decorating:
        before = config.CACHE_DIR, dispatchers.FunctionCache
        if ours:
            config.CACHE_DIR, dispatchers.FunctionCache = cache_directory(function.__module__), kernel_cache
        try:
            options: dict[str, Any] = dict(nogil=True, cache=ours, error_model="numpy", **more)
            compiled: Any = numba.njit(*signature, **options)(function)
            _compile_once_for_all_constants(compiled)
            return compiled
        finally:
            config.CACHE_DIR, dispatchers.FunctionCache = before


def _compile_once_for_all_constants(compiled: Any) -> None:
    """Let a kernel that others call with constants be compiled for their type, not for each constant again."""
    ask = compiled.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return ask([types.unliteral(one) for one in args], {name: types.unliteral(one) for name, one in kws.items()})

    compiled.get_call_template = get_call_template


class _Compiling(event.Listener):
    """Says once that kernels are being compiled, so that the wait does not look like a hang; unlocks after failures."""

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__ or ""
        if module.startswith("heartlab."):
            tell_once("compiling", COMPILING)

    def on_end(self, event: Any) -> None:
        kept = event.data["dispatcher"]._cache
        if event._exc_details is not None and isinstance(kept, KernelCache):  # numba's `is_failed` says the opposite
            kept.unlock()


if not config.DISABLE_JIT:
    event.register("numba:compile", _Compiling())
