"""The server: the page over HTTP, sessions over one WebSocket per browser.

Input is untrusted: it is limited in size and rate before it is read, then decoded into a known message or answered
with an error that names what was wrong. Nothing that a client sends can stop another one: work is done in turns
(:mod:`heartlab.web.workers`), one message of a connection at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
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
from heartlab.web.coaching import CoachService
from heartlab.web.commitment import Shared
from heartlab.web.finished import deals_played, games_played, read_deals, replay_deal
from heartlab.web.gate import Gate, Stage
from heartlab.web.history import import_deals
from heartlab.web.house import LOST, House, KeyRefused, Live, TooMuch, refusal
from heartlab.web.how import how_to_play
from heartlab.web.session import Session, SessionError
from heartlab.web.store import Settings, StoreError
from heartlab.web.view import make_view

PAGE = Path(__file__).parent / "page"
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
NO_TABLE = "open or create a table first"
WRONG = "something went wrong in the server; what was played is kept"
log = logging.getLogger(__name__)

COSTS = {
    "create": 8.0,
    "again": 8.0,
    "read": 12.0,
    "hint": 4.0,
    "check": 4.0,
    "count": 2.0,
    "review": 16.0,
    "history": 8.0,
    "daily": 8.0,
    "compare": 4.0,
    "analyse": 4.0,
    "game": 4.0,
    "puzzle": 2.0,
    "answer": 2.0,
}
"""What a message costs; all others cost one token."""
CAPACITY, PER_SECOND = 60.0, 15.0
MAX_MESSAGE = 256 << 10
"""Characters of the largest message: a record file."""
MAX_ORDINARY = 4 << 10
"""Characters of the largest message of any other kind."""
PENALTY = 1 / PER_SECOND
"""Seconds that a connection without tokens has to wait for the answer that says so."""


def entry_cost(size: int) -> float:
    """What a message costs before anybody has read it: a large one can only be a record file."""
    return COSTS["read"] if size > MAX_ORDINARY else 1.0


def further_cost(kind: str, size: int) -> float:
    """What is still to be paid when the kind of a message is known."""
    return max(0.0, COSTS.get(kind, 1.0) - entry_cost(size))


class Bucket:
    """Tokens of one connection."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tokens, self._filled = CAPACITY, clock()

    def take(self, cost: float) -> bool:
        """Pay, if there are tokens enough."""
        now = self._clock()
        self._tokens = min(CAPACITY, self._tokens + (now - self._filled) * PER_SECOND)
        self._filled = now
        if cost > self._tokens:
            return False
        self._tokens -= cost
        return True


class Guarded:
    """Adds the security headers, and refuses requests with an unknown Host or a foreign Origin (DNS rebinding)."""

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


class Connection:
    """One browser: reads its messages and answers them."""

    def __init__(self, house: House, coach: CoachService, socket: WebSocket, gate: Gate | None = None) -> None:
        self.house, self.coach, self.socket, self.gate = house, coach, socket, gate
        self.live: Live | None = None
        self.bucket = Bucket()
        self.secret = secrets.token_hex(32)
        self._answers: dict[type, Callable[[Any], Awaitable[None]]] = {
            m.Create: self.create, m.Describe: self.describe, m.Open: self.open, m.Pass: self.pass_cards,
            m.Play: self.play, m.Undo: self.undo, m.Claim: self.claim, m.Moon: self.choose_moon,
            m.Next: self.next_deal, m.Again: self.again,
            m.Hint: self.hint, m.Check: self.check, m.Count: self.count, m.Review: self.review, m.Replay: self.replay,
            m.Read: self.read, m.History: self.history, m.Game: self.game,
            m.Daily: self.daily, m.Compare: self.compare, m.Analyse: self.analyse, m.Puzzle: self.puzzle,
            m.Answer: self.answer, m.Level: self.level,
        }  # fmt: skip

    async def send(self, message: m.Outgoing) -> None:
        """Send one message.

        :raises WebSocketDisconnect: if the browser has left, however that was noticed.
        """
        try:
            await self.socket.send_text(m.encode(message))
        except RuntimeError as error:
            raise WebSocketDisconnect(1006) from error

    async def run(self) -> None:
        """Talk until the browser leaves."""
        try:
            await self.socket.accept()
            await self.send(self.house.hello(Shared(self.secret, "").promise))
            await self.follow_warmup()
            while True:
                got = await self.socket.receive()
                if got["type"] == "websocket.disconnect":
                    break
                self.tell_gate(Stage.BUSY)
                await self.hear(got.get("text"), len(got.get("bytes") or b""))
                if self.live is None:
                    self.tell_gate(Stage.IDLE)
        except (WebSocketDisconnect, RuntimeError):
            await asyncio.sleep(0)  # the end of the connection is noted first, and nothing is logged about it
        finally:
            self.house.warmup.leave(self)
            if self.live is not None:
                self.house.leave(self.live, self)

    async def follow_warmup(self) -> None:
        """Tell how far the compilation is, as long as it is not done."""
        loop, ready = asyncio.get_running_loop(), self.house.warmup.ready
        if ready.done == ready.of:
            return

        async def tell(ready: m.Ready) -> None:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await self.send(ready)

        def hear(ready: m.Ready) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                asyncio.run_coroutine_threadsafe(tell(ready), loop)

        self.house.warmup.listen(self, hear)
        await self.send(self.house.warmup.ready)

    def tell_gate(self, stage: Stage) -> None:
        """Who works for somebody, or has a table, does not make way for others."""
        if self.gate is not None and self.socket.client is not None:
            self.gate.move((self.socket.client.host, self.socket.client.port), stage)

    async def hear(self, text: str | None, size: int = 0) -> None:
        """Answer one message; an error becomes an answer as well. `size` is that of a binary message."""
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
        except WebSocketDisconnect:
            raise
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
        except (SessionError, ValueError) as error:
            await self.send(m.Failed("table", str(error)[:300]))
        except Exception:
            if self.socket.client_state != WebSocketState.CONNECTED:
                raise
            log.exception("a message failed")
            await self.send(m.Failed("server", WRONG))

    async def pay(self, cost: float) -> None:
        """Take tokens; without them the answer is delayed, so that a flood is read slowly.

        :raises TooMuch: if there are not enough.
        """
        if not self.bucket.take(cost):
            await asyncio.sleep(PENALTY)
            raise TooMuch("too many messages; wait a moment")

    def at_session(self) -> Live:
        """The session that this browser looks at.

        :raises SessionError: if it looks at none.
        """
        if self.live is None:
            raise SessionError(NO_TABLE)
        if self.live.lost:
            raise SessionError(LOST)
        return self.live

    async def sit(self, live: Live, *, tell_key: bool) -> None:
        """Look at a session from now on; the one before is left last, so that it stays in memory if it is the same."""
        before, self.live = self.live, live
        live.guests[self] = self.send
        if before is not None and before is not live:
            self.house.leave(before, self)
        if tell_key:
            await self.send(m.Opened(live.key))
        async with live.changing:
            shown = None if live.lost else self.first_sight(live.session)
        if live.lost:  # what was being written was not kept
            await self.sit(await self.house.open(live.key), tell_key=False)
            return
        if shown is not None:
            await self.send(shown)
        self.house.drive(live)

    def first_sight(self, session: Session) -> m.View | m.Deals | None:
        """What somebody sees who sits down; at a watched table only a deal that is over."""
        if not session.settings.watch:
            return make_view(session, m.Event("opened"))
        return replay_deal(session, session.row.number) if session.deal.is_over else None

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
        await self.house.pass_cards(self.at_session(), message.cards)

    async def play(self, message: m.Play) -> None:
        await self.house.play(self.at_session(), message.card, message.at)

    async def undo(self, message: m.Undo) -> None:
        await self.house.undo(self.at_session())

    async def claim(self, message: m.Claim) -> None:
        await self.house.claim(self.at_session(), message.what)

    async def choose_moon(self, message: m.Moon) -> None:
        await self.house.choose_moon(self.at_session(), message.what)

    async def next_deal(self, message: m.Next) -> None:
        shared = self.shared(message.share)
        await self.house.next_deal(self.at_session(), shared)
        await self.promise_again(shared)

    async def again(self, message: m.Again) -> None:
        await self.sit(await self.house.again(self.at_session(), message.number, message.at), tell_key=True)

    async def daily(self, message: m.Daily) -> None:
        self.house.check_house(message.house)
        await self.sit(await self.house.daily(message.name), tell_key=True)

    async def compare(self, message: m.Compare) -> None:
        await self.send(await self.house.compare(self.at_session()))

    async def replay(self, message: m.Replay) -> None:
        live = self.at_session()
        await self.send(await self.house.prepare(replay_deal, live.session, message.number))

    async def read(self, message: m.Read) -> None:
        self.house.check_house(message.house)
        if message.into is None:
            await self.send(await self.house.think(read_deals, message.text))
            return
        await self.send(m.Imported(await self.house.think(import_deals, self.house.store, message.into, message.text)))

    async def history(self, message: m.History) -> None:
        self.house.check_house(message.house)
        await self.send(
            m.Games(await self.house.think(games_played, self.house.store, message.name, self.house.dealer))
        )

    async def game(self, message: m.Game) -> None:
        self.house.check_house(message.house)
        house, wanted = self.house, (message.name, message.key, message.number)
        await self.send(await house.think(deals_played, house.store, *wanted, house.dealer))

    async def hint(self, message: m.Hint) -> None:
        await self.send(await self.coach.hint(self.at_session(), self.send))

    async def check(self, message: m.Check) -> None:
        await self.send(await self.coach.check(self.at_session(), self.send))

    async def count(self, message: m.Count) -> None:
        await self.send(await self.coach.count(self.at_session(), self.send))

    async def review(self, message: m.Review) -> None:
        await self.send(await self.coach.review(self.at_session(), message.number, self.send))

    async def analyse(self, message: m.Analyse) -> None:
        self.house.check_house(message.house)
        await self.send(await self.coach.analyse(message.record, message.at, self.send))

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


async def _worker(request: Request) -> Response:
    """The service worker, at the top so that it serves the whole page."""
    return FileResponse(PAGE / "worker.js", media_type="text/javascript")


def make_app(house: House, coach: CoachService, hosts: set[str] | None = None, gate: Gate | None = None) -> ASGIApp:
    """The application; `hosts` are the names by which it may be called, None means any."""

    async def talk(socket: WebSocket) -> None:
        await Connection(house, coach, socket, gate).run()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> Any:
        yield
        for live in list(house.live.values()):
            if live.driving is not None:
                live.driving.cancel()

    routes = [
        Route("/", _index),
        Route("/worker.js", _worker),
        WebSocketRoute("/ws", talk),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    return Guarded(Starlette(routes=routes, lifespan=lifespan), hosts)
