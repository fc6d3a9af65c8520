"""The messages of the game manager as values, and back as text.

Parsing ignores case and white space and is strict otherwise: a text that is not one of the seven messages raises a
`ProtocolError` that says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from heartlab.ggp.gdl.parse import Expression, parse_expressions, quote
from heartlab.ggp.gdl.terms import GdlError, Term, show

KINDS = ("info", "ping", "preview", "start", "play", "stop", "abort")
BUSY, READY, DONE, ABORTED = "busy", "ready", "done", "aborted"
MAX_CLOCK = 24 * 3600
"""Most seconds of a clock."""


class ProtocolError(GdlError):
    """A text is not a message of the protocol."""


@dataclass(frozen=True)
class Message:
    """One message; fields that its kind does not have are empty."""

    kind: str
    match: str = ""
    role: Term = ""
    rules: tuple[Expression, ...] = ()
    start_clock: float = 0.0
    play_clock: float = 0.0
    moves: tuple[Term, ...] | None = None
    """The last joint move, or the percepts; None at the first turn."""


def parse_message(text: str) -> Message:
    """Read a message.

    Raises:
        ProtocolError: the text is not a message.
    """
    try:
        found = parse_expressions(text, "message")
    except GdlError as error:
        raise ProtocolError(str(error)) from None
    if len(found) == 1 and found[0].name in ("info", "ping"):
        return Message(str(found[0].name))
    if len(found) != 1 or found[0].functor_name not in KINDS:
        raise ProtocolError(f"expected one of {', '.join(kind.upper() for kind in KINDS)}, in parentheses")
    kind, parts = str(found[0].functor_name), found[0].parts[1:]
    needed = {"info": 0, "ping": 0, "preview": 2, "start": 5, "play": 2, "stop": 2, "abort": 1}[kind]
    if len(parts) != needed:
        raise ProtocolError(f"{kind.upper()} has {needed} parts, not {len(parts)}")
    if kind == "preview":
        return Message(kind, rules=_list(parts[0]), start_clock=_clock(parts[1]))
    if kind == "start":
        return Message(kind, _name(parts[0]), parts[1].term, _list(parts[2]), _clock(parts[3]), _clock(parts[4]))
    if kind in ("play", "stop"):
        return Message(kind, _name(parts[0]), moves=_moves(parts[1]))
    return Message(kind, _name(parts[0]) if parts else "")


_START = re.compile(r"\s*\(\s*start\s+([^\s();]+)[\s(]", re.IGNORECASE)
_CLOCKS = re.compile(r"\)\s*([^\s();]+)\s+([^\s();]+)\s*\)\s*$")
_PREVIEW = re.compile(r"\s*\(\s*preview\s*\(", re.IGNORECASE)
_CLOCK = re.compile(r"\)\s*([^\s();]+)\s*\)\s*$")
TAIL = 1000
"""Characters at the end of a message in which its clocks are."""
MOST_PLAIN = 64 << 10
"""Most characters of a message without rules."""


def parse_envelope(text: str) -> Message:
    """A message; of one with rules only the name and the clocks, so that long rules take no time.

    >>> parse_envelope("(START m1 white ((role white)) 10 5)")
    Message(kind='start', match='m1', role='', rules=(), start_clock=10.0, play_clock=5.0, moves=None)

    Raises:
        ProtocolError: the text is not a message.
    """
    if (start := _START.match(text)) and (clocks := _CLOCKS.search(text[-TAIL:])):
        return Message("start", start[1].lower(), start_clock=_seconds_of(clocks[1]), play_clock=_seconds_of(clocks[2]))
    if _PREVIEW.match(text) and (clock := _CLOCK.search(text[-TAIL:])):
        return Message("preview", start_clock=_seconds_of(clock[1]))
    if len(text) > MOST_PLAIN:
        raise ProtocolError(f"a message without rules and clocks has at most {MOST_PLAIN:,} characters")
    return parse_message(text)


def _name(expression: Expression) -> str:
    if expression.name is None:
        raise ProtocolError(f"a match is named by a word, not by {quote(expression)}")
    return expression.name


def _list(expression: Expression) -> tuple[Expression, ...]:
    if expression.name is not None:
        raise ProtocolError(f"the rules should stand in parentheses, not be {expression.name[:80]!r}")
    return expression.parts


def _clock(expression: Expression) -> float:
    return _seconds_of(expression.name or quote(expression))


def _seconds_of(name: str) -> float:
    try:
        seconds = float(name)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_CLOCK:
        raise ProtocolError(f"a clock is a number of seconds, not {name[:80]}")
    return seconds


def _moves(expression: Expression) -> tuple[Term, ...] | None:
    if expression.name == "nil":
        return None
    if expression.name is not None:
        raise ProtocolError(f"the moves should stand in parentheses, not be {expression.name[:80]!r}")
    for part in expression.parts:
        if part.functor_name is None:
            raise ProtocolError(f"{quote(part)} is not a move")
    return tuple(part.term for part in expression.parts)


def start_text(match: str, role: Term, rules: str, start_clock: float, play_clock: float) -> str:
    """A START message; fractions of seconds are not in the protocol, but sent as they are."""
    return f"(START {match} {show(role)} ({rules}) {_seconds(start_clock)} {_seconds(play_clock)})"


def _seconds(clock: float) -> str:
    """A number of seconds without an exponent, with a fraction only where there is one."""
    return f"{clock:.6f}".rstrip("0").rstrip(".")


def moves_text(kind: str, match: str, moves: tuple[Term, ...] | None) -> str:
    """A PLAY or STOP message."""
    listed = "NIL" if moves is None else f"({' '.join(map(show, moves))})"
    return f"({kind.upper()} {match} {listed})"
