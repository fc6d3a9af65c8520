"""What the server and its workers say to each other: typed frames over a pipe or a socket.

The server asks (`Ask`, `Resume`, `Leave`), a worker answers with the number of the question. `Ready` is a worker's
first frame.
"""

from __future__ import annotations

import struct
import threading
from typing import BinaryIO, TypeAlias

import msgspec

LENGTH = struct.Struct("!I")
MAX_FRAME = 64 << 20
"""Longest frame in bytes; the parts that frames are made of are limited before."""


class Setup(msgspec.Struct, frozen=True):
    """What every worker is made with."""

    player: str
    used: tuple[str, ...] = ()
    """Files of the user that register players."""
    megabytes: int = 2000
    """Memory that a match may take beyond what the worker has when it begins."""
    strict: bool = False
    """Whether games in which the validator finds errors are refused."""


class Begin(msgspec.Struct, frozen=True, tag=True):
    """The first frame to a worker: the seed of its matches, and whether it replaces one that was ended."""

    seed: int
    after_crash: bool = False


class Ask(msgspec.Struct, frozen=True, tag=True):
    """A message of the manager; `seconds` are what is left of the clock of a PLAY."""

    number: int
    text: str
    seconds: float | None = None


class Resume(msgspec.Struct, frozen=True, tag=True):
    """Take up a match that another worker began."""

    number: int
    start: str
    turns: tuple[tuple[str, str], ...]


class Leave(msgspec.Struct, frozen=True, tag=True):
    """Save what is to be saved, and exit."""


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The worker has loaded its player."""

    name: str
    learns: bool


class Unable(msgspec.Struct, frozen=True, tag=True):
    """The worker cannot load its player."""

    reason: str


class Offer(msgspec.Struct, frozen=True, tag=True):
    """A legal move, for the case that the answer does not come in time."""

    number: int
    move: str


class Answer(msgspec.Struct, frozen=True, tag=True):
    """The answer for the manager; to `Resume` an empty one, or busy."""

    number: int
    text: str


class Refusal(msgspec.Struct, frozen=True, tag=True):
    """The text was not a message."""

    number: int
    reason: str


class Failure(msgspec.Struct, frozen=True, tag=True):
    """The player failed."""

    number: int
    reason: str


ToWorker: TypeAlias = Begin | Ask | Resume | Leave
Reply: TypeAlias = Answer | Refusal | Failure
"""What ends a question."""
FromWorker: TypeAlias = Ready | Unable | Offer | Reply

_to_worker = msgspec.msgpack.Decoder(ToWorker)
_from_worker = msgspec.msgpack.Decoder(FromWorker)


class Channel:
    """One end of the connection between the server and a worker. Any thread may write, one reads."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader, self._writer = reader, writer
        self._lock = threading.Lock()

    def write(self, frame: ToWorker | FromWorker) -> None:
        """Send a frame.

        Raises:
            OSError: the other side is gone.
        """
        body = msgspec.msgpack.encode(frame)
        with self._lock:
            self._writer.write(LENGTH.pack(len(body)) + body)
            self._writer.flush()

    def read_question(self) -> ToWorker | None:
        """The next frame from the server; None at the end."""
        body = self._read()
        return None if body is None else _to_worker.decode(body)

    def read_answer(self) -> FromWorker | None:
        """The next frame from the worker; None at the end, also if it is broken off or garbled."""
        try:
            body = self._read()
            return None if body is None else _from_worker.decode(body)
        except msgspec.DecodeError:
            return None

    def _read(self) -> bytes | None:
        try:
            head = self._reader.read(LENGTH.size)
            if len(head) < LENGTH.size or (length := LENGTH.unpack(head)[0]) > MAX_FRAME:
                return None
            body = self._reader.read(length)
        except (OSError, ValueError):
            return None
        return body if len(body) == length else None

    def close(self) -> None:
        """Close both directions."""
        for stream in (self._writer, self._reader):
            try:
                stream.close()
            except OSError:
                continue
