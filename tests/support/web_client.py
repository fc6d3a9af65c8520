"""A server for tests, in this process or its own, and a client that keeps all that it is sent."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import connect

from heartlab.cards import CardSet
from heartlab.coach.judgement import Judge
from heartlab.web.bots import Bots
from heartlab.web.coaching import CoachService
from heartlab.web.friends import Friends, Patience
from heartlab.web.gate import Gate, Limits
from heartlab.web.guard import LOOPBACK, Hosts
from heartlab.web.house import House
from heartlab.web.pacing import Pacing
from heartlab.web.server import make_app
from heartlab.web.session import deal_out
from heartlab.web.store import Store
from heartlab.web.tokens import MAX_MESSAGE
from heartlab.web.transport import Config, Server

QUICK_WORLDS = 20
"""Worlds of the coach in tests."""


class Served:
    """A running server."""

    def __init__(self, house: House, port: int, loop: asyncio.AbstractEventLoop, gate: Gate) -> None:
        self.house, self.port, self.loop, self.gate = house, port, loop, gate

    @property
    def key(self) -> str:
        return self.house.key

    @property
    def page(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def client(self) -> Client:
        return Client(self.port)


@contextmanager
def serving(
    path: Any = ":memory:",
    *,
    worlds: int = QUICK_WORLDS,
    dealer: Any = deal_out,
    limits: Limits | None = None,
    hosts: Hosts | None = None,
    patience: Patience | None = None,
) -> Iterator[Served]:
    """A server on a free port of this process, which shows cards as soon as they are chosen."""
    house = House(Store(path), Bots(), dealer=dealer, pacing=Pacing(slots=()))
    gate = Gate(limits)
    hosts = hosts or Hosts(frozenset(LOOPBACK))
    app = make_app(house, CoachService(house, lambda: Judge(worlds=worlds)), hosts, gate, Friends(house, patience))
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = Server(Config(app, gate, 2 * MAX_MESSAGE))
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve(sockets=[listener])

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Served(house, listener.getsockname()[1], loops[0], gate)
    finally:
        server.should_exit = True
        thread.join(600)
        house.close()


class Client:
    """One browser's end of the line."""

    def __init__(self, port: int) -> None:
        self._line = connect(f"ws://127.0.0.1:{port}/ws", max_size=None, open_timeout=600, ping_interval=None)
        self.socket = self._line.__enter__()
        self.traffic: list[str] = []
        self.heard: list[dict[str, Any]] = []
        self.view: dict[str, Any] = {}
        self.key = ""
        self.hello = self.receive()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.__exit__(None, None, None)

    def say(self, kind: str, **values: Any) -> None:
        self.socket.send(json.dumps({"type": kind, **values}))

    def receive(self, timeout: float = 300) -> dict[str, Any]:
        text = self.socket.recv(timeout)
        assert isinstance(text, str)
        self.traffic.append(text)
        got: dict[str, Any] = json.loads(text)
        self.heard.append(got)
        if got["type"] == "view":
            self.view = got
        return got

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Receive until a message is as wanted."""
        while True:
            got = self.receive()
            if wanted(got):
                return got

    def ask(self, kind: str, answer: str, **values: Any) -> dict[str, Any]:
        """Say something and wait for an answer of a kind (or a failure)."""
        self.say(kind, **values)
        return self.until(lambda got: got["type"] in (answer, "failed", "refused"))

    def create(self, house: str, players: list[str] | None = None, **settings: Any) -> dict[str, Any]:
        self.key = self.ask("create", "opened", house=house, players=players or ["gnome"] * 3, **settings)["key"]
        if not settings.get("watch"):
            return self.my_turn()
        return {}

    def my_turn(self) -> dict[str, Any]:
        """Receive until the person has to do something."""
        return self.until(lambda got: got["type"] == "view" and waits(got))

    def act(self, choose: Callable[[dict[str, Any]], Any] | None = None) -> dict[str, Any]:
        """Do the next thing in the simplest way, and wait for the next turn."""
        view = self.view
        if view["phase"] == "pass":
            self.say("pass", cards=view["may_pass"][: view["pass_count"]])
        elif view["phase"] == "over":
            self.say("next")
        else:
            self.say("play", card=choose(view) if choose else view["legal"][0], at=view["plays"])
        self.receive()
        return self.view if waits(self.view) else self.my_turn()

    def finish_deal(self) -> dict[str, Any]:
        while self.view["phase"] not in ("over", "end"):
            self.act()
        return self.view


def waits(view: dict[str, Any]) -> bool:
    """Whether a view leaves the next step to the person."""
    return bool(view["may_pass"]) or bool(view["legal"]) or view["phase"] in ("over", "end")


def moon_hands() -> list[CardSet]:
    """Hands with which seat 0 takes every trick after the first card."""
    mine = CardSet("AC AS KS QS AH KH QH JH TH 9H 8H 7H 6H")
    rest = [card for card in range(52) if card not in mine]
    return [mine, *(CardSet(rest[start::3]) for start in range(3))]
