"""A table of friends in tests: several clients that act one after the other, each by what it was told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from support.web_client import Client, Served

NAMES = ["Zoe", "Max", "Lea", "Kim", "Ben", "Pia"]


class Friends:
    """The people of one table; the first one is the host. All have read what they were sent whenever nobody acts."""

    def __init__(self, served: Served, stack: ExitStack, people: int, **settings: Any) -> None:
        self.served, self.stack = served, stack
        host = stack.enter_context(served.client())
        seats = settings.pop("seats", 4)
        bots = ["gnome"] * (seats - 1)
        answer = host.ask("create", "opened", house=served.key, players=bots, name=NAMES[0], friends=True, **settings)
        host.key = answer["key"]
        self.clients = [host]
        self.room(host)
        self.invitation = self.room(host, again=False)["invitation"]
        for name in NAMES[1:people]:
            self.clients.append(self.join(name))

    @property
    def host(self) -> Client:
        return self.clients[0]

    def room(self, client: Client, *, again: bool = True) -> dict[str, Any]:
        """The last room that a client was told of; with `again`, the next one."""
        if again:
            client.until(lambda got: got["type"] == "room")
        return next(got for got in reversed(client.heard) if got["type"] == "room")

    def join(self, name: str, invitation: str = "") -> Client:
        """Somebody sits down; everybody is told."""
        client = self.stack.enter_context(self.served.client())
        client.key = client.ask("join", "opened", invitation=invitation or self.invitation, name=name)["key"]
        for one in [*self.clients, client]:
            self.room(one)
        if self.host.view:
            self.settle()
        return client

    def begin(self) -> None:
        self.host.say("next", share="ab" * 8)
        self.settle()

    def settle(self, *clients: Client) -> None:
        """Read until the table waits for somebody, or the game is over."""
        for client in clients or self.clients:
            client.until(lambda got: got["type"] == "view" and (bool(got["waiting"]) or got["phase"] == "end"))

    @property
    def awaited(self) -> Client | None:
        """Somebody for whom the table waits."""
        return next((one for one in self.clients if 0 in one.view.get("waiting", [])), None)

    def act(self, choose: Callable[[dict[str, Any]], str] | None = None) -> Client:
        """Let somebody do the next thing in the simplest way."""
        client = self.awaited
        assert client is not None
        view = client.view
        if view["phase"] == "pass":
            client.say("pass", cards=view["may_pass"][: view["pass_count"]])
        elif view["phase"] == "play":
            client.say("play", card=choose(view) if choose else view["legal"][0], at=view["plays"])
        elif view["phase"] == "moon":
            client.say("moon", what="others")
        else:
            client.say("next")
        self.settle()
        return client

    def finish_deal(self, choose: Callable[[dict[str, Any]], str] | None = None) -> None:
        while self.host.view["phase"] not in ("over", "end"):
            self.act(choose)


@contextmanager
def friends_at(served: Served, people: int, **settings: Any) -> Iterator[Friends]:
    """A table with so many people."""
    with ExitStack() as stack:
        yield Friends(served, stack, people, **settings)
