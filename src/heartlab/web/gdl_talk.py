"""The line between a browser and the server of a general game: messages, their limits, and the application.

One WebSocket at ``/ws``. Input is limited and decoded as in :mod:`heartlab.web.connection`. What is answered depends on
what is served: matches with a person (:mod:`heartlab.web.gdl_serve`), or those of a game manager
(:mod:`heartlab.web.gdl_live`).
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from heartlab.ggp.machine.base import State
from heartlab.ggp.players.prior import Guide
from heartlab.web.gate import Gate, Stage
from heartlab.web.gdl_match import Frame, Game, MoveOpinion, opinion_of
from heartlab.web.guard import Guarded, Hosts
from heartlab.web.server import PAGE
from heartlab.web.tokens import MAX_ORDINARY, Bucket

THOUGHT = 1.0
"""Seconds that the tree thinks about a position."""
Number = Annotated[int, Meta(ge=0, le=1_000_000)]

# --- messages ---


class Begin(Struct, tag="begin", forbid_unknown_fields=True):
    """Begin a match; without a role players play alone."""

    key: Annotated[str, Meta(max_length=64)]
    role: Annotated[int, Meta(ge=0, le=15)] | None = 0
    opponent: Annotated[str, Meta(max_length=80)] = "uct"


class Show(Struct, tag="show", forbid_unknown_fields=True):
    """Show a match from its beginning; without one the game, or the match that a manager is playing."""

    key: Annotated[str, Meta(max_length=64)]
    match: Number | None = None


class Move(Struct, tag="move", forbid_unknown_fields=True):
    """Say a move by its number in the frame `at`."""

    key: Annotated[str, Meta(max_length=64)]
    match: Number
    at: Number
    number: Number


class Think(Struct, tag="think", forbid_unknown_fields=True):
    """Ask what the tree thinks of the moves in a frame."""

    key: Annotated[str, Meta(max_length=64)]
    match: Number
    at: Number


class MatchLine(Struct):
    """A match in the list."""

    match: int
    role: int | None
    opponent: str
    moves: int
    goals: list[int | None] | None
    players: list[str] = []
    """By role, in a match of a manager."""
    mishaps: int = 0
    """How often something went wrong with them."""
    game: str = ""
    """Its name, in a match of a manager."""
    kept: bool = True
    """Whether it can be shown; otherwise only its result is known."""


class Standing(Struct):
    """A player of a tournament in the table, as in the standings of `Tournament`."""

    name: str
    rating: float
    ci95: list[float]
    won: int
    drawn: int
    lost: int
    mean: float | None


class Offered(Struct, tag="game"):
    """The game, its roles and players, and the matches so far."""

    name: str
    roles: list[str]
    machine: str
    players: dict[str, str]
    """Names and what they do."""
    opponent: str
    matches: list[MatchLine]
    total: int = 0
    """How many matches a manager plays; 0 where a person plays."""
    played: int = 0
    """How many of these are over."""
    games: dict[str, list[str]] = {}
    """The roles of each game that a manager plays."""
    standings: list[Standing] = []
    """The table of a tournament, best first."""
    before: int = 0
    """How many of its matches were played before this server began."""


class Frames(Struct, tag="frames"):
    """Moments of a match, from number `first` on."""

    match: int
    first: int
    role: int | None
    frames: list[Frame]
    game: str = ""
    """Its name, in a match of a manager."""


class Thought(Struct, tag="thought"):
    """What the tree thinks."""

    match: int
    at: int
    role: int
    moves: list[MoveOpinion]


class Failed(Struct, tag="failed"):
    """A message that could not be followed."""

    text: str


Incoming = Begin | Show | Move | Think
Outgoing = Offered | Frames | Thought | Failed
_decoder: msgspec.json.Decoder[Incoming] = msgspec.json.Decoder(Incoming)
_encoder = msgspec.json.Encoder()


# --- the line ---


class Shown(ABC):
    """What one server shows: matches, and how messages of browsers are answered."""

    def __init__(self, guide: Guide | None) -> None:
        self.guide = guide
        self.key = secrets.token_urlsafe(16)
        self.threads = ThreadPoolExecutor(2, thread_name_prefix="gdl")

    async def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do something long on a thread."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work, *arguments)

    def attach(self) -> None:  # noqa: B027
        """The server has started; called in its event loop."""

    @abstractmethod
    async def begin(self, guest: Talk, message: Begin) -> None:
        """Answer a browser that begins a match."""

    @abstractmethod
    async def show(self, guest: Talk, message: Show) -> None:
        """Answer a browser that wants to see a match."""

    @abstractmethod
    async def move(self, guest: Talk, message: Move) -> None:
        """Answer a browser that says a move."""

    @abstractmethod
    async def think(self, guest: Talk, message: Think) -> None:
        """Answer a browser that asks what the tree thinks."""

    @abstractmethod
    def leave(self, guest: Talk) -> None:
        """A browser has gone."""

    async def opinion(self, guest: Talk, message: Think, game: Game, states: list[State], role: int | None) -> None:
        """Tell a browser what the tree thinks of a moment of a match: for a role, or the one with the most choices.

        :raises ValueError: if there is no such moment, or the browser asks too often.
        """
        if message.at >= len(states):
            raise ValueError(f"match {message.match + 1} has {len(states)} moments")
        if not guest.bucket.take(8.0):
            raise ValueError("too many questions; wait a moment")
        state = states[message.at]
        role = await self.run(_mover, game, state) if role is None else role
        moves = await self.run(opinion_of, game, state, role, THOUGHT, 0, self.guide)
        await guest.send(Thought(message.match, message.at, role, moves))


def _mover(game: Game, state: State) -> int:
    """The role with the most choices."""
    machine = game.machine.fork()
    if machine.is_terminal(state):
        return 0
    return max(range(len(machine.roles)), key=lambda role: len(machine.legal(state, role)))


class Talk:
    """One browser."""

    def __init__(self, shown: Shown, socket: WebSocket, gate: Gate | None) -> None:
        self.shown, self.socket, self.gate = shown, socket, gate
        self.bucket = Bucket()

    async def send(self, message: Outgoing) -> None:
        """Send a message, unless the browser has gone."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self.socket.send_text(_encoder.encode(message).decode())

    async def run(self) -> None:
        """Talk until the browser leaves."""
        try:
            await self.socket.accept()
            while True:
                text = await self.socket.receive_text()
                if self.gate is not None and self.socket.client is not None:
                    self.gate.move((self.socket.client.host, self.socket.client.port), Stage.BUSY)
                await self.hear(text)
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass
        finally:
            self.shown.leave(self)

    async def hear(self, text: str) -> None:
        """Answer one message; an error becomes an answer as well."""
        try:
            if not self.bucket.take(1.0):
                raise ValueError("too many messages; wait a moment")
            if len(text) > MAX_ORDINARY:
                raise ValueError(f"a message has at most {MAX_ORDINARY} characters")
            message = _decoder.decode(text)
            if not secrets.compare_digest(message.key.encode(), self.shown.key.encode()):
                raise ValueError("this key opens nothing; use the whole address that the server printed")
            await self._answer(message)
        except (ValueError, msgspec.MsgspecError) as error:
            await self.send(Failed(str(error)[:300]))

    async def _answer(self, message: Incoming) -> None:
        match message:
            case Begin():
                await self.shown.begin(self, message)
            case Show():
                await self.shown.show(self, message)
            case Move():
                await self.shown.move(self, message)
            case Think():
                await self.shown.think(self, message)


def make_app(shown: Shown, hosts: Hosts, gate: Gate | None = None) -> ASGIApp:
    """The application."""

    async def index(request: Request) -> Response:
        return FileResponse(PAGE / "gdl" / "index.html")

    async def talk(socket: WebSocket) -> None:
        await Talk(shown, socket, gate).run()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        shown.attach()
        yield

    routes = [Route("/", index), WebSocketRoute("/ws", talk), Mount("/page", StaticFiles(directory=PAGE))]
    return Guarded(Starlette(routes=routes, lifespan=lifespan), hosts)
