"""A player behind HTTP: what `heartlab ggp serve` runs.

One thread per connection, one message per connection, as in the protocol. A client that sends nothing, sends slowly or
sends too much is disconnected; one that sends something else than a message gets status 400 and a sentence. A request
that names another host, or comes from a page of another site, is refused: a browser on this machine may be made to send
it.
"""

from __future__ import annotations

import io
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from heartlab.ggp.gdl.parse import MAX_TEXT
from heartlab.ggp.protocol.messages import ProtocolError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_BODY = MAX_TEXT
SMALL_BODY = 64 << 10
"""Bytes of a message that is read beside any number of others."""
MOST_LARGE = 4
"""Larger messages that are read or answered at a time."""
MOST_CONNECTIONS = 128
"""Connections at a time; of those whose message has not arrived the oldest makes way for a new one."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
LENGTH_DIGITS = 20
"""Most digits of a Content-Length."""
READ_SECONDS = 10.0
"""Seconds within which a whole message has to arrive."""
CONTENT_TYPE = "text/acl"


class Answering(Protocol):
    """What a server needs: a text comes in, a text goes out."""

    def answer(self, text: str, /) -> str:
        """The reply to a message; raises `ProtocolError` if the text is none."""


class _TimedStream(io.RawIOBase):
    """The bytes of a client; reading after some seconds raises a TimeoutError."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self.connection, self.deadline = connection, time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.connection.settimeout(left)
        return self.connection.recv_into(buffer)


class _Places:
    """The connections that there are. Those that are still silent make way for others, the oldest first.

    >>> places, (one, two) = _Places(1), socket.socketpair()
    >>> places.take(one), places.take(two), len(places)
    (True, True, 2)
    >>> places.leave(one)
    >>> places.heard(two)
    >>> places.take(one)
    False
    >>> one.close(), two.close()
    (None, None)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._all: set[socket.socket] = set()
        self._silent: dict[socket.socket, None] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._all)

    def take(self, connection: socket.socket) -> bool:
        """Take a place for a new connection; one that makes way gives its own back when its thread ends."""
        with self._lock:
            if len(self._all) >= self._most:
                oldest = next(iter(self._silent), None)
                if oldest is None:
                    return False
                del self._silent[oldest]
                with suppress(OSError):
                    oldest.shutdown(socket.SHUT_RDWR)
            self._all.add(connection)
            self._silent[connection] = None
            return True

    def heard(self, connection: socket.socket) -> None:
        """Its message has arrived, so it does not make way any more."""
        with self._lock:
            self._silent.pop(connection, None)

    def leave(self, connection: socket.socket) -> None:
        """It has ended."""
        with self._lock:
            self._silent.pop(connection, None)
            self._all.discard(connection)


class _Handler(BaseHTTPRequestHandler):
    """One message."""

    server: _Server

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self.rfile = io.BufferedReader(_TimedStream(self.connection, READ_SECONDS))

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not self._is_known():
            self._reply(421, "unknown Host or Origin header; serve --allow-host NAME allows one, --any-host all")
        elif not length.isdecimal() or len(length) > LENGTH_DIGITS or int(length) > MAX_BODY:
            self._reply(413 if length.isdecimal() else 411, f"a Content-Length of at most {MAX_BODY} is needed")
        elif int(length) <= SMALL_BODY:
            self._answer(int(length))
        elif self.server.large.acquire(timeout=READ_SECONDS):
            try:
                self._answer(int(length))
            finally:
                self.server.large.release()
        else:
            self._reply(503, "there are too many large messages at a time")

    def _is_known(self) -> bool:
        """Whether the headers name this server, as far as they name any."""
        known, own = self.server.hosts, self.connection.getsockname()[0]
        if known is None:
            return True
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        named = [f"//{host}"] if host else []
        try:
            found = [urlsplit(url).hostname for url in (named if origin is None else [*named, origin])]
        except ValueError:
            return False
        return all(name is not None and (name in known or name == own) for name in found)

    def _answer(self, length: int) -> None:
        body = self.rfile.read(length)
        if len(body) < length:
            self._reply(400, "the message was cut short")
            return
        self.server.places.heard(self.connection)
        try:
            self._reply(200, self.server.agent.answer(body.decode("utf-8", "replace")))
        except ProtocolError as error:
            self._reply(400, str(error)[:300])

    def do_GET(self) -> None:
        self._reply(405, "a game player answers POST only")

    def _reply(self, status: int, text: str) -> None:
        self.connection.settimeout(READ_SECONDS)
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", CONTENT_TYPE)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """No log: a manager that sends garbage must not fill it."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], agent: Answering, hosts: frozenset[str] | None) -> None:
        self.agent, self.hosts = agent, hosts
        self.large = threading.BoundedSemaphore(MOST_LARGE)
        self.places = _Places(MOST_CONNECTIONS)
        super().__init__(address, _Handler)

    def verify_request(self, request: Any, client_address: object) -> bool:
        """Take a place; without one the connection is closed."""
        return self.places.take(request)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection, however it ends, and give its place back."""
        self.places.leave(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore connections that break."""


class PlayerServer:
    """A player behind HTTP. Use it as a context, or call `serve_forever`.

    >>> from heartlab.ggp import make_game_player
    >>> from heartlab.ggp.protocol import Agent, RemoteSeat
    >>> with PlayerServer(Agent(lambda seed: make_game_player("random", seed))) as server:
    ...     RemoteSeat(server.url).ask("(info)", seconds=60)
    '((name heartlab)(status available))'
    """

    def __init__(
        self, agent: Answering, host: str = "127.0.0.1", port: int = 0, hosts: frozenset[str] | None = frozenset()
    ) -> None:
        """A server at an address.

        :param hosts: further names by which it may be called; None allows any. It always answers to the names of this
            machine for itself, to `host` and to the address at which a connection comes in.
        """
        self.http = _Server((host, port), agent, None if hosts is None else frozenset({*LOOPBACK, host, *hosts}))
        self.thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Where to reach the player."""
        host, port = self.http.server_address[:2]
        return f"http://{host!s}:{port}"

    def serve_forever(self) -> None:
        """Answer until interrupted."""
        with self.http:
            self.http.serve_forever()

    def __enter__(self) -> PlayerServer:
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.http.shutdown()
        self.http.server_close()
        if self.thread is not None:
            self.thread.join()
