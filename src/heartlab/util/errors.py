"""Errors in code that users bring along, in one sentence: what it was, and in which line of theirs."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from traceback import FrameSummary, extract_tb

_PACKAGE = Path(__file__).parent
_LIBRARIES = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]


def error_sentence(error: BaseException) -> str:
    """The kind of an error, the first line of its text, and where it happened: the line, and what its notes say."""
    text = next(iter(str(error).strip().splitlines()), "")
    where = "; ".join(filter(None, (blamed_line(error), *getattr(error, "__notes__", ()))))
    return type(error).__name__ + (f": {text}" if text else "") + (f" ({where})" if where else "")


def blamed_line(error: BaseException) -> str:
    """`FILE:LINE, in FUNCTION` of the innermost call in somebody's own code; empty if there is none.

    What lies deeper, in Python's or other libraries, is seldom to blame; a plug-in that is itself installed among the
    libraries is named where we called it.
    """
    others = [frame for frame in extract_tb(error.__traceback__) if _is_outside(frame)]
    own = [frame for frame in others if not _is_in(frame.filename, _LIBRARIES)]
    if not others:
        return ""
    frame = own[-1] if own else others[0]
    return f"{_short(frame.filename)}:{frame.lineno}, in {frame.name}"


def _is_outside(frame: FrameSummary) -> bool:
    """Whether a frame is neither of this package nor of Python's own machinery for imports."""
    return not frame.filename.startswith("<frozen") and not _is_in(frame.filename, [_PACKAGE])


def _is_in(name: str, folders: list[Path]) -> bool:
    path = Path(name).resolve()
    return any(path.is_relative_to(folder) for folder in folders)


def _short(name: str) -> str:
    """A file as one would name it from here."""
    path, here = Path(name), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else name
