"""The server: the page over HTTP, the tables over one WebSocket per browser.

Everything that comes in is untrusted: it is limited in size and rate before it is looked at, then decoded into a known
message or answered with an error that names what was wrong; keys open what they open. Nothing that a client sends can
stop another one; what it asks for is worked on in turns (:mod:`heartlab.web.workers`), one question of a connection at
a time.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from heartlab.cards import CardError, parse_card
from heartlab.deal import IllegalPlay
from heartlab.rules import Rules
from heartlab.web import messages as m
from heartlab.web.coaching import Coach
from heartlab.web.commitment import Shared
from heartlab.web.house import LOST, House, KeyRefused, Live, TooMuch, refusal
from heartlab.web.how import how_to_play
from heartlab.web.limits import MAX_MESSAGE, MAX_ORDINARY, PENALTY, Bucket, entry_cost, further_cost
from heartlab.web.seated import TableError
from heartlab.web.store import Settings, StoreError
from heartlab.web.view import make_view

PAGE = Path(__file__).parent / "page"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
NO_TABLE = "open or create a table first"
WRONG = "something went wrong in the server; what was played is kept"
log = logging.getLogger(__name__)


class Guarded:
    """Adds the security headers, and turns away requests that name another host (DNS rebinding)."""

    def __init__(self, app: ASGIApp, hosts: set[str] | None) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = headers.get("host", ""), headers.get("origin")
        try:
            known = self.hosts is None or urlsplit(f"//{host}").hostname in self.hosts
            same = origin is None or scope["type"] == "http" or urlsplit(origin).netloc == host
        except ValueError:
            known = same = False
        if not (known and same):
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1008})
            else:
                await PlainTextResponse("this server has another name\n", 421)(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
                ]
            await send(message)

        await self.app(scope, receive, sending)


class Connection:
    """One browser: reads its messages and answers them."""

    def __init__(self, house: House, coach: Coach, socket: WebSocket) -> None:
        self.house, self.coach, self.socket = house, coach, socket
        self.live: Live | None = None
        self.bucket = Bucket()
        self.secret = secrets.token_hex(32)
        self._answers: dict[type, Callable[[Any], Awaitable[None]]] = {
            m.Create: self.create, m.Describe: self.describe, m.Open: self.open, m.Pass: self.pass_cards,
            m.Play: self.play, m.Undo: self.undo, m.Claim: self.claim, m.Moon: self.choose_moon,
            m.Next: self.next_deal, m.Again: self.again,
            m.Hint: self.hint, m.Check: self.check, m.Count: self.count, m.Review: self.review, m.Replay: self.replay,
            m.Read: self.read, m.Puzzle: self.puzzle, m.Answer: self.answer, m.Level: self.level,
        }  # fmt: skip

    async def send(self, message: m.Outgoing) -> None:
        """Send one message."""
        await self.socket.send_text(m.encode(message))

    async def run(self) -> None:
        """Talk until the browser leaves."""
        await self.socket.accept()
        try:
            await self.send(self.house.hello(Shared(self.secret, "").promise))
            while True:
                got = await self.socket.receive()
                if got["type"] == "websocket.disconnect":
                    break
                await self.hear(got.get("text"), len(got.get("bytes") or b""))
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            if self.live is not None:
                self.house.leave(self.live, self)

    async def hear(self, text: str | None, size: int = 0) -> None:
        """Follow one message; whatever is wrong with it becomes an answer. `size` is that of one that is no text."""
        card = None
        size = size if text is None else len(text)
        try:
            await self.pay(entry_cost(size))
            if text is None:
                raise msgspec.ValidationError("messages are texts")
            if size > MAX_MESSAGE or (size > MAX_ORDINARY and '"read"' not in text[:200]):
                raise TooMuch(f"a message has at most {MAX_ORDINARY} characters, a record file {MAX_MESSAGE}")
            message = m.decode(text)
            await self.pay(further_cost(str(message.__struct_config__.tag), size))
            card = getattr(message, "card", None)
            await self._answers[type(message)](message)
        except (msgspec.ValidationError, msgspec.DecodeError, UnicodeError) as error:
            await self.send(m.Failed("message", str(error)[:300]))
        except KeyRefused as error:
            await self.send(m.Failed("key", str(error)))
        except TooMuch as error:
            await self.send(m.Failed("limit", str(error)))
        except IllegalPlay as error:
            await self.send(refusal(error, None if card is None else parse_card(card)))
        except CardError as error:
            await self.send(m.Failed("message", str(error)[:300]))
        except StoreError as error:
            await self.send(m.Failed("server", str(error)[:300]))
        except (TableError, ValueError) as error:
            await self.send(m.Failed("table", str(error)[:300]))
        except Exception:
            if self.socket.client_state != WebSocketState.CONNECTED:
                raise
            log.exception("a message could not be followed")
            await self.send(m.Failed("server", WRONG))

    async def pay(self, cost: float) -> None:
        """Take tokens; who has none waits for the answer, so that a flood is read slowly.

        :raises TooMuch: if there are not enough.
        """
        if not self.bucket.take(cost):
            await asyncio.sleep(PENALTY)
            raise TooMuch("too many messages; wait a moment")

    def at_table(self) -> Live:
        """The table that this browser looks at.

        :raises TableError: if it looks at none.
        """
        if self.live is None:
            raise TableError(NO_TABLE)
        if self.live.lost:
            raise TableError(LOST)
        return self.live

    async def sit(self, live: Live, *, tell_key: bool) -> None:
        """Look at a table from now on; the one before is left last, so that it stays in memory if it is the same."""
        before, self.live = self.live, live
        live.guests[self] = self.send
        if before is not None and before is not live:
            self.house.leave(before, self)
        if tell_key:
            await self.send(m.Opened(live.key))
        if not live.table.settings.watch:
            await self.send(make_view(live.table, m.Event("opened")))
        elif live.table.deal.is_over:
            await self.send(self.house.replay(live.table, live.table.row.number))
        self.house.drive(live)

    def shared(self, share: str | None) -> Shared | None:
        """The secret that was promised to this browser, with the text that it chose after that."""
        return None if share is None else Shared(self.secret, share)

    async def promise_again(self, used: Shared | None) -> None:
        """A secret serves one deal: promise the next one."""
        if used is not None:
            self.secret = secrets.token_hex(32)
            await self.send(m.Promised(Shared(self.secret, "").promise))

    # --- one method per message ---

    async def create(self, message: m.Create) -> None:
        self.house.check_house(message.house)
        settings = Settings(
            rules=message.rules, players=message.players, name=message.name, seed=message.seed,
            practice=message.practice, watch=message.watch,
        )  # fmt: skip
        shared = self.shared(message.share)
        await self.sit(await self.house.create(settings, shared=shared), tell_key=True)
        await self.promise_again(shared)

    async def describe(self, message: m.Describe) -> None:
        self.house.check_house(message.house)
        rules = Rules.parse(message.rules)
        await self.send(m.Described(message.rules, str(rules), rules.players, how_to_play(rules)))

    async def open(self, message: m.Open) -> None:
        await self.sit(await self.house.open(message.key), tell_key=False)

    async def pass_cards(self, message: m.Pass) -> None:
        await self.house.pass_cards(self.at_table(), message.cards)

    async def play(self, message: m.Play) -> None:
        await self.house.play(self.at_table(), message.card, message.at)

    async def undo(self, message: m.Undo) -> None:
        await self.house.undo(self.at_table())

    async def claim(self, message: m.Claim) -> None:
        await self.house.claim(self.at_table(), message.what)

    async def choose_moon(self, message: m.Moon) -> None:
        await self.house.choose_moon(self.at_table(), message.what)

    async def next_deal(self, message: m.Next) -> None:
        shared = self.shared(message.share)
        await self.house.next_deal(self.at_table(), shared)
        await self.promise_again(shared)

    async def again(self, message: m.Again) -> None:
        await self.sit(await self.house.again(self.at_table(), message.number, message.at), tell_key=True)

    async def replay(self, message: m.Replay) -> None:
        live = self.at_table()
        await self.send(await self.house.prepare(self.house.replay, live.table, message.number))

    async def read(self, message: m.Read) -> None:
        self.house.check_house(message.house)
        await self.send(await self.house.think(self.house.read, message.text))

    async def hint(self, message: m.Hint) -> None:
        await self.send(await self.coach.hint(self.at_table(), self.send))

    async def check(self, message: m.Check) -> None:
        await self.send(await self.coach.check(self.at_table(), self.send))

    async def count(self, message: m.Count) -> None:
        await self.send(await self.coach.count(self.at_table(), self.send))

    async def review(self, message: m.Review) -> None:
        await self.send(await self.coach.review(self.at_table(), message.number, self.send))

    async def puzzle(self, message: m.Puzzle) -> None:
        self.house.check_house(message.house)
        await self.send(await self.coach.puzzle(message.name))

    async def answer(self, message: m.Answer) -> None:
        self.house.check_house(message.house)
        await self.send(await self.coach.answer(message.name, message.puzzle, message.card, self.send))

    async def level(self, message: m.Level) -> None:
        self.house.check_house(message.house)
        await self.send(await self.coach.level(message.name))


async def _index(request: Request) -> Response:
    return FileResponse(PAGE / "index.html")


def make_app(house: House, coach: Coach, hosts: set[str] | None = None) -> ASGIApp:
    """The application; `hosts` are the names by which it may be called, None means any."""

    async def talk(socket: WebSocket) -> None:
        await Connection(house, coach, socket).run()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> Any:
        yield
        for live in list(house.live.values()):
            if live.driving is not None:
                live.driving.cancel()

    routes = [
        Route("/", _index),
        WebSocketRoute("/ws", talk),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    return Guarded(Starlette(routes=routes, lifespan=lifespan), hosts)
