"""Arrays with a JSON header in one file: the format of models, checkpoints, kept matches and parts of experiments.

The file is numpy's npz, read without pickle, so opening an untrusted file cannot run code. The header is a JSON text in
an entry of its own. Files are written atomically.

A stranger's file is read in this order, and the first thing that does not fit ends with a :class:`BundleError`:

1. the directory of the zip file, which must be small and name plain or deflated entries;
2. the header, into the msgspec struct that the caller declares;
3. the shapes and types of the arrays that the caller declares (:class:`Form`), and their sizes against a limit;
4. these arrays, and no others.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from heartlab.util.errors import clipped
from heartlab.util.files import replacing

Arrays = dict[str, npt.NDArray[Any]]
Header = TypeVar("Header")

HEADER = "header"
"""The name of the entry with the JSON text."""
LIMIT = 256 << 20
"""Bytes of memory that the arrays of any file may take."""
GROWTH = 8
"""Larger files may take so many times their size on disk: arrays of numbers shrink little, bombs a thousand times."""
HEADER_LIMIT = 16 << 20
DIRECTORY_LIMIT = 4 << 20
"""Bytes of the header, and of the directory of the zip file."""
MOST_EMPTY = 1 << 16
"""An array without elements may have no dimension above this: nothing on disk vouches for it."""

WHOLE, FLOATS = "iu", "f"
"""Kinds of numbers, by numpy's letters."""
_WORDS = {WHOLE: "whole numbers", FLOATS: "floating-point numbers", WHOLE + FLOATS: "numbers"}


class BundleError(ValueError):
    """A file that is missing, damaged or of another kind."""


def _damaged(reason: str) -> BundleError:
    return BundleError(f"damaged, or not a file of heartlab ({reason})")


class Shaped(Protocol):
    """An array, or what a file says about one."""

    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...


class Declared(NamedTuple):
    """What a file says about an array."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    """Bytes before the numbers."""

    @property
    def bytes(self) -> int:
        """The size of the numbers."""
        return math.prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True)
class Form:
    """What an array must be. Dimensions with the same name must agree in all arrays of a file.

    >>> fit({"w": np.zeros((3, 2)), "n": np.zeros(4, int)}, {"w": Form(FLOATS, "rows", 2), "n": Form(WHOLE, "rows")})
    Traceback (most recent call last):
    heartlab.util.bundle.BundleError: array n has shape (4), but rows is 3
    """

    kinds: str
    shape: tuple[int | str, ...]
    optional: bool
    most: int

    def __init__(self, kinds: str, *shape: int | str, optional: bool = False, most: int = 1 << 62) -> None:
        """
        :param kinds: numpy's letters of the kinds of numbers that are allowed: `WHOLE`, `FLOATS` or both.
        :param shape: sizes, or names of sizes.
        :param most: how many elements there may be.
        """
        for name, value in (("kinds", kinds), ("shape", shape), ("optional", optional), ("most", most)):
            object.__setattr__(self, name, value)


Forms = Mapping[str, Form]


def fit(arrays: Mapping[str, Shaped], forms: Forms, sizes: Mapping[str, int] = {}) -> None:
    """See that arrays are as declared; floating-point numbers must be finite.

    :param sizes: dimensions that are known beforehand.
    :raises BundleError: if one is missing or different.
    """
    known = dict(sizes)
    for name, form in forms.items():
        if name in arrays:
            _fit_one(name, arrays[name], form, known)
        elif not form.optional:
            raise BundleError(f"array {name} is missing")


def fit_like(arrays: Mapping[str, Shaped], examples: Mapping[str, Shaped]) -> None:
    """See that arrays have the names and shapes of some others, and the same kinds of numbers.

    :raises BundleError: if one is missing or different.
    """
    fit(arrays, {name: Form(FLOATS if one.dtype.kind == "f" else WHOLE, *one.shape) for name, one in examples.items()})


def fit_squares(name: str, array: Any) -> None:
    """See that means of squares are none below 0: their roots would be no numbers.

    :raises BundleError: if one is.
    """
    if (array < 0).any():
        raise BundleError(f"array {name} has means of squares below 0")


def _fit_one(name: str, array: Shaped, form: Form, known: dict[str, int]) -> None:
    """:param known: the sizes of dimensions; those that this array is the first to have are added."""
    shape = ", ".join(map(str, array.shape))
    if array.dtype.kind not in form.kinds or len(array.shape) != len(form.shape):
        wanted = f"{_WORDS[form.kinds]} in {len(form.shape)} dimensions"
        raise BundleError(clipped(f"array {name} has to be {wanted}, not {array.dtype} of shape ({shape})"))
    for dimension, size in zip(form.shape, array.shape, strict=True):
        wanted_size = known.setdefault(dimension, size) if isinstance(dimension, str) else dimension
        if size != wanted_size:
            where = f"{dimension} is {wanted_size}" if isinstance(dimension, str) else f"{wanted_size} is needed"
            raise BundleError(clipped(f"array {name} has shape ({shape}), but {where}"))
    if math.prod(array.shape) > form.most:
        raise BundleError(clipped(f"array {name} has shape ({shape}): at most {form.most:,} elements are read"))
    if isinstance(array, np.ndarray) and array.dtype.kind == "f" and not np.isfinite(array).all():
        raise BundleError(f"array {name} has values that are not finite numbers")


# --- writing ---


def write_bundle(path: Path, header: Mapping[str, Any], arrays: Mapping[str, Any], *, compress: bool = False) -> None:
    """Write arrays and a header of JSON values."""
    text = json.dumps(dict(header), ensure_ascii=False, allow_nan=False).encode()
    entries = {HEADER: np.frombuffer(text, np.uint8), **arrays}
    for name, array in entries.items():
        if np.asarray(array).dtype.hasobject:
            raise BundleError(f"{path}: {name} holds Python objects: only numbers can be saved")
    with replacing(path) as file:
        (np.savez_compressed if compress else np.savez)(file, allow_pickle=False, **entries)


# --- reading ---


class Bundle:
    """An open file; made by :func:`open_bundle`."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        with _damage():
            self._zip = zipfile.ZipFile(file)
        self._limit = max(LIMIT, GROWTH * size)
        self._members: dict[str, zipfile.ZipInfo] = {}
        for member in self._zip.infolist():
            name = member.filename.removesuffix(".npy")
            if name in self._members:
                raise _damaged(f"two entries are called {clipped(name, 40)}")
            self._members[name] = member
        self._declared: dict[str, Declared] = {}
        if HEADER not in self._members:
            raise _damaged("it has no header")
        declared = self.declared(HEADER)
        if declared.dtype != np.uint8 or declared.bytes > HEADER_LIMIT:
            raise _damaged("its header is not text, or too long")
        self._text = self._read(HEADER).tobytes()

    @property
    def names(self) -> list[str]:
        """The names of all arrays."""
        return [name for name in self._members if name != HEADER]

    def header(self, kind: type[Header]) -> Header:
        """The header as a value of a declared type, such as a msgspec struct.

        :raises BundleError: if something is missing in it or is of another type.
        """
        try:
            return msgspec.json.decode(self._text, type=kind)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise BundleError(f"its header lacks or garbles {garbled_field(error)}") from error

    def declared(self, name: str) -> Declared:
        """What the file says about an array, checked against the size of its entry; no number is read."""
        if name not in self._members:
            raise BundleError(f"array {name} is missing")
        if name not in self._declared:
            self._declared[name] = self._declaration(name)
        return self._declared[name]

    def arrays(self, forms: Forms | None = None, sizes: Mapping[str, int] = {}) -> Arrays:
        """The declared arrays, and no others; without a declaration all.

        :param sizes: dimensions that are known beforehand.
        :raises BundleError: if one is missing, is not as declared, or all together are too large.
        """
        names = [name for name in self.names if forms is None or name in forms]
        declared = {name: self.declared(name) for name in names}
        fit(declared, forms or {}, sizes)
        total = sum(one.bytes for one in declared.values())
        if total > self._limit:
            raise BundleError(f"its arrays would take {total >> 20:,} MB; at most {self._limit >> 20:,} MB are read")
        arrays = {name: self._read(name) for name in names}
        fit(arrays, forms or {}, sizes)
        return arrays

    def _open(self, name: str) -> IO[bytes]:
        member = self._members[name]
        if member.flag_bits & 1:
            raise _damaged(f"entry {clipped(name, 40)} is encrypted")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _damaged(f"entry {clipped(name, 40)} is packed in a way that is not read")
        return self._zip.open(member)

    def _declaration(self, name: str) -> Declared:
        with _damage(), self._open(name) as file:
            version = np.lib.format.read_magic(file)
            readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
            if version not in readers:
                raise _damaged(f"array {clipped(name, 40)} is in an unknown version of numpy's format")
            shape, _, dtype = readers[version](file)
            found = Declared(dtype, shape, file.tell())
        most = MOST_EMPTY if 0 in shape else self._limit
        if dtype.hasobject or not dtype.itemsize or not all(0 <= size <= most for size in shape):
            raise _damaged(f"array {clipped(name, 40)} has a type or shape that is not read")
        if found.start + found.bytes != self._members[name].file_size:
            raise _damaged(f"the size of array {clipped(name, 40)} does not fit its shape")
        return found

    def _read(self, name: str) -> npt.NDArray[Any]:
        with _damage(), self._open(name) as file:
            return np.asarray(np.lib.format.read_array(file, allow_pickle=False))


def garbled_field(error: Exception) -> str:
    """The field of a header or configuration that msgspec refused, in quotes; otherwise its sentence."""
    found = re.search(r"(?:required field|at) `(?:\$\.)?([^`]+)`", str(error))
    return clipped(repr(found[1]), 80) if found else clipped(str(error) or type(error).__name__, 80)


class _Watched(io.FileIO):
    """A file that is never read in pieces larger than any that a sound file needs: the zip directory is the largest."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > DIRECTORY_LIMIT:
            raise _damaged("its directory is too long")
        return super().read(-1 if size is None else size)


@contextmanager
def _damage() -> Iterator[None]:
    """Whatever zipfile, zlib, numpy and its parser of headers raise is one error: they have many ways to fail."""
    try:
        yield
    except BundleError:
        raise
    except Exception as error:
        raise _damaged(type(error).__name__) from error


@contextmanager
def open_bundle(path: Path) -> Iterator[Bundle]:
    """A file, open for reading its header and some of its arrays.

    :raises BundleError: if the file is missing, damaged or of another kind, now or inside the block.
    """
    if not path.is_file():
        raise BundleError(f"{path}: {'is not a regular file' if path.exists() else 'no such file'}")
    try:
        with _Watched(path) as file:
            yield Bundle(file, path.stat().st_size)
    except BundleError as error:
        raise BundleError(f"{path}: {error}") from error
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror}") from error


def read_bundle(path: Path) -> tuple[dict[str, Any], Arrays]:
    """The header and all arrays of a file.

    :raises BundleError: if the file is missing, damaged, too large or of another kind.
    """
    with open_bundle(path) as bundle:
        return bundle.header(dict[str, Any]), bundle.arrays()
