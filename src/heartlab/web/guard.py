"""Before the application: security headers, and requests with an unknown Host or a foreign Origin turned away.

A page of another site can make a browser send requests here, and a name of another site can be made to lead here (DNS
rebinding). So a server that only this computer reaches answers to the names of this computer; one that others reach
answers to addresses in numbers, which no name service can forge, and to the names that it was told.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "manifest-src 'self'; worker-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass(frozen=True)
class Hosts:
    """The names by which a server may be called.

    >>> lan = Hosts.beyond(["hearts.example"])
    >>> [lan.knows(name) for name in ("192.168.1.7", "fe80::1", "hearts.example", "evil.example", None)]
    [True, True, True, False, False]
    """

    names: frozenset[str]
    numbers: bool = False
    """Whether any address in numbers is one."""

    @classmethod
    def beyond(cls, names: Iterable[str] = ()) -> Hosts:
        """For a server that other computers reach: its own name, as networks at home write it, and given ones."""
        own = socket.gethostname().lower()
        short = own.partition(".")[0]
        return cls(frozenset({*LOOPBACK, own, short, f"{short}.local", *(name.lower() for name in names)}), True)

    def knows(self, name: str | None) -> bool:
        """Whether a request may name this host."""
        if name is None:
            return False
        if name in self.names:
            return True
        try:
            return self.numbers and bool(ipaddress.ip_address(name))
        except ValueError:
            return False


class Guarded:
    """Adds the security headers, and refuses requests with an unknown Host or a foreign Origin (DNS rebinding)."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = headers.get("host", ""), headers.get("origin")
        try:
            known = self.hosts.knows(urlsplit(f"//{host}").hostname)
            same = origin is None or scope["type"] == "http" or urlsplit(origin).netloc == host
        except ValueError:
            known = same = False
        if not (known and same):
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1008})
            else:
                await PlainTextResponse("unknown Host header\n", 421)(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
                ]
            await send(message)

        await self.app(scope, receive, sending)


def own_addresses() -> list[str]:
    """The addresses by which other computers of the network probably reach this one, the usual one first."""
    found: list[str] = []
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing: the system only says from where it would
        found.append(str(probe.getsockname()[0]))
    with contextlib.suppress(OSError):
        found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return [one for one in dict.fromkeys(found) if not ipaddress.ip_address(one).is_loopback]
