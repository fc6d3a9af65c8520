"""Errors in one sentence: quotations of bounded length, and which line of a user's own code failed."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from traceback import FrameSummary, extract_tb

_PACKAGE = Path(__file__).parent.parent
_LIBRARIES = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]

QUOTED = 200
"""The most characters of somebody's input that a message quotes."""


def clipped(text: object, most: int = QUOTED) -> str:
    """A text for a message: on one line, without control characters, and cut if it is long.

    >>> clipped("a long text", 6)
    'a lon…'
    """
    whole = text if isinstance(text, str) else str(text)
    shown = "".join(char if char.isprintable() else repr(char)[1:-1] for char in whole[: most + 1])
    return shown if len(shown) <= most and len(whole) <= most else f"{shown[: most - 1]}…"


def quoted(value: object, most: int = QUOTED) -> str:
    """A value as Python writes it, as `!r` does in a message, but cut if it is long.

    >>> quoted("nobody"), quoted("long" * 10, 12)
    ("'nobody'", "'longlongl…'")
    """
    if isinstance(value, str):
        return repr(value) if len(value) <= most - 2 else repr(f"{value[: most - 3]}…")
    return clipped(repr(value), most)


def error_sentence(error: BaseException) -> str:
    """The type of an error, the first line of its message, and where it happened: the line, and the error's notes."""
    text = clipped(next(iter(str(error).strip().splitlines()), ""))
    where = "; ".join(filter(None, (blamed_line(error), *getattr(error, "__notes__", ()))))
    return type(error).__name__ + (f": {text}" if text else "") + (f" ({where})" if where else "")


def blamed_line(error: BaseException) -> str:
    """`FILE:LINE, in FUNCTION` of the innermost call in a user's own code; empty if there is none.

    Calls in Python's and other libraries are skipped; for a plug-in that is installed among the libraries, it is the
    line that we called.
    """
    others = [frame for frame in extract_tb(error.__traceback__) if _is_outside(frame)]
    own = [frame for frame in others if not _is_in(frame.filename, _LIBRARIES)]
    if not others:
        return ""
    frame = own[-1] if own else others[0]
    return f"{_short(frame.filename)}:{frame.lineno}, in {frame.name}"


def _is_outside(frame: FrameSummary) -> bool:
    """Whether a frame is neither of this package nor of Python's import system."""
    return not frame.filename.startswith("<frozen") and not _is_in(frame.filename, [_PACKAGE])


def _is_in(name: str, folders: list[Path]) -> bool:
    path = Path(name).resolve()
    return any(path.is_relative_to(folder) for folder in folders)


def _short(name: str) -> str:
    """The path of a file, relative to the current directory if possible."""
    path, here = Path(name), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else name
