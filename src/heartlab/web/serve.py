"""`heartlab play`: start the server and open the page."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from heartlab.util.interrupts import signals_held
from heartlab.util.locks import alone
from heartlab.web.bots import LEVELS, Bots
from heartlab.web.coaching import CoachService
from heartlab.web.gate import make_gate
from heartlab.web.house import House
from heartlab.web.server import LOOPBACK, MAX_MESSAGE, make_app
from heartlab.web.store import Store
from heartlab.web.transport import Config, Server
from heartlab.web.warmup import COACH, TABLE, Warmup, open_table, try_player

if TYPE_CHECKING:
    from heartlab.coach.judgement import Judge

BEYOND = """\
This server listens on {host}, beyond this computer: everybody who can reach it AND knows the key in the
address below can open tables and use this machine's time. The connection is not encrypted; whoever can watch the
network can read keys and cards. Put a proxy with TLS before it if the network is not yours."""


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
        advice = "; --port 0 takes a free one" if port else ""
        raise ValueError(f"cannot listen on {host} port {port}: {error.strerror}{advice}") from error
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
) -> None:
    """`heartlab play`: serve until interrupted.

    :raises ValueError: if the address is not allowed or in use, or a player cannot be made.
    """
    local = host in LOOPBACK
    if not local and not beyond:
        raise ValueError(
            f"--host {host} lets other computers in; add --beyond-this-computer if that is meant. "
            "Without --host only this computer can connect"
        )
    path = file or default_file()
    if path.is_dir():
        raise ValueError(f"{path} is a folder; games are kept in a file")
    bots = Bots(players)
    for name in players:
        bots.player(name)
    make_judge = partial(_judge, coach)
    if coach is not None:
        make_judge().prepare()
    listener = bind(host, port)
    busy = f"{path} is in use by another `heartlab play`: use that one, or give this one --file OTHER"
    with contextlib.closing(listener), alone(Path(f"{path}.lock"), busy):
        _serve(listener, host, path, bots, make_judge, browser=browser, workers=workers)


def _judge(name: str | None) -> Judge:
    """The judge of the coach, by the name of a player; imported here because that compiles."""
    from heartlab.coach.judgement import COACH, Judge

    return Judge(name or COACH)


def _serve(
    listener: socket.socket,
    host: str,
    path: Path,
    bots: Bots,
    make_judge: Callable[[], Judge],
    *,
    browser: bool,
    workers: int,
) -> None:
    """Serve until interrupted."""
    local = host in LOOPBACK
    gate = make_gate()
    store = Store(path)
    names = dict.fromkeys(name for level in LEVELS for name in level.players)
    warmup = Warmup([(TABLE, open_table), *((name, partial(try_player, bots, name)) for name in names)])
    house = House(store, bots, workers=workers, warmup=warmup)
    coach = CoachService(house, make_judge)
    warmup.add(COACH, coach.prepare)
    app = make_app(house, coach, LOOPBACK if local else None, gate)
    server = Server(Config(app, gate, 2 * MAX_MESSAGE))
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}/#{house.key}"
    with signals_held(server.stop), contextlib.closing(house), contextlib.suppress(KeyboardInterrupt):
        if not local:
            print(BEYOND.format(host=host), file=sys.stderr)
        print(f"Hearts is served at {address}", flush=True)
        print(f"Games are kept in {store.path}; Ctrl+C ends the server and loses nothing.", file=sys.stderr, flush=True)
        threading.Thread(target=warmup.run, daemon=True).start()
        if browser:
            threading.Timer(0.5, lambda: webbrowser.open(address)).start()
        server.run(sockets=[listener])
