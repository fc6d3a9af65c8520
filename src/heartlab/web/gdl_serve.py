"""`heartlab ggp play GAME --browser`: any game in the browser, on the same server as Hearts with a page of its own.

One WebSocket at ``/ws``. The page opens matches, says moves, and asks what the tree thinks; the server sends frames.
Matches are kept as long as the server runs. Input is limited and decoded as in :mod:`heartlab.web.connection`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import sys
import threading
import webbrowser
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
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

from heartlab.ggp import Machine, known_game_players, make_game_player
from heartlab.util.interrupts import signals_held
from heartlab.web.gate import Gate, Stage, make_gate
from heartlab.web.gdl_match import Frame, Game, Match, MoveOpinion, opinion_of
from heartlab.web.guard import LOOPBACK, Guarded, Hosts
from heartlab.web.serve import bind
from heartlab.web.server import PAGE
from heartlab.web.tokens import MAX_ORDINARY, Bucket
from heartlab.web.transport import Config, Server

MOST_MATCHES = 200
"""Matches that are kept; older ones are forgotten."""
THOUGHT = 1.0
"""Seconds that the tree thinks about a position."""
PLAYERS = ["uct", "alphabeta", "random"]
"""Players that the page offers, besides the one of the command line."""
Number = Annotated[int, Meta(ge=0, le=1_000_000)]
log = logging.getLogger(__package__)

# --- messages ---


class Begin(Struct, tag="begin", forbid_unknown_fields=True):
    """Begin a match; without a role players play alone."""

    key: Annotated[str, Meta(max_length=64)]
    role: Annotated[int, Meta(ge=0, le=15)] | None = 0
    opponent: Annotated[str, Meta(max_length=80)] = "uct"


class Show(Struct, tag="show", forbid_unknown_fields=True):
    """Show a match from its beginning, or the game if there is none yet."""

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
    goals: list[int] | None


class Offered(Struct, tag="game"):
    """The game, its roles and players, and the matches so far."""

    name: str
    roles: list[str]
    machine: str
    players: dict[str, str]
    """Names and what they do."""
    opponent: str
    matches: list[MatchLine]


class Frames(Struct, tag="frames"):
    """Moments of a match, from number `first` on."""

    match: int
    first: int
    role: int | None
    frames: list[Frame]


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


@dataclass
class Running:
    """A match with those who look at it."""

    number: int
    match: Match
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    guests: set[Talk] = field(default_factory=set)


class Matches:
    """All matches of one server."""

    def __init__(self, machine: Machine, opponent: str, seconds: float, seed: int = 0) -> None:
        self.game, self.opponent, self.seconds, self.seed = Game.of(machine), opponent, seconds, seed
        self.key = secrets.token_urlsafe(16)
        self.guide = make_game_player(opponent).make_guide(machine.fork())
        known = known_game_players()
        self.players = {name: known.get(name.partition(":")[0], "") for name in dict.fromkeys([opponent, *PLAYERS])}
        self.running: dict[int, Running] = {}
        self._began = 0
        self.threads = ThreadPoolExecutor(2, thread_name_prefix="gdl")

    async def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do something long on a thread."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work, *arguments)

    async def begin(self, role: int | None, opponent: str) -> Running:
        """A new match.

        :raises ValueError: for a role or a player that does not exist.
        """
        if role is not None and role >= len(self.game.roles):
            raise ValueError(f"there are {len(self.game.roles)} roles")
        if opponent not in self.players:
            raise ValueError(f"players here are {', '.join(self.players)}")
        number, self._began = self._began, self._began + 1
        match = await self.run(Match, self.game, role, opponent, self.seconds, self.seed + number)
        self.running[number] = running = Running(number, match)
        while len(self.running) > MOST_MATCHES:
            del self.running[min(self.running)]
        return running

    def find(self, number: int) -> Running:
        """A match by its number.

        :raises ValueError: if there is none.
        """
        if number not in self.running:
            raise ValueError(f"there is no match {number + 1}")
        return self.running[number]

    async def go_on(self, running: Running, chosen: int | None) -> None:
        """Make a move, and go on until the person has a choice or the match is over; everybody is shown each frame."""
        match = running.match
        while True:
            frame = await self.run(match.step, chosen)
            shown = Frames(running.number, len(match.frames) - 1, match.person, [frame])
            for guest in list(running.guests):
                with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                    await guest.send(shown)
            chosen = None
            if match.is_over or match.awaits_person or (match.person is None and not running.guests):
                return

    def offered(self) -> Offered:
        """The game and its matches."""
        lines = [
            MatchLine(one.number, one.match.person, one.match.opponent, len(one.match.frames) - 1, last.goals)
            for one in reversed(self.running.values())
            for last in [one.match.frames[-1]]
        ]
        machine = self.game.machine
        return Offered(machine.name, self.game.roles, machine.kind, self.players, self.opponent, lines)


class Talk:
    """One browser."""

    def __init__(self, matches: Matches, socket: WebSocket, gate: Gate | None) -> None:
        self.matches, self.socket, self.gate = matches, socket, gate
        self.bucket = Bucket()
        self.tasks: set[asyncio.Task[None]] = set()
        self._answers: dict[type, Callable[[Any], Awaitable[None]]] = {
            Begin: self.begin, Show: self.show, Move: self.move, Think: self.think,
        }  # fmt: skip

    async def send(self, message: Outgoing) -> None:
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
            self.look_away()

    def look_away(self) -> None:
        for running in self.matches.running.values():
            running.guests.discard(self)

    async def hear(self, text: str) -> None:
        """Answer one message; an error becomes an answer as well."""
        try:
            if not self.bucket.take(1.0):
                raise ValueError("too many messages; wait a moment")
            if len(text) > MAX_ORDINARY:
                raise ValueError(f"a message has at most {MAX_ORDINARY} characters")
            message = _decoder.decode(text)
            if not secrets.compare_digest(message.key.encode(), self.matches.key.encode()):
                raise ValueError("this key opens nothing; use the whole address that the server printed")
            await self._answers[type(message)](message)
        except (ValueError, msgspec.MsgspecError) as error:
            await self.send(Failed(str(error)[:300]))

    async def begin(self, message: Begin) -> None:
        running = await self.matches.begin(message.role, message.opponent)
        self.look_away()
        running.guests.add(self)
        await self.send(self.matches.offered())
        await self.tell_all(running)
        if not running.match.awaits_person and not running.match.is_over:
            self.follow(running, None)

    async def show(self, message: Show) -> None:
        await self.send(self.matches.offered())
        if message.match is not None:
            running = self.matches.find(message.match)
            self.look_away()
            running.guests.add(self)
            await self.tell_all(running)
            if not running.match.awaits_person and not running.match.is_over and not running.lock.locked():
                self.follow(running, None)

    async def tell_all(self, running: Running) -> None:
        match = running.match
        await self.send(Frames(running.number, 0, match.person, list(match.frames)))

    async def move(self, message: Move) -> None:
        running = self.matches.find(message.match)
        if running.lock.locked() or message.at != len(running.match.frames) - 1:
            raise ValueError("the match has gone on since this move was chosen")
        if not running.match.awaits_person or message.number >= len(running.match.frames[-1].legal):
            raise ValueError("there is no such move now")
        self.follow(running, message.number)

    def follow(self, running: Running, chosen: int | None) -> None:
        """Let a match go on beside what this browser says next."""

        async def go() -> None:
            async with running.lock:
                try:
                    await self.matches.go_on(running, chosen)
                except Exception as error:
                    log.exception("a match failed")
                    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                        await self.send(Failed(f"the match cannot go on: {str(error)[:200]}"))
                    return
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await self.send(self.matches.offered())

        task = asyncio.create_task(go())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def think(self, message: Think) -> None:
        running = self.matches.find(message.match)
        match = running.match
        if message.at >= len(match.states):
            raise ValueError(f"match {message.match + 1} has {len(match.states)} moments")
        if not self.bucket.take(8.0):
            raise ValueError("too many questions; wait a moment")
        state, role = match.states[message.at], match.person
        role = await self.matches.run(self.mover, match.game, state) if role is None else role
        moves = await self.matches.run(opinion_of, match.game, state, role, THOUGHT, 0, self.matches.guide)
        await self.send(Thought(message.match, message.at, role, moves))

    @staticmethod
    def mover(game: Game, state: Any) -> int:
        """The role with the most choices."""
        machine = game.machine.fork()
        if machine.is_terminal(state):
            return 0
        return max(range(len(machine.roles)), key=lambda role: len(machine.legal(state, role)))


def make_app(matches: Matches, hosts: Hosts, gate: Gate | None = None) -> ASGIApp:
    """The application."""

    async def index(request: Request) -> Response:
        return FileResponse(PAGE / "gdl" / "index.html")

    async def talk(socket: WebSocket) -> None:
        await Talk(matches, socket, gate).run()

    routes = [Route("/", index), WebSocketRoute("/ws", talk), Mount("/page", StaticFiles(directory=PAGE))]
    return Guarded(Starlette(routes=routes), hosts)


def run_game_server(machine: Machine, opponent: str, seconds: float, seed: int, port: int, *, browser: bool) -> None:
    """Serve a game until interrupted.

    :raises ValueError: if the port is in use, or the game cannot be shown.
    """
    matches = Matches(machine, opponent, seconds, seed)
    gate = make_gate()
    with contextlib.closing(bind("127.0.0.1", port)) as listener:
        server = Server(Config(make_app(matches, Hosts(frozenset(LOOPBACK)), gate), gate, 2 * MAX_ORDINARY))
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/#{matches.key}"
        with signals_held(server.stop), contextlib.suppress(KeyboardInterrupt):
            print(f"{machine.name} is served at {address}", flush=True)
            print("Matches are kept until Ctrl+C ends the server.", file=sys.stderr, flush=True)
            if browser:
                threading.Timer(0.5, lambda: webbrowser.open(address)).start()
            server.run(sockets=[listener])
        matches.threads.shutdown(wait=False, cancel_futures=True)
