"""`heartlab play`: start the server and open the page."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from heartlab.util.interrupts import signals_held
from heartlab.util.locks import alone
from heartlab.web.bots import Bots
from heartlab.web.coaching import CoachService
from heartlab.web.gate import make_gate
from heartlab.web.guard import LOOPBACK, Hosts, own_addresses
from heartlab.web.house import House
from heartlab.web.server import make_app
from heartlab.web.store import Store
from heartlab.web.tokens import MAX_MESSAGE
from heartlab.web.transport import Config, Server
from heartlab.web.warmup import COACH, Warmup, usual_steps

if TYPE_CHECKING:
    from heartlab.coach.judgement import Judge

BEYOND = """\
This server listens on {host}, beyond this computer. What that opens:
- Whoever has an invitation link can sit down at that one table, and can do nothing else.
- Whoever has the address below, with the key of this house in it, can open tables, read all histories and use this
  machine's time. Keep it to yourself, and send invitations.
- The connection is not encrypted: whoever can watch the network can read keys and cards. If the network is not yours,
  put a proxy with TLS before it and name it with --allow-host.
- It answers to addresses in numbers and to {names}; other names are turned away."""


def default_file() -> Path:
    """Where games are kept unless told otherwise."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "heartlab" / "games.sqlite"


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    :raises ValueError: if the address cannot be bound.
    """
    if not 0 <= port < 1 << 16:
        raise ValueError(f"--port {port}: a port is a number from 0 to 65535")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ValueError(f"port {port} of {host} is in use; --port 0 takes a free one") from error
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            raise ValueError(f"{host} is no address of this computer; lan means all of them") from error
        raise ValueError(f"cannot listen on {host} port {port}: {error.strerror}") from error
    return listener


def run_server(
    *,
    host: str,
    port: int,
    beyond: bool,
    file: Path | None,
    players: list[str],
    coach: str | None,
    browser: bool,
    workers: int,
    names: Sequence[str] = (),
) -> None:
    """`heartlab play`: serve until interrupted; `names` are further ones by which browsers may call the server.

    :raises ValueError: if the address is not allowed or in use, or a player cannot be made.
    """
    if host not in LOOPBACK and not beyond:
        raise ValueError(
            f"--host {host} lets other computers in; --listen {host} says that this is meant. "
            "Without either only this computer can connect"
        )
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9.-]{1,253}", name):
            raise ValueError(f"--allow-host {name[:60]}: a name without port and slashes is needed, such as hearts.lan")
    path = file or default_file()
    if path.is_dir():
        raise ValueError(f"{path} is a folder; games are kept in a file")
    bots = Bots(players)
    for name in players:
        bots.player(name)
    make_judge = partial(_judge, coach)
    if coach is not None:
        make_judge().load()
    listener = bind(host, port)
    busy = f"{path} is in use by another `heartlab play`: use that one, or give this one --file OTHER"
    with contextlib.closing(listener), alone(Path(f"{path}.lock"), busy):
        _serve(listener, Place(host, tuple(names)), path, bots, make_judge, browser=browser, workers=workers)


@dataclass(frozen=True)
class Place:
    """Where a server listens, and how it is called."""

    host: str
    names: tuple[str, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether only this computer reaches it."""
        return self.host in LOOPBACK

    @property
    def hosts(self) -> Hosts:
        """The names by which browsers may call it."""
        return Hosts(frozenset(LOOPBACK | set(self.names))) if self.is_local else Hosts.beyond(self.names)

    def address(self, port: int) -> str:
        """For the browser of this computer."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def addresses(self, port: int) -> list[str]:
        """For browsers of other computers, for links of invitations."""
        if self.is_local:
            return []
        own = own_addresses() if self.host in ("0.0.0.0", "::") else [self.host]
        return [f"http://[{one}]:{port}" if ":" in one else f"http://{one}:{port}" for one in own]


def _judge(name: str | None) -> Judge:
    """The judge of the coach, by the name of its model; imported here because that takes a while."""
    from heartlab.coach.judgement import Judge
    from heartlab.coach.playing_on import MODEL

    return Judge(name or MODEL)


def _serve(
    listener: socket.socket,
    place: Place,
    path: Path,
    bots: Bots,
    make_judge: Callable[[], Judge],
    *,
    browser: bool,
    workers: int,
) -> None:
    """Serve until interrupted."""
    gate = make_gate()
    store = Store(path)
    warmup = Warmup(usual_steps(bots))
    house = House(store, bots, workers=workers, warmup=warmup)
    coach = CoachService(house, make_judge)
    warmup.add(COACH, coach.prepare)
    port = listener.getsockname()[1]
    house.addresses = place.addresses(port)
    server = Server(Config(make_app(house, coach, place.hosts, gate), gate, 2 * MAX_MESSAGE))
    address = f"{place.address(port)}/#{house.key}"
    with signals_held(server.stop), contextlib.closing(house), contextlib.suppress(KeyboardInterrupt):
        if not place.is_local:
            print(BEYOND.format(host=place.host, names=", ".join(sorted(place.hosts.names))), file=sys.stderr)
        print(f"Hearts is served at {address}", flush=True)
        print(f"Games are kept in {store.path}; Ctrl+C ends the server and loses nothing.", file=sys.stderr, flush=True)
        threading.Thread(target=warmup.run, daemon=True).start()
        if browser:
            threading.Timer(0.5, lambda: webbrowser.open(address)).start()
        server.run(sockets=[listener])
