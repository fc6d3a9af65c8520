"""The server below the application: uvicorn's, with time limits for requests and the gate for connections."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from heartlab.web.gate import Gate, OncePerMinute, Stage

LINGER = 5.0
"""Seconds that a WebSocket which does not answer has to take what was sent."""
MOST_UNREAD = 1 << 20
"""Bytes of a WebSocket's answers that wait for it when it asks for more."""
MOST_PIECES = 1 << 12
"""Frames of one message."""
LOGGERS = ("uvicorn.error", "asyncio", "heartlab.web")
"""Who writes to the log of the server: all modules of this room share the last one, so that none is forgotten."""
AT_ONCE = 16
"""Connections that are accepted before the gate sees them; up to three times as many are open beyond its limit."""
WAITING = 1024
"""Connections that the system keeps waiting until they are accepted."""
NO_ROOM = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
log = logging.getLogger(__package__)


class Config(uvicorn.Config):
    """Settings of uvicorn, and the gate that its connections pass."""

    def __init__(self, app: ASGIApp, gate: Gate, max_message: int) -> None:
        self.gate = gate
        super().__init__(
            app, http=HttpLine, ws=SocketLine, log_level="warning", ws_max_size=max_message, ws_max_queue=16,
            backlog=AT_ONCE, timeout_graceful_shutdown=2, server_header=False, proxy_headers=False,
        )  # fmt: skip


class HttpLine(H11Protocol):
    """An HTTP connection: its request must arrive and its answer be read in time."""

    _timer: asyncio.TimerHandle | None = None
    _answering = False

    @property
    def gate(self) -> Gate:
        return cast(Config, self.config).gate

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._allow(self.gate.limits.request_seconds)
        if self.client is not None:
            self.gate.enter(self.client, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._allow(None)
        if self.client is not None:
            self.gate.leave(self.client)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._answering = False
        self._allow(self.gate.limits.request_seconds)
        self._move(Stage.SILENT)
        self._follow()

    def _follow(self) -> None:
        """After something has arrived: a whole request stops one clock and starts the other, a part does neither."""
        if self.transport.get_protocol() is not self:
            self._allow(None)
            self._move(Stage.IDLE)
        elif not self._answering and self.cycle is not None and not self.cycle.response_complete:
            self._answering = True
            self._allow(self.gate.limits.answer_seconds)
            self._move(Stage.BUSY)

    def _move(self, stage: Stage) -> None:
        if self.client is not None:
            self.gate.move(self.client, stage)

    def _allow(self, seconds: float | None) -> None:
        """Close the connection after so many seconds, unless told otherwise before."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)


class SocketLine(WebSocketsSansIOProtocol):
    """A WebSocket: one that answers no ping is closed even if it does not read.

    So is one that asks for answers of the protocol itself (pongs) and does not read them, or sends a message in
    countless pieces: either would fill the memory.
    """

    def handle_ping(self) -> None:
        super().handle_ping()
        if self.transport.get_write_buffer_size() > MOST_UNREAD:
            self.transport.abort()

    def handle_cont(self, event: Frame) -> None:
        super().handle_cont(event)
        if len(self.frames) > MOST_PIECES:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.client is not None:
            cast(Config, self.config).gate.leave(self.client)

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.loop.call_later(LINGER, self.transport.abort)


class Server(uvicorn.Server):
    """Uvicorn's server, with a log that nobody can fill from outside."""

    def stop(self) -> None:
        """End soon; may be called by the handler of a signal."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(WAITING)  # the event loop has set it to what it accepts at once

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        quiet = OncePerMinute()
        loggers = [logging.getLogger(name) for name in LOGGERS]
        for logger in loggers:
            logger.addFilter(quiet)
        asyncio.get_running_loop().set_exception_handler(note_failure)
        try:
            await super().serve(sockets)
        finally:
            for logger in loggers:
                logger.removeFilter(quiet)


def note_failure(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What the event loop reports: no traceback for a connection that cannot be accepted or was cut off."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        log.warning("a connection cannot be accepted: %s", error.strerror)
    elif isinstance(error, ConnectionError | TimeoutError):
        log.warning("a connection was cut off: %s", type(error).__name__)
    else:
        loop.default_exception_handler(context)
