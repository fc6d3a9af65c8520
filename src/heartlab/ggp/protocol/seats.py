"""The manager's view of a player: it takes a message and answers within a time, or fails.

A seat is an agent in this process or a player at an address. Every failure is a `SeatFailure` with its kind; the
manager records it and goes on.
"""

from __future__ import annotations

import re
import socket
import threading
import time
from abc import ABC, abstractmethod
from queue import Empty, Queue

from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.protocol.agent import Agent

CONNECT_SECONDS = 5.0
GRACE = 1.0
"""Seconds beyond the clock for the transport of an answer."""
MAX_ANSWER = 64 << 10

TIMEOUT, CONNECTION, GARBAGE, ILLEGAL, CRASH = "timeout", "connection", "garbage", "illegal", "crash"
"""The kinds of failure that a match record counts."""


class SeatFailure(Exception):
    """There was no usable answer; `kind` is one of the kinds above."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Seat(ABC):
    """A player as the manager sees it."""

    name: str

    @abstractmethod
    def ask(self, text: str, seconds: float) -> str:
        """Send a message; the answer, if it comes within some seconds.

        Raises:
            SeatFailure: it did not.
        """

    def close(self) -> None:  # noqa: B027
        """No more messages will come."""


class LocalSeat(Seat):
    """An agent in this process. A late answer is left to its thread, which cannot be stopped but blocks nothing.

    >>> from heartlab.ggp import make_game_player
    >>> seat = LocalSeat(Agent(lambda seed: make_game_player("random", seed)), "demo")
    >>> seat.ask("(info)", seconds=60)
    '((name heartlab)(status available))'
    """

    def __init__(self, agent: Agent, name: str) -> None:
        self.agent, self.name = agent, name

    def ask(self, text: str, seconds: float) -> str:
        answers: Queue[str | SeatFailure] = Queue()
        threading.Thread(target=self._think, args=(text, answers), name="ggp-player", daemon=True).start()
        try:
            answer = answers.get(timeout=seconds + GRACE)
        except Empty:
            raise SeatFailure(TIMEOUT, f"no answer within {seconds:g} s") from None
        if isinstance(answer, SeatFailure):
            raise answer
        return answer

    def _think(self, text: str, answers: Queue[str | SeatFailure]) -> None:
        try:
            answers.put(self.agent.answer(text))
        except GdlError as error:
            answers.put(SeatFailure(GARBAGE, str(error)))
        except Exception as error:
            answers.put(SeatFailure(CRASH, f"{type(error).__name__}: {error}"))

    def close(self) -> None:
        self.agent.close()


class RemoteSeat(Seat):
    """A player at an address such as http://127.0.0.1:9147.

    >>> seat = RemoteSeat("http://127.0.0.1:9147")
    >>> seat.host, seat.port
    ('127.0.0.1', 9147)
    """

    def __init__(self, url: str) -> None:
        match = re.fullmatch(r"(?:http://)?\[?([^/\[\]]+?)\]?:(\d+)/?", url)
        if match is None or not 0 < int(match.group(2)) < 65536:
            raise GdlError(f"{url!r} is not the address of a player; it should look like http://127.0.0.1:9147")
        self.name, self.host, self.port = url, match.group(1), int(match.group(2))

    def ask(self, text: str, seconds: float) -> str:
        body = text.encode()
        head = (
            "POST / HTTP/1.0\r\nAccept: text/delim\r\n"
            f"Host: {self.host}\r\nSender: GAMESERVER\r\nReceiver: {self.name}\r\n"
            f"Content-Type: text/acl\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        deadline = time.monotonic() + seconds + GRACE
        try:
            connection = socket.create_connection((self.host, self.port), min(CONNECT_SECONDS, seconds + GRACE))
        except OSError as error:
            raise SeatFailure(CONNECTION, f"cannot connect: {error.strerror or error}") from None
        except UnicodeError as error:
            raise SeatFailure(CONNECTION, f"{self.host[:80]} is not the name of a host: {error}") from None
        with connection:
            try:
                connection.settimeout(max(0.01, deadline - time.monotonic()))
                connection.sendall(head.encode() + body)
                raw = self._receive(connection, deadline)
            except TimeoutError:
                raise SeatFailure(TIMEOUT, f"no answer within {seconds:g} s") from None
            except OSError as error:
                raise SeatFailure(CONNECTION, f"the connection broke: {error.strerror or error}") from None
        return self._body(raw)

    @staticmethod
    def _receive(connection: socket.socket, deadline: float) -> bytes:
        """Read until the player closes, or has sent as much as it announced, or too much."""
        raw = b""
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            connection.settimeout(left)
            piece = connection.recv(65536)
            raw += piece
            head, gap, body = raw.partition(b"\r\n\r\n")
            announced = re.search(rb"(?im)^content-length:\s*(\d{1,9})\s*$", head)
            if not piece or (gap and announced and len(body) >= int(announced.group(1))):
                return raw
            if len(raw) > MAX_ANSWER:
                raise SeatFailure(GARBAGE, f"the answer is longer than {MAX_ANSWER} bytes")

    @staticmethod
    def _body(raw: bytes) -> str:
        head, gap, body = raw.partition(b"\r\n\r\n")
        status = re.match(rb"HTTP/1\.\d (\d{3})", head)
        if not raw:
            raise SeatFailure(CONNECTION, "the player closed the connection without an answer")
        if not gap or status is None:
            raise SeatFailure(GARBAGE, "the answer is not HTTP")
        if status.group(1) != b"200":
            raise SeatFailure(GARBAGE, f"the player answered with status {status.group(1).decode()}")
        return body.decode("utf-8", "replace").strip()
