"""`heartlab ggp play GAME --browser`: any game in the browser, on the same server as Hearts with a page of its own.

The page opens matches, says moves, and asks what the tree thinks; the server sends frames. Matches are kept as long as
the server runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import threading
import webbrowser
from dataclasses import dataclass, field

from heartlab.ggp import Machine, known_game_players, make_game_player
from heartlab.util.interrupts import signals_held
from heartlab.web.gate import make_gate
from heartlab.web.gdl_match import Game, Match
from heartlab.web.gdl_talk import (
    Begin,
    Failed,
    Frames,
    MatchLine,
    Move,
    Offered,
    Show,
    Shown,
    Talk,
    Think,
    make_app,
)  # fmt: skip
from heartlab.web.guard import LOOPBACK, Hosts
from heartlab.web.serve import bind
from heartlab.web.tokens import MAX_ORDINARY
from heartlab.web.transport import Config, Server

MOST_MATCHES = 200
"""Matches that are kept; older ones are forgotten."""
PLAYERS = ["uct", "alphabeta", "random"]
"""Players that the page offers, besides the one of the command line."""
log = logging.getLogger(__package__)


@dataclass
class Running:
    """A match with those who look at it."""

    number: int
    match: Match
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    guests: set[Talk] = field(default_factory=set)


class Matches(Shown):
    """All matches of one server, which people begin."""

    def __init__(self, machine: Machine, opponent: str, seconds: float, seed: int = 0) -> None:
        super().__init__(make_game_player(opponent).make_guide(machine.fork()))
        self.game = Game.of(machine)
        self.opponent, self.seconds, self.seed = opponent, seconds, seed
        known = known_game_players()
        self.players = {name: known.get(name.partition(":")[0], "") for name in dict.fromkeys([opponent, *PLAYERS])}
        self.running: dict[int, Running] = {}
        self._began = 0
        self._tasks: set[asyncio.Task[None]] = set()

    # --- answers ---

    async def begin(self, guest: Talk, message: Begin) -> None:
        running = await self._make(message.role, message.opponent)
        self.leave(guest)
        running.guests.add(guest)
        await guest.send(self.offered())
        await self._tell_all(guest, running)
        if not running.match.awaits_person and not running.match.is_over:
            self._follow(guest, running, None)

    async def show(self, guest: Talk, message: Show) -> None:
        await guest.send(self.offered())
        if message.match is not None:
            running = self._find(message.match)
            self.leave(guest)
            running.guests.add(guest)
            await self._tell_all(guest, running)
            if not running.match.awaits_person and not running.match.is_over and not running.lock.locked():
                self._follow(guest, running, None)

    async def move(self, guest: Talk, message: Move) -> None:
        running = self._find(message.match)
        if running.lock.locked() or message.at != len(running.match.frames) - 1:
            raise ValueError("the match has gone on since this move was chosen")
        if not running.match.awaits_person or message.number >= len(running.match.frames[-1].legal):
            raise ValueError("there is no such move now")
        self._follow(guest, running, message.number)

    async def think(self, guest: Talk, message: Think) -> None:
        match = self._find(message.match).match
        await self.opinion(guest, message, self.game, match.states, match.person)

    def leave(self, guest: Talk) -> None:
        for running in self.running.values():
            running.guests.discard(guest)

    def offered(self) -> Offered:
        """The game and its matches."""
        lines = [
            MatchLine(one.number, one.match.person, one.match.opponent, len(one.match.frames) - 1, last.goals)
            for one in reversed(self.running.values())
            for last in [one.match.frames[-1]]
        ]
        machine = self.game.machine
        return Offered(machine.name, self.game.roles, machine.kind, self.players, self.opponent, lines)

    # --- matches ---

    async def _make(self, role: int | None, opponent: str) -> Running:
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

    def _find(self, number: int) -> Running:
        """A match by its number.

        :raises ValueError: if there is none.
        """
        if number not in self.running:
            raise ValueError(f"there is no match {number + 1}")
        return self.running[number]

    async def _tell_all(self, guest: Talk, running: Running) -> None:
        match = running.match
        await guest.send(Frames(running.number, 0, match.person, list(match.frames)))

    def _follow(self, guest: Talk, running: Running, chosen: int | None) -> None:
        """Let a match go on beside what this browser says next."""

        async def go() -> None:
            async with running.lock:
                try:
                    await self._go_on(running, chosen)
                except Exception as error:
                    log.exception("a match failed")
                    await guest.send(Failed(f"the match cannot go on: {str(error)[:200]}"))
                    return
            await guest.send(self.offered())

        task = asyncio.create_task(go())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _go_on(self, running: Running, chosen: int | None) -> None:
        """Make a move, and go on until the person has a choice or the match is over; everybody is shown each frame."""
        match = running.match
        while True:
            frame = await self.run(match.step, chosen)
            shown = Frames(running.number, len(match.frames) - 1, match.person, [frame])
            for guest in list(running.guests):
                await guest.send(shown)
            chosen = None
            if match.is_over or match.awaits_person or (match.person is None and not running.guests):
                return


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
