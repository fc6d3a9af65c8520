"""Output on consoles: those that cannot show every character, and what must not be sent to any.

Old code pages of Windows lack ♣ or −. A terminal obeys escape sequences, which names in a stranger's file may hold: it
is shown them as text.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import unicodedata
from typing import TextIO, cast

SUBSTITUTES = {
    "♣": "C", "♦": "D", "♠": "S", "♥": "H", "−": "-", "–": "-", "—": "-", "‐": "-", "×": "x", "·": ".", "…": "...",
    "≥": ">=", "≤": "<=", "≈": "~", "→": "->", "←": "<-", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "•": "*",
    "\u00a0": " ", "\u2009": " ", "\u202f": " ", "±": "+-", "²": "2", "³": "3", "Δ": "D",
}  # fmt: skip
"""What is printed where a console lacks a character."""
HIGHEST_STANDARD = 2
"""The numbers up to this one are standard input, output and error."""
OBEYED = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
"""Control characters, and how a terminal is shown them."""
SUBSTITUTE = "heartlab.substitute"
"""The name of our way to handle encoding errors."""


def _substitute(error: UnicodeError) -> tuple[str | bytes, int]:
    """Replace the characters that cannot be encoded: by a likeness, the letter without its accent, or its escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_likeness, error.object[error.start : error.end])), error.end


def _likeness(char: str) -> str:
    plain = unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode()
    return SUBSTITUTES.get(char) or plain or char.encode("ascii", "backslashreplace").decode()


codecs.register_error(SUBSTITUTE, _substitute)


def print_anywhere() -> None:
    """Let standard output and standard error substitute what they cannot encode instead of failing.

    What we were started without (`>&-`) leads nowhere from now on: otherwise the next file that is opened would have
    its number, and get what is printed.
    """
    while (free := os.open(os.devnull, os.O_RDWR)) <= HIGHEST_STANDARD:
        os.set_inheritable(free, True)
    os.close(free)
    sys.stdin, sys.stdout, sys.stderr = sys.stdin or _nowhere("r"), sys.stdout or _nowhere(), sys.stderr or _nowhere()
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.isatty():
        encoding = sys.stdout.encoding
        sys.stdout = _Terminal(sys.stdout.detach(), encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=SUBSTITUTE)


class _Terminal(io.TextIOWrapper):
    """A terminal, which obeys nothing that is printed. Standard error is left alone: progress bars need sequences."""

    def write(self, text: str, /) -> int:
        super().write(text.translate(OBEYED))
        return len(text)


def _nowhere(mode: str = "w") -> TextIO:
    return cast(TextIO, open(os.devnull, mode, encoding="utf-8"))


def is_complete(stream: TextIO) -> bool:
    """Whether a stream can show every character."""
    try:
        return codecs.lookup(stream.encoding or "ascii").name.startswith("utf")
    except LookupError:
        return False
