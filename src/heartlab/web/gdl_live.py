"""`heartlab ggp match GAME ... --browser`: the matches of a game manager in the browser, as they are played.

`heartlab ggp tournament ... --browser` shows those of a tournament, in several games, with the table as it stands.
The manager plays in the main thread and tells :meth:`LiveMatches.watch` of every move; the server runs in a thread of
its own. Nobody can move here. A browser follows the match that is being played, or looks at one that it has chosen.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from heartlab.ggp import Machine
from heartlab.ggp.gdl.parse import parse_term
from heartlab.ggp.gdl.terms import RANDOM_ROLE
from heartlab.ggp.machine.base import State
from heartlab.ggp.protocol.manager import MatchRecord
from heartlab.ggp.protocol.tournament import Tournament
from heartlab.web.gate import make_gate
from heartlab.web.gdl_match import Frame, Game, Mishap, draw_frame
from heartlab.web.gdl_talk import (
    Begin,
    Frames,
    MatchLine,
    Move,
    Offered,
    Show,
    Shown,
    Standing,
    Talk,
    Think,
    make_app,
)  # fmt: skip
from heartlab.web.guard import LOOPBACK, Hosts
from heartlab.web.serve import bind
from heartlab.web.tokens import MAX_ORDINARY
from heartlab.web.transport import Config, Server

MOST_MATCHES, MOST_MOMENTS = 200, 10_000
"""Matches that are kept, and moments of all of them; older matches are forgotten."""
PAUSE = 0.1
"""Seconds between two reports to a browser: matches can be faster than it draws."""


@dataclass
class LiveMatch:
    """A match of the manager, as far as it has been played."""

    number: int
    game: str
    players: list[str]
    states: list[State] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    mishaps: int = 0
    version: int = 0
    """How often it has changed."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended or was broken off."""
        return self.frames[-1].goals is not None

    def take(self, state: State, frame: Frame, at: int) -> None:
        """A moment: a new one, or the last one with what has become known of it since."""
        self.version, self.mishaps = self.version + 1, self.mishaps + len(frame.mishaps)
        if at < len(self.frames):
            frame.mishaps = [*self.frames[at].mishaps, *frame.mishaps]
        self.states[at:], self.frames[at:] = [state], [frame]

    def line(self) -> MatchLine:
        """The match in the list."""
        moves, goals = len(self.frames) - 1, self.frames[-1].goals
        return MatchLine(self.number, None, "", moves, goals, self.players, self.mishaps, self.game)


@dataclass
class View:
    """What one browser looks at, and what it has been sent of that."""

    chosen: int | None = None
    """The number of a match; None follows the one that is being played."""
    number: int = -1
    moments: int = 0
    version: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None


class LiveMatches(Shown):
    """The matches of a manager. Except for `watch` and `note`, everything happens in the event loop of the server."""

    def __init__(self, machines: Sequence[Machine], total: int, announce: Callable[[], None] = lambda: None) -> None:
        super().__init__(None)
        self.games = {machine.name: Game.of(machine.fork()) for machine in machines}
        self.total, self.played = total, 0
        self.standings: list[Standing] = []
        self.before, self.earlier = 0, list[MatchLine]()
        """How many matches of a tournament were played before, and the last ones of them."""
        self.matches: dict[int, LiveMatch] = {}
        self._views: dict[Talk, View] = {}
        self._announce, self._announced = announce, False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._record: MatchRecord | None = None
        self._number, self._noted = -1, 0

    def attach(self) -> None:
        self._loop = asyncio.get_running_loop()

    def announce(self) -> None:
        """Say where the page is, once."""
        if not self._announced:
            self._announced = True
            self._announce()

    # --- what the manager tells, in its own thread ---

    def note(self, tournament: Tournament) -> None:
        """Take note of the table of a tournament: before its first match here, and after each one."""
        table = msgspec.convert(tournament.standings()["players"], list[Standing])
        before, earlier = self.before, self.earlier
        if self._number < 0:
            before = len(tournament.played)
            first = max(0, before - MOST_MATCHES)
            earlier = [_earlier(tournament, number) for number in range(first, before)]
            self._number = before - 1
        self._call(self._take_table, table, before, earlier)

    def watch(self, record: MatchRecord, state: State) -> None:
        """Take note of a match that has begun, gone on or ended: see `Watch`."""
        if record is not self._record:
            self._record, self._number, self._noted = record, self._number + 1, 0
            self.announce()
        game = self.games[record.game]
        at = len(record.moves)
        joint = [parse_term(move, "record") for move in record.moves[-1]] if at else []
        frame = draw_frame(game.machine.facts(state), joint, game.shapes)
        frame.goals = list(record.goals) or None
        new, self._noted = record.troubles[self._noted :], len(record.troubles)
        frame.mishaps = [Mishap(one.player, one.kind, one.message, one.player >= 0 and one.turn < at) for one in new]
        self._call(self._take, LiveMatch(self._number, record.game, record.players), state, frame, at)

    def _call(self, take: Callable[..., None], *arguments: object) -> None:
        """Let the event loop take something."""
        assert self._loop is not None, "the server starts before the matches"
        with contextlib.suppress(RuntimeError):  # a server that has ended does not end the matches
            self._loop.call_soon_threadsafe(take, *arguments)

    # --- in the event loop ---

    def _take_table(self, standings: list[Standing], before: int, earlier: list[MatchLine]) -> None:
        self.played += before - self.before
        self.standings, self.before, self.earlier = standings, before, earlier
        self._wake()

    def _take(self, match: LiveMatch, state: State, frame: Frame, at: int) -> None:
        if match.number not in self.matches:
            kept = sum(len(match.frames) for match in self.matches.values())
            while self.matches and (len(self.matches) >= MOST_MATCHES or kept > MOST_MOMENTS):
                kept -= len(self.matches.pop(min(self.matches)).frames)
            self.matches[match.number] = match
        match = self.matches[match.number]
        match.take(state, frame, at)
        self.played += match.is_over
        self._wake()

    def _wake(self) -> None:
        for view in self._views.values():
            view.changed.set()

    def _find(self, number: int) -> LiveMatch:
        """A match by its number.

        :raises ValueError: if there is none.
        """
        if number not in self.matches:
            raise ValueError(f"there is no match {number + 1}, or it is no longer kept")
        return self.matches[number]

    async def begin(self, guest: Talk, message: Begin) -> None:
        raise ValueError("the manager begins these matches; here they are only shown")

    async def move(self, guest: Talk, message: Move) -> None:
        raise ValueError("the players of the manager make the moves; here they are only shown")

    async def show(self, guest: Talk, message: Show) -> None:
        if message.match is not None:
            self._find(message.match)
        view = self._views.setdefault(guest, View())
        view.chosen, view.number = message.match, -1
        view.changed.set()
        if view.task is None:
            view.task = asyncio.create_task(self._report(guest, view))

    async def think(self, guest: Talk, message: Think) -> None:
        if self.played < self.total:
            raise ValueError("the tree answers when all matches are over: now it would take time from the players")
        match = self._find(message.match)
        await self.opinion(guest, message, self.games[match.game], match.states, None)

    def leave(self, guest: Talk) -> None:
        view = self._views.pop(guest, None)
        if view is not None and view.task is not None:
            view.task.cancel()

    async def _report(self, guest: Talk, view: View) -> None:
        """Send a browser what has changed, until it leaves."""
        while True:
            await view.changed.wait()
            view.changed.clear()
            await guest.send(self.offered())
            match = self._looked_at(view)
            if match is not None and (match.number, match.version) != (view.number, view.version):
                first = max(0, view.moments - 1) if match.number == view.number else 0
                view.number, view.moments, view.version = match.number, len(match.frames), match.version
                await guest.send(Frames(match.number, first, None, match.frames[first:], match.game))
            await asyncio.sleep(PAUSE)

    def _looked_at(self, view: View) -> LiveMatch | None:
        """The match for a browser. One that follows sees the end of a match until the next has its first move."""
        if view.chosen is not None or not self.matches:
            return self.matches.get(-1 if view.chosen is None else view.chosen)
        newest = self.matches[max(self.matches)]
        has_moved = len(newest.frames) > 1 or newest.is_over
        return newest if has_moved else self.matches.get(newest.number - 1, newest)

    def offered(self) -> Offered:
        """The games and their matches."""
        lines = [*(match.line() for match in reversed(self.matches.values())), *reversed(self.earlier)]
        roles = {name: game.roles for name, game in self.games.items()}
        kinds = sorted({game.machine.kind for game in self.games.values()})
        return Offered(
            ", ".join(roles),
            next(iter(roles.values())) if len(roles) == 1 else [],
            ", ".join(kinds),
            {},
            "",
            lines[:MOST_MATCHES],
            self.total,
            self.played,
            roles,
            self.standings,
            self.before,
        )


def _earlier(tournament: Tournament, number: int) -> MatchLine:
    """A match in the list that was played before; its file keeps the result, but no moves."""
    played = tournament.played[number]
    machine = tournament.managers[played.game].machine
    seats = iter(zip(played.players, played.goals, strict=True))
    players, goals = list[str](), list[int | None]()
    for role in machine.roles:
        player, goal = (None, None) if role == RANDOM_ROLE else next(seats)
        players.append(RANDOM_ROLE if player is None else tournament.players[player])
        goals.append(goal)
    mishaps = sum(sum(own.values()) for own in played.troubles)
    return MatchLine(number, None, "", played.turns, goals, players, mishaps, machine.name, kept=False)


@contextlib.contextmanager
def showing_matches(machines: Sequence[Machine], total: int, port: int, *, browser: bool) -> Iterator[LiveMatches]:
    """Serve a page that shows a number of matches while the block plays them, and then until Ctrl-C.

    Yields what has to be told of them. The address is printed when the first match begins.

    :raises ValueError: if the port is in use, or a game cannot be shown.
    """

    def announce() -> None:
        names = ", ".join(machine.name for machine in machines)
        print(f"{names}: the matches are shown at {address}", file=sys.stderr, flush=True)
        if browser:
            threading.Timer(0.5, lambda: webbrowser.open(address)).start()

    live = LiveMatches(machines, total, announce)
    gate = make_gate()
    with contextlib.closing(bind("127.0.0.1", port)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/#{live.key}"
        server = Server(Config(make_app(live, Hosts(frozenset(LOOPBACK)), gate), gate, 2 * MAX_ORDINARY))
        thread = threading.Thread(target=server.run, args=([listener],), name="gdl-live", daemon=True)
        thread.start()
        try:
            while not server.started and thread.is_alive():
                thread.join(0.01)
            yield live
            live.announce()
            print("All matches are over; the page is served until Ctrl+C.", file=sys.stderr, flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                while thread.is_alive():
                    thread.join(0.5)
        finally:
            server.stop()
            thread.join()
            live.threads.shutdown(wait=False, cancel_futures=True)
