"""Errors in users' code in one sentence: what happened, and in which of their lines."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from traceback import FrameSummary, extract_tb

_PACKAGE = Path(__file__).parent
_LIBRARIES = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]


def error_sentence(error: BaseException) -> str:
    """The type of an error, the first line of its message, and where it happened: the line, and the error's notes."""
    text = next(iter(str(error).strip().splitlines()), "")
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
