"""The server of a general game for tests, in this process."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from heartlab.web.gate import Gate
from heartlab.web.gdl_talk import Shown, make_app
from heartlab.web.guard import LOOPBACK, Hosts
from heartlab.web.transport import Config, Server


@contextmanager
def serving_game(shown: Shown) -> Iterator[int]:
    """Serve a game on a free port, which is returned."""
    gate = Gate()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = Server(Config(make_app(shown, Hosts(frozenset(LOOPBACK)), gate), gate, 10_000))
    thread = threading.Thread(target=asyncio.run, args=(server.serve(sockets=[listener]),), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(600)
        shown.threads.shutdown()
